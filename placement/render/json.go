package render

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/internal/printed"
	"github.com/muster-sched/muster/numa"
	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/quota"
)

// JSONVersion is the version of the document, its first key: it is raised when a key changes its meaning or goes. Keys may be added without that.
const JSONVersion = 1

// The words of a status.
const (
	statusPlaced        = "placed"
	statusUnschedulable = "unschedulable"
)

// JSON writes the outcomes as one document, `{"version":1,"plans":[...]}` ([JSONVersion]), one line a plan, in the order given. Layers have their
// full names, members are listed one by one, and an amount without a limit is null. The keys of every
// object have a fixed order and amounts are integers, so equal outcomes give equal bytes. A placed gang has the keys
// gang, status, tier, layer, domain, proven if it is false, groupTier, groupTiers, elsewhere if groups have rules in another topology, strategy,
// strategyNumber, span, pass, waitsFor, assignments,
// victims, preemption, ignored; without groups the two of them are left out, without victims what they cost (belowMin is left out
// where nothing is below). An assignment names zones of its node if the member has
// any. An unschedulable one has gang, status, pass if it was planned, waitsFor, assignments, victims, ignored, reason; the reason has atLeast,
// at its own numbers and at those of a tier, where the search ended before all was counted; inTheWay, and
// whether these are proven to be the fewest, if members that run would have to be placed anew ([placement.Unschedulable.InTheWay]). A gang that starts
// together with others has their names as together, behind its own; the reason has together, the gangs for which it waits, if it could be placed without them.
// Where an outcome has places they come behind, as places: for each member its node, rank, group, domains (layer, tier, domain; widest
// first), labels and env.
// Where an outcome has an explanation it comes last, as explanation: docs/explain.md has its codes and changes.
func JSON(w io.Writer, outcomes []Outcome) error { return JSONWithReport(w, outcomes, nil) }

// Report is what there is to say beside the plans. The zero value is nothing.
type Report struct {
	// Quotas are written if WithQuotas is set; nil: there are none.
	Quotas     *quota.State
	WithQuotas bool
	// Notices tell what was accepted but is worth saying, Defects what was left out.
	Notices, Defects []string
	// Unread is what objects say that plans do not keep, Empty the groups without pods.
	Unread, Empty []string
	// Skipped counts objects that were not read.
	Skipped []Skipped
	// MaxFit is written as `maxFit` if it is not nil.
	MaxFit []ShapeFits
	// Running are written as `running` if they are not nil.
	Running []placement.RunningGang
	// Starts are written as `starts` if they are not nil.
	Starts []GangStart
	// Moves are written as `moves` if they are not nil.
	Moves []GangMoves
}

// Skipped counts objects of one kind.
type Skipped struct {
	Kind, APIVersion string
	Count            int
}

// JSONWithReport is JSON with more keys: `"quotas":{"total":{...},"tree":[{"quota","parent","resources"}, ...]}` if they are
// asked for, what there is to divide, and for each quota and each resource that it governs used, demand, min, share and max,
// parents before their children (without quotas both are empty); `"maxFit":[{"gangs","resources","layers"}, ...]`; `"running":[{"gang","members","tier","layer",
// "domain","strategy","strategyNumber","span","groups","wider","proven","best"}, ...]`, best with the assignments that lead there and only
// where it is better; `"starts":[{"gang","at","tier","layer","domain","assignments","waitsFor":[{"gang","at"}, ...],"proven"}, ...]` of gangs without a
// place, at in seconds since 1970, or gang and never, the reason; `"moves":[{"gang","cost":{"lost","members","gangs"},"lowerBound","proven",
// "moves":[{"gang","members":[{"pod","from","to","zones"}, ...]}, ...],"plan"}, ...]`, in order, without to of who waits for a later move and without from of who starts again, plan as in plans or, where
// no gang is to fit, empty, the paths of domains, or gang, none, the reason, and proven; `"notices":[...]`, `"skipped":[{"kind","apiVersion","count"},
// ...]`, `"defects":[...]`, `"unread":[...]` and `"withoutPods":[...]`, each where there are any.
func JSONWithReport(w io.Writer, outcomes []Outcome, r *Report) error {
	var b bytes.Buffer
	if err := writePlans(&b, outcomes); err != nil {
		return err
	}
	for _, f := range r.fields() {
		fmt.Fprintf(&b, ",\n%q:", f.key)
		if err := encode(&b, f.value); err != nil {
			return err
		}
	}
	b.WriteString("}\n")
	_, err := w.Write(printed.JSON(b.Bytes()))
	return err
}

