// How are gangs planned that start together or not at all? As parts of one common request.

package placement

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/bounds"
	"github.com/muster-sched/muster/internal/model"
	"github.com/muster-sched/muster/internal/outcome"
	"github.com/muster-sched/muster/internal/problem"
	"github.com/muster-sched/muster/internal/ranks"
	"github.com/muster-sched/muster/internal/search"
	"github.com/muster-sched/muster/internal/snapshot"
	"github.com/muster-sched/muster/internal/victims"
	"github.com/muster-sched/muster/numa"
)

// Together plans gangs that start together or not at all, as one gang of which each of them is a part: the common rules
// hold for all members, and tiers are compared for all, then for the gangs, then for their groups. The common rules
// speak of the topology of the first gang, which ranks follow; the rules of each gang speak of its own. Limits that hold for all are those in
// LimitsTogether of each; preferred ones are tried in the order of the gangs, those for all first, each at the cost of a plan or, if it is
// Apart, of O(log members) plans. The results are in the order of the requests; each says where its gang is by itself. [Cluster.Apply] takes
// them all at once: the first names the victims of all.
//
// These fields must be equal: Quota, QuotaLimit, Policy, Exclude, Inside (of one topology), IgnoreLeaving, TakesAnyNode, AffinityKey; Class too, if there are
// Eligible or Score, which are those of the first. The lowest Priority counts, the first Preempt, the most Steps, and
// nobody leaves if one of the gangs never preempts. Errors are as for [Plan]; an [Unschedulable] names all gangs. Costs
// are those of gangs in parts. Gangs with Slots are not supported ([muster.ErrNotSupported]).
func Together(c *Cluster, gather []gang.Rule, requests ...*gang.Request) ([]*Result, error) {
	return TogetherContext(context.Background(), c, gather, requests...)
}

// TogetherContext is [Together] for a caller who may stop waiting; see [PlanContext].
func TogetherContext(ctx context.Context, c *Cluster, gather []gang.Rule, requests ...*gang.Request) ([]*Result, error) {
	s, err := c.made()
	if err != nil {
		return nil, err
	}
	return togetherOn(orBackground(ctx), s, gather, victims.Anybody, requests)
}

// togetherOn is Together on a snapshot: it checks the gangs, plans the common request, and cuts the result into one for
// each gang.
func togetherOn(
	ctx context.Context, c *snapshot.Snapshot, gather []gang.Rule, leave victims.Leave, requests []*gang.Request,
) ([]*Result, error) {
	t, err := newTeam(ctx, c, requests)
	if err != nil {
		return nil, err
	}
	all, err := t.plan(ctx, c, gather, leave)
	if err != nil {
		return nil, err
	}
	return t.results(c, all)
}

// plan decides the common request. No layer is worth victims here: checkEqual refuses that.
func (t *team) plan(ctx context.Context, c *snapshot.Snapshot, gather []gang.Rule, leave victims.Leave) (*Result, error) {
	limits, err := t.limits()
	if err != nil {
		return nil, err
	}
	return planFor(ctx, c, t.request(gather, limits), t, leave, bounds.Search{})
}

// team are gangs that start together. Members of different gangs may have one name, so in the common request each has a
// common name, and a rank among all: those of the first gang first, each gang in its own order.
type team struct {
	gangs []*gang.Request
	ranks map[string]int // by common name, from 0
	count []int          // by gang: number of members, running ones that stay included
	trees []string       // by gang: name of its topology
}

