package remedies

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/explain"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/bounds"
	"github.com/muster-sched/muster/internal/changed"
	"github.com/muster-sched/muster/internal/search"
	"github.com/muster-sched/muster/internal/snapshot"
	"github.com/muster-sched/muster/quota"
)

// drawSmall draws up to three racks of one or two nodes, mostly full, with what may keep members away.
func drawSmall(t *rapid.T) (spec cluster.Spec) {
	chance := func(percent int, what string) bool { return rapid.IntRange(0, 99).Draw(t, what) < percent }
	var racks []string
	for range rapid.IntRange(1, 3).Draw(t, "racks") {
		text := ""
		for range rapid.IntRange(1, 2).Draw(t, "nodes") {
			if text += " "; chance(20, "cordoned") {
				text += "#"
			}
			for range rapid.IntRange(1, 4).Draw(t, "devices") {
				text += rapid.SampledFrom([]string{".", ".", "a", "b", "c", "d"}).Draw(t, "device")
			}
		}
		racks = append(racks, text)
	}
	spec = inRacks(racks...)
	for i := range spec.Nodes {
		n := &spec.Nodes[i]
		n.Allocatable["cpu"] = rapid.Int64Range(2, 8).Draw(t, "cpu")
		if chance(15, "tainted") {
			n.Taints = []gang.Taint{{Key: "spot", Effect: gang.NoSchedule}}
		}
		if chance(80, "labelled") {
			n.Labels = map[string]string{"pool": "x"}
		}
	}
	alone, leaving, low := chance(20, "a is alone"), chance(20, "b leaves"), rapid.Int64Range(0, 2).Draw(t, "priority")
	for i := range spec.Running {
		switch m := &spec.Running[i]; m.Gang {
		case "a":
			if m.Priority = low; alone {
				m.Alone, m.AloneIn = "rack", "default"
			}
		case "b":
			m.Leaving, m.Priority = leaving, 1
		case "c":
			m.Priority, m.MinMember = 2, -1
		}
	}
	return spec
}

// drawJob draws a gang that asks for about as much as there is, with some of all rules.
func drawJob(t *rapid.T, spec *cluster.Spec) gang.Request {
	chance := func(percent int, what string) bool { return rapid.IntRange(0, 99).Draw(t, what) < percent }
	layer := func() string { return rapid.SampledFrom([]string{"rack", "room", "0"}).Draw(t, "layer") }
	req := jobOf(rapid.IntRange(1, 4).Draw(t, "members"), rapid.Int64Range(1, 3).Draw(t, "devices"))
	req.Priority, req.NeverPreempts = rapid.Int64Range(0, 2).Draw(t, "priority"), chance(60, "evicts nobody")
	if chance(40, "asks for CPUs") {
		req.Shape.Resources["cpu"] = rapid.Int64Range(1, 5).Draw(t, "CPUs")
	}
	if chance(20, "another shape") {
		req.Members[0].Shape = &gang.Shape{Resources: muster.Resources{"gpu": rapid.Int64Range(1, 3).Draw(t, "devices of another shape")}}
	}
	if chance(20, "selects") {
		req.Shape.Selector = map[string]string{"pool": "x"}
	}
	if chance(40, "gathers") {
		req.Gather = must(layer())
	} else if chance(15, "by multiples") {
		req.Gather = []gang.Rule{{Layer: "rack", Multiple: 2}}
	}
	if chance(25, "limited") {
		req.Limits = []gang.Limit{{Kind: gang.Apart, Layer: "rack", Most: rapid.IntRange(1, 2).Draw(t, "most")}}
		switch rapid.IntRange(0, 2).Draw(t, "limit") {
		case 0:
			req.Limits[0].Kind = gang.Within
		case 1:
			req.Limits[0] = gang.Limit{Kind: gang.Alone, Layer: "rack"}
		}
	}
	switch n := len(req.Members); {
	case n > 1 && chance(20, "groups"):
		req.Groups = []gang.Groups{{Size: 2, Gather: must(layer())}}
	case n > 2 && chance(20, "parts"):
		req.Parts = []gang.Part{{Name: "head", Members: []string{"job-0"}}, {Name: "tail", Members: []string{"job-1", "job-2"}, Gather: must(layer())}}
	case chance(30, "fewer suffice"):
		req.MinMember = rapid.IntRange(1, n).Draw(t, "at least")
	}
	if chance(25, "quotas") {
		most := rapid.Int64Range(2, 8).Draw(t, "max")
		spec.Quotas = quotasOf(
			quota.Spec{Name: "org", Max: muster.Resources{"gpu": most + 2}, Min: muster.Resources{"gpu": 2}},
			quota.Spec{Name: "team", Max: muster.Resources{"gpu": most}, Min: muster.Resources{"gpu": 1}}, quota.Spec{Name: "other", Min: muster.Resources{"gpu": 1}},
		)
		req.Quota = "team"
		count(spec, "a", "team")
		count(spec, "c", "other")
	}
	return req
}

