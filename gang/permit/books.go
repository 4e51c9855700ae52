package permit

import (
	"cmp"
	"slices"

	"github.com/google/btree"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/gang"
)

// phase of a member.
type phase int

const (
	absent phase = iota
	seen
	waits
	allowed
	bound
	phases
)

// standing is a member and its phase. The zero phase is that of a member nobody has heard of.
type standing struct {
	Ref
	phase phase
	until int64 // of one who waits
}

// account is a gang. What the books hold does not change, it is replaced.
type account struct {
	name string
	// terms are nil while only members are known. They are resolved, and shared.
	terms *gang.Terms
	count [phases]int // members by phase
	// satisfied says that a member has been bound at some time.
	satisfied bool
}

// fork shares everything with l and may be changed.
func (l *Lifecycle) fork() *Lifecycle {
	if l == nil || l.gangs == nil {
		return &Lifecycle{
			gangs:   btree.NewG(8, func(a, b account) bool { return muster.CompareNatural(a.name, b.name) < 0 }),
			members: btree.NewG(8, func(a, b standing) bool { return compareRefs(a.Ref, b.Ref) < 0 }),
			deadlines: btree.NewG(8, func(a, b standing) bool {
				return cmp.Or(cmp.Compare(a.until, b.until), compareRefs(a.Ref, b.Ref)) < 0
			}),
		}
	}
	l.cloning.Lock()
	defer l.cloning.Unlock()
	return &Lifecycle{gangs: l.gangs.Clone(), members: l.members.Clone(), deadlines: l.deadlines.Clone(), head: l.head}
}

// gang is what is known of a gang, or an empty account.
func (l *Lifecycle) gang(name string) account {
	if g, ok := l.gangs.Get(account{name: name}); ok {
		return g
	}
	return account{name: name}
}

// keep replaces an account; one that nothing is known of is dropped.
func (l *Lifecycle) keep(g account) {
	if g.terms == nil && g.count == [phases]int{} {
		l.gangs.Delete(g)
		return
	}
	l.gangs.ReplaceOrInsert(g)
}

// member is what is known of a member, absent if nothing is.
func (l *Lifecycle) member(ref Ref) standing {
	if m, ok := l.members.Get(standing{Ref: ref}); ok {
		return m
	}
	return standing{Ref: ref}
}

// set puts a member into the books, with the phase that it has now; one that was absent is seen.
func (l *Lifecycle) set(m standing) {
	m.phase = max(m.phase, seen)
	g := l.gang(m.Gang)
	if old, known := l.members.ReplaceOrInsert(m); known {
		g.count[old.phase]--
		l.deadlines.Delete(old)
	}
	g.count[m.phase]++
	if m.phase == waits {
		l.deadlines.ReplaceOrInsert(m)
	}
	l.keep(g)
}

// forget takes a member out of the books.
func (l *Lifecycle) forget(m standing) {
	if m.phase == absent {
		return
	}
	l.members.Delete(m)
	l.deadlines.Delete(m)
	g := l.gang(m.Gang)
	g.count[m.phase]--
	l.keep(g)
}

// each calls f with the members of a gang in natural order, until it says no.
func (l *Lifecycle) each(name string, f func(m standing) bool) {
	l.members.AscendGreaterOrEqual(standing{Ref: Ref{Gang: name}}, func(m standing) bool { return m.Gang == name && f(m) })
}

// move gives all who wait in gangs another phase, and names them in order.
func (l *Lifecycle) move(gangs []string, to phase) []Ref {
	var moved []Ref
	for _, name := range gangs {
		left := l.gang(name).count[waits]
		from := len(moved)
		if left == 0 {
			continue
		}
		l.each(name, func(m standing) bool {
			if m.phase == waits {
				moved = append(moved, m.Ref)
				left--
			}
			return left > 0
		})
		for _, ref := range moved[from:] {
			l.set(standing{Ref: ref, phase: to})
		}
	}
	return moved
}

// allies calls f with the gangs of a group; of those that are not known, or that name other gangs, terms are nil. It says whether
// f said yes of all.
func (l *Lifecycle) allies(group []string, f func(g account) bool) bool {
	return !slices.ContainsFunc(group, func(name string) bool {
		g := l.gang(name)
		if g.terms != nil && !slices.Equal(g.terms.Group, group) {
			g.terms = nil
		}
		return !f(g)
	})
}

// satisfied says whether a member of the group has ever been bound.
func (l *Lifecycle) satisfied(group []string) bool {
	return !l.allies(group, func(g account) bool { return g.terms == nil || !g.satisfied })
}

// ready says whether every gang of a group is, by its own policy.
func (l *Lifecycle) ready(group []string) bool { return l.complete(group, waits) }

// complete says whether every gang of a group has as many members in the phases from one on as it needs.
func (l *Lifecycle) complete(group []string, from phase) bool {
	once := l.satisfied(group)
	return l.allies(group, func(g account) bool {
		switch {
		case g.terms == nil:
			return false
		case once && g.terms.Match == gang.OnceSatisfied:
			return true
		}
		count := 0
		for p := from; p <= allowed; p++ {
			count += g.count[p]
		}
		if g.terms.Match == gang.WaitingAndRunning {
			count += g.count[bound]
		}
		return count >= g.terms.MinMember
	})
}

// strict says whether the failure of a member means something to the others.
func (l *Lifecycle) strict(g account) bool {
	return g.terms != nil && g.terms.Mode == gang.Strict && (g.terms.Match != gang.OnceSatisfied || !l.satisfied(g.terms.Group))
}
