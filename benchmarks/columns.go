package benchmarks

import (
	"iter"
	"slices"

	"github.com/muster-sched/muster/placement"
)

// Columns is the plain reference: the free amounts of a snapshot as one flat column a resource, nodes in the order of
// the tree. A pass over them is what any planner pays that looks at every node.
type Columns struct {
	shape Shape
	free  [resources][]int64
	// Slots by domain, of the last Scan.
	unit, leaf, spine []int64
}

// resources is how many of them a node has and a member asks for.
const resources = 3

// Amounts is one amount for each resource, in natural order of their names.
type Amounts [resources]int64

// ColumnsOf lays out nodes, which come in the order of the tree, and takes what runs on them off.
func ColumnsOf(shape Shape, nodes iter.Seq[placement.Node], running iter.Seq[placement.Running]) *Columns {
	s := &Columns{
		shape: shape,
		unit:  make([]int64, shape.NumUnits()),
		leaf:  make([]int64, shape.Spines*shape.Leaves),
		spine: make([]int64, shape.Spines),
	}
	names := shape.node().Names()
	index := make(map[string]int, shape.NumNodes())
	for n := range nodes {
		index[n.Name] = len(index)
		for r, name := range names {
			s.free[r] = append(s.free[r], n.Allocatable[name])
		}
	}
	for m := range running {
		for r, name := range names {
			s.free[r][index[m.Node]] -= m.Resources[name]
		}
	}
	return s
}

// Scan is one pass over all nodes for one gang: it divides every requested resource, sums the slots of every domain,
// and returns the tier of the smallest domain that could hold the members, 4 if none does. It makes no result.
func (s *Columns) Scan(members int64, ask Amounts) int {
	clear(s.leaf)
	clear(s.spine)
	for u := range s.unit {
		s.unit[u] = s.slots(u*s.shape.Nodes, (u+1)*s.shape.Nodes, ask)
		l := u / s.shape.Units
		s.leaf[l] += s.unit[u]
		s.spine[l/s.shape.Leaves] += s.unit[u]
	}
	for t, sums := range [][]int64{s.unit, s.leaf, s.spine} {
		if slices.Max(sums) >= members {
			return t + 1
		}
	}
	return 4
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

// Take copies the columns and takes members off their nodes: what a new snapshot costs that shares nothing with the
// old one.
func (s *Columns) Take(nodes []int, ask Amounts) *Columns {
	next := *s
	for r := range s.free {
		next.free[r] = slices.Clone(s.free[r])
		for _, n := range nodes {
			next.free[r][n] -= ask[r]
		}
	}
	return &next
}