// question is a cluster and a gang that cannot start in it.
type question struct {
	spec cluster.Spec
	req  gang.Request
	lost map[string]int64 // by gang
}

// with is what becomes of both once some changes are made. A level of groups that is dropped is that of the request, so that it is the last.
func (q question) with(changes ...explain.Change) question {
	dropped := func(c explain.Change) bool { return c.Kind == explain.KindGroup }
	slices.SortStableFunc(changes, func(a, b explain.Change) int { return cmp.Compare(bit(dropped(a)), bit(dropped(b))) })
	for i := range changes {
		changed.Make(&q.spec, &q.req, &changes[i])
	}
	return q
}

func bit(is bool) int {
	if is {
		return 1
	}
	return 0
}

// starts says whether the gang can start.
func (q question) starts() bool { return fits(q.spec, &q.req) != nil }

// supported says whether there is such a cluster and such a gang.
func supported(q question) bool {
	s, err := snapshot.New(q.spec)
	if err != nil {
		return false
	}
	p, err := search.New(s, &q.req, nil, bounds.Search{})
	if err == nil {
		p.Done()
	}
	return err == nil
}

// lesser are all changes that are smaller than one, as far as they can be counted.
func (q question) lesser(c explain.Change) (out []explain.Change) {
	add := func(change func(c *explain.Change)) {
		next := c
		change(&next)
		out = append(out, next)
	}
	switch c.Kind {
	case explain.KindMembers:
		for n := c.MinMember + 1; c.Part == "" && !c.Parts && n < cmp.Or(q.req.MinMember, len(q.req.Members)); n++ {
			add(func(c *explain.Change) { c.MinMember = n })
		}
	case explain.KindLayer:
		for _, to := range []string{"rack", "room"} {
			if rank := map[string]int{"0": 0, "rack": 1, "room": 2, "": 3}; rank[to] > rank[c.From] && rank[to] < rank[c.To] {
				add(func(c *explain.Change) { c.To = to })
			}
		}
	case explain.KindLimit:
		for n := q.req.Limits[0].Most + 1; c.Limit != gang.Alone && n < cmp.Or(c.Most, len(q.req.Members)+1); n++ {
			add(func(c *explain.Change) { c.Most = n })
		}
	case explain.KindRequest:
		for n := c.Amount + 1; n < c.Before; n++ {
			add(func(c *explain.Change) { c.Amount = n })
		}
	case explain.KindNodes:
		for set := range setsOf(q.outOfService()) {
			if before(set, c.Nodes) {
				add(func(c *explain.Change) { c.Nodes = set })
			}
		}
	case explain.KindGangs:
		for set := range setsOf(q.others()) {
			less := before(set, c.Gangs)
			switch {
			case c.FewestMembers:
				less = q.members(set) < q.members(c.Gangs)
			case c.LeastLost:
				less = q.lostBy(set) < q.lostBy(c.Gangs)
			}
			if less {
				add(func(c *explain.Change) { c.Gangs = set })
			}
		}
	case explain.KindPriority:
		for p := q.req.Priority + 1; p < c.Priority; p++ {
			add(func(c *explain.Change) { c.Priority = p })
		}
	case explain.KindAdd:
		for _, like := range q.spec.Nodes {
			for path := range q.racks() {
				if c.Add > 1 {
					add(func(c *explain.Change) { c.Add, c.Like, c.Domain = c.Add-1, like.Name, path })
				}
			}
		}
	case explain.KindQuota:
		for i, of := range c.Quotas {
			for resource, most := range of.Max {
				add(func(c *explain.Change) {
					c.Quotas = slices.Clone(c.Quotas)
					c.Quotas[i].Max = maps.Clone(of.Max)
					c.Quotas[i].Max[resource] = most - 1
				})
			}
		}
	default: // there is nothing between all and nothing
	}
	return out
}

