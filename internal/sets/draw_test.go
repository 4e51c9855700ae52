package sets

import (
	"pgregory.net/rapid"

	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/features"
	"github.com/muster-sched/muster/internal/keys"
)

// drawKeys draws which keys but for slots tell items apart.
func drawKeys(t *rapid.T, nodes bool) (compared []keys.Key) {
	for k := range keys.Count {
		if row := &keys.Table[k]; !row.Sorted && (nodes || !row.Nodes) && rapid.Bool().Draw(t, row.Set) {
			compared = append(compared, k)
		}
	}
	return compared
}

// drawChooser draws a question that has an answer, or skips.
func drawChooser(t *rapid.T, policy gang.Policy, short bool) *Chooser {
	flag := func(name string) bool { return rapid.Bool().Draw(t, name) }
	number := func(name string, most int64) int64 { return rapid.Int64Range(0, most).Draw(t, name) }
	c := &Chooser{
		Policy: policy, Short: short, Groups: flag("groups"),
		Nodes: flag("nodes"), Features: keys.RulesOf(policy).Feature | features.Scored.When(flag("scored")), Multiple: 1, Place: 1,
	}
	scored := c.Features.Has(features.Scored)
	if !c.Groups {
		c.Place += number("place", 2)
	}
	compared := drawKeys(t, c.Nodes)
	for _, k := range compared {
		c.Features |= keys.Table[k].Needs
	}
	c.Zoned = c.Features.Has(features.Aligned)
	if !c.Short && flag("multiples") {
		c.Multiple = 2
	}
	r := &rates{c: c}
	c.Scorer = r
	// Among items of equal slots, the last one filled may depend on one that is in every set, or has the short group
	// before, and holds no running members. There only the program over host scores is exact.
	scores := scored || c.Zoned
	used := flag("used")
	forced := (!scores || c.Policy == gang.ByScore && c.Nodes) && flag("forced")
	var room, least int64
	for range rapid.IntRange(1, 6).Draw(t, "items") {
		it := Item{Slots: number("slots", 7), WithRest: -1}
		it.Hi = it.Slots
		if c.Groups {
			it.Hi = number("hi", it.Slots)
		}
		if used && number("isUsed", 2) == 0 {
			it.Used = 1 + number("used", 2)
			it.Hi = number("left", it.Hi)
		}
		if forced && number("isForced", 2) == 0 {
			it.Lo = number("lo", it.Hi)
		}
		for _, k := range compared {
			it.Keys[k] = number("key", 2)
		}
		host, zones := int64(0), int64(0)
		if scored {
			host = number("host", 3)
		}
		if c.Zoned {
			zones = number("rate", 2)
		}
		r.host, r.zones = append(r.host, host), append(r.zones, zones)
		room, least = room+it.Hi, least+it.Lo
		c.Items = append(c.Items, it)
	}
	if !c.Groups && !c.Short && !scores && flag("shortBefore") {
		c.Items[number("holder", int64(len(c.Items)-1))].HasShort = true
	}
	c.Units = rapid.Int64Range(least, room).Draw(t, "units")
	if c.Units == 0 && !c.Short {
		t.Skip("nothing to give")
	}
	for i := range c.Items {
		switch it := &c.Items[i]; {
		case !c.Short:
		case flag("beside"):
			if it.WithRest = it.Hi; !c.Groups {
				it.WithRest = max(-1, it.Hi-c.Place)
			}
		case c.Groups && room > c.Units:
			it.WithRest = it.Hi - 1
		}
	}
	return c
}
