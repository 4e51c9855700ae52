// Package lives answers: what has happened to gangs and their members, in the words of package permit?
package lives

import (
	"cmp"
	"maps"
	"reflect"
	"slices"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/gang/permit"
)

// Name is that of a gang, or of a pod that is in none: there may be both.
type Name struct {
	Of    string
	Plain bool
}

// Life is what is known of a gang. A plain pod is a gang of itself, without terms.
type Life struct {
	Terms   gang.Terms
	Members map[string]bool // that exist and are not over, and whether each has a node
}

// Told are lives as they were told.
type Told map[Name]*Life

// Become tells what makes of gangs as they were told what they are now: those of some names, and no others. A name without a life now is that of a
// gang that is no more. By gang, then by member, in natural order; the times are the caller's. O(members * log).
func (t Told) Become(names []Name, now map[Name]*Life) (events []permit.Event) {
	for name := range now {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b Name) int {
		return cmp.Or(muster.CompareNatural(a.Of, b.Of), cmp.Compare(len(a.gang()), len(b.gang())))
	})
	for _, name := range slices.Compact(names) {
		was, is := t[name], now[name]
		switch {
		case is != nil && !name.Plain && (was == nil || !reflect.DeepEqual(was.Terms, is.Terms)):
			events = append(events, permit.Event{Kind: permit.GangChanged, Gang: name.Of, Terms: is.Terms})
		case is == nil && was == nil:
			continue
		}
		events = append(events, name.become(was.members(), is.members())...)
		if t[name] = is; is != nil {
			continue
		}
		if delete(t, name); !name.Plain {
			events = append(events, permit.Event{Kind: permit.GangDeleted, Gang: name.Of})
		}
	}
	return events
}

// Member tells of one member of a gang of which nothing else has changed: it has a node now, or is gone.
func (t Told) Member(gang, member string, runs bool) []permit.Event {
	name := Name{Of: gang}
	was := t[name].members()
	bound, known := was[member]
	switch {
	case known && runs && !bound:
		was[member] = true
		return []permit.Event{name.event(permit.MemberBound, member)}
	case known && !runs:
		delete(was, member)
		return []permit.Event{name.event(permit.MemberDeleted, member)}
	}
	return nil
}

func (l *Life) members() map[string]bool {
	if l == nil {
		return nil
	}
	return l.Members
}

// become tells of the members of a gang. One that has no node any more is another one of its name.
func (n Name) become(before, now map[string]bool) (events []permit.Event) {
	all := slices.AppendSeq(slices.Collect(maps.Keys(before)), maps.Keys(now))
	slices.SortFunc(all, muster.CompareNatural)
	for _, member := range slices.Compact(all) {
		had, was := before[member]
		has, is := now[member]
		if was && (!is || had && !has) {
			events = append(events, n.event(permit.MemberDeleted, member))
			was, had = false, false
		}
		if is && !was {
			events = append(events, n.event(permit.MemberSeen, member))
		}
		if has && !had {
			events = append(events, n.event(permit.MemberBound, member))
		}
	}
	return events
}

// gang is the gang of its members, empty for a plain pod.
func (n Name) gang() string {
	if n.Plain {
		return ""
	}
	return n.Of
}

// event is one of a member. Plain pods are named in full, and have no gang.
func (n Name) event(kind permit.EventKind, member string) permit.Event {
	if n.Plain {
		member = n.Of
	}
	return permit.Event{Kind: kind, Gang: n.gang(), Member: member}
}
