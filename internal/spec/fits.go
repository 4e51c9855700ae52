// How much could a domain take of a gang that fits nowhere?

package spec

import "github.com/muster-sched/muster/internal/model"

// Fits has, for every tier up to the gang's MustGather, the domain that could take the most new members, whole groups under the hard
// rules of the groups; of equals the one with the most slots, then the first (refusals.1 of docs/order). For gangs without multiples, where
// nodes outside the tree take nobody.
func Fits(m *model.Model) []model.Fit {
	out := []model.Fit{}
	s := newSolver(m)
	for _, t := range m.View.Tiers {
		if t > m.Gather.Must {
			break
		}
		var best *vertex
		most := -1
		for _, d := range under(s.root, int(t)) {
			if d.own != s.root.own {
				continue
			}
			if n := s.mostIn(d, int(t)); n > most || n == most && d.high > best.high {
				best, most = d, n
			}
		}
		if best != nil {
			fit := model.Fit{Tier: t, Domain: best.at, Members: most}
			if len(m.Levels) > 0 {
				fit.Groups = most / s.size(0)
			}
			out = append(out, fit)
		}
	}
	return out
}

// mostIn is the largest number of members that a domain of a tier takes; where groups are begun the quota counts, too.
func (s *solver) mostIn(d *vertex, tier int) (most int) {
	all := &search{solver: s, n: len(s.m.Pending)}
	may := all.n
	if all.cut(); len(all.begun) > 0 {
		may = s.m.Admitted
	}
	tiers := s.loosest()
	tiers[0] = tier
	for _, n := range s.countsUpTo(1, may) {
		p := &search{solver: s, n: n}
		if p.cut(); !p.broken() && s.fixOutside(0) {
			if p.use(tiers); p.feasible(d) {
				most = n
			}
		}
	}
	return most
}
