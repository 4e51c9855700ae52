package permit

import (
	"cmp"
	"slices"

	"github.com/google/btree"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/gang"
)

// phase of a member. The order counts: whoever has come to a phase between two counts with them (see complete).
type phase int

const (
	absent  phase = iota // nobody has heard of the member
	seen                 // it exists
	waits                // it has a node and waits for the others
	allowed              // it may be bound
	bound                // it runs
	phases               // how many there are
)

// standing is a member and its phase.
type standing struct {
	ref   Ref
	phase phase
	until int64 // the end of the wait of a member that waits
}

// account is a gang: its terms, and what its members add up to. Trees hold accounts by value, so that an older state never sees a
// change: who changes one takes a copy out (gang), changes that, and puts it back (keep).
type account struct {
	name string
	// terms are nil while only members of the gang are known. They are resolved, shared by states, and never written.
	terms *gang.Terms
	count [phases]int // members by phase, so that no question needs a walk over members
	// satisfied says that a member has been bound at some time, which outlives the member.
	satisfied bool
}

// fork is a state that shares everything with l and may be changed. Cloning marks the nodes of both trees as shared, which writes to
// l: the lock is for steps that are taken from one state at once.
func (l *Lifecycle) fork() *Lifecycle {
	if l == nil || l.gangs == nil {
		return &Lifecycle{
			gangs:   btree.NewG(8, func(a, b account) bool { return muster.CompareNatural(a.name, b.name) < 0 }),
			members: btree.NewG(8, func(a, b standing) bool { return compareRefs(a.ref, b.ref) < 0 }),
			deadlines: btree.NewG(8, func(a, b standing) bool {
				return cmp.Or(cmp.Compare(a.until, b.until), compareRefs(a.ref, b.ref)) < 0
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
	if m, ok := l.members.Get(standing{ref: ref}); ok {
		return m
	}
	return standing{ref: ref}
}

// set puts a member into the books, with the phase that it has now; one that was absent is seen. The three trees change together:
// members has the member once, deadlines has it while it waits, and the account counts it in its phase.
func (l *Lifecycle) set(m standing) {
	m.phase = max(m.phase, seen)
	g := l.gang(m.ref.Gang)
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
	g := l.gang(m.ref.Gang)
	g.count[m.phase]--
	l.keep(g)
}

// each calls f with the members of a gang in natural order, until it says no. They are one stretch of the tree, which the empty
// member name begins. f must not change the tree.
func (l *Lifecycle) each(name string, f func(m standing) bool) {
	l.members.AscendGreaterOrEqual(standing{ref: Ref{Gang: name}}, func(m standing) bool { return m.ref.Gang == name && f(m) })
}

// move gives all who wait in gangs another phase, and names them in order. The walk ends at the last one that waits, and changes
// follow after it, since a tree must not change under a walk.
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
				moved = append(moved, m.ref)
				left--
			}
			return left > 0
		})
		for _, ref := range moved[from:] {
			l.set(standing{ref: ref, phase: to})
		}
	}
	return moved
}

// allies calls f with the gangs of a group, and says whether f said yes of all. A gang that is not known, or that names another
// group, is no ally yet: f sees it without terms.
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
	once := l.satisfied(group) // one bound member of any gang satisfies the group
	return l.allies(group, func(g account) bool {
		switch {
		case g.terms == nil:
			return false
		case once && g.terms.Match == gang.OnceSatisfied:
			return true
		}
		// Bound members only count where the policy says so: the others must come together anew.
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

// strict says whether the failure of a member means something to the others: not in a gang that is ready for good.
func (l *Lifecycle) strict(g account) bool {
	return g.terms != nil && g.terms.Mode == gang.Strict && (g.terms.Match != gang.OnceSatisfied || !l.satisfied(g.terms.Group))
}
