// Package kinds answers: what is a kind of change? One table has for each kind of [explain.Kind] its words, its fields in JSON, its line
// in a scenario, and the edit of a request. How the least change of a kind is found is up to package remedies, where changes of the
// cluster are made too, on a snapshot.
package kinds

import (
	"fmt"
	"strings"

	"github.com/muster-sched/muster/explain"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/phrases"
)

// Row is a kind of change.
type Row struct {
	// Things are what is looked into: `fewer members`.
	Things string
	// Perhaps says what a change leaves open that is not known to be the least.
	Perhaps string
	// Told is a change as a clause behind `if`, as keys and values in turn for JSON, and as text for a scenario. A value is a text, a number, a
	// truth, a list of texts, an amount of each resource, keys and values in turn, or a list of these. The gang is the one that starts then; of its
	// request little is told, and it may be nil. Never nil.
	Told func(c *explain.Change, name string, req *gang.Request) (words string, fields []any, line string)
	// Edit makes a change of a request, in a copy; false: it changes nothing there. Nil for a kind that changes the cluster, and for combinations.
	Edit func(req *gang.Request, c *explain.Change) (*gang.Request, bool)
}

// rows are all kinds.
var rows = map[explain.Kind]Row{
	explain.KindMembers:     {"fewer members", "perhaps with more", members, setMinimum},
	explain.KindLayer:       {"wider layers", "perhaps a tighter layer would do", layer, moveLayer},
	explain.KindGroup:       {"fewer groups", less, group, dropGroups},
	explain.KindMultiple:    {"no multiples", less, multiple, dropMultiple},
	explain.KindLimit:       {"looser limits", less, limit, loosenLimit},
	explain.KindRequest:     {"smaller requests", "perhaps more would do", request, askForLess},
	explain.KindNodes:       {"nodes back in service", fewer, nodes, nil},
	explain.KindTaint:       {"tolerated taints", less, taint, tolerate},
	explain.KindSelector:    {"wider selectors", less, selector, dropSelector},
	explain.KindQuota:       {"larger quotas", less, quotas, nil},
	explain.KindGangs:       {"the end of other gangs", fewer, gangs, nil},
	explain.KindPriority:    {"a higher priority", less, priority, raisePriority},
	explain.KindAdd:         {"more nodes", fewer, add, nil},
	explain.KindCombination: {"two changes at once", less, otherwise, nil}, // its changes are told one by one
}

const (
	less  = "perhaps less would do"
	fewer = "perhaps fewer would do"
)

// Of is the row of a kind; of one that is not known it has the name of the kind, and no edit.
func Of(k explain.Kind) Row {
	if row, known := rows[k]; known {
		return row
	}
	return Row{Things: string(k), Told: otherwise}
}

// members reads `3 members were enough`.
func members(c *explain.Change, name string, _ *gang.Request) (string, []any, string) {
	of := ""
	if c.Part != "" {
		of = " of " + c.Part
	}
	n, word := c.MinMember, "member"
	if c.Parts {
		n, word = c.MinParts, "group"
	}
	words := phrases.Count(n, word) + of + " were enough"
	if n == 0 {
		words = fmt.Sprintf("no %s%s were needed", word, of)
	}
	fields := append([]any{"gang", name}, about(c)...)
	if c.Parts {
		fields = append(fields, "minParts", n)
	} else {
		fields = append(fields, "minMember", n)
	}
	line := fmt.Sprintf(" min=%d", n)
	if c.GangMinMember > 0 {
		fields, line = append(fields, "gangMinMember", c.GangMinMember), line+fmt.Sprintf(" of %d", c.GangMinMember)
	}
	if c.Parts {
		line = fmt.Sprintf(" parts=%d", n)
	}
	return words, fields, line
}

func layer(c *explain.Change, _ string, _ *gang.Request) (string, []any, string) {
	words, to := fmt.Sprintf("%s did not have to be in one %s", who(c), phrases.Layer(c.From)), "none"
	if c.To != "" {
		words, to = fmt.Sprintf("%s had to be in one %s instead of one %s", who(c), phrases.Layer(c.To), phrases.Layer(c.From)), c.To
	}
	return words, append([]any{"rule", "MustGather", "from", c.From, "to", c.To}, about(c)...), fmt.Sprintf(" %s -> %s", c.From, to)
}

func group(c *explain.Change, _ string, _ *gang.Request) (string, []any, string) {
	of := "its members"
	if c.Part != "" {
		of = "the members of " + c.Part
	}
	return fmt.Sprintf("%s were not kept in groups of %d", of, c.Size), append([]any{"drop", "groups", "size", c.Size}, about(c)...), fmt.Sprintf(" size=%d", c.Size)
}

func multiple(c *explain.Change, _ string, _ *gang.Request) (string, []any, string) {
	return fmt.Sprintf("%s did not have to come by multiples of %d in each %s", who(c), c.Multiple, phrases.Layer(c.From)),
		append([]any{"drop", "multiple", "multiple", c.Multiple, "layer", c.From}, about(c)...),
		fmt.Sprintf(" %d at %s", c.Multiple, c.From)
}

// limit reads `2 of its members could be in one leaf`.
func limit(c *explain.Change, _ string, _ *gang.Request) (string, []any, string) {
	fields := []any{"limit", string(c.Limit), "layer", c.From, "most", c.Most}
	line, to := "", "none"
	if c.OfParts {
		fields, line = append(fields, "ofParts", true), " of parts"
	}
	if c.Most > 0 {
		to = fmt.Sprint(c.Most)
	}
	words := wordsOf(c.Limit).loosened(c.Most, limited(c), phrases.Layer(c.From))
	return words, append(fields, about(c)...), line + fmt.Sprintf(" %s at %s -> %s", c.Limit, c.From, to)
}

