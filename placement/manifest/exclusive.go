package manifest

import (
	"fmt"

	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/placement/manifest/internal/object"
)

// Exclusive topologies of members that run: which domains they close to others, by their owner's word and by their own.

// The annotations by which owners, and the pods that controllers make of them, say that a group is alone in a domain.
const (
	exclusiveGroups    = "leaderworkerset.sigs.k8s.io/exclusive-topology"
	exclusiveSubgroups = "leaderworkerset.sigs.k8s.io/subgroup-exclusive-topology"
	exclusiveJobs      = "alpha.jobset.sigs.k8s.io/exclusive-topology"
)

// closing is a layer of a topology whose domain a member closes to others; no layer: none.
type closing struct{ tree, layer string }

// closings are what the members of a gang close by its limits, and by those of the job behind it that a group with rules of its own does
// not take over. That of nil is of members in no part.
func (r *reader) closings(d *draft, members []*member, whole *part) map[*member]closing {
	out := map[*member]closing{}
	if r.addClosings(out, d, whole); d.ruledItself {
		r.addClosings(out, d.job, d.job.around(members))
	}
	return out
}

// around are the members of another gang, as this one arranges its own.
func (d *draft) around(members []*member) *part {
	whole := part{members: members}
	if d.arrange != nil {
		whole = d.arrange(d, members)
	}
	return &whole
}

// addClosings adds what members close by the limits of a gang.
func (r *reader) addClosings(to map[*member]closing, d *draft, whole *part) {
	in := map[*member]string{}
	r.aloneIn(d, whole, d.limits, in)
	for m, layer := range in {
		next := closing{}
		if layer != "" {
			next = closing{d.tree, layer}
		}
		to[m] = r.wider(to[m], next)
	}
}

// wider is the wider of two closings. Of two topologies none is wider: the first counts.
func (r *reader) wider(a, b closing) closing {
	switch {
	case a.layer == "":
		return b
	case b.layer != "" && a.tree == b.tree:
		a.layer = r.trees.Widest(a.tree, []gang.Limit{{Kind: gang.Alone, Layer: a.layer}, {Kind: gang.Alone, Layer: b.layer}})
	}
	return a
}

// closes is the domain that a member which runs closes. Its own annotations hold whatever its owner says, or where there is none: by them
// it was placed. What its gang says holds beside them where that is of the same topology.
func (r *reader) closes(d *draft, m *member, of map[*member]closing) closing {
	by, known := of[m]
	if !known {
		by = of[nil]
	}
	if m.left != nil {
		one := map[*member]closing{}
		r.addClosings(one, m.left, m.left.around([]*member{m}))
		by = r.wider(by, one[m])
	}
	own, unknown, said := r.ownClosing(d, m)
	all := r.wider(own, by)
	if own.layer != "" && by.layer != "" && own.tree != by.tree {
		r.notices.Add(fmt.Sprintf("%s: %s %q: it closes its %s of topology %s, and not also the %s of topology %s that its owner names",
			m.obj.Title(), said.Path(), said.Text(), own.layer, own.tree, by.layer, by.tree))
	}
	return r.wider(all, unknown)
}

// ownClosing is the widest domain that a pod has for itself by its own annotations, and the one that says so. A key that neither a topology
// nor a node has is unknown: it closes the node alone.
func (r *reader) ownClosing(d *draft, m *member) (own, unknown closing, said object.Field) {
	for _, key := range exclusiveOf(m) {
		f := m.obj.Annotation(key)
		tree, layer := r.trees.Closing(d.tree, f.Text())
		if layer == "" {
			r.notices.Add(fmt.Sprintf("%s: %s %q: no topology has it, and no node a label: its node alone is closed to others", m.obj.Title(), f.Path(), f.Text()))
			unknown = closing{d.tree, f.Text()}
			continue
		}
		if next := r.wider(own, closing{tree, layer}); next != own {
			own, said = next, f
		}
	}
	return own, unknown, said
}

// exclusiveOf lists the annotations by which a pod has a domain for itself. The leader of a group is in no subgroup where those leave it
// out.
func exclusiveOf(m *member) (keys []string) {
	if m.obj == nil {
		return nil
	}
	notes := m.obj.Annotations
	without := notes["leaderworkerset.sigs.k8s.io/subgroup-policy-type"] == "LeaderExcluded" && m.labels["leaderworkerset.sigs.k8s.io/worker-index"] == "0"
	for _, key := range []string{exclusiveGroups, exclusiveSubgroups, exclusiveJobs} {
		if notes[key] != "" && !(key == exclusiveSubgroups && without) {
			keys = append(keys, key)
		}
	}
	return keys
}
