// Package packing answers: do members of many shapes fit on some nodes together, and where? It serves gangs of so many
// shapes that their fronts (package front) would be too long to list.
//
// A [Packer] looks at nodes of some kinds. It says no by bounds that hold for every packing, yes by a packing that it
// has made, and nothing where steps run out between the two. Bounds are sums over nodes of what each takes at most, by
// itself, of members that are given weights: amounts, numbers, and at last multipliers that are bettered step by step
// (the Lagrangian of the rows that say how many members of a role there are; Gilmore and Gomory's column bound is its
// best value). Everything is decided in integers. A Packer belongs to one search.
package packing

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/muster-sched/muster/internal/steps"
)

// Kind is what nodes that are alike have.
type Kind struct {
	Free []int64 // by resource; negative: more is taken than there is
	Open []bool  // by role: whether they take its members, amounts apart
	// Takes says whether these members, within free amounts, come into the node; nil: they do. What takes some members
	// takes fewer.
	Takes func(some []int32) bool
}

// Verdict says whether members fit.
type Verdict int8

// Whether members fit.
const (
	Unknown Verdict = iota // steps ran out
	Fits
	FitsNot // in no way
)

// Packer packs members on nodes.
type Packer struct {
	asks  [][]int64 // by role, then by resource
	kinds []Kind
	want  []int32 // by role: the most that is asked for
	left  *steps.Budget

	rooms []room     // by kind
	seqs  [][]int    // the sequences in which roles are filled in
	byAsk [][]int    // by resource: roles, the smallest first
	scale []int64    // by role: shares of the largest node in sum, see share
	tests []weighing // by which number, and then by which amount, nodes may be too small
}

// room is what is known of the nodes of a kind.
type room struct {
	roles   []int32 // by role: members that it takes if no others come
	members int64   // that it takes at most; -1: not counted yet
	tested  []int64 // by test: the most weight that it takes; nil: not found yet
}

// New is a packer for at most these members. left is what may still be spent, and the caller's.
func New(asks [][]int64, kinds []Kind, want []int32, left *steps.Budget) *Packer {
	p := &Packer{asks: asks, kinds: kinds, want: want, left: left, rooms: make([]room, len(kinds))}
	for k := range p.rooms {
		p.rooms[k].members = -1
	}
	p.sequences()
	return p
}

// Count is nodes of one kind.
type Count struct {
	Kind int32
	N    int64
}

// sequences lists the orders in which roles are tried: by rank; and the largest first, by each resource, and by the sum
// of shares of the largest node.
func (p *Packer) sequences() {
	first := make([]int, len(p.want))
	for r := range first {
		first[r] = r
	}
	p.seqs = [][]int{first}
	if len(first) == 0 {
		return
	}
	shares := make([]int64, len(first))
	for i := range p.asks[0] {
		size, most := make([]int64, len(first)), int64(1)
		for k := range p.kinds {
			most = max(most, p.kinds[k].Free[i])
		}
		for r := range size {
			size[r] = p.asks[r][i]
			shares[r] += share(size[r], most)
		}
		p.addSequence(size)
		p.byAsk = append(p.byAsk, sortedBy(size, 1))
	}
	p.scale = shares
	p.addSequence(shares)
	p.seqs = append(p.seqs[1:], first)
	slices.Reverse(p.seqs[:len(p.seqs)-1]) // the sum of shares comes first, hand order last
}

// share is a part of a whole in units of 2^-40, at least one where there is any.
func share(part, whole int64) int64 {
	if part <= 0 {
		return 0
	}
	high, low := bits.Mul64(uint64(min(part, whole)), 1<<40)
	n, _ := bits.Div64(high, low, uint64(whole))
	return max(1, int64(n))
}

// Sequences lists the orders in which roles are tried, the best one first; they stay the packer's.
func (p *Packer) Sequences() [][]int { return p.seqs }

// addSequence adds the sequence from the largest role down, unless it is known.
func (p *Packer) addSequence(size []int64) {
	seq := sortedBy(size, -1)
	if !slices.ContainsFunc(p.seqs[1:], func(known []int) bool { return slices.Equal(known, seq) }) {
		p.seqs = append(p.seqs, seq)
	}
}

// sortedBy lists roles by size, ascending for a sign of 1, equal ones by rank.
func sortedBy(size []int64, sign int) []int {
	seq := make([]int, len(size))
	for r := range seq {
		seq[r] = r
	}
	slices.SortStableFunc(seq, func(a, b int) int { return sign * cmp.Compare(size[a], size[b]) })
	return seq
}

// alone is the number of members of a role that a node takes if no others come.
func (p *Packer) alone(kind int32) []int32 {
	r := &p.rooms[kind]
	if r.roles == nil {
		r.roles = make([]int32, len(p.want))
		for role, most := range p.want {
			r.roles[role] = p.roomFor(kind, role, p.kinds[kind].Free, most)
		}
	}
	return r.roles
}

// roomFor is the number of members of a role that fit into free amounts, at most most.
func (p *Packer) roomFor(kind int32, role int, free []int64, most int32) int32 {
	if !p.kinds[kind].Open[role] {
		return 0
	}
	for i, ask := range p.asks[role] {
		if ask > 0 {
			most = int32(min(int64(most), max(0, free[i])/ask))
		}
	}
	return most
}
