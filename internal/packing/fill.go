package packing

import "slices"

// This file answers: where do the members go? Node after node takes what it can.

// Fill places members on nodes, given by kind, the first ones first. It tries the known sequences of roles, and returns
// by node the members of each role, nil for a node that takes none; not ok if members are left over in all of them. The
// first sequence is tried whatever it costs. O(sequences * nodes * roles * resources).
//
// order: roles.12
func (p *Packer) Fill(nodes []int32, want []int32) (on [][]int32, ok bool) {
	for i, seq := range p.seqs {
		if i > 0 && p.left.Spent() {
			break
		}
		if on, ok = p.fillBy(seq, nodes, want); ok {
			return on, true
		}
	}
	return nil, false
}

// fillBy fills node after node with the roles of a sequence: first fit, of which the largest first is the known case.
func (p *Packer) fillBy(seq []int, nodes, want []int32) (on [][]int32, ok bool) {
	left, open := slices.Clone(want), int64(0)
	for _, n := range left {
		open += int64(n)
	}
	on = make([][]int32, len(nodes))
	free := make([]int64, len(p.asks[0]))
	for at, kind := range nodes {
		if open == 0 {
			break
		}
		p.left.Spend(int64(len(seq)))
		copy(free, p.kinds[kind].Free)
		alone := p.alone(kind)
		for _, role := range seq {
			if left[role] == 0 || alone[role] == 0 {
				continue
			}
			n := p.roomFor(kind, role, free, left[role])
			if n == 0 {
				continue
			}
			if on[at] == nil {
				on[at] = make([]int32, len(want))
			}
			if n = p.taken(kind, on[at], role, n); n == 0 {
				continue
			}
			for i, ask := range p.asks[role] {
				free[i] -= int64(n) * ask
			}
			left[role] -= n
			open -= int64(n)
		}
	}
	return on, open == 0
}

// taken adds up to n members of a role to those on a node, as many as it takes beside them.
func (p *Packer) taken(kind int32, on []int32, role int, n int32) int32 {
	takes := p.kinds[kind].Takes
	for on[role] += n; takes != nil && n > 0 && !takes(on); n-- {
		on[role]--
	}
	return n
}
