package benchmarks

import (
	"iter"
	"slices"

	"github.com/muster-sched/muster/cluster"
)

// Columns is the plain reference: the free amounts of a snapshot as one flat column a resource, nodes in the order of
// the tree. A pass over them is what any planner pays that looks at every node.
type Columns struct {
	Shape Shape
	free  [resources][]int64
	// sums are the slots by domain, lowest layer first, of the last Scan.
	sums [][]int64
}

// resources is how many of them a node has and a member asks for.
const resources = 3

// Amounts is one amount for each resource, in natural order of their names.
type Amounts [resources]int64

// newColumns lays out nodes with nothing free.
func newColumns(shape Shape) *Columns {
	s := &Columns{Shape: shape}
	for r := range s.free {
		s.free[r] = make([]int64, shape.NumNodes())
	}
	for t := range shape.tiers() {
		s.sums = append(s.sums, make([]int64, shape.NumDomains(t+1)))
	}
	return s
}

// ColumnsOf lays out nodes, which come in the order of the tree, and takes what runs on them off.
func ColumnsOf(shape Shape, nodes iter.Seq[cluster.Node], running iter.Seq[cluster.Running]) *Columns {
	s, names := newColumns(shape), shape.node().Names()
	index := make(map[string]int, shape.NumNodes())
	for n := range nodes {
		for r, name := range names {
			s.free[r][len(index)] = n.Allocatable[name]
		}
		index[n.Name] = len(index)
	}
	for m := range running {
		for r, name := range names {
			s.free[r][index[m.Node]] -= m.Resources[name]
		}
	}
	return s
}

// Bytes is how much a pass over all columns reads.
func (s *Columns) Bytes() int { return resources * 8 * len(s.free[0]) }

// Scan is one pass over all nodes for one gang: it divides every requested resource, sums the slots of every domain,
// and returns the tier of the smallest domain that could hold the members, that of the root if none of a layer does. It
// makes no result.
func (s *Columns) Scan(members int64, ask Amounts) int {
	units, n := s.sums[0], s.Shape.children(1)
	for u := range units {
		units[u] = s.slots(u*n, (u+1)*n, ask)
	}
	for t := 1; t < len(s.sums); t++ {
		below, fan := s.sums[t-1], s.Shape.children(t+1)
		for d := range s.sums[t] {
			total := int64(0)
			for _, slots := range below[d*fan : (d+1)*fan] {
				total += slots
			}
			s.sums[t][d] = total
		}
	}
	for t, sums := range s.sums {
		if slices.Max(sums) >= members {
			return t + 1
		}
	}
	return len(s.sums) + 1
}

// slots sums the slots of the nodes in [first, last).
func (s *Columns) slots(first, last int, ask Amounts) int64 {
	a, b, c := s.free[0][first:last], s.free[1][first:last], s.free[2][first:last]
	total := int64(0)
	for n := range a {
		total += min(a[n]/ask[0], b[n]/ask[1], c[n]/ask[2])
	}
	return total
}

// Copy shares nothing with s: what a new snapshot costs that is a copy.
func (s *Columns) Copy() *Columns {
	next := *s
	for r := range s.free {
		next.free[r] = slices.Clone(s.free[r])
	}
	return &next
}

// Take takes members off their nodes, in place, and returns how many of the nodes can hold another one: each changed
// node is touched once, which no planner can do without.
func (s *Columns) Take(nodes []int32, ask Amounts) int {
	a, b, c := s.free[0], s.free[1], s.free[2]
	still := 0
	for _, n := range nodes {
		a[n] -= ask[0]
		b[n] -= ask[1]
		c[n] -= ask[2]
		if a[n] >= ask[0] && b[n] >= ask[1] && c[n] >= ask[2] {
			still++
		}
	}
	return still
}
