// Package runs answers: which members run otherwise than was told?
package runs

import (
	"cmp"
	"maps"
	"reflect"
	"slices"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
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
	slices.SortFunc(d.Remove, compareRefs)
	slices.SortFunc(d.Leaving, compareRefs)
	slices.SortFunc(d.Place, ByName)
}

// ByName orders members by gang, then name, in natural order.
func ByName(a, b cluster.Running) int { return compareRefs(Ref(&a), Ref(&b)) }

func compareRefs(a, b cluster.MemberRef) int {
	return cmp.Or(muster.CompareNatural(a.Gang, b.Gang), muster.CompareNatural(a.Member, b.Member))
}