// limited is of what a limit speaks.
func limited(c *explain.Change) string {
	what := "members"
	switch {
	case c.OfParts:
		what = "parts"
	case c.Level > 0:
		what = "groups"
	}
	if c.Part == "" {
		return "its " + what + levelWords(c)
	}
	return fmt.Sprintf("the %s of %s%s", what, c.Part, levelWords(c))
}

func request(c *explain.Change, _ string, _ *gang.Request) (string, []any, string) {
	return fmt.Sprintf("no member asked for more than %s instead of %s", phrases.AmountOf(c.Resource, c.Amount), phrases.Amount(c.Resource, c.Before)),
		[]any{"resource", c.Resource, "from", c.Before, "to", c.Amount},
		fmt.Sprintf(" %s=%d -> %d", c.Resource, c.Before, c.Amount)
}

func nodes(c *explain.Change, _ string, _ *gang.Request) (string, []any, string) {
	return phrases.Named(c.Nodes) + " returned to service", []any{"returnToService", c.Nodes}, " " + strings.Join(c.Nodes, ",")
}

func taint(c *explain.Change, _ string, _ *gang.Request) (string, []any, string) {
	t, name := c.Taint, c.Taint.Key
	if t.Value != "" {
		name += "=" + t.Value
	}
	return fmt.Sprintf("its members tolerated the taint %s:%s", name, t.Effect),
		[]any{"tolerate", []any{"key", t.Key, "value", t.Value, "effect", string(t.Effect)}},
		fmt.Sprintf(" %s=%s:%s", t.Key, t.Value, t.Effect)
}

func selector(c *explain.Change, _ string, _ *gang.Request) (string, []any, string) {
	if c.Affinity {
		return "its members had no node affinity", []any{"drop", "affinity"}, " affinity"
	}
	return "its members did not select nodes by the label " + c.Label, []any{"drop", c.Label}, " " + c.Label
}

// quotas reads `quota a had a maximum of 12 gpu and a minimum of 4 gpu`.
func quotas(c *explain.Change, _ string, _ *gang.Request) (string, []any, string) {
	words, all, line := []string{}, [][]any{}, ""
	for _, q := range c.Quotas {
		sides, fields := []string{}, []any{"quota", q.Quota}
		if len(q.Max) > 0 {
			sides, fields = append(sides, "a maximum of "+phrases.List(phrases.Amounts(q.Max))), append(fields, "max", q.Max)
		}
		if len(q.Min) > 0 {
			sides, fields = append(sides, "a minimum of "+phrases.List(phrases.Amounts(q.Min))), append(fields, "min", q.Min)
		}
		words, all = append(words, "quota "+q.Quota+" had "+phrases.List(sides)), append(all, fields)
		line += fmt.Sprintf(" %s max=%v min=%v", q.Quota, q.Max, q.Min)
	}
	return phrases.Named(words), []any{"quotas", all}, line
}

func gangs(c *explain.Change, _ string, _ *gang.Request) (string, []any, string) {
	names := phrases.Named(c.Gangs)
	if c.FewestMembers {
		return names + ", which have fewer members, ended", []any{"end", c.Gangs, "fewestMembers", true}, " of fewest members " + strings.Join(c.Gangs, ",")
	}
	if c.LeastLost {
		return names + map[bool]string{true: ", which loses less work, ended", false: ", which lose less work, ended"}[len(c.Gangs) == 1], []any{"end", c.Gangs, "leastLost", true}, " of least lost work " + strings.Join(c.Gangs, ",")
	}
	return names + " ended", []any{"end", c.Gangs}, " " + strings.Join(c.Gangs, ",")
}

func priority(c *explain.Change, _ string, req *gang.Request) (string, []any, string) {
	words, fields := fmt.Sprintf("it had priority %d", c.Priority), []any{"priority", c.Priority}
	if c.Preempts {
		words, fields = words+" and were allowed to evict others", append(fields, "preempts", true)
		if req != nil && req.Priority == c.Priority {
			words = "it were allowed to evict others"
		}
	}
	return words, fields, fmt.Sprintf(" %d preempts=%t", c.Priority, c.Preempts)
}

func add(c *explain.Change, _ string, _ *gang.Request) (string, []any, string) {
	words, path := phrases.Count(c.Add, "node")+" like "+c.Like+" were added", strings.Join(c.Domain, "/")
	if path != "" {
		words += " to " + path
	}
	return words, []any{"nodes", c.Add, "like", c.Like, "domain", path}, fmt.Sprintf(" %d like %s to %s", c.Add, c.Like, path)
}

// otherwise is what is not known.
func otherwise(*explain.Change, string, *gang.Request) (string, []any, string) {
	return "something were otherwise", nil, ""
}

// who is what a rule is about: the gang, its groups, a part or the groups of it.
func who(c *explain.Change) string {
	switch {
	case c.Level > 0 && c.Part != "":
		return fmt.Sprintf("each group of %s%s", c.Part, levelWords(c))
	case c.Level > 0:
		return "each of its groups" + levelWords(c)
	case c.Part != "":
		return "the members of " + c.Part
	}
	return "its members"
}

// levelWords tell levels of groups apart, the outermost aside.
func levelWords(c *explain.Change) string {
	if c.Level < 2 {
		return ""
	}
	return fmt.Sprintf(" at level %d", c.Level)
}

// about names the part and the level of groups of a change, if any.
func about(c *explain.Change) (fields []any) {
	if c.Part != "" {
		fields = append(fields, "part", c.Part)
	}
	if c.Level > 0 {
		fields = append(fields, "level", c.Level)
	}
	return fields
}
