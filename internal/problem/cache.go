package problem

import (
	"bytes"
	"encoding/binary"
	"maps"
	"slices"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/snapshot"
)

// index finds or makes the index of the problem's shape on its snapshot; nil if the shape cannot be cached, because
// the host's hooks have no class.
func (k Counting) index() *snapshot.ShapeIndex {
	if k.p.Request.Class == "" && k.p.Request.Eligible != nil || k.p.Parts.Allowed != nil {
		return nil
	}
	key := k.shapeKey()
	ix := k.p.Snapshot.Caches.Shapes.Get(&k.p.Snapshot.Lineage.Clock, k.p.Snapshot.Lineage.KeptShapes,
		func(other []byte) bool { return bytes.Equal(other, key) },
		func(s *snapshot.ShapeIndex, nodes []int32) *snapshot.ShapeIndex { return k.after(s, nodes) },
		func() ([]byte, *snapshot.ShapeIndex) { return bytes.Clone(key), k.newIndex() })
	if ix != nil {
		k.p.ZoneState.indexNeeds = ix.Needs
	}
	return ix
}

// shapeKey is everything that the slots of nodes depend on beside the snapshot. Every list goes behind its length, so
// that different shapes have different keys. It lies in the scratch.
func (k Counting) shapeKey() []byte {
	w := keyWriter(k.p.Paper.key[:0])
	w.text(k.p.View.Name)
	w.text(k.p.Request.Class)
	w.number(len(k.p.Needs))
	for _, need := range k.p.Needs {
		w.text(need.Name)
		w = binary.AppendUvarint(w, uint64(need.Amount))
	}
	w.number(len(k.p.Shapes))
	for _, s := range k.p.Shapes {
		w.shape(s)
	}
	k.p.Paper.key = w
	return w
}

type keyWriter []byte

func (k *keyWriter) number(n int) { *k = binary.AppendUvarint(*k, uint64(n)) }

func (k *keyWriter) text(s string) {
	k.number(len(s))
	*k = append(*k, s...)
}

func (k *keyWriter) shape(s *gang.Shape) {
	k.number(len(s.Selector))
	if len(s.Selector) > 0 {
		for _, name := range slices.SortedFunc(maps.Keys(s.Selector), muster.CompareNatural) {
			k.text(name)
			k.text(s.Selector[name])
		}
	}
	k.number(len(s.Affinity))
	for _, t := range s.Affinity {
		k.expressions(t.Labels)
		k.expressions(t.Fields)
	}
	k.number(len(s.Tolerations))
	for _, t := range s.Tolerations {
		k.text(t.Key)
		k.text(t.Value)
		k.text(string(t.Effect))
		*k = append(*k, Bit(t.Exists))
	}
	k.text(string(s.NUMA.Policy))
	k.text(string(s.NUMA.Exclusive))
	k.text(string(s.NUMA.CPUs))
	k.number(s.NUMA.ThreadsPerCore)
}

func (k *keyWriter) expressions(list []gang.Expression) {
	k.number(len(list))
	for _, e := range list {
		k.text(e.Key)
		k.text(string(e.Operator))
		k.number(len(e.Values))
		for _, v := range e.Values {
			k.text(v)
		}
	}
}

// Bit is 1 for true.
func Bit(b bool) byte {
	if b {
		return 1
	}
	return 0
}
