package reference

import (
	"cmp"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/explain"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/validity"
	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/quota"
)

// Counts of explanations are those of a look at every node and every member of the plain description.
func TestFactsAreCounted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := drawRefused(t)
		c, err := placement.NewCluster(in.Spec)
		if err != nil {
			return
		}
		e := placement.Explain(c, &in.Request, placement.ExplainOptions{Plans: -1})
		var why *placement.Unschedulable
		if !errors.As(e.Err, &why) || !countable(&in) {
			return
		}
		s := newScan(&in)
		s.checkFragmentation(t, e.Fragmentation, int64(why.Wanted))
		want := s.facts()
		for _, f := range e.Facts {
			switch f.Code {
			case explain.CodeCapacity, explain.CodeFragmentation:
				require.Equal(t, s.below(s.solver.root), f.Detail.Slots)
				require.Equal(t, f.Code == explain.CodeCapacity, f.Detail.Slots < int64(why.Wanted))
			case explain.CodeCordon, explain.CodeNotReady, explain.CodeTaint, explain.CodeSelector, explain.CodePriority, explain.CodeProtected,
				explain.CodePreemptionForbidden:
				f.Detail.Keys = nil
				require.Equal(t, want[f.Code], f.Detail, "%s\n%s", f.Code, in.Text())
				delete(want, f.Code)
			default:
			}
		}
		if why.Rule != placement.RuleMinMember && why.RefusedBy == nil {
			require.Empty(t, want, in.Text())
		}
	})
}

// countable says whether members count by themselves, in one shape, and nothing but amounts decides what a node holds.
func countable(in *Input) bool {
	req := &in.Request
	own := func(r cluster.Running) bool { return r.Gang == req.Name }
	shaped := func(m gang.Member) bool { return m.Shape != nil }
	zoned := func(n cluster.Node) bool { return n.NUMA != nil }
	return len(req.Groups) == 0 && req.PP == 0 && req.DP == 0 && len(req.Parts) == 0 && !slices.ContainsFunc(req.Members, shaped) &&
		!slices.ContainsFunc(in.Spec.Running, own) && !slices.ContainsFunc(in.Spec.Nodes, zoned) && len(req.Shape.Resources) > 0
}

// scan is a cluster as it is described, with leaving members gone where they may be waited for.
type scan struct {
	in     *Input
	solver *solver
	on     map[string][]cluster.Running
	gangs  map[string]bool  // that have a member there
	lowest map[string]int64 // priority of each gang of which somebody stays
}

func newScan(in *Input) *scan {
	s := &scan{in: in, solver: solverOf(in), on: map[string][]cluster.Running{}, lowest: map[string]int64{}, gangs: map[string]bool{}}
	for _, r := range in.Spec.Running {
		if r.Leaving && !in.Request.IgnoreLeaving {
			continue
		}
		s.on[r.Node], s.gangs[r.Gang] = append(s.on[r.Node], r), true
		if p, known := s.lowest[r.Gang]; !r.Leaving && (!known || r.Priority < p) {
			s.lowest[r.Gang] = r.Priority
		}
	}
	return s
}

// room is how many members fit on a node beside those that stay.
func (s *scan) room(n *cluster.Node, gone func(r cluster.Running) bool) int64 {
	on := slices.DeleteFunc(slices.Clone(s.on[n.Name]), gone)
	least := int64(math.MaxInt64)
	for resource, amount := range s.in.Request.Shape.Resources {
		if free, bounded := validity.Free(n, resource, on); bounded && amount > 0 {
			least = min(least, max(0, free)/amount)
		}
	}
	return min(least, 1<<24)
}

func nobody(cluster.Running) bool { return false }

// slots is how many members a node takes.
func (s *scan) slots(n *cluster.Node) int64 {
	if s.refusal(n) != "" {
		return 0
	}
	return s.room(n, nobody)
}

// refusal is what the node itself keeps members off for, or "company" if who runs near it does.
func (s *scan) refusal(n *cluster.Node) string {
	cause := validity.Refusal(&s.in.Spec, &s.in.Request, &s.in.Request.Shape, n)
	v := s.solver.vertices[slices.IndexFunc(s.solver.vertices, func(v *vertex) bool { return v.node != nil && v.node.Name == n.Name })]
	if cause == "" && s.solver.keptOut(v, !s.in.Request.IgnoreLeaving) {
		return "company"
	}
	return cause
}

// below is how many members the nodes below a vertex take.
func (s *scan) below(v *vertex) (sum int64) {
	s.each(v, func(n *cluster.Node) { sum += s.slots(n) })
	return sum
}

