package render

import (
	"maps"
	"slices"

	"github.com/muster-sched/muster"
)

// Measures of boxes, in pixels.
const (
	margin     = 16
	padding    = 8
	gap        = 6
	nameHeight = 18
	barWide    = 168
	barLow     = 34
	barHigh    = 46 // with a line of what else there is to say
	slotSize   = 18
	laneHigh   = 18 // for victims, below the slots of a node
	smallCell  = 22
)

// cells says how the nodes of one panel are drawn.
type cells struct {
	named             bool
	slots, columns    int // the most of a node that are drawn one by one, and how many stand beside each other
	w, h              int
	counted           bool // some node has more slots than are drawn one by one
	slotTop, slotHigh int
	head, tail        int // bytes that the names of all nodes begin and end with, and that are left out
}

// cellsOf chooses the size of cells by what they have to hold: names, where nodes are few, and slots.
func cellsOf(nodes map[string]*portrait, named bool) cells {
	c := cells{named: named, slots: 1, columns: 1}
	widest := 0
	if named {
		c.head, c.tail = shared(slices.Collect(maps.Keys(nodes)))
	}
	for name, p := range nodes { // largest values only
		if c.counted = c.counted || p.width > maxLiteral; p.width <= maxLiteral {
			c.slots = max(c.slots, int(p.width))
		}
		widest = max(widest, widthOf(clip(c.short(name), maxNodeName), smallSize))
	}
	if !named {
		c.w, c.h = smallCell, slotSize
	} else {
		c.columns = min(4, c.slots)
		c.w = max(c.columns*slotSize, widest, 2*slotSize) + 6
		if c.counted {
			c.w = max(c.w, 4*slotSize+6)
		}
		c.slotTop = 15
		c.slotHigh = max((c.slots+c.columns-1)/c.columns, 1) * slotSize
		if c.counted {
			c.slotHigh = max(c.slotHigh, slotSize+12)
		}
		c.h = c.slotTop + c.slotHigh + 3
	}
	return c
}

// high is how high the cells of a box are.
func (c *cells) high(b *box) int {
	if b.lane {
		return c.h + laneHigh
	}
	return c.h
}

// maxNodeName is how many letters of a node's name its cell shows.
const maxNodeName = 14

// shared is how many bytes names have in common at their beginning and at their end, without parts of numbers, if some name is too long.
func shared(names []string) (head, tail int) {
	if len(names) < 2 || !slices.ContainsFunc(names, func(name string) bool { return widthIn(name) > maxNodeName }) {
		return 0, 0
	}
	low, high := slices.Min(names), slices.Max(names)
	for head < min(len(low), len(high)) && low[head] == high[head] {
		head++
	}
	for head > 0 && !isMark(low[head-1]) {
		head--
	}
	first := names[0]
	tail = len(first) - head
	for _, name := range names {
		same := 0
		for same < min(tail, len(name)-head) && name[len(name)-1-same] == first[len(first)-1-same] {
			same++
		}
		tail = same
	}
	for tail > 0 && !isMark(first[len(first)-tail]) {
		tail--
	}
	return head, tail
}

// short is a name without what all have.
func (c *cells) short(name string) string {
	text := name[c.head : len(name)-c.tail]
	if c.head > 0 {
		text = "…" + text
	}
	if c.tail > 0 {
		text += "…"
	}
	return text
}

// example says what a short name stands for, where names are short.
func (c *cells) example(nodes map[string]*portrait) string {
	if c.head+c.tail == 0 {
		return ""
	}
	first := slices.MinFunc(slices.Collect(maps.Keys(nodes)), muster.CompareNatural)
	return c.short(first) + " is " + first
}

// barHeight leaves room for a line of what else there is to say, if there is something.
func barHeight(t *counts) int {
	if _, _, more := t.words(); more != "" {
		return barHigh
	}
	return barLow
}

// measure says how large a box is that has some room, and where in it the others are.
func (c *cells) measure(b *box, room int) {
	if len(b.nodes) == 0 && len(b.kids) == 0 {
		b.w, b.h = min(barWide, room), barHeight(b.bar)
		return
	}
	inner := room - 2*padding
	w, h := 0, 0
	if len(b.nodes) > 0 {
		columns := c.columnsOf(len(b.nodes), inner)
		rows := (len(b.nodes) + columns - 1) / columns
		w, h = columns*(c.w+2)-2, rows*(c.high(b)+2)-2
	}
	if len(b.kids) > 0 {
		w, h = c.arrange(b.kids, inner)
	}
	if b.bar != nil {
		w, h = max(w, min(barWide, inner)), h+gap+barHeight(b.bar)
	}
	b.w = min(room, max(w, min(widthOf(b.name, plainSize), inner, 200))+2*padding)
	b.h = nameHeight + h + padding
}

// arrange puts boxes beside each other so that they are least high: as wide as the room, or so narrow that two or three of them have
// room. At each of at most deepestBox levels the boxes are measured four times.
func (c *cells) arrange(boxes []*box, room int) (w, h int) {
	best, least := 1, 0
	for beside := 1; beside <= 3; beside++ {
		each := (room+gap)/beside - gap
		if beside > 1 && (beside > len(boxes) || each < 2*barWide || !nested(boxes)) {
			break
		}
		for _, b := range boxes {
			c.measure(b, each)
		}
		if _, high := flow(boxes, room); beside == 1 || high < least {
			best, least = beside, high
		}
	}
	for _, b := range boxes {
		c.measure(b, (room+gap)/best-gap)
	}
	return flow(boxes, room)
}

// nested says whether boxes are in some of these.
func nested(boxes []*box) bool {
	return slices.ContainsFunc(boxes, func(b *box) bool { return len(b.kids) > 0 })
}

// columnsOf is how many cells stand beside each other: few nodes in a line, many in a block twice as wide as high.
func (c *cells) columnsOf(n, room int) int {
	columns := 4
	for columns*columns < 2*n {
		columns++
	}
	return max(1, min(columns, n, (room+2)/(c.w+2)))
}

// flow puts boxes beside each other while there is room, then into the next row.
func flow(boxes []*box, room int) (w, h int) {
	x, y, high := 0, 0, 0
	for _, b := range boxes {
		if x > 0 && x+b.w > room {
			x, y, high = 0, y+high+gap, 0
		}
		b.x, b.y = x, y
		x += b.w + gap
		w, high = max(w, b.x+b.w), max(high, b.h)
	}
	return w, y + high
}
