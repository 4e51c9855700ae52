package fronts

import (
	"iter"

	"github.com/muster-sched/muster/internal/front"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/model"
)

// This file answers: what does a search ask of a gang beside its model?

// Asked is a gang, or a selection of its members, for which places are sought.
type Asked interface {
	Model() *model.Model
	// Slots are those of the first role, beside what was taken before. They only break ties; fronts decide what fits.
	Slots() model.SlotTable
	// SlotsOf counts how many members of a role a node takes at most, whatever others take.
	SlotsOf(role int) func(id int32) int64
	// Bound bounds what fits below a vertex, by the weight of a member of each role; nil: nothing does but fronts.
	Bound() (b Bound, weights []int64)
	// Kinds tells nodes apart, by what is free up to a demand. Of relaxed kinds each role finds zones by itself; closed: no node takes anybody.
	Kinds(demand []int64, relaxed, closed bool) Kinds
	// Chosen are the domains of other topologies in which members must be; nil: none are chosen.
	Chosen() *Chosen
	// KeepsMultiples says whether all multiples are kept in total once all pending members are placed.
	KeepsMultiples() bool

	// Only is the gang with a selection alone; of a gang with all members.
	Only(in model.Selection) Asked
	// WithDomains is the gang whose parts of other topologies lie in these domains; the root confines nothing.
	WithDomains(at map[*model.Part]layout.Vertex) Asked
	// WithoutOthers is the gang under a strategy without nodes meant for others; nil: there cannot be another plan.
	WithoutOthers(st model.Strategy) Asked
}

// Kinds are kinds of nodes, numbered as they are found.
type Kinds interface {
	// Below tells take the kind of each node right below a domain; begin begins the key of a node.
	Below(leaf layout.Vertex, begin func(key []int64, x layout.Vertex) []int64, take func(x layout.Vertex, kind int32))
	// Node describes the node that take is told.
	Node() *front.Node
	// AreInexact says whether the zone front of some node may lack vectors.
	AreInexact() bool
}

// Bound bounds the weight of members below vertices.
type Bound interface {
	Holds(x layout.Vertex, weight int64) bool
	Domains(tier int32, weight func() int64) iter.Seq[layout.Vertex]
	HeldAt(tier int32, weight int64) bool
	Roomiest(tier int32) layout.Vertex
	WithRoom(x layout.Vertex, weight int64) int
	Children(x layout.Vertex, weight int64) int
}

// Chosen says where members may be once domains of other topologies are chosen.
type Chosen struct {
	RoleBefore []int32 // by role: the role that it was divided from
	Split      bool    // kinds of nodes may be split by these domains: zones do not bind, and the roles are few
	// Inside says whether a node lies in the domains of a role.
	Inside func(role int, id int32) bool
}
