package problem

import (
	"cmp"
	"slices"

	"github.com/muster-sched/muster/internal/front"
	"github.com/muster-sched/muster/numa"
	"github.com/muster-sched/muster/quota"
)

// Selection says which of the pending members are placed. It fulfils all minima.
type Selection []bool

// FirstOnes is the content of the first n new members.
func (p *Problem) FirstOnes(n int) Selection {
	in := make(Selection, len(p.Pending))
	for i := range min(n, len(in)) {
		in[i] = true
	}
	return in
}

// Size is the number of members in it.
func (in Selection) Size() (n int) {
	for _, is := range in {
		if is {
			n++
		}
	}
	return n
}

// Key is equal for equal selections alone.
func (in Selection) Key() string {
	key := make([]byte, (len(in)+7)/8)
	for i, is := range in {
		if is {
			key[i/8] |= 1 << (i % 8)
		}
	}
	return string(key)
}

// CompareSelections puts those of more members first, then those that have the lower rank where they first differ.
func CompareSelections(a, b Selection) int {
	if c := cmp.Compare(b.Size(), a.Size()); c != 0 {
		return c
	}
	for i := range a {
		if a[i] != b[i] {
			if a[i] {
				return -1
			}
			return 1
		}
	}
	return 0
}

// ContentPlans bounds how many contents are tried.
func (p *Problem) ContentPlans() int { return max(1, p.Steps()/256) }

// ContentSteps bounds how many contents are looked at for those of which nothing can be left out.
func (p *Problem) ContentSteps() int { return max(1, p.Steps()/64) }

// EvenContent says whether the gang and its parts keep their multiples with what is to be placed.
func EvenContent(p *Problem) bool {
	if len(p.Multiples) == 0 {
		return true
	}
	all := p
	if p.Parts.All != nil {
		all = p.Parts.All
	}
	place := all.Places()
	return !slices.ContainsFunc(p.Multiples, func(r MultipleRule) bool { return !r.Keeps(place, p.Parts.Selection) })
}

// partState is what a gang that is placed in parts has beside what all gangs have.
type partState struct {
	Minimal Selection    // one of which nothing can be left out; nil: there is none
	MustRun int          // members that must run together
	State   *quota.State // what has to admit a content; nil: it admits all
	Already quota.Ask    // by members that are as good as placed

	// Of a problem that is about one content: that, and the problem with all members.
	Selection Selection
	All       *Problem

	AllowedOf  []allowedNodes // by role: where its members may be; nil: anywhere
	RoleBefore []int32        // by role: what it was without
	Allowed    allowedNodes   // of a problem that is about one role
	// Doubt: something better may have been left out for want of steps.
	Doubt *bool
}

// Steps is what the request gives to the search for a gang in parts.
func (p *Problem) Steps() int { return cmp.Or(min(p.Request.Steps, 1<<24), 1<<16) }

// Reserved is what members that are placed already take of a node.
type Reserved struct {
	Amounts []int64         // by resource
	Zones   *numa.Occupancy // the zones with them, nil: they bind nobody
	Beside  front.Front     // what the zones take beside them, when those that the plan waits for have left
}