// before says whether a set has fewer names than another, or as many and is before it by name.
func before(set, other []string) bool {
	return len(set) < len(other) || len(set) == len(other) && slices.CompareFunc(set, other, muster.CompareNatural) < 0
}

// setsOf goes through all sets of names but the empty one.
func setsOf(names []string) func(yield func([]string) bool) {
	return func(yield func([]string) bool) {
		for mask := 1; mask < 1<<len(names); mask++ {
			var set []string
			for i, name := range names {
				if mask>>i&1 == 1 {
					set = append(set, name)
				}
			}
			if !yield(set) {
				return
			}
		}
	}
}

func (q question) outOfService() (names []string) {
	for _, n := range q.spec.Nodes {
		if n.Cordoned {
			names = append(names, n.Name)
		}
	}
	return names
}

// others are the gangs that run, by name.
func (q question) others() (names []string) {
	for _, m := range q.spec.Running {
		names = append(names, m.Gang)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// members is how many end with some gangs who would not leave anyway.
func (q question) members(gangs []string) (n int) {
	for _, m := range q.spec.Running {
		n += bit(slices.Contains(gangs, m.Gang) && !m.Leaving)
	}
	return n
}

// lostBy is the work that is lost with some gangs.
func (q question) lostBy(gangs []string) (n int64) {
	for _, g := range gangs {
		n += q.lost[g]
	}
	return n
}

// racks are the paths of all racks.
func (q question) racks() func(yield func([]string) bool) {
	return func(yield func([]string) bool) {
		for _, room := range q.spec.Trees[0].Tree.Spec().Roots {
			for _, rack := range room.Children {
				if !yield([]string{room.Name, rack.Name}) {
					return
				}
			}
		}
	}
}

// furthest are changes as far as they go, of kinds of which one is enough to know whether any helps.
func (q question) furthest() (out []explain.Change) {
	if len(q.req.Parts) == 0 && cmp.Or(q.req.MinMember, len(q.req.Members)) > 1 {
		out = append(out, explain.Change{Kind: explain.KindMembers, MinMember: 1})
	}
	if off := q.outOfService(); len(off) > 0 {
		out = append(out, explain.Change{Kind: explain.KindNodes, Nodes: off})
	}
	if all := q.others(); len(all) > 0 {
		out = append(out, explain.Change{Kind: explain.KindGangs, Gangs: all}, explain.Change{Kind: explain.KindPriority, Priority: 9, Preempts: true})
	}
	for _, changes := range [][]explain.Change{withoutLayers(&q.req), withoutGroups(&q.req), withoutMultiples(&q.req), withoutLimits(&q.req), droppedSelectors(&q.req)} {
		out = append(out, changes...)
	}
	return out
}

// What is told helps once it is done, and what is told to be the least is: no smaller change of its kind helps. What is not told, and not said to be
// left out, does not help.
func TestRemediesHelpAndAreTheLeast(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := question{spec: drawSmall(t)}
		q.req, q.lost = drawJob(t, &q.spec), drawLost(t)
		if !supported(q) || q.starts() {
			t.Skip("nothing is to be explained")
		}
		found, notTried := remediesOf(t, q.spec, &q.req, q.lost)
		silent := map[explain.Kind]bool{}
		for _, k := range explain.Kinds() {
			silent[k] = true
		}
		for _, n := range notTried {
			silent[n.Kind] = false
		}
		for i := range found {
			r := &found[i]
			silent[r.Kind] = false
			require.True(t, q.with(append([]explain.Change{r.Change}, r.And...)...).starts(), "%s does not help: %s", linesOf(found[i:i+1]), q)
			if !r.Least || len(r.And) > 0 {
				continue
			}
			for _, c := range q.lesser(r.Change) {
				require.False(t, q.with(c).starts(), "%s helps, and is less than %s: %s", lineOf(&c), lineOf(&r.Change), q)
			}
		}
		for _, c := range q.furthest() {
			require.False(t, silent[c.Kind] && q.with(c).starts(), "%s helps, and of its kind nothing is told: %s", lineOf(&c), q)
		}
	})
}

func (q question) String() string { return fmt.Sprintf("%+v\n%+v", q.spec, q.req) }
