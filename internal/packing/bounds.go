package packing

import "slices"

// This file answers: which members certainly do not fit? A node takes no more of a weight than it takes by itself, so
// that nodes which together take less than all members weigh do not hold them.

// weighing gives each role a weight, and says what a kind of nodes takes of it at most.
type weighing struct {
	weights []int64
	most    func(p *Packer, kind int32) int64
}

// Refuses says whether members cannot fit on nodes: by their number, by each amount, and by the number of those that
// ask for much of something. O(kinds), and O(roles^2 * resources^2) once a kind.
//
// order: roles.12
func (p *Packer) Refuses(nodes []Count, want []int32) bool {
	if p.tests == nil {
		p.makeTests()
	}
	for t := range p.tests {
		need := int64(0)
		for r, n := range want {
			need += int64(n) * p.tests[t].weights[r]
		}
		for _, c := range nodes {
			if need <= 0 {
				break
			}
			need -= c.N * p.tested(t, c.Kind)
		}
		if need > 0 {
			return true
		}
	}
	return false
}

// tested is the most that nodes of a kind take in a test.
func (p *Packer) tested(t int, kind int32) int64 {
	r := &p.rooms[kind]
	if r.tested == nil {
		r.tested = slices.Repeat([]int64{-1}, len(p.tests))
	}
	if r.tested[t] < 0 {
		p.left.Spend(1)
		r.tested[t] = p.tests[t].most(p, kind)
	}
	return r.tested[t]
}

// makeTests lists the weighings: every member weighs one; what it asks for of a resource; one if it asks for as much of a
// resource as some role does, or more.
func (p *Packer) makeTests() {
	ones := slices.Repeat([]int64{1}, len(p.want))
	p.tests = []weighing{{ones, func(p *Packer, kind int32) int64 { return p.number(kind, ones) }}}
	for i := range p.asks[0] {
		amounts := make([]int64, len(p.want))
		for r := range amounts {
			amounts[r] = p.asks[r][i]
		}
		if most := slices.Max(amounts); most == 0 || most > 1<<50/p.total() { // nobody asks for it, or sums might overflow
			continue
		}
		p.tests = append(p.tests, weighing{amounts, func(p *Packer, kind int32) int64 { return p.amount(kind, i) }})
	}
	for i := range p.asks[0] {
		var levels []int64
		for r := range p.want {
			levels = append(levels, p.asks[r][i])
		}
		slices.Sort(levels)
		for _, level := range slices.Compact(levels)[1:] { // all ask for the least
			large := make([]int64, len(p.want))
			for r := range large {
				if p.asks[r][i] >= level {
					large[r] = 1
				}
			}
			p.tests = append(p.tests, weighing{large, func(p *Packer, kind int32) int64 { return p.number(kind, large) }})
		}
	}
}

// total is the number of members that are asked for, at least 1.
func (p *Packer) total() (n int64) {
	for _, m := range p.want {
		n += int64(m)
	}
	return max(1, n)
}

// amount is the most of a resource that members take on a node.
func (p *Packer) amount(kind int32, resource int) (sum int64) {
	for r, n := range p.alone(kind) {
		sum += int64(n) * p.asks[r][resource]
	}
	return min(sum, max(0, p.kinds[kind].Free[resource]))
}

// number is the most members of some roles that a node takes, by each resource alone: the smallest first.
func (p *Packer) number(kind int32, of []int64) int64 {
	alone, most := p.alone(kind), int64(0)
	for r, n := range alone {
		most += int64(n) * of[r]
	}
	for i, free := range p.kinds[kind].Free {
		free, n := max(0, free), int64(0)
		for _, r := range p.byAsk[i] {
			if of[r] == 0 || alone[r] == 0 {
				continue
			}
			m := int64(alone[r])
			if ask := p.asks[r][i]; ask > 0 {
				m = min(m, free/ask)
				free -= m * ask
			}
			if n += m; m < int64(alone[r]) {
				break
			}
		}
		most = min(most, n)
	}
	return most
}

// Most is the most members that nodes of a kind take, of any roles.
func (p *Packer) Most(kind int32) int64 {
	r := &p.rooms[kind]
	if r.members < 0 {
		r.members = p.number(kind, slices.Repeat([]int64{1}, len(p.want)))
	}
	return r.members
}