func (s *scan) each(v *vertex, f func(n *cluster.Node)) {
	for _, x := range all(v) {
		if x.node != nil {
			f(x.node)
		}
	}
}

// isOut says whether a node would take members if it were in service.
func (s *scan) isOut(n *cluster.Node) bool {
	serves := cluster.InService(*n)
	return (n.Cordoned || n.NotReady) && s.refusal(&serves) == ""
}

func (s *scan) checkFragmentation(t require.TestingT, told []explain.Fragmentation, wanted int64) {
	for i := range told {
		f := &told[i]
		most, first := int64(-1), (*vertex)(nil)
		for _, d := range under(s.solver.root, f.Tier) {
			if n := s.below(d); n > most && len(slices.Collect(s.nodesOf(d))) > 0 {
				most, first = n, d
			}
		}
		require.NotNil(t, first)
		require.Equal(t, most, f.Best, s.in.Text())
		require.Equal(t, slices.Clone(first.path), slices.Clone(f.Domain), s.in.Text())
		require.Equal(t, s.below(s.solver.root), f.Slots)
		require.Equal(t, max(0, wanted-most), f.Missing)
		require.Equal(t, s.holders(first), f.HeldBy, s.in.Text())
	}
}

func (s *scan) nodesOf(d *vertex) func(yield func(*cluster.Node) bool) {
	return func(yield func(*cluster.Node) bool) {
		s.each(d, func(n *cluster.Node) { yield(n) })
	}
}

// holders are those whose end, or return to service, would make room below a vertex.
func (s *scan) holders(d *vertex) (out []explain.Holder) {
	gains := map[string]int64{}
	s.each(d, func(n *cluster.Node) {
		room := s.room(n, nobody)
		if s.refusal(n) != "" {
			if s.isOut(n) && room > 0 {
				out = append(out, explain.Holder{Node: n.Name, Slots: room})
			}
			return
		}
		for name := range s.gangs {
			gains[name] += s.room(n, func(r cluster.Running) bool { return r.Gang == name }) - room
		}
	})
	for name, n := range gains {
		if n > 0 {
			out = append(out, explain.Holder{Gang: name, Slots: n})
		}
	}
	slices.SortFunc(out, func(a, b explain.Holder) int {
		return cmp.Or(cmp.Compare(b.Slots, a.Slots), muster.CompareNatural(a.Gang, b.Gang), muster.CompareNatural(a.Node, b.Node))
	})
	return slices.Clone(out[:min(8, len(out))])
}

// facts count what keeps members away from nodes, and who does not leave for them.
func (s *scan) facts() map[explain.Code]explain.Detail {
	out, gangs := map[explain.Code]explain.Detail{}, map[explain.Code]map[string]bool{}
	codes := map[string]explain.Code{
		"cordoned": explain.CodeCordon, "not-ready": explain.CodeNotReady, "taint": explain.CodeTaint, "selector": explain.CodeSelector,
	}
	s.each(s.solver.root, func(n *cluster.Node) {
		room, cause := s.room(n, nobody), s.refusal(n)
		if code, is := codes[cause]; is && room > 0 && (s.isOut(n) || !n.Cordoned && !n.NotReady) {
			d := out[code]
			d.Nodes, d.Slots = d.Nodes+1, d.Slots+room
			out[code] = d
		}
		if cause != "" {
			return
		}
		for _, m := range s.on[n.Name] {
			code, stays := s.whyStays(&m)
			if !stays || s.room(n, func(r cluster.Running) bool { return r.Gang == m.Gang && r.Member == m.Member }) == room {
				continue
			}
			d := out[code]
			if d.Members++; gangs[code] == nil {
				gangs[code] = map[string]bool{}
			}
			gangs[code][m.Gang] = true
			d.Gangs = len(gangs[code])
			out[code] = d
		}
	})
	return out
}

// whyStays says why a member is no victim, whatever its gang needs.
func (s *scan) whyStays(m *cluster.Running) (explain.Code, bool) {
	req := &s.in.Request
	lower := s.lowest[m.Gang] < req.Priority || req.Quota != "" && s.in.Spec.Quotas != nil
	forbidden := req.NeverPreempts || req.QuotaLimit == quota.Borrow
	switch {
	case m.Leaving || m.Unevictable:
		return "", false
	case m.NonPreemptible:
		return explain.CodeProtected, true
	case !lower:
		return explain.CodePriority, true
	}
	return explain.CodePreemptionForbidden, forbidden
}

// solverOf is a solver for input that it can read.
func solverOf(in *Input) *solver {
	s, err := newSolver(in)
	if err != nil {
		panic(err)
	}
	return s
}
