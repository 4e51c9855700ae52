// From when on may something have room at all? A bound by amounts, which needs no cluster of each instant.

package ends

import (
	"iter"

	"github.com/muster-sched/muster/internal/snapshot"
)

// Ask is what new members take at least, whatever else is asked of them: so many of them, each of at least these amounts, in one domain.
type Ask struct {
	Amounts []int64 // by resource
	Members int64
	Domain  []int32 // by node: the domain that it is in, -1: in none
	Domains int
}

// bound is what there is room for at an instant, which goes on. More have room than are known to, never fewer: rules, zones and quotas do not count, and those who leave are gone.
type bound struct {
	c      *snapshot.Snapshot
	ask    Ask
	needs  []int                         // resources that members ask for
	free   []int64                       // by node and need
	slots  []int64                       // by node, of the members at most
	sums   []int64                       // by domain
	full   int                           // domains with room for all members
	hidden map[*snapshot.GangMembers]int // those that are not there now, by when they are
	comes  [][]*snapshot.GangMembers     // by instant
	at     int                           // the instant; -1: before the first one
	ended  int                           // gangs
}

// Asks tells the timeline what is asked for at least: instants at which nodes have no room for it are not asked, but for the last one. hidden are gangs that are not
// there for the new members before an instant, by its place; behind the last one: at none. O(nodes * resources + hidden members), and O(members that end) until the first
// instant that is asked.
//
// order: time.3
func (t *Timeline) Asks(ask Ask, hidden iter.Seq2[*snapshot.GangMembers, int]) {
	b := &bound{c: t.from, ask: ask, slots: make([]int64, len(ask.Domain)), sums: make([]int64, ask.Domains), at: -1}
	for r, amount := range ask.Amounts {
		if amount > 0 {
			b.needs = append(b.needs, r)
		}
	}
	b.free = make([]int64, len(ask.Domain)*len(b.needs))
	for i, r := range b.needs {
		column := &b.c.Free[r]
		for id := range ask.Domain {
			b.free[id*len(b.needs)+i] = column.At(int32(id))
		}
	}
	for id := range ask.Domain {
		b.count(int32(id))
	}
	for _, m := range b.c.Leaving {
		b.add(m, 1)
	}
	b.hidden, b.comes = map[*snapshot.GangMembers]int{}, make([][]*snapshot.GangMembers, len(t.instants))
	for g, until := range hidden {
		if until <= 0 {
			continue
		}
		b.addAll(g, 1)
		if b.hidden[g] = until; until < len(b.comes) {
			b.comes[until] = append(b.comes[until], g)
		}
	}
	t.bound = b
}

// possible is the first instant from one on at which there may be room, or the last one. Nobody has asked for a later one before.
func (t *Timeline) possible(from int) int {
	if t.bound == nil {
		return from
	}
	for ; from < len(t.instants)-1; from++ {
		if t.reach(from); t.bound.full > 0 {
			break
		}
	}
	return from
}

// reach lets time go on until an instant.
func (t *Timeline) reach(i int) {
	b := t.bound
	for b.at < i {
		b.at++
		for ; b.ended < t.instants[b.at].ended; b.ended++ {
			// What was hidden is there for nobody, before and after.
			g := t.of[b.ended]
			if _, is := b.hidden[g]; is {
				delete(b.hidden, g)
				continue
			}
			b.addAll(g, 1)
		}
		for _, g := range b.comes[b.at] {
			if _, is := b.hidden[g]; is {
				delete(b.hidden, g)
				b.addAll(g, -1)
			}
		}
	}
}

// addAll gives back what the members of a gang hold who are not leaving, or takes it.
func (b *bound) addAll(g *snapshot.GangMembers, sign int64) {
	for _, m := range g.Members.All() {
		if !m.Leaving {
			b.add(m, sign)
		}
	}
}

// add gives back what a member holds, or takes it.
func (b *bound) add(m *snapshot.Member, sign int64) {
	free := b.free[int(m.Node)*len(b.needs):][:len(b.needs)]
	for i, r := range b.needs {
		if free[i] != snapshot.Boundless {
			free[i] += sign * m.Class.Holds[r]
		}
	}
	b.count(m.Node)
}

// count counts the slots of a node again.
func (b *bound) count(id int32) {
	d := b.ask.Domain[id]
	if d < 0 {
		return
	}
	slots, free := b.ask.Members, b.free[int(id)*len(b.needs):][:len(b.needs)]
	for i, r := range b.needs {
		need := b.ask.Amounts[r]
		if free[i] < need {
			slots = 0
			break
		}
		slots = min(slots, free[i]/need)
	}
	was := b.sums[d] >= b.ask.Members
	b.sums[d] += slots - b.slots[id]
	b.slots[id] = slots
	switch is := b.sums[d] >= b.ask.Members; {
	case is && !was:
		b.full++
	case was && !is:
		b.full--
	}
}