// newTeam checks the gangs one by one, and that they agree in the fields that decide about all. All defects are
// returned joined. O(members), and the cost of a problem for each gang.
func newTeam(ctx context.Context, c *snapshot.Snapshot, requests []*gang.Request) (*team, error) {
	if len(requests) == 0 {
		return nil, &muster.InvalidError{Field: "requests", Reason: "no gangs"}
	}
	t := &team{gangs: requests, ranks: map[string]int{}, count: make([]int, len(requests)), trees: make([]string, len(requests))}
	var errs []error
	names := map[string]bool{}
	for i, r := range requests {
		field := fmt.Sprintf("requests[%d]", i)
		p, err := search.New(c, r, nil, bounds.Search{Stop: ctx.Done()})
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", field, err))
			continue
		}
		t.trees[i] = p.Model.View.Name
		for _, m := range ranks.Of(p.Request, p.Own, p.Model.View) {
			t.ranks[t.commonName(i, m.Name)] = len(t.ranks)
			t.count[i]++
		}
		// Common names tell members by the gang's place; running members are found by the gang's name.
		if names[r.Name] {
			errs = append(errs, muster.Invalid(field+".Name", r.Name, "duplicate name"))
		}
		names[r.Name] = true
		errs = append(errs, t.checkEqual(field, i))
		if r.Slots != nil {
			errs = append(errs, muster.Unsupported(field+".Slots", "", "slots that the host tells, of gangs that start together"))
		}
		alone := func(m *snapshot.Member) bool { return m.Class.Alone != "" && !saysAlone(r, m) }
		if len(requests) > 1 && c.MembersOf(r.Name).ContainsFunc(alone) { // in the common request the others would be no company
			errs = append(errs, muster.Unsupported(field+".Name", r.Name, "gangs that start together, of which one is alone where it runs, and not by its request"))
		}
		p.Done()
	}
	return t, errors.Join(errs...)
}

// checkEqual names the first field in which a gang differs from the first one, or that no gang may have. Functions
// cannot be compared: Eligible and Score are taken for equal within one Class that has a name.
func (t *team) checkEqual(field string, i int) error {
	r := t.gangs[i]
	first := t.gangs[0]
	host := func(r *gang.Request) bool { return r.Eligible != nil || r.Score != nil }
	for _, same := range []struct {
		name  string
		holds bool
		value any
	}{
		{"Quota", r.Quota == first.Quota, r.Quota},
		{"QuotaLimit", r.QuotaLimit == first.QuotaLimit, r.QuotaLimit},
		{"Policy", cmp.Or(r.Policy, gang.BestFit) == cmp.Or(first.Policy, gang.BestFit), r.Policy},
		{"Exclude", slices.Equal(r.Exclude, first.Exclude), r.Exclude},
		{"Inside", slices.Equal(r.Inside, first.Inside) && (len(r.Inside) == 0 || t.trees[i] == t.trees[0]), r.Inside},
		{"IgnoreLeaving", r.IgnoreLeaving == first.IgnoreLeaving, r.IgnoreLeaving},
		{"TakesAnyNode", r.TakesAnyNode == first.TakesAnyNode, r.TakesAnyNode},
		{"AffinityKey", r.AffinityKey == first.AffinityKey, r.AffinityKey},
		{"Tolerated", r.Tolerated == first.Tolerated, r.Tolerated},
		{"Class", host(r) == host(first) && (!host(r) || r == first || r.Class == first.Class && r.Class != ""), r.Class},
		{"Preempt.ForTier", r.Preempt.ForTier == "", r.Preempt.ForTier},
	} {
		if !same.holds {
			const reason = "gangs that start together and differ in this, or a tier worth victims"
			return muster.Unsupported(field+"."+same.name, fmt.Sprint(same.value), reason)
		}
	}
	return nil
}

// saysAlone says whether the request of a gang has the limit by which a member of it is alone where it runs.
func saysAlone(r *gang.Request, m *snapshot.Member) bool {
	is := func(l gang.Limit) bool {
		return l.Kind == gang.Alone && !l.Preferred && !l.OfParts && l.Layer == m.Class.Alone && r.Tree == m.Class.AloneIn
	}
	return slices.ContainsFunc(r.Limits, is)
}

// limits are those of all gangs: each once, and hard if it is so for one of them.
func (t *team) limits() (all []gang.Limit, err error) {
	for i, r := range t.gangs {
		for _, l := range r.LimitsTogether {
			same := slices.IndexFunc(all, func(o gang.Limit) bool {
				o.Preferred = l.Preferred
				return o == l
			})
			switch {
			case l.Kind == gang.Alone && !l.OfParts: // they would close their domains to each other
				return nil, muster.Unsupported(fmt.Sprintf("requests[%d].LimitsTogether", i), l.Layer, "gangs that start together alone, and not each of them")
			case same < 0:
				all = append(all, l)
			default:
				all[same].Preferred = all[same].Preferred && l.Preferred
			}
		}
	}
	return all, nil
}

// commonName is the name of a member, or of an inner part, in the common request: the place of its gang, a slash, its
// own name. Unique among all gangs, since the place has no slash.
func (t *team) commonName(i int, member string) string { return fmt.Sprintf("%d/%s", i, member) }

