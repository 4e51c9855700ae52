package manifest

import (
	"fmt"

	"github.com/muster-sched/muster/placement/manifest/internal/apart"
	"github.com/muster-sched/muster/placement/manifest/internal/member"
	"github.com/muster-sched/muster/placement/manifest/internal/object"
	"github.com/muster-sched/muster/placement/manifest/internal/trees"
)

// Exclusive topologies of members that run: which domains they close to others, by their owner's word and by their own.

// closings are what the members of a gang close by its limits, and by those of the job behind it that a group with rules of its own does
// not take over. That of nil is of members in no part.
func (r *reader) closings(d *draft, members []*member.Member, whole *member.Part) map[*member.Member]trees.Closing {
	out := map[*member.Member]trees.Closing{}
	if r.addClosings(out, d, whole); d.ruledItself {
		r.addClosings(out, d.job, d.job.around(members))
	}
	return out
}

// around are the members of another gang, as this one arranges its own.
func (d *draft) around(members []*member.Member) *member.Part {
	whole := member.Part{Members: members}
	if d.arrange != nil {
		whole = d.arrange(d, members)
	}
	return &whole
}

// addClosings adds what members close by the limits of a gang.
func (r *reader) addClosings(to map[*member.Member]trees.Closing, d *draft, whole *member.Part) {
	in := map[*member.Member]string{}
	r.aloneIn(d, whole, d.limits, in)
	for m, layer := range in {
		next := trees.Closing{}
		if layer != "" {
			next = trees.Closing{Tree: d.tree, Layer: layer}
		}
		to[m] = r.trees.Wider(to[m], next)
	}
}

// closes is the domain that a member which runs closes. Its own annotations hold whatever its owner says, or where there is none: by them
// it was placed. What its gang says holds beside them where that is of the same topology.
func (r *reader) closes(d *draft, m *member.Member, of map[*member.Member]trees.Closing) trees.Closing {
	by, known := of[m]
	if !known {
		by = of[nil]
	}
	if owner := r.gangs.leftBy[m]; owner != nil {
		one := map[*member.Member]trees.Closing{}
		r.addClosings(one, owner, owner.around([]*member.Member{m}))
		by = r.trees.Wider(by, one[m])
	}
	own, unknown, said := r.ownClosing(d, m)
	all := r.trees.Wider(own, by)
	if own.Layer != "" && by.Layer != "" && own.Tree != by.Tree {
		r.notices.Add(fmt.Sprintf("%s: %s %q: it closes its %s of topology %s, and not also the %s of topology %s that its owner names",
			m.Obj.Title(), said.Path(), said.Text(), own.Layer, own.Tree, by.Layer, by.Tree))
	}
	return r.trees.Wider(all, unknown)
}

// ownClosing is the widest domain that a pod has for itself by its own annotations, and the one that says so. A key that neither a topology
// nor a node has is unknown: it closes the node alone.
func (r *reader) ownClosing(d *draft, m *member.Member) (own, unknown trees.Closing, said object.Field) {
	for _, key := range exclusiveOf(m) {
		f := m.Obj.Annotation(key)
		tree, layer := r.trees.Closing(d.tree, f.Text())
		if layer == "" {
			r.notices.Add(fmt.Sprintf("%s: %s %q: no topology has it, and no node a label: its node alone is closed to others", m.Obj.Title(), f.Path(), f.Text()))
			unknown = trees.Closing{Tree: d.tree, Layer: f.Text()}
			continue
		}
		if next := r.trees.Wider(own, trees.Closing{Tree: tree, Layer: layer}); next != own {
			own, said = next, f
		}
	}
	return own, unknown, said
}

// exclusiveOf lists the annotations by which a pod has a domain for itself.
func exclusiveOf(m *member.Member) []string {
	if m.Obj == nil {
		return nil
	}
	return apart.Exclusive(m.Obj.Annotations, m.Labels)
}
