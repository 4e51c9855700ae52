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

// How many shapes a lineage of snapshots keeps an index for, and for how many group sizes each, unless the spec says.
const (
	keptShapes = 8
	keptSizes  = 4
)

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
	used    *stamp   // by any snapshot of the lineage
}

// stamp is when something was last used, by the count of uses in the lineage.
type stamp struct{ atomic.Int64 }

// stamped marks something as used now. The count is written only if something else was used since.
func (f *fabric) stamped(s *stamp) {
	if now := f.uses.Load(); s.Load() != now || now == 0 {
		s.Store(f.uses.Add(1))
	}
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
		at := -1
		if old != nil {
			at = slices.IndexFunc(*old, func(s *cachedShape) bool { return bytes.Equal(s.key, key) })
		}
		if at >= 0 && (*old)[at].touched == nil {
			p.c.stamped((*old)[at].used)
			return (*old)[at].index
		}
		fresh := &cachedShape{key: bytes.Clone(key), used: &stamp{}}
		var list []*cachedShape
		if at >= 0 {
			e := (*old)[at]
			fresh.index, fresh.used = e.index.after(p, e.touched.all()), e.used
			list = slices.Delete(slices.Clone(*old), at, at+1)
		} else {
			fresh.index = p.newIndex()
			if old != nil {
				list = forget(slices.Clone(*old), p.c.keptShapes-1, func(s *cachedShape) *stamp { return s.used })
			}
		}
		p.c.stamped(fresh.used)
		list = append(list, fresh)
		if p.c.cache.entries.CompareAndSwap(old, &list) {
			return fresh.index
		}
	}
}

// forget leaves n elements of a list, the ones that were used last.
func forget[T any](list []T, n int, used func(T) *stamp) []T {
	for len(list) > n {
		oldest := 0
		for i := range list {
			if used(list[i]).Load() < used(list[oldest]).Load() {
				oldest = i
			}
		}
		list = slices.Delete(list, oldest, oldest+1)
	}
	return list
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
			list = append(list, &cachedShape{e.key, e.index, list[len(list)-1].touched, e.used})
			continue
		}
		list = append(list, &cachedShape{e.key, e.index, &touched{nodes, e.touched, total}, e.used})
	}
	next.entries.Store(&list)
	return next
}

// shapeKey is everything that the slots of nodes depend on beside the snapshot. Every list goes behind its length, so
// that different shapes have different keys. It lies in the scratch.
func (p *problem) shapeKey() []byte {
	k := keyWriter(p.scratch.key[:0])
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
	p.scratch.key = k
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
