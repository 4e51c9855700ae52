// How many vertices are in use, layer by layer below a vertex, if a demand is placed there?

package gather

import (
	"encoding/binary"
	"slices"

	"github.com/muster-sched/muster/internal/features"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/model"
)

// mostLookedDown bounds members times nodes: beyond it the children of a domain and their children count, of a gang in groups these where the index has them.
const mostLookedDown = 1 << 11

// lookedDown is that bound, less where asks of any size are tried as large ones.
var lookedDown int64 = mostLookedDown

// mostAdditions bounds what all searches of a plan for the narrowest span add up, as in sets.Chooser: beyond it only children count.
const mostAdditions = 1 << 20

// layers is what the order sees of the layers below the children of a domain, and what is known of them.
type layers struct {
	// cut is the place in the view's Tiers of the lowest tier that counts; all tiers from it on do, and the children of a domain in any case.
	cut    int
	most   int // layers below the children of a domain that count at once
	tables map[tableOf][]int64
	spans  map[string][]int64 // by vertex and demand
}

// tableOf is a vertex that takes units of one level, whole at a tier.
type tableOf struct {
	at    layout.Vertex
	level int
	tier  int32
	low   int // place of the lowest tier that is counted
}

// lookDown finds which layers count below the children of domains, if there are any and the ask is not too large.
func (a *ask) lookDown() {
	v, most := a.m.View, layersAtOnce(a.m, a.members)
	// Where all domains of a tier have as many layers below them, some layers tell nothing.
	even := !slices.Contains(v.Even, false) && !a.m.Siblings.Any()
	if a.rules.Even || a.members < 2 && even || most == 0 && a.features&^besideGroups != 0 {
		return
	}
	cut := v.TierIndex(max(0, finest(a.m)-1)-1) + 1
	if cut == 0 && even && a.slots.Flat == nil && a.slots.Ix.Most[0].At(layout.Root) <= 1 {
		cut = 1 // as many nodes as members in any case
	}
	a.additions = mostAdditions
	switch {
	case cut+1 >= len(v.Tiers)-1: // the root has no layers below its children
	case most == 0:
		a.groupsFrom = cut + 1
	default:
		a.layers = &a.scratch.layers
		if a != &a.scratch.ask { // the first ask of a problem may still use the scratch
			a.layers = &layers{}
		}
		*a.layers = layers{cut: cut, most: most, tables: a.layers.tables}
	}
}

// layersAtOnce is how many layers below the children of a domain count at once for so many members.
func layersAtOnce(m *model.Model, members int64) int {
	switch {
	case members*int64(m.View.Nodes) <= lookedDown:
		return len(m.View.Tiers)
	case len(m.Levels) > 0:
		return 0
	}
	return 1
}

// finest is one above the lowest tier that a PreferGather of the gang or of its groups names, 0 without one.
func finest(m *model.Model) int32 {
	finest := m.Gather.Finest
	for _, l := range m.Levels {
		if f := l.Gather.Finest; f > 0 && (finest == 0 || f < finest) {
			finest = f
		}
	}
	return finest
}

// width is how many layers count below the children of a domain of a tier: of a large ask none where domains are taken for the children.
func (a *ask) width(tier int32) int {
	if a.layers == nil || a.layers.most == 1 && a.isAbove(a.m.View.TierIndex(tier)-1) {
		return 0
	}
	return max(0, min(a.layers.most, a.m.View.TierIndex(tier-1)-a.layers.cut))
}

// widthBelow is how many layers count below the children of x: none where these are nodes.
func (a *ask) widthBelow(x layout.Vertex) int {
	if a.holdsOnlyNodes(x) {
		return 0
	}
	return a.width(a.m.View.TierOf(x))
}

// holdsOnlyNodes says whether all children of x, or the domains that are counted in their place, are nodes.
func (a *ask) holdsOnlyNodes(x layout.Vertex) bool {
	if a.jumps(x) {
		return a.within() == 0
	}
	lo, end := a.m.View.Kids(x)
	return lo == end || a.m.View.IsNode(lo) && a.m.View.IsNode(end-1)
}

// featuresBelow are the features that matter where the width is known.
func (a *ask) featuresBelow(width int) features.Set {
	if width == 0 {
		return a.features &^ features.Layers
	}
	return a.features
}

// takesBelow says whether a shortcut may be taken for what is placed below x.
func (a *ask) takesBelow(s features.Shortcut, x layout.Vertex) bool {
	return s.Takes(a.featuresBelow(a.widthBelow(x)))
}

// takesAt says whether a shortcut may be taken where domains of a tier are compared.
func (a *ask) takesAt(s features.Shortcut, tier int32) bool {
	return s.Takes(a.featuresBelow(a.width(tier)))
}

