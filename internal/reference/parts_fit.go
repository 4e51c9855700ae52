package reference

import (
	"encoding/binary"
	"slices"
)

// item are members of one role that are a holder's own.
type item struct{ holder, role, count int }

// packing is one search for a placement.
type packing struct {
	parts  *partSolver
	bounds bounds
	items  []item
	room   [][]int64
	on     [][]int // members by node and role
	inside [][]int // members, running ones included, by holder and node
	done   []int   // by holder: the item from which on none is in it
	at     []int
	failed map[string]bool // states from which it cannot be completed
}

// fit says whether there is a placement of the items within bounds: it tries all, but for those that come to what was tried before.
func (s *partSolver) fit(items []item, b bounds) bool {
	p := &packing{parts: s, bounds: b, items: items, at: slices.Clone(s.at), failed: map[string]bool{}}
	for i := range p.at {
		if p.at[i] >= 0 && s.holders[i].forest.vertices[p.at[i]].tier > b.tiers[i] {
			return false
		}
	}
	for _, room := range s.room {
		p.room, p.on = append(p.room, slices.Clone(room)), append(p.on, make([]int, len(s.base.roles)))
	}
	p.done = make([]int, len(s.holders))
	for i, it := range items {
		for h := it.holder; h >= 0; h = s.holders[h].around {
			p.done[h] = i + 1
		}
	}
	for _, h := range s.holders {
		count := make([]int, len(s.base.nodes))
		for _, r := range s.base.solver.own {
			if slices.Contains(h.Division.Members, r.Member) {
				count[slices.IndexFunc(s.base.nodes, func(v *vertex) bool { return v.node.Name == r.Node })]++
			}
		}
		p.inside = append(p.inside, count)
	}
	return p.keepsCaps() && p.place(0)
}

// place places the items from i on.
func (p *packing) place(i int) bool {
	for h, done := range p.done {
		if done == i && !p.evenIn(h) {
			return false
		}
	}
	if i == len(p.items) {
		return p.even()
	}
	key := p.key(i)
	if p.failed[key] {
		return false
	}
	if p.spread(i, 0, p.items[i].count) {
		return true
	}
	p.failed[key] = true
	return false
}

// key is all that matters to the items from i on: the groups before that of item i are done, but for those around it.
func (p *packing) key(i int) string {
	key := []byte{byte(i)}
	for _, room := range p.room {
		for _, free := range room {
			key = binary.AppendVarint(key, free)
		}
	}
	for node, counts := range p.on {
		for _, n := range counts {
			if len(p.parts.base.solver.multiple) > 0 || p.parts.base.bind(p.parts.base.nodes[node].node) {
				key = append(key, byte(n))
			}
		}
	}
	key = append(key, byte(p.bounds.outside))
	for h := p.items[i].holder; h >= 0; h = p.parts.holders[h].around {
		key = append(key, byte(p.at[h]+1))
		for _, n := range p.inside[h] {
			if len(p.parts.holders[h].steps) > 0 {
				key = append(key, byte(n))
			}
		}
	}
	for _, c := range p.parts.caps {
		for _, n := range p.countsOf(&c) {
			key = append(key, byte(n))
		}
	}
	return string(key)
}

// spread puts so many members of item i on the nodes from this one on.
func (p *packing) spread(i, node, left int) bool {
	p.parts.base.solver.in.spend()
	if left == 0 {
		return p.place(i + 1)
	}
	if node == len(p.parts.base.nodes) {
		return false
	}
	it := p.items[i]
	if n := min(left, p.takes(it, node)); n > 0 {
		before := slices.Clone(p.at)
		for h := it.holder; h >= 0; h = p.parts.holders[h].around {
			p.at[h] = p.parts.holders[h].joined(p.at[h], node)
		}
		if p.within(it.holder) {
			for ; n > 0; n-- {
				p.use(it, node, n)
				ok := p.keepsCaps() && p.spread(i, node+1, left-n)
				p.use(it, node, -n)
				if ok {
					return true
				}
			}
		}
		p.at = before
	}
	return p.spread(i, node+1, left)
}

// joined is the smallest vertex that holds a vertex, if it is one, and a node.
func (h *holder) joined(v, node int) int {
	switch {
	case h.forest.otherTree && h.rules.hard && h.forest.nodes[node].outside:
		return h.forest.root.order
	case v < 0:
		return h.forest.nodes[node].order
	}
	return h.forest.join[v][node]
}

func (p *packing) within(h int) bool {
	for ; h >= 0; h = p.parts.holders[h].around {
		if p.parts.holders[h].forest.vertices[p.at[h]].tier > p.bounds.tiers[h] {
			return false
		}
	}
	return true
}

// takes is how many members of an item a node takes now.
func (p *packing) takes(it item, node int) int {
	if !p.parts.allowed[node][it.role] || p.parts.holders[it.holder].kept[node] {
		return 0
	}
	n := it.count
	if p.parts.base.nodes[node].outside {
		n = min(n, p.bounds.outside)
	}
	for k, name := range p.parts.resources {
		if ask := p.parts.base.roles[it.role].Resources[name]; ask > 0 && p.room[node][k] >= 0 {
			n = min(n, int(p.room[node][k]/ask))
		}
	}
	for n > 0 && p.parts.base.bind(p.parts.base.nodes[node].node) {
		counts := slices.Clone(p.on[node])
		if counts[it.role] += n; p.parts.base.zonesTake(node, counts) {
			break
		}
		n--
	}
	return n
}

func (p *packing) use(it item, node, n int) {
	for k, name := range p.parts.resources {
		if p.room[node][k] >= 0 {
			p.room[node][k] -= int64(n) * p.parts.base.roles[it.role].Resources[name]
		}
	}
	p.on[node][it.role] += n
	for h := it.holder; h >= 0; h = p.parts.holders[h].around {
		p.inside[h][node] += n
	}
	if p.parts.base.nodes[node].outside {
		p.bounds.outside -= n
	}
}

// even holds if there is a multiple of members in all, and below every vertex.
func (p *packing) even() bool {
	members := len(p.parts.base.solver.own)
	for _, counts := range p.on {
		members += total(counts)
	}
	return len(p.parts.base.solver.multiple) == 0 || members%p.parts.base.solver.stepBelow(p.parts.base.solver.root.tier) == 0 && p.parts.base.keepsMultiples(p.on)
}

// evenIn holds if there is a multiple of the members of a group in all, and below every vertex.
func (p *packing) evenIn(h int) bool {
	for _, v := range p.parts.base.solver.vertices {
		members := 0
		for i, node := range p.parts.base.nodes {
			if v == p.parts.base.solver.root || above(v, node) {
				members += p.inside[h][i]
			}
		}
		step := stepBelow(p.parts.holders[h].steps, p.parts.base.solver.root.tier)
		if v.parent != nil {
			step = stepBelow(p.parts.holders[h].steps, v.parent.tier)
		}
		if members%step != 0 {
			return false
		}
	}
	return true
}
