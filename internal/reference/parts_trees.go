package reference

import (
	"slices"

	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/validity"
)

// forest is the tree that the rules of some groups speak of, with the nodes in the order of the gang's tree.
type forest struct {
	network   *validity.Network
	otherTree bool // it is not the gang's
	root      *vertex
	vertices  []*vertex
	nodes     []*vertex
	join      [][]int // by place of a vertex and of a node: the smallest vertex that holds both
}

// forestOf is the tree of this name.
func (s *partSolver) forestOf(name string) *forest {
	if f := s.forests[name]; f != nil {
		return f
	}
	req := &gang.Request{Tree: name}
	network, _ := validity.NewNetwork(&s.base.solver.in.Spec, req)
	named, _ := validity.PickTree(&s.base.solver.in.Spec, req)
	own, _ := validity.PickTree(&s.base.solver.in.Spec, &s.base.solver.in.Request)
	f := &forest{network: network, root: s.base.solver.root, vertices: s.base.solver.vertices, nodes: s.base.nodes}
	if named.Name == own.Name {
		if f := s.forests[s.base.solver.in.Request.Tree]; f != nil {
			return f
		}
	} else {
		f.otherTree, f.root, f.nodes = true, build(named.Tree, s.base.solver.in.Spec.Nodes), nil
		f.vertices = all(f.root)
		for _, node := range s.base.nodes {
			f.nodes = append(f.nodes, f.vertices[slices.IndexFunc(f.vertices, func(v *vertex) bool {
				return v.node != nil && v.node.Name == node.node.Name
			})])
		}
	}
	for _, v := range f.vertices {
		var row []int
		for _, node := range f.nodes {
			row = append(row, slices.Index(f.vertices, smallest(f.root, []*vertex{v, node})))
		}
		f.join = append(f.join, row)
	}
	s.forests[name] = f
	return f
}
