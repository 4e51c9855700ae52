// How does a model look in a failing test?

package spec

import (
	"fmt"
	"strings"

	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/model"
)

// answerText is an answer in a line; spared if it is of a model without the nodes meant for others.
func answerText(a *model.Answer) string {
	if a == nil {
		return "none"
	}
	return fmt.Sprintf("domain %d tier %d positions %v spared %v", a.Domain, a.Tier, a.Positions, a.Of.Room.(*Room).spared)
}

func answersText(list []*model.Answer) (out []string) {
	for _, a := range list {
		out = append(out, answerText(a))
	}
	return out
}

// Text draws a model: its tree with what nodes take, and what is asked.
func Text(m *model.Model) string {
	b := new(strings.Builder)
	r := m.Room.(*Room)
	fmt.Fprintf(b, "policy %v pending %v running %v least %d admitted %d inside %d\n", m.Policy, m.Pending, m.Running, m.Least, m.Admitted, r.Inside)
	fmt.Fprintf(b, "gang %+v\n", m.Gather)
	for _, l := range m.Levels {
		fmt.Fprintf(b, "groups of %d %+v\n", l.Size, l.Gather)
	}
	if m.Limits != nil {
		fmt.Fprintf(b, "apart %v within %v groups apart %v alone %d company %v\n", m.Limits.Apart, m.Limits.Within, m.Limits.Groups, m.Limits.Alone, r.Company)
	}
	fmt.Fprintf(b, "multiples %v forced %v friends %v strict %v indexed %v zoned %v %v wasteful %v any node %v\n",
		m.Multiple, m.Forced, m.Friends, m.Hard, r.Indexed, r.Zoned, r.Kinds, r.Wasteful, r.AnyNode)
	writeVertex(b, m, layout.Root, "")
	return b.String()
}

// writeVertex writes a vertex and all below it.
func writeVertex(b *strings.Builder, m *model.Model, x layout.Vertex, indent string) {
	v, r := m.View, m.Room.(*Room)
	if v.IsNode(x) {
		pos := v.Position(x)
		fmt.Fprintf(b, "%snode at %d: takes %d score %d zones %d waste %d others %v\n", indent, pos, r.Takes[pos], r.Scores[pos], r.Kind[pos], r.wasteOn(pos), r.Others[pos])
		return
	}
	name := ""
	if x == v.Outside {
		name = " outside"
	}
	fmt.Fprintf(b, "%sdomain %d tier %d%s\n", indent, x, v.Tier[x], name)
	lo, end := v.Kids(x)
	for c := lo; c < end; c++ {
		writeVertex(b, m, c, indent+"  ")
	}
}
