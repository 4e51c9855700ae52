package reference

import (
	"fmt"
	"strings"

	"github.com/muster-sched/muster/internal/validity"
	"github.com/muster-sched/muster/placement"
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
	fmt.Fprintf(&b, "gang of %d, min %d, policy %q, asks %v\n", len(req.Members), req.MinMember, req.Policy, req.Shape.Resources)
	fmt.Fprintf(&b, "  gather %v groups %v pp %d\n", req.Gather, req.Groups, req.PP)
	fmt.Fprintf(&b, "  exclude %v ignoreLeaving %v key %q selector %v affinity %v preferred %v\n", req.Exclude,
		req.IgnoreLeaving, req.AffinityKey, req.Shape.Selector, req.Shape.Affinity, req.Shape.Preferred)
	for _, m := range req.Members {
		fmt.Fprintf(&b, "  member %s index %d %v\n", m.Name, m.Index, m.Indexed)
	}
	return b.String()
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
		if cause := validity.Refusal(&s.in.Request, s.shape, v.node); cause != "" {
			b.WriteString(" " + cause)
		}
	}
	b.WriteString("\n")
	for _, c := range v.children {
		s.write(b, c, depth+1)
	}
}

// occupants of a node, `!` marking those that leave and `*` those with the affinity key.
func (s *solver) occupants(node string) string {
	var out []string
	for _, r := range s.in.Spec.Running {
		if r.Node == node {
			out = append(out, mark(r))
		}
	}
	return "[" + strings.Join(out, " ") + "]"
}

func mark(r placement.Running) string {
	text := r.Member
	if r.Leaving {
		text += "!"
	}
	if r.AffinityKey != "" {
		text += "*"
	}
	return text + fmt.Sprint(r.Resources)[3:]
}

// Text lists what an answer holds.
func (a *Answer) Text() string {
	if !a.Placed {
		return fmt.Sprintf("unschedulable, %d of %d\n", a.Fits, a.Wanted)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%d members, %d outside, worth %v, domain %v, keys %+v\n",
		a.Members, a.Outside, a.Worth, a.Domain, a.Keys)
	fmt.Fprintf(&b, "  %v\n  waits for %v\n", a.Assignments, a.WaitsFor)
	return b.String()
}
