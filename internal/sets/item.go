package sets

import (
	"cmp"

	"github.com/muster-sched/muster/internal/keys"
)

// Item is a child of a vertex, as [Chooser] sees it: its keys, the bounds on its units, and the answer.
type Item struct {
	Slots    int64       // members that fit; may be 0
	Used     int64       // running members of the gang
	Keys     keys.Values // but for the slots
	Lo, Hi   int64       // the fewest and the most units it takes
	WithRest int64       // the most units it takes beside the short group: Hi or one less; -1: no room for that group
	Given    int64       // units it takes, decided by the chooser; 0: it is not in the set, or takes the short group alone
	HasShort bool        // it takes the short group: told before, or decided by the chooser
	rest     int64       // of members: what its lower bound has beyond multiples, which it takes in any case; 0 without multiples
}

// toMultiples counts its bounds in multiples of a number, and returns the rest that it takes beside them: members of which running
// ones lack some to the next multiple.
func (it *Item) toMultiples(of int64, groups bool) (rest int64) {
	if it.rest = 0; !groups {
		it.rest = it.Lo % of
	}
	it.Lo, it.Hi = it.Lo/of, (it.Hi-it.rest)/of
	if it.WithRest >= 0 { // else there is no room at all
		it.WithRest /= of
	}
	return it.rest
}

// inEverySet says whether it must take any unit.
func (it *Item) inEverySet() bool { return it.Lo > 0 || it.rest > 0 }

// least is the fewest units that it takes in a set: one, or its lower bound.
func (it *Item) least() int64 {
	if it.rest > 0 {
		return it.Lo
	}
	return max(1, it.Lo)
}

// Score rates the place of some units, the higher the better: first by their zones (NUMA score), then by the host
// score.
type Score struct{ Zones, Host int64 }

// Plus adds two scores.
func (s Score) Plus(o Score) Score { return Score{s.Zones + o.Zones, s.Host + o.Host} }

// Compare is above 0 if s is the higher score, 0 if both are equal.
func (s Score) Compare(o Score) int {
	return cmp.Or(cmp.Compare(s.Zones, o.Zones), cmp.Compare(s.Host, o.Host))
}

// Scorer rates items; i is the place of an item in [Chooser.Items].
type Scorer interface {
	// Host is the host score of one unit on an item, which is a node.
	Host(i int) int64
	// Score rates an item that takes some units (not multiples), and the short group if short is set.
	Score(i int, units int64, short bool) Score
}
