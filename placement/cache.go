package placement

import (
	"bytes"
	"encoding/binary"
	"maps"
	"slices"
	"sync/atomic"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/gang"
)

// keptShapes is how many shapes a lineage of snapshots keeps an index for, the last made first.
const keptShapes = 8

// shapeCache keeps the indexes of the last shapes planned on a snapshot or on those it was derived from. It is shared
// by all who plan on the snapshot.
type shapeCache struct {
	entries atomic.Pointer[[]*cachedShape]
}

// cachedShape is an index of this snapshot or of an earlier one.
type cachedShape struct {
	key     []byte
	index   *index
	touched *touched // nodes that changed since the index was made
}

// index finds or makes the index of the problem's shape on its snapshot; nil if the shape cannot be cached, because
// the host's hooks have no class.
func (p *problem) index() *index {
	if p.req.Class == "" && p.req.Eligible != nil {
		return nil
	}
	key := p.shapeKey()
	for {
		old := p.c.cache.entries.Load()
		var list []*cachedShape
		if old != nil {
			list = *old
		}
		i := slices.IndexFunc(list, func(s *cachedShape) bool { return bytes.Equal(s.key, key) })
		if i >= 0 && list[i].touched == nil {
			return list[i].index
		}
		fresh := &cachedShape{key: key}
		if i >= 0 {
			fresh.index = list[i].index.after(p, list[i].touched.all())
			list = slices.Delete(slices.Clone(list), i, i+1)
		} else {
			fresh.index = p.newIndex()
		}
		list = append([]*cachedShape{fresh}, list[:min(len(list), keptShapes-1)]...)
		if p.c.cache.entries.CompareAndSwap(old, &list) {
			return fresh.index
		}
	}
}

// after is the cache of a snapshot in which these nodes changed. An index that would have to count a good part of the
// nodes again is left behind. O(kept shapes), whatever has changed before.
func (s *shapeCache) after(nodes []int32, of int) *shapeCache {
	next := &shapeCache{}
	old := s.entries.Load()
	if old == nil {
		return next
	}
	if len(nodes) == 0 {
		next.entries.Store(old)
		return next
	}
	list := make([]*cachedShape, 0, len(*old))
	for i, e := range *old {
		total := e.touched.len() + len(nodes)
		if total > of/8+64 {
			continue
		}
		if i > 0 && e.touched == (*old)[i-1].touched { // and that one was not left behind
			list = append(list, &cachedShape{key: e.key, index: e.index, touched: list[len(list)-1].touched})
			continue
		}
		list = append(list, &cachedShape{key: e.key, index: e.index, touched: &touched{nodes, e.touched, total}})
	}
	next.entries.Store(&list)
	return next
}

// shapeKey is everything that the slots of nodes depend on beside the snapshot. Every list goes behind its length, so
// that different shapes have different keys.
func (p *problem) shapeKey() []byte {
	k := keyWriter(make([]byte, 0, 128))
	k.text(p.v.name)
	k.text(p.req.Class)
	k.number(len(p.needs))
	for _, n := range p.needs {
		k.text(n.name)
		k = binary.AppendUvarint(k, uint64(n.amount))
	}
	k.number(len(p.shapes))
	for _, s := range p.shapes {
		k.shape(s)
	}
	return k
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
		*k = append(*k, bit(t.Exists))
	}
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

func bit(b bool) byte {
	if b {
		return 1
	}
	return 0
}