// fields are those of the document, without what there is nothing of.
func (r *Report) fields() (out object) {
	if r == nil {
		return nil
	}
	if r.WithQuotas {
		out = append(out, field{"quotas", quotasObject(r.Quotas)})
	}
	if r.MaxFit != nil {
		out = append(out, field{"maxFit", maxFitObjects(r.MaxFit)})
	}
	if r.Running != nil {
		out = append(out, field{"running", runningObjects(r.Running)})
	}
	if r.Starts != nil {
		out = append(out, field{"starts", startObjects(r.Starts)})
	}
	if r.Moves != nil {
		out = append(out, field{"moves", moveObjects(r.Moves)})
	}
	if len(r.Notices) > 0 {
		out = append(out, field{"notices", r.Notices})
	}
	if len(r.Skipped) > 0 {
		var skipped []object
		for _, s := range r.Skipped {
			skipped = append(skipped, object{{"kind", s.Kind}, {"apiVersion", s.APIVersion}, {"count", s.Count}})
		}
		out = append(out, field{"skipped", skipped})
	}
	for _, f := range []struct {
		key   string
		lines []string
	}{{"defects", r.Defects}, {"unread", r.Unread}, {"withoutPods", r.Empty}} {
		if len(f.lines) > 0 {
			out = append(out, field{f.key, f.lines})
		}
	}
	return out
}

// writePlans begins the document.
func writePlans(b *bytes.Buffer, outcomes []Outcome) error {
	fmt.Fprintf(b, `{"version":%d,"plans":[`, JSONVersion)
	for i := range outcomes {
		b.WriteString(map[bool]string{true: "\n", false: ",\n"}[i == 0])
		if err := encode(b, document(&outcomes[i])); err != nil {
			return err
		}
	}
	b.WriteByte(']')
	return nil
}

// document is a plan, and behind it its places and its explanation, if there are any.
func document(o *Outcome) object {
	doc := plan(o)
	if o.Places != nil {
		doc = append(doc, field{"places", places(o.Places)})
	}
	if o.Explanation != nil {
		doc = append(doc, field{"explanation", explanation(o.Explanation)})
	}
	return doc
}

func plan(o *Outcome) object {
	ignored := o.Ignored
	if ignored == nil {
		ignored = map[string]int{}
	}
	doc := object{{"gang", o.Gang}}
	if len(o.Together) > 0 {
		doc = append(doc, field{"together", mates(o)})
	}
	if o.Result == nil {
		doc = append(doc, field{"status", statusUnschedulable})
		if errors.Is(o.Err, placement.ErrUnschedulable) {
			doc = append(doc, field{"pass", pass(o)})
		}
		doc = append(
			doc,
			field{"waitsFor", []object{}}, field{"assignments", []object{}}, field{"victims", []object{}},
			field{"ignored", ignored},
		)
		return append(append(doc, terms(o)...), field{"reason", reason(o.why())})
	}
	res := o.Result
	doc = append(
		doc,
		field{"status", statusPlaced}, field{"tier", res.Tier}, field{"layer", res.Layer}, field{"domain", strings.Join(res.Domain, "/")},
	)
	if !res.Proven {
		doc = append(doc, field{"proven", false})
	}
	if len(res.GroupTiers) > 0 {
		doc = append(doc, field{"groupTier", res.GroupTiers[0]}, field{"groupTiers", res.GroupTiers})
	}
	if len(res.Elsewhere) > 0 {
		doc = append(doc, field{"elsewhere", elsewhere(res)})
	}
	doc = append(
		doc,
		field{"strategy", res.Strategy}, field{"strategyNumber", res.StrategyNumber}, field{"span", span(res.Span)},
		field{"pass", pass(o)}, field{"waitsFor", waitsFor(res)}, field{"assignments", assignments(res.Assignments)},
		field{"victims", victims(res)},
	)
	if res.Preemption != nil {
		doc = append(doc, field{"preemption", preemption(res.Preemption)})
	}
	return append(append(doc, field{"ignored", ignored}), terms(o)...)
}

// terms are those of the permit that the files state; nothing if they state none.
func terms(o *Outcome) object {
	t := &o.Terms
	doc := object{{"minMember", t.MinMember}}
	if o.Total > 0 {
		doc = append(doc, field{"total", o.Total})
	}
	if t.WaitTime > 0 {
		doc = append(doc, field{"waitTime", t.WaitTime})
	}
	if t.Mode != "" {
		doc = append(doc, field{"mode", t.Mode})
	}
	if t.Match != "" {
		doc = append(doc, field{"matchPolicy", t.Match})
	}
	if len(t.Group) > 0 {
		doc = append(doc, field{"group", t.Group})
	}
	if len(doc) == 1 {
		return nil
	}
	return object{{"terms", doc}}
}

// elsewhere lists the groups with rules in another topology.
func elsewhere(res *placement.Result) (found []object) {
	for _, g := range res.Elsewhere {
		found = append(found, object{
			{"part", g.Part}, {"topology", g.Tree}, {"tier", g.Tier}, {"layer", g.Layer}, {"domain", strings.Join(g.Domain, "/")},
		})
	}
	return found
}