// request is the common request: a copy of the first gang's, with the common rules and limits, in which each gang is a part.
// Indexes are the ranks among all, so that ranks within each gang are those of its own request. The lowest priority of
// the gangs reaches the fewest victims, and if one gang never preempts, nobody leaves.
//
// order: together.1
func (t *team) request(gather []gang.Rule, limits []gang.Limit) *gang.Request {
	all := *t.gangs[0]
	all.Name, all.Gather, all.Limits, all.Members, all.Groups, all.Parts = "", gather, limits, nil, nil, nil
	all.PP, all.DP, all.Total, all.MinMember, all.MinParts, all.Refused = 0, 0, 0, 0, 0, nil
	for i, r := range t.gangs {
		if i > 0 {
			all.Name += " + "
		}
		all.Name += r.Name
		all.Priority, all.NeverPreempts = min(all.Priority, r.Priority), all.NeverPreempts || r.NeverPreempts
		all.Steps = max(all.Steps, r.Steps)
		for k := range r.Members {
			m := r.Members[k]
			m.Name = t.commonName(i, m.Name)
			m.Index, m.Indexed = t.ranks[m.Name], true
			if m.Shape == nil {
				m.Shape = &r.Shape // of its gang: the common request has that of the first
			}
			all.Members = append(all.Members, m)
		}
		for _, no := range r.Refused {
			all.Refused = append(all.Refused, gang.Refusal{Member: t.commonName(i, no.Member), Node: no.Node})
		}
		all.Parts = append(all.Parts, t.part(i))
	}
	return &all
}

// part is a gang as a part of the common request: its rules, its inner parts, and as its own members all that are in
// none of these, running ones included. Groups lie in the part, cut by the number of all members.
func (t *team) part(i int) gang.Part {
	r := t.gangs[i]
	a := gang.Part{
		Name: fmt.Sprint(i), Tree: t.trees[i], Gather: r.Gather, Limits: r.Limits,
		MinMember: r.MinMember, MinParts: r.MinParts, Parts: t.inner(i, r.Parts),
	}
	inner := map[string]bool{} // common names of the members in inner parts, however deep
	var note func(parts []gang.Part)
	note = func(parts []gang.Part) {
		for _, p := range parts {
			for _, name := range p.Members {
				inner[name] = true
			}
			note(p.Parts)
		}
	}
	note(a.Parts)
	// A map has no order; the sort below gives the members that of ranks.
	for name := range t.ranks {
		if t.gangOf(name) == i && !inner[name] {
			a.Members = append(a.Members, name)
		}
	}
	slices.SortFunc(a.Members, func(x, y string) int { return cmp.Compare(t.ranks[x], t.ranks[y]) })
	a.Groups, _ = r.Levels(max(1, t.count[i], r.Total)) // an error was told by newTeam
	if len(a.Groups) > 0 && r.MinMember > 0 {
		a.MinParts = -1 // no number of groups is asked for: MinMember says how many members must run
	}
	return a
}

// inner are parts of a gang, and the parts in them, with common names. The request stays as it is.
func (t *team) inner(i int, parts []gang.Part) []gang.Part {
	out := slices.Clone(parts)
	for k := range out {
		p := &out[k]
		p.Name, p.Parts, p.Members = t.commonName(i, p.Name), t.inner(i, p.Parts), slices.Clone(p.Members)
		for n := range p.Members {
			p.Members[n] = t.commonName(i, p.Members[n])
		}
	}
	return out
}

// gangOf is the place of a member's gang, read from the member's common name.
func (t *team) gangOf(name string) (i int) {
	_, _ = fmt.Sscanf(name, "%d/", &i)
	return i
}

// place is the place of a gang, by the rank of a member: ranks of the gangs lie one behind the other.
func (t *team) place(rank int) (i int) {
	for i < len(t.gangs)-1 && rank >= t.count[i] {
		rank -= t.count[i]
		i++
	}
	return i
}

// GangOf is the name of the gang of a member.
func (t *team) GangOf(rank int) string { return t.gangs[t.place(rank)].Name }

// Called is the name of a gang, or of a group of one, in a refusal of all.
func (t *team) Called(first int, name string) string {
	i := t.place(first)
	if name == "part "+fmt.Sprint(i) {
		return t.gangs[i].Name
	}
	return strings.Replace(name, t.commonName(i, ""), "", 1) + " of " + t.gangs[i].Name
}

