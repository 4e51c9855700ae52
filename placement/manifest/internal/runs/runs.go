// Package runs answers: which members run otherwise than was told?
package runs

import (
	"cmp"
	"maps"
	"reflect"
	"slices"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/placement/manifest/internal/lists"
)

// Ref names a member.
func Ref(m *cluster.Running) cluster.MemberRef {
	return cluster.MemberRef{Gang: m.Gang, Member: m.Member}
}

// Compare adds to a delta what makes of the members as they were told, which it uses up, those that run now, in natural order. O(members * log).
func Compare(was map[cluster.MemberRef]cluster.Running, now []cluster.Running, d *cluster.Delta) {
	for i := range now {
		m := &now[i]
		ref := Ref(m)
		old, is := was[ref]
		delete(was, ref)
		leaves := old
		leaves.Leaving = true
		switch {
		case is && reflect.DeepEqual(old, *m):
		case is && reflect.DeepEqual(leaves, *m):
			d.Leaving = append(d.Leaving, ref)
		case is:
			d.Remove = append(d.Remove, ref)
			d.Place = append(d.Place, *m)
		default:
			d.Place = append(d.Place, *m)
		}
	}
	d.Remove = slices.AppendSeq(d.Remove, maps.Keys(was))
	slices.SortFunc(d.Remove, CompareRefs)
	slices.SortFunc(d.Leaving, CompareRefs)
	slices.SortFunc(d.Place, ByName)
}

// ByName orders members by gang, then name, in natural order.
func ByName(a, b cluster.Running) int { return CompareRefs(Ref(&a), Ref(&b)) }

// CompareRefs orders names of members by gang, then member, in natural order.
func CompareRefs(a, b cluster.MemberRef) int {
	return cmp.Or(muster.CompareNatural(a.Gang, b.Gang), muster.CompareNatural(a.Member, b.Member))
}

// HoldsByName orders holds by gang, then member, in natural order.
func HoldsByName(a, b cluster.Hold) int {
	return CompareRefs(cluster.MemberRef{Gang: a.Gang, Member: a.Member}, cluster.MemberRef{Gang: b.Gang, Member: b.Member})
}

// CompareHolds is what is held now for the gangs for which something else was; nil: nothing.
func CompareHolds(was, now []cluster.Hold) (changed map[string][]cluster.Hold) {
	old, fresh := byGang(was), byGang(now)
	for gang := range old {
		if fresh[gang] == nil {
			fresh[gang] = nil
		}
	}
	for gang, holds := range fresh {
		if !reflect.DeepEqual(old[gang], holds) {
			lists.Enter(&changed, gang, holds)
		}
	}
	return changed
}

func byGang(list []cluster.Hold) map[string][]cluster.Hold {
	out := map[string][]cluster.Hold{}
	for _, h := range slices.SortedFunc(slices.Values(list), HoldsByName) {
		out[h.Gang] = append(out[h.Gang], h)
	}
	return out
}
