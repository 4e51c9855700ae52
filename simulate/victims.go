// Who leaves for others?

package simulate

import (
	"slices"

	"github.com/muster-sched/muster/placement"
)

// evicts says whether somebody leaves for a gang.
func (p *Place) evicts() bool { return p.Plan != nil && len(p.Plan.Victims) > 0 }

// evict takes the victims of a plan away that was carried out, gang by gang: they are in this order. Who has no member left waits again.
func (l *loop) evict(victims []placement.Victim) error {
	var gone []string
	for len(victims) > 0 {
		p := l.running[victims[0].Gang]
		n := slices.IndexFunc(victims, func(v placement.Victim) bool { return v.Gang != victims[0].Gang })
		if n < 0 {
			n = len(victims)
		}
		l.report.EvictedGangs++
		l.report.EvictedMembers += n
		if p.members -= n; p.members == 0 {
			gone = append(gone, p.Request.Name)
		} else if err := l.shrink(p, victims[:n]); err != nil {
			return err
		}
		victims = victims[n:]
	}
	if len(gone) == 0 {
		return l.tryAgain()
	}
	return l.stop(gone)
}

// shrink takes members of a gang away that goes on without them.
func (l *loop) shrink(p *pending, victims []placement.Victim) error {
	leave := map[string]bool{}
	var names []string
	for i := range victims {
		leave[victims[i].Member] = true
		names = append(names, victims[i].Member)
	}
	before := p.takes
	for i := range p.Request.Members {
		if leave[p.Request.Members[i].Name] {
			l.report.shrunk(p, l.now, l.report.memberTakes(&p.Request, i))
		}
	}
	l.used -= before - p.takes
	next, err := l.c.Release(p.Request.Name, names...)
	if err != nil {
		return err
	}
	l.c = next
	return nil
}

// placed is how many members start at a place, and what they take.
func (r *Report) placed(p *pending, place *Place) (members int, takes int64) {
	if place.Plan != nil && len(place.Plan.Assignments) == len(p.Request.Members) {
		return len(p.Request.Members), p.asks
	}
	there := map[string]bool{}
	if place.Plan != nil {
		for i := range place.Plan.Assignments {
			there[place.Plan.Assignments[i].Member] = true
		}
	}
	for i := range p.Request.Members {
		if there[p.Request.Members[i].Name] || i < len(place.Nodes) && place.Nodes[i] != "" {
			members++
			takes += r.memberTakes(&p.Request, i)
		}
	}
	return members, takes
}