// Has says whether a gang is one of them.
func (t *team) Has(name string) bool {
	return slices.ContainsFunc(t.gangs, func(r *gang.Request) bool { return r.Name == name })
}

// Ranking is all members of all gangs in rank order, those that run and stay included. Position -1: to be placed.
func (t *team) Ranking(p *problem.Problem) []ranks.Ranked {
	var all []ranks.Ranked
	// Waiting members come with the common request, under their common names; running ones are those of the snapshot.
	for i := range p.Request.Members {
		all = append(all, ranks.Ranked{Name: p.Request.Members[i].Name, Index: p.Request.Members[i].Index, Indexed: true, Pos: -1})
	}
	for i, r := range t.gangs {
		for _, m := range p.Snapshot.MembersOf(r.Name).All() {
			if !m.Leaving || p.Request.IgnoreLeaving {
				name := t.commonName(i, m.Name)
				all = append(all, ranks.Ranked{Name: name, Index: t.ranks[name], Indexed: true, Pos: p.Model.View.At(m.Node)})
			}
		}
	}
	slices.SortFunc(all, ranks.Compare)
	return all
}

// results cuts the common result into one for each gang. Each describes its gang by itself, as a plan of the gang's own
// request would; so it is made from a problem of that request, of which only the members that the plan places are kept.
// All results are proven if the common one is. The first names all victims, since one Apply takes all results.
func (t *team) results(c *snapshot.Snapshot, all *Result) ([]*Result, error) {
	nodes, zones := make(map[string]string, len(all.Assignments)), map[string]*numa.Placed{} // by member
	for _, a := range all.Assignments {
		nodes[a.Member] = a.Node
		if a.NUMA != nil {
			zones[a.Member] = a.NUMA
		}
	}
	out := make([]*Result, len(t.gangs))
	for i, r := range t.gangs {
		p, err := search.New(c, r, nil, bounds.Search{})
		if err != nil {
			return nil, err // never: newTeam has made it before
		}
		// Where whole groups are placed like members, the gang itself has the members one by one.
		members := p
		if p.Unbundled != nil {
			members = p.Unbundled
		}
		// in marks the members of the gang that are placed, by place in Pending; positions are in the gang's own
		// topology.
		in := make(model.Selection, len(members.Model.Pending))
		var positions []int32
		for k, rank := range members.Model.Pending {
			if node, ok := nodes[t.commonName(i, members.NameOf(rank))]; ok {
				id, _ := c.Lineage.ID(node)
				in[k], positions = true, append(positions, p.Model.View.At(id))
			}
		}
		placed := members.Only(in)
		out[i] = describePlaced(placed, positions)
		common := func(member string) string { return t.commonName(i, member) }
		out[i].Proven, out[i].alone = all.Proven, all.alone.named(out[i].Assignments, common)
		for k := range out[i].Assignments {
			out[i].Assignments[k].NUMA = zones[common(out[i].Assignments[k].Member)]
		}
		noteHoldings(p, out[i])
		for _, m := range (&outcome.Outcome{Of: placed, Positions: positions}).Namesakes() {
			out[i].WaitsFor = append(out[i].WaitsFor, waited(c, m))
		}
		t.waitOn(out[i], all, i == 0)
		p.Done()
	}
	out[0].Victims, out[0].Preemption = all.Victims, all.Preemption
	return out, nil
}

// waitOn makes a result wait for those leaving members on its own nodes that the common plan waits for, and the first result for those
// that are on nobody's, in natural order of gang and name.
func (t *team) waitOn(r, all *Result, first bool) {
	for _, w := range all.WaitsFor {
		on := func(a Assignment) bool { return a.Node == w.Node }
		nobodys := first && !slices.ContainsFunc(all.Assignments, on)
		if (nobodys || slices.ContainsFunc(r.Assignments, on)) && !slices.Contains(r.WaitsFor, w) {
			r.WaitsFor = append(r.WaitsFor, w)
		}
	}
	slices.SortFunc(r.WaitsFor, func(a, b Waited) int { return compareRefs(a.MemberRef, b.MemberRef) })
}

// compareRefs is the natural order of gang, then name.
func compareRefs(a, b cluster.MemberRef) int {
	return cmp.Or(muster.CompareNatural(a.Gang, b.Gang), muster.CompareNatural(a.Member, b.Member))
}
