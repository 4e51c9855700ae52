package fabric

import (
	"slices"

	"github.com/muster-sched/muster/topology"
)

// plane is a network while its tree is made, from the hosts up.
type plane struct {
	net     *net
	r       *reading
	name    string
	level   []int   // of devices: 0 for hosts and what is not in the plane
	byLevel [][]int // switches of each level, ascending
	sets    sets    // of what hangs together so far
}

// tree makes the tree of the switches of a plane, nil: of all. Above, if there is a name, is a domain around all others.
func (n *net) tree(r *reading, name string, in map[int]bool, above string) {
	p := &plane{net: n, r: r, name: name, level: make([]int, len(n.names)), sets: newSets(len(n.names))}
	if !p.findLevels(func(s int) bool { return !n.host[s] && (in == nil || in[s]) }) {
		return
	}
	below := map[int]topology.Domain{} // by set: the domain of what is joined so far
	for tier := 1; tier < len(p.byLevel); tier++ {
		below = p.join(tier, below)
		if tier == 1 {
			p.findOddUnits(below)
		}
	}
	p.findOddLinks(in)
	var roots []topology.Domain
	for _, d := range below {
		roots = append(roots, d)
	}
	if above != "" && len(roots) > 0 {
		roots = []topology.Domain{{Name: above, Tier: len(p.byLevel), Children: roots}}
	}
	r.build(name, "", topology.Spec{Roots: roots})
}

// findLevels says how far switches are from hosts: 1 next to them.
func (p *plane) findLevels(in func(int) bool) bool {
	now := []int{}
	for s := range p.net.names {
		if in(s) && slices.ContainsFunc(p.net.next[s], func(o int) bool { return p.net.host[o] }) {
			p.level[s] = 1
			now = append(now, s)
		}
	}
	p.byLevel = [][]int{nil}
	for at := 1; len(now) > 0; at++ {
		slices.Sort(now)
		p.byLevel = append(p.byLevel, now)
		if at > topology.MaxLayers {
			reason := "more than " + itoa(topology.MaxLayers) + " switches away from every host"
			p.r.fail(Error{Field: p.net.names[now[0]], Reason: reason})
			return false
		}
		var next []int
		for _, s := range now {
			for _, o := range p.net.next[s] {
				if in(o) && p.level[o] == 0 {
					p.level[o] = at + 1
					next = append(next, o)
				}
			}
		}
		now = next
	}
	return true
}

// isBelow says whether a device is one level below a switch.
func (p *plane) isBelow(o, s int) bool {
	if p.level[s] == 1 {
		return p.net.host[o]
	}
	return p.level[o] == p.level[s]-1 && p.level[o] > 0
}

// join makes the domains of a tier: of those below that its switches join, and as they are of those that none joins.
func (p *plane) join(tier int, below map[int]topology.Domain) map[int]topology.Domain {
	for _, s := range p.byLevel[tier] {
		for _, o := range p.net.next[s] {
			if p.isBelow(o, s) {
				p.sets.join(s, o)
			}
		}
	}
	domains := map[int]topology.Domain{}
	for _, s := range p.byLevel[tier] {
		if _, is := domains[p.sets.of(s)]; !is {
			domains[p.sets.of(s)] = topology.Domain{Name: p.net.names[s], Tier: tier}
		}
	}
	if tier == 1 {
		for h := range p.net.names {
			if d, is := domains[p.sets.of(h)]; is && p.net.host[h] {
				d.Nodes = append(d.Nodes, p.net.names[h])
				domains[p.sets.of(h)] = d
			}
		}
		return domains
	}
	for old, child := range below {
		d, is := domains[p.sets.of(old)]
		if is {
			d.Children = append(d.Children, child)
		} else {
			d = child
		}
		domains[p.sets.of(old)] = d
	}
	return domains
}

// findOddUnits finds hosts that are not wired as the others of their unit, and units of one host.
func (p *plane) findOddUnits(units map[int]topology.Domain) {
	leaves := p.leaves()
	shared := map[[2]int]int{} // hosts on both of two leaves
	hosts := map[int]int{}     // of each leaf
	inUnit := map[int][]int{}  // hosts, by set
	for h, of := range leaves {
		for _, s := range of {
			shared[[2]int{of[0], s}]++
			hosts[s]++
		}
		if len(of) > 0 {
			inUnit[p.sets.of(h)] = append(inUnit[p.sets.of(h)], h)
		}
	}
	for h, of := range leaves {
		for _, s := range of {
			switch alone := len(inUnit[p.sets.of(h)]) == 1; {
			case alone && s == of[0]:
				p.find(LoneHost, units[p.sets.of(h)].Name, p.net.names[h])
			case !alone && s != of[0] && shared[[2]int{of[0], s}] == 1:
				p.find(TwoLeaves, p.net.names[h], p.net.names[s])
			}
		}
	}
	for _, s := range p.byLevel[1] {
		unit := inUnit[p.sets.of(s)]
		if 2*hosts[s] < len(unit) || hosts[s] == len(unit) {
			continue
		}
		for _, h := range unit {
			if !slices.Contains(leaves[h], s) {
				p.find(MissingRail, p.net.names[h], p.net.names[s])
			}
		}
	}
}

// leaves are those of each host.
func (p *plane) leaves() [][]int {
	leaves := make([][]int, len(p.net.names))
	for h, next := range p.net.next {
		for _, s := range next {
			if p.net.host[h] && p.level[s] == 1 {
				leaves[h] = append(leaves[h], s)
			}
		}
	}
	return leaves
}

// findOddLinks finds links that join nothing, leaves without uplinks, and devices that are nowhere.
func (p *plane) findOddLinks(in map[int]bool) {
	var up, lone []int
	for s, next := range p.net.next {
		for _, o := range next {
			if s < o && p.level[s] > 0 && p.level[s] == p.level[o] {
				p.find(SideLink, p.net.names[s], p.net.names[o])
			}
		}
		switch {
		case p.level[s] == 1 && slices.ContainsFunc(next, func(o int) bool { return p.level[o] == 2 }):
			up = append(up, s)
		case p.level[s] == 1:
			lone = append(lone, s)
		case in != nil:
		case p.net.host[s] && !slices.ContainsFunc(next, func(o int) bool { return p.level[o] == 1 }):
			p.find(NoLeaf, p.net.names[s], "")
		case !p.net.host[s] && p.level[s] == 0:
			p.find(NoHosts, p.net.names[s], "")
		}
	}
	for _, s := range lone {
		if len(up) > 0 {
			p.find(NoUplink, p.net.names[s], p.net.names[up[0]])
		}
	}
}

func (p *plane) find(kind Kind, one, other string) {
	p.r.find(Finding{kind, p.name, one, other})
}

// sets are disjoint sets of numbers.
type sets []int

func newSets(n int) sets {
	s := make(sets, n)
	for i := range s {
		s[i] = i
	}
	return s
}

// of is a number that is the same for all of a set.
func (s sets) of(i int) int {
	for s[i] != i {
		s[i] = s[s[i]]
		i = s[i]
	}
	return i
}

// join makes one set of two. The smaller number stands for it, which keeps chains short where sets grow from one end; with halving
// O(log n) amortised.
func (s sets) join(a, b int) {
	a, b = s.of(a), s.of(b)
	s[max(a, b)] = min(a, b)
}
