package numa

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/muster-sched/muster"
)

// maxDistance bounds distances, so that sums over pairs of zones cannot overflow.
const maxDistance = math.MaxInt32

// defects collects everything that is wrong with the input, so that a user sees it at once.
type defects []error

func (d *defects) add(field string, value any, reason string) {
	*d = append(*d, &muster.InvalidError{Field: field, Value: fmt.Sprint(value), Reason: reason})
}

// resources reports every bad amount, in natural order of the names.
func (d *defects) resources(field string, r muster.Resources) {
	for _, name := range r.Names() {
		if name == "" {
			d.add(field, "", "a resource has no name")
		} else if r[name] < 0 {
			d.add(field+"."+name, r[name], "negative amount")
		}
	}
}

// Zones are the zones of a node, or of many equal nodes, in order of their ids. The value is immutable and safe for
// concurrent use. A nil Zones and the zero one have no zones.
type Zones struct {
	ids   []int    // ascending
	names []string // resources that some zone reports, in natural order
	// allocatable by resource, then zone.
	allocatable []int64
	// distance of the zones i and j, there and back, at i*n+j; of a zone to itself on the diagonal. Nil: not known.
	distance []int64
	// within is the sum of the distances of every mask, on nodes of few zones. Nil: not known, or many zones.
	within []int64
}

// noZones stands for a nil value.
var noZones Zones

func (t *Zones) orEmpty() *Zones {
	if t == nil {
		return &noZones
	}
	return t
}

// fewZones is up to how many zones things are kept for every mask.
const fewZones = 8

// NewZones reads the zones of a node, in any order; none is allowed. The argument is not kept. All defects are reported,
// joined, each an [muster.InvalidError] with the path of the field: more than [MaxZones] zones, an id that is negative
// or used twice, a negative amount, amounts whose sum over the zones overflows, distances that do not name exactly the
// zones of the node or are known for a part of the zones only. O(n^2 + n k log k) for n zones of k resources.
func NewZones(zones []Zone) (*Zones, error) {
	var d defects
	checkZones(&d, zones)
	if len(d) > 0 {
		return nil, errors.Join(d...)
	}
	sorted := slices.SortedFunc(slices.Values(zones), func(a, b Zone) int { return cmp.Compare(a.ID, b.ID) })
	reported := muster.Resources{}
	for _, z := range sorted {
		maps.Copy(reported, z.Allocatable)
	}
	t := &Zones{ids: make([]int, len(sorted)), names: reported.Names()}
	for i, z := range sorted {
		t.ids[i] = z.ID
	}
	for _, name := range t.names {
		for _, z := range sorted {
			t.allocatable = append(t.allocatable, z.Allocatable[name])
		}
	}
	if n := len(sorted); n > 0 && len(sorted[0].Distances) > 0 {
		t.measure(sorted)
	}
	return t, nil
}

// measure reads the distances.
func (t *Zones) measure(sorted []Zone) {
	n := len(sorted)
	distance := make([]int64, n*n)
	for i, a := range sorted {
		for j, b := range sorted {
			distance[i*n+j] = a.Distances[b.ID]
			if i != j {
				distance[i*n+j] += b.Distances[a.ID]
			}
		}
	}
	t.distance = distance
	if n > fewZones {
		return
	}
	within := make([]int64, 1<<n)
	for m := range within {
		within[m] = t.distanceOf(Mask(m))
	}
	t.within = within
}

func checkZones(d *defects, zones []Zone) {
	if len(zones) > MaxZones {
		d.add("zones", len(zones), fmt.Sprintf("more than %d zones on a node", MaxZones))
	}
	first := map[int]int{} // index by id
	sums, overflow := muster.Resources{}, muster.Resources{}
	for i, z := range zones {
		at := fmt.Sprintf("zones[%d]", i)
		if other, ok := first[z.ID]; ok {
			d.add(at+".ID", z.ID, fmt.Sprintf("duplicate id, of zones[%d] too", other))
		} else {
			first[z.ID] = i
		}
		if z.ID < 0 {
			d.add(at+".ID", z.ID, "negative")
		}
		d.resources(at+".Allocatable", z.Allocatable)
		for name, amount := range z.Allocatable {
			if amount > math.MaxInt64-sums[name] {
				overflow[name] = 1
			} else {
				sums[name] += max(amount, 0)
			}
		}
	}
	for _, name := range overflow.Names() {
		d.add("zones", name, "the sum of this resource over all zones overflows")
	}
	checkDistances(d, zones, first)
}

func checkDistances(d *defects, zones []Zone, first map[int]int) {
	known := slices.ContainsFunc(zones, func(z Zone) bool { return len(z.Distances) > 0 })
	if !known {
		return
	}
	ids := slices.Sorted(maps.Keys(first))
	for i, z := range zones {
		at := fmt.Sprintf("zones[%d].Distances", i)
		for _, id := range slices.Sorted(maps.Keys(z.Distances)) {
			distance := z.Distances[id]
			if _, ok := first[id]; !ok {
				d.add(at, id, "no zone of the node has this id")
			} else if distance < 0 || distance > maxDistance {
				d.add(fmt.Sprintf("%s[%d]", at, id), distance, fmt.Sprintf("out of the range from 0 to %d", maxDistance))
			}
		}
		for _, id := range ids {
			if _, ok := z.Distances[id]; !ok {
				d.add(fmt.Sprintf("%s[%d]", at, id), "", "missing, while other distances are known")
			}
		}
	}
}

// Len is the number of zones.
func (t *Zones) Len() int { return len(t.orEmpty().ids) }

// Equal says whether nodes with these zones may share one value: same ids, amounts and distances. O(n^2 + n k).
func (t *Zones) Equal(other *Zones) bool {
	t, other = t.orEmpty(), other.orEmpty()
	return t == other || slices.Equal(t.ids, other.ids) && slices.Equal(t.names, other.names) &&
		slices.Equal(t.allocatable, other.allocatable) && slices.Equal(t.distance, other.distance)
}

// IDs lists the zones of a mask, ascending. Bits beyond the node's zones are ignored. The list is the caller's. O(n).
func (t *Zones) IDs(m Mask) []int {
	t = t.orEmpty()
	ids := make([]int, 0, m.Width())
	for m &= full(len(t.ids)); m != 0; m &= m - 1 {
		ids = append(ids, t.ids[m.first()])
	}
	return ids
}

// Mask is the set of the zones with these ids; false if the node lacks one of them. O(ids * log n).
func (t *Zones) Mask(ids ...int) (Mask, bool) {
	t = t.orEmpty()
	m, all := Mask(0), true
	for _, id := range ids {
		i, ok := slices.BinarySearch(t.ids, id)
		if ok {
			m |= 1 << i
		}
		all = all && ok
	}
	return m, all
}

// distanceOf is the sum of the distances over all ordered pairs of zones in a mask, 0 if they are not known. O(1) for few
// zones, else O(width^2).
func (t *Zones) distanceOf(m Mask) int64 {
	if t.within != nil {
		return t.within[m]
	}
	sum := int64(0)
	for rest := m; rest != 0 && t.distance != nil; rest &= rest - 1 {
		row := t.distance[rest.first()*len(t.ids):]
		for others := m & (rest ^ (rest - 1)); others != 0; others &= others - 1 {
			sum += row[others.first()]
		}
	}
	return sum
}
