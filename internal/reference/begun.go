package reference

import "github.com/muster-sched/muster/internal/validity"

// begunFits holds if a gang with one level of groups of which members run fits below d: every group that runs in part
// has to be completed in the domain of the group tier where it runs, the others go where there is room besides.
func (p *search) begunFits(d *vertex) bool {
	size, tier := p.size(0), p.tiers[1]
	demand := map[*vertex]int{} // of groups that run in part, by domain of the group tier
	fresh, rest := 0, 0
	for _, g := range p.unfinished() {
		home, ok := p.home(g.at, d, tier)
		switch {
		case !ok:
			return false
		case home != nil:
			demand[home] += g.missing
		case g.missing == size:
			fresh++
		default:
			rest = g.missing
		}
	}
	room, restFits := 0, rest == 0
	for _, v := range under(d, tier) {
		free := v.high - demand[v]
		if v.outside && v.node != nil { // where nobody may go, see Answer.Worth
			free = -demand[v]
		}
		if free < 0 {
			return false
		}
		room += free / size
		restFits = restFits || free%size >= rest
	}
	return room > fresh || room == fresh && restFits
}

// begunGroup is a group with the nodes of its running members and the number of those that are to be placed.
type begunGroup struct {
	at      []string
	missing int
}

// unfinished lists all groups of the gang, those that run as a whole included.
func (p *search) unfinished() []begunGroup {
	req := &p.in.Request
	ranks := validity.Ranks(req, p.own)
	groups := make([]begunGroup, (len(ranks)+p.size(0)-1)/p.size(0))
	for _, r := range p.own {
		g := &groups[ranks[r.Member]/p.size(0)]
		g.at = append(g.at, r.Node)
	}
	for i := range req.Members {
		groups[ranks[req.Members[i].Name]/p.size(0)].missing++
	}
	return groups
}

// home is the domain of this tier below d that holds all the nodes; nil if there are no nodes, false if they lie in
// several domains.
func (p *search) home(nodes []string, d *vertex, tier int) (*vertex, bool) {
	if len(nodes) == 0 {
		return nil, true
	}
	var home *vertex
	for _, node := range nodes {
		for _, v := range under(d, tier) {
			if holds(v, node) {
				if home != nil && home != v {
					return nil, false
				}
				home = v
			}
		}
	}
	return home, true
}

func holds(v *vertex, node string) bool {
	if v.node != nil {
		return v.node.Name == node
	}
	for _, c := range v.children {
		if holds(c, node) {
			return true
		}
	}
	return false
}
