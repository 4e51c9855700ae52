package sets

import (
	"cmp"

	"github.com/muster-sched/muster/gang"
)

// CompareSlots prefers fewer slots, under Spread more.
func CompareSlots(policy gang.Policy, a, b int64) int {
	if policy == gang.Spread {
		a, b = b, a
	}
	return cmp.Compare(a, b)
}

// Item is a child that can take units.
type Item struct {
	Slots    int64
	Used     int64 // running members of the gang
	Friends  int64 // running members of the affinity key
	Zones    int64 // that the next member gets there; 0 where zones do not tell items apart
	Lo, Hi   int64 // units it takes at least, at most
	WithRest int64 // units it takes at most beside the short group; -1: no room for that group
	Given    int64 // units it takes, decided by the chooser
	HasShort bool  // it takes the short group: told, or decided by the chooser
}

// Score rates where units lie. Higher is better: first by zones, then by the host.
type Score struct{ Zones, Host int64 }

// Plus adds two scores.
func (s Score) Plus(o Score) Score { return Score{s.Zones + o.Zones, s.Host + o.Host} }

// Compare is above 0 if s is the higher score.
func (s Score) Compare(o Score) int {
	return cmp.Or(cmp.Compare(s.Zones, o.Zones), cmp.Compare(s.Host, o.Host))
}

// Scorer rates items by their place in [Chooser.Items].
type Scorer interface {
	// Host is the host's score of one unit on an item; items are nodes.
	Host(i int) int64
	// Score rates an item that takes so many units, and perhaps the short group.
	Score(i int, units int64, short bool) Score
}
