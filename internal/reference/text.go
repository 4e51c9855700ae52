package reference

import (
	"fmt"
	"slices"
	"strings"

	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/validity"
	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/topology"
)

// Text draws the input: the tree with a line a node, saying what is allocatable, what runs there, and what is odd;
// then the request.
func (in *Input) Text() string {
	var b strings.Builder
	s, err := newSolver(in)
	if err != nil {
		return err.Error()
	}
	s.look(false)
	s.write(&b, s.root, 0)
	req := &in.Request
	for i := 1; i < len(in.Spec.Trees); i++ {
		fmt.Fprintf(&b, "tree %s: %v\n", in.Spec.Trees[i].Name, describeTree(in.Spec.Trees[i].Tree))
	}
	if s.zonesKnown() {
		fmt.Fprintf(&b, "NUMA exclusive %q, members %+v\n", in.Spec.NUMAExclusive, req.Shape.NUMA)
	}
	fmt.Fprintf(&b, "gang of %d, min %d, policy %q, asks %v\n", len(req.Members), req.MinMember, req.Policy, req.Shape.Resources)
	fmt.Fprintf(&b, "  gather %v groups %v pp %d limits %v tolerated %v\n", req.Gather, req.Groups, req.PP, req.Limits, req.Tolerated)
	fmt.Fprintf(&b, "  exclude %v inside %v refused %v ignoreLeaving %v key %q selector %v affinity %v preferred %v\n", req.Exclude, req.Inside, req.Refused,
		req.IgnoreLeaving, req.AffinityKey, req.Shape.Selector, req.Shape.Affinity, req.Shape.Preferred)
	for _, m := range req.Members {
		shape := validity.ShapeOf(req, &m)
		fmt.Fprintf(&b, "  member %s index %d %v pinned %v asks %v of %v", m.Name, m.Index, m.Indexed, m.NonPreemptible, shape.Resources, shape.Selector)
		if s.zonesKnown() {
			fmt.Fprintf(&b, " NUMA %+v", shape.NUMA)
		}
		b.WriteString("\n")
	}
	writeParts(&b, req.Parts, req.MinParts, 1)
	if req.NeverPreempts {
		b.WriteString("  never preempts\n")
	}
	fmt.Fprintf(&b, "  priority %d, preempts %+v; budgets %v\n", req.Priority, req.Preempt, in.Spec.Budgets)
	in.writeQuotas(&b)
	return b.String()
}

func writeParts(b *strings.Builder, parts []gang.Part, least, depth int) {
	if least != 0 {
		fmt.Fprintf(b, "%sat least %d:\n", strings.Repeat("  ", depth), least)
	}
	for _, p := range parts {
		fmt.Fprintf(b, "%spart %s %v min %d gather in %q %v groups %v no group %v limits %v\n", strings.Repeat("  ", depth), p.Name, p.Members, p.MinMember, p.Tree, p.Gather, p.Groups, p.NoGroup, p.Limits)
		writeParts(b, p.Parts, p.MinParts, depth+1)
	}
}

func (in *Input) writeQuotas(b *strings.Builder) {
	if in.Spec.Quotas == nil {
		return
	}
	fmt.Fprintf(b, "in quota %s, limit %q; total %v\n", in.Request.Quota, in.Request.QuotaLimit, in.Spec.Total)
	for _, name := range in.Spec.Quotas.Quotas() {
		q, _ := in.Spec.Quotas.Spec(name)
		fmt.Fprintf(b, "  %+v demand %v\n", q, in.Spec.Demand[name])
	}
}

func (s *solver) write(b *strings.Builder, v *vertex, depth int) {
	name := "root"
	switch {
	case len(v.path) > 0:
		name = v.path[len(v.path)-1]
	case v.outside:
		name = "outside"
	}
	fmt.Fprintf(b, "%s%s tier %d slots %d", strings.Repeat("  ", depth), name, v.tier, v.high)
	if v.node != nil {
		fmt.Fprintf(b, " score %d %v %s", v.score, v.node.Allocatable, s.occupants(v.node.Name))
		if cause := validity.Refusal(&s.in.Spec, &s.in.Request, s.shapes[0], v.node); cause != "" {
			b.WriteString(" " + cause)
		}
		if n := v.node.NUMA; n != nil {
			fmt.Fprintf(b, " gets %d zones, rates %v; policy %q in use %v zones %v", v.zones, v.rates, n.Policy, n.InUse, n.Zones)
		}
	}
	b.WriteString("\n")
	for _, c := range v.children {
		s.write(b, c, depth+1)
	}
}

func (s *solver) zonesKnown() bool {
	return slices.ContainsFunc(s.in.Spec.Nodes, func(n cluster.Node) bool { return n.NUMA != nil })
}

// occupants of a node, `!` marking those that leave, `*` those with the affinity key, and `=` those that nobody may evict; of
// others the gang, its priority and minimum, the start and the budgets where there are any.
func (s *solver) occupants(node string) string {
	var out []string
	for _, r := range s.in.Spec.Running {
		if r.Node == node {
			out = append(out, mark(r))
		}
	}
	return "[" + strings.Join(out, " ") + "]"
}

func mark(r cluster.Running) string {
	text := r.Member
	if r.Quota != "" {
		text += "@" + r.Quota
	}
	if r.Leaving {
		text += "!"
	}
	if r.AffinityKey != "" {
		text += "*"
	}
	if r.NonPreemptible || r.Unevictable {
		text += "="
	}
	if r.Priority != 0 || r.MinMember >= 0 || r.Started != 0 || r.Budgets != nil {
		text += fmt.Sprintf("(%s priority %d, min %d, start %d, %v)", r.Gang, r.Priority, r.MinMember, r.Started, r.Budgets)
	}
	if r.Alone != "" || r.Tolerated {
		text += fmt.Sprintf("(alone in %q, tolerated %v)", r.Alone, r.Tolerated)
	}
	text += fmt.Sprint(r.Resources)[3:]
	if r.NUMA != nil {
		text += fmt.Sprint(*r.NUMA)
	}
	return text
}

// Text lists what an answer holds.
func (a *Answer) Text() string {
	if !a.Placed {
		return fmt.Sprintf("unschedulable, %d of %d\n", a.Fits, a.Wanted)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%d members, %d outside, worth %v, domain %v, keys %+v\n",
		a.Members, a.Outside, a.Worth, a.Domain, a.Keys)
	fmt.Fprintf(&b, "  %s\n  waits for %v\n", AssignmentsText(a.Assignments), a.WaitsFor)
	return b.String()
}

// AssignmentsText lists assignments with their shares of zones.
func AssignmentsText(assignments []placement.Assignment) string {
	var out []string
	for _, a := range assignments {
		text := fmt.Sprintf("{%s %d %d %s", a.Member, a.Rank, a.Group, a.Node)
		if a.NUMA != nil {
			text += fmt.Sprintf(" %v", *a.NUMA)
		}
		out = append(out, text+"}")
	}
	return strings.Join(out, " ")
}

// describeTree lists the nodes of a tree with their paths.
func describeTree(t *topology.Tree) (out []string) {
	for id := range t.NumNodes() {
		n := topology.NodeID(id)
		out = append(out, strings.Join(append(t.Path(t.Leaf(n)), t.NodeName(n)), "/"))
	}
	return out
}
