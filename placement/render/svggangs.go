package render

import (
	"slices"

	"github.com/muster-sched/muster"
)

// identities are the colours and letters of gangs, the same in all panels, and what of all that the picture shows.
type identities struct {
	order  map[string]int
	seen   map[string]bool // gangs
	used   map[rune]bool   // kinds of slots, v for victims, h for the domain that holds a gang
	placed map[string]bool // gangs that have a panel
}

// hues is how many colours the style has.
const hues = 8

// identify gives letters to gangs that have a panel, victims and gangs with two members at least that the panels show. A pod on its own has none,
// for there may be one in every slot.
func identify(panels []*panel) *identities {
	ids := &identities{order: map[string]int{}, seen: map[string]bool{}, used: map[rune]bool{}, placed: map[string]bool{}}
	var names []string
	for _, p := range panels {
		if p.gang != "" {
			ids.placed[p.gang] = true
			names = append(names, p.gang)
		}
		if p.drawing == nil {
			continue
		}
		members := map[string]int{}
		for m := range p.outcome.Cluster.Running() {
			members[m.Gang]++
		}
		for _, n := range p.nodes { // sorted below
			for _, v := range n.victims {
				names = append(names, v.gang)
			}
			for _, s := range n.slots {
				if members[s.gang] > 1 {
					names = append(names, s.gang)
				}
			}
		}
	}
	slices.SortFunc(names, muster.CompareNatural)
	for i, name := range slices.Compact(names) {
		ids.order[name] = i
	}
	return ids
}

// alphabet has no x, which is a slot that anybody holds.
const alphabet = "abcdefghijklmnopqrstuvwyz"

// code is the letters of a gang: a to z, aa to zz and so on; none if it has no identity.
func (ids *identities) code(gang string) string {
	i, known := ids.order[gang]
	if !known {
		return ""
	}
	code := ""
	for i++; i > 0; i = (i - 1) / len(alphabet) {
		code = alphabet[(i-1)%len(alphabet):][:1] + code
	}
	return code
}

// hue is the class of the colour of a gang.
func (ids *identities) hue(gang string) string { return " h" + string(rune('0'+ids.order[gang]%hues)) }

// listed are the gangs that the picture shows: those that have panels, then the others, each in natural order.
func (ids *identities) listed() (names []string) {
	all := make([]string, len(ids.order))
	for name, i := range ids.order { // each has its place
		all[i] = name
	}
	for _, first := range []bool{true, false} {
		for _, name := range all {
			if ids.placed[name] == first && (first || ids.seen[name]) {
				names = append(names, name)
			}
		}
	}
	return names
}