// pass is the limit of quotas that the gang was planned under.
func pass(o *Outcome) string { return string(cmp.Or(o.Pass, quota.Fair)) }

func span(layers []placement.LayerSpan) object {
	found := object{}
	for _, s := range layers {
		found = append(found, field{layerName(s.Layer, s.Tier), s.Domains})
	}
	return found
}

// layerName is the name of a layer, or its tier where it has none.
func layerName(name string, tier int) string {
	if name == "" {
		return strconv.Itoa(tier)
	}
	return name
}

func waitsFor(res *placement.Result) []object {
	found := []object{}
	for _, m := range res.WaitsFor {
		found = append(found, object{{"pod", PodName(m.MemberRef)}, {"gang", m.Gang}, {"node", m.Node}})
	}
	return found
}

// PodName is `namespace/pod` of a member, the namespace being its gang's.
func PodName(m cluster.MemberRef) string {
	namespace, _, ok := strings.Cut(m.Gang, "/")
	if !ok {
		return m.Member
	}
	return namespace + "/" + m.Member
}

func assignments(list []placement.Assignment) []object {
	found := []object{}
	for _, a := range list {
		doc := object{{"pod", a.Member}, {"rank", a.Rank}}
		if a.Group >= 0 {
			doc = append(doc, field{"group", a.Group})
		}
		doc = append(doc, field{"node", a.Node})
		if shares := zones(a.NUMA); len(shares) > 0 {
			doc = append(doc, field{"zones", shares})
		}
		found = append(found, doc)
	}
	return found
}

// zones lists what a member has of the zones of its node, in the order of their ids.
func zones(placed *numa.Placed) []object {
	var found []object
	for _, s := range sharesOf(placed) {
		found = append(found, object{{"id", s.Zone}, {"resources", amountsObject(s.Resources)}})
	}
	return found
}

// sharesOf are the shares of a member by zone, none for a member without zones.
func sharesOf(placed *numa.Placed) []numa.Share {
	if placed == nil {
		return nil
	}
	return slices.SortedStableFunc(slices.Values(placed.Shares), func(a, b numa.Share) int { return cmp.Compare(a.Zone, b.Zone) })
}

// causesObject counts the nodes that take no member.
func causesObject(nodes *placement.NodeCauses) object {
	rejected, which := object{}, object{}
	for _, c := range nodes.Rejected {
		rejected = append(rejected, field{c.Cause, c.Nodes})
		keys := object{}
		for _, k := range c.Which {
			keys = append(keys, field{k.Key, k.Nodes})
		}
		if len(keys) > 0 {
			which = append(which, field{c.Cause, keys})
		}
	}
	counts := object{{"total", nodes.Total}, {"rejected", rejected}}
	if len(which) > 0 {
		counts = append(counts, field{"which", which})
	}
	return counts
}

// reason says why a gang is not placed. What is no Unschedulable is input that cannot be used.
func reason(err error) object {
	var why *placement.Unschedulable
	if !errors.As(err, &why) {
		return object{{"kind", "invalid"}, {"message", err.Error()}, {"proven", true}}
	}
	tiers := []object{}
	for _, t := range why.Tiers {
		doc := object{
			{"tier", t.Tier}, {"layer", t.Layer}, {"domain", strings.Join(t.Domain, "/")}, {"members", t.Members},
		}
		doc = append(doc, field{"groups", t.Groups})
		if t.AtLeast {
			doc = append(doc, field{"atLeast", true})
		}
		tiers = append(tiers, doc)
	}
	nodes := why.Nodes()
	counts := causesObject(&nodes)
	doc := object{
		{"kind", string(why.Refuser)},
		{"message", why.Error()},
		{"proven", why.Proven},
		{"wanted", why.Wanted},
		{"fits", why.Fits},
	}
	if why.AtLeast {
		doc = append(doc, field{"atLeast", true})
	}
	doc = append(doc, field{"tiers", tiers}, field{"nodes", counts})
	if q := why.RefusedBy; q != nil {
		deficit := object{}
		for _, s := range q.Short {
			deficit = append(deficit, field{s.Resource, s.By})
		}
		doc = append(doc, field{"refusedBy", object{{"quota", q.Quota}, {"rule", string(q.Rule)}, {"deficit", deficit}}})
	}
	if len(why.Together) > 0 {
		doc = append(doc, field{"together", why.Together})
	}
	if why.Behind != "" {
		doc = append(doc, field{"behind", why.Behind})
	}
	if o := why.InTheWay(); len(o.Members) > 0 {
		members := []object{}
		for _, m := range o.Members {
			members = append(members, object{{"pod", m.Member}, {"node", m.Node}})
		}
		doc = append(doc, field{"inTheWay", members}, field{"inTheWayProven", o.Proven})
	}
	return doc
}
