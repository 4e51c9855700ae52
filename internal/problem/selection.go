// Which pending members are placed.

package problem

import (
	"cmp"

	"github.com/muster-sched/muster/internal/front"
	"github.com/muster-sched/muster/numa"
)

// Selection says which of the pending members are placed. It fulfils all minima.
type Selection []bool

// FirstOnes is the selection of the first n new members.
func (p *Problem) FirstOnes(n int) Selection {
	in := make(Selection, len(p.Pending))
	for i := range min(n, len(in)) {
		in[i] = true
	}
	return in
}

// Size is the number of its members.
func (in Selection) Size() (n int) {
	for _, is := range in {
		if is {
			n++
		}
	}
	return n
}

// Key is different for different selections of a gang.
func (in Selection) Key() string {
	key := make([]byte, (len(in)+7)/8)
	for i, is := range in {
		if is {
			key[i/8] |= 1 << (i % 8)
		}
	}
	return string(key)
}

// CompareSelections puts more members first, then the lower rank where two selections first differ.
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

// Steps is what the request gives to the search for a gang in parts.
func (p *Problem) Steps() int { return cmp.Or(min(p.Request.Steps, 1<<24), 1<<16) }

// SelectionPlans bounds how many selections are tried.
func (p *Problem) SelectionPlans() int { return max(1, p.Steps()/256) }

// SelectionSteps bounds how many selections are looked at in the search for minimal ones.
func (p *Problem) SelectionSteps() int { return max(1, p.Steps()/64) }

// Reserved is what placed members take of a node.
type Reserved struct {
	Amounts []int64         // by resource
	Zones   *numa.Occupancy // the zones with them, nil: they bind no member
	Beside  front.Front     // room in the zones beside them, once the leaving members that the plan waits for are gone
}