// addBelow adds to the spans of x, from its children downwards, what child c uses: itself, and what is in use below it.
func addBelow(spans []int64, v *layout.View, x, c layout.Vertex, below []int64) {
	top, own := v.TierIndex(v.TierOf(x)-1), v.TierIndex(v.TierOf(c)-1)
	for i := range spans {
		if place := top - i; place > own { // the child is the highest vertex of at most this tier
			spans[i]++
		} else {
			spans[i] += below[own-place]
		}
	}
}

// lowest is the place of the lowest tier that counts where the children of x are chosen.
func (a *ask) lowest(x layout.Vertex) int {
	tier := a.m.View.TierOf(x)
	return a.m.View.TierIndex(tier-1) - a.width(tier)
}

// spansOf are the vertices in use below x, from the children downwards to the tier at place low, if a demand without begun groups is placed there.
// The slice is not the caller's.
//
// order: domain.3, sets.1
func (pl placer) spansOf(x layout.Vertex, d demand, low int) []int64 {
	size := pl.m.View.TierIndex(pl.m.View.TierOf(x)-1) - low + 1
	if size <= 0 { // a node, or nothing below it counts
		return nil
	}
	empty := d.empty()
	if empty && pl.m.Siblings.At(x) == 0 {
		return make([]int64, size)
	}
	level, ok := pl.oneLevel(&d)
	if ok || empty && pl.ask.bottom() == 0 && len(pl.m.Forced) == 0 && childrenTell(pl.ask, x, size) {
		if spans := pl.fromTable(x, level, d.units[level], low); spans != nil {
			return spans
		}
	}
	key := keyOf(x, &d, low)
	if known, ok := pl.ask.layers.spans[key]; ok {
		return known
	}
	spans := make([]int64, size)
	var kids children
	if !d.empty() {
		want := spanning
		if size == 1 {
			want = counting
		}
		kids = pl.distribute(x, d, pl.ask.scratch.enter(), want)
		pl.ask.scratch.keep(kids)
		kids.of = slices.Clone(kids.of)
		pl.ask.scratch.depth--
	}
	for i := range kids.of {
		pl.addChild(spans, x, kids.of[i].at, kids.of[i].demand)
	}
	pl.addRunning(spans, x, kids.of)
	if pl.ask.layers.spans == nil {
		pl.ask.layers.spans = map[string][]int64{}
	}
	pl.ask.layers.spans[key] = spans
	return spans
}

// addChild adds what a child of x uses with a demand.
func (pl placer) addChild(spans []int64, x, c layout.Vertex, d demand) {
	if !d.empty() || pl.m.Siblings.At(c) > 0 {
		if d.units == nil { // nothing, or only the short group
			d.units = make([]int64, len(pl.ask.sizes))
		}
		addBelow(spans, pl.m.View, x, c, pl.spansOf(c, d, pl.m.View.TierIndex(pl.m.View.TierOf(x)-1)-len(spans)+1))
	}
}

// addRunning adds the children with running members that are not listed: they have no room.
func (pl placer) addRunning(spans []int64, x layout.Vertex, listed []child) {
	if pl.m.Siblings.At(x) == 0 {
		return
	}
	list := pl.childrenOf(x)
	for _, c := range list {
		if pl.m.Siblings.At(c) > 0 && !slices.ContainsFunc(listed, func(k child) bool { return k.at == c }) {
			pl.addChild(spans, x, c, demand{})
		}
	}
}

// childrenOf lists the children of x, or the domains that are counted in their place.
func (pl placer) childrenOf(x layout.Vertex) (list []layout.Vertex) {
	if pl.ask.jumps(x) {
		return pl.ask.domainsBelow(x, nil)
	}
	lo, end := pl.m.View.Kids(x)
	for c := lo; c < end; c++ {
		list = append(list, c)
	}
	return list
}

// keyOf is a vertex, a demand and a lowest place as a key.
func keyOf(x layout.Vertex, d *demand, low int) string {
	key := binary.AppendVarint(binary.AppendVarint(nil, int64(x)), int64(low))
	for _, n := range d.units {
		key = binary.AppendVarint(key, n)
	}
	if d.short {
		key = append(key, 1)
	}
	return string(key)
}

// oneLevel is the only level of which a demand has units; not ok if there are several, or a short group.
func (pl placer) oneLevel(d *demand) (level int, ok bool) {
	if d.short || len(d.begun) > 0 {
		return 0, false
	}
	for i, n := range d.units {
		if n > 0 && ok {
			return 0, false
		}
		if n > 0 {
			level, ok = i, true
		}
	}
	return level, ok
}
