package render

import (
	"fmt"
	"strings"

	"github.com/muster-sched/muster/internal/phrases"
)

// painter draws the boxes of one panel.
type painter struct {
	*canvas
	*identities
	cells cells
	gang  string // that is planned
	nodes map[string]*portrait
}

// box draws a box and what is in it; the place of each is relative to the one around it.
func (p *painter) box(b *box, x, y, depth int) {
	x, y = x+b.x, y+b.y
	if len(b.nodes) == 0 && len(b.kids) == 0 {
		p.bar(b, x, y)
		return
	}
	p.begin(clip(b.path, 2*maxName))
	class := fmt.Sprintf("b%d", depth%2)
	if b.home {
		class += " home" + p.hue(p.gang)
		p.used['h'] = true
	}
	p.rect(class, x, y, b.w, b.h)
	p.text("l", x+padding, y+13, fit(b.name, b.w-2*padding, plainSize))
	p.end()
	x, y = x+padding, y+nameHeight
	columns := p.cells.columnsOf(len(b.nodes), b.w-2*padding)
	below, high := 0, p.cells.high(b)
	for i, node := range b.nodes {
		below = (i/columns + 1) * (high + 2)
		p.node(node, x+i%columns*(p.cells.w+2), y+i/columns*(high+2), high)
	}
	for _, kid := range b.kids {
		p.box(kid, x, y, depth+1)
	}
	if b.bar != nil {
		rest := box{name: "and " + phrases.Count(b.bar.nodes, "node") + " more", path: b.path + ", what is not drawn", bar: b.bar, w: min(barWide, b.w-2*padding), h: barHeight(b.bar)}
		p.bar(&rest, x, y+below-2+gap)
	}
}

// node draws a cell.
func (p *painter) node(name string, x, y, high int) {
	n, c := p.nodes[name], &p.cells
	if n == nil {
		return
	}
	p.begin(n.title)
	if c.named {
		p.rect("c", x, y, c.w, high)
		p.text("s m", x+c.w/2, y+11, fit(c.short(name), c.w-2, smallSize))
		p.slots(n, x+3, y+c.slotTop)
	} else {
		p.strip(n, x, y, c.w, slotSize, true)
	}
	for i, v := range n.victims {
		wide := (c.w - 4) / len(n.victims)
		if wide < 8 { // too many for their letters; the title names them
			wide = 8
		}
		if (i+1)*wide <= c.w-4 {
			p.victim(v, x+2+i*wide, y+c.h, wide)
		}
	}
	p.end()
}

// slots draws each slot as a square, of many their portions and the text that stands for them.
func (p *painter) slots(n *portrait, x, y int) {
	wide, c := p.cells.w-6, &p.cells
	if n.width == 0 || n.width > maxLiteral {
		p.strip(n, x, y, wide, slotSize, false)
		if n.width > maxLiteral {
			p.text("s m", x+wide/2, y+slotSize+10, fit(n.text, wide+2, smallSize))
		}
		return
	}
	i, each := 0, wide/c.columns
	for _, s := range n.slots {
		for range s.n {
			p.slot(s, x+i%c.columns*each, y+i/c.columns*slotSize, each-1, slotSize-1)
			i++
		}
	}
}

// strip draws the slots of a node as portions of a rectangle. With letters, the first new member is named, else the gang that has most of
// the node.
func (p *painter) strip(n *portrait, x, y, w, h int, letters bool) {
	if n.width == 0 {
		p.used['0'] = true
		p.rect("z", x, y, w-1, h-1)
		p.text("s m", x+w/2, y+h/2+4, "0")
		return
	}
	amounts, main := make([]int64, len(n.slots)), -1
	for i, s := range n.slots {
		amounts[i] = s.n
		switch isNew := s.char >= 'A' && s.char <= 'Z' || s.char == '+'; {
		case !letters || p.letters(s) == "" || main >= 0 && n.slots[main].char != 'x' && n.slots[main].char != '~':
		case main < 0 || isNew || s.n > n.slots[main].n:
			main = i
		}
	}
	room := w - 1
	if main >= 0 { // its letters must have room
		need := min(room, widthOf(p.letters(n.slots[main]), smallSize)+2)
		if wide := portions(amounts, room)[main]; wide < need {
			amounts[main], room = 0, room-need
		} else {
			need = 0
		}
		p.portions(n, amounts, x, y, room, h-1, main, need)
		return
	}
	p.portions(n, amounts, x, y, room, h-1, main, 0)
}

// portions draws stretches; the main one has its letters, and the width that it needs if that is not 0.
func (p *painter) portions(n *portrait, amounts []int64, x, y, w, h, main, need int) {
	for i, wide := range portions(amounts, w) {
		if i == main && need > 0 {
			wide = need
		}
		s := n.slots[i]
		p.use(s)
		if wide > 0 {
			p.fill(s, x, y, wide, h)
		}
		if i == main {
			p.mark(s, x+wide/2, y+h/2+4)
		}
		x += wide
	}
}

// kindOf is the character that stands for all of a kind.
func kindOf(s stretch) rune {
	if s.char >= 'A' && s.char <= 'Z' || s.char == '+' {
		return 'A'
	}
	return s.char
}

// use notes what the legend has to explain: gangs stand there by themselves.
func (p *painter) use(s stretch) {
	if s.char != 'x' || p.code(s.gang) == "" {
		p.used[kindOf(s)] = true
	}
	if s.gang != "" {
		p.seen[s.gang] = true
	}
}

// slot draws a slot with its letter.
func (p *painter) slot(s stretch, x, y, w, h int) {
	p.use(s)
	p.fill(s, x, y, w, h)
	p.mark(s, x+w/2, y+h/2+4)
}

// fill draws the colour of a stretch.
func (p *painter) fill(s stretch, x, y, w, h int) {
	switch kindOf(s) {
	case 'A':
		p.rect("n"+p.hue(p.gang), x, y, w, h)
	case '=':
		p.rect("o"+p.hue(p.gang), x, y, w, h)
	case 'x', '~':
		if p.code(s.gang) != "" {
			p.rect("p"+p.hue(s.gang), x, y, w, h)
		} else {
			p.rect("t", x, y, w, h)
		}
		if s.char == '~' {
			p.rect("w", x, y, w, h)
		}
	case '#':
		p.rect("f", x, y, w, h)
		p.rect("u", x, y, w, h)
	default:
		p.rect("f", x, y, w, h)
	}
}

// letters are those that stand in a slot.
func (p *painter) letters(s stretch) string {
	switch kindOf(s) {
	case '.':
		return ""
	case 'x', '~':
		if code := p.code(s.gang); code != "" {
			return code
		}
	}
	return string(s.char)
}

func (p *painter) mark(s stretch, x, y int) {
	class := "g m"
	switch kindOf(s) {
	case 'A':
		class = "k m"
	case '~', '#':
		class = "g m y"
	}
	if text := p.letters(s); text != "" {
		p.text(class, x, y, text)
	}
}

// victim draws members of a gang that leave, struck through.
func (p *painter) victim(v stretch, x, y, w int) {
	p.used['v'], p.seen[v.gang] = true, true
	p.rect("p"+p.hue(v.gang), x, y, w-1, laneHigh-2)
	text := p.code(v.gang)
	if v.n > 1 {
		text = fmt.Sprintf("%d%s", v.n, text)
	}
	if widthOf(text, plainSize) < w {
		p.text("q m", x+w/2, y+laneHigh/2+3, text)
	}
	p.line("v", x+1, y+laneHigh/2-1, x+w-2, y+laneHigh/2-1)
}

// bar draws the counts of a box.
func (p *painter) bar(b *box, x, y int) {
	free, total, more := b.bar.words()
	p.begin(fmt.Sprintf("%s: %s, %d of %d slots free%s", clip(b.path, 2*maxName), phrases.Count(b.bar.nodes, "node"), free, total, more))
	class := "b1"
	if b.home {
		class += " home" + p.hue(p.gang)
		p.used['h'] = true
	}
	p.rect(class, x, y, b.w, b.h)
	p.used['b'] = true
	inner, ratio := b.w-2*padding, fmt.Sprintf("%d/%d", free, total)
	p.text("l", x+padding, y+13, fit(b.name, inner-widthOf(ratio, smallSize)-gap, plainSize))
	p.text("s r", x+padding+inner, y+13, ratio)
	c := &b.bar.cell
	stretches := []stretch{
		{run: run{'A', int64(len(c.assigned))}},
		{run: run{'=', int64(c.own)}},
		{run: run{'x', c.held}},
		{run: run{'~', c.leaving}},
		{run: run{'-', c.left}},
		{run: run{'.', c.free}},
		{run: run{'#', c.out}},
	}
	amounts := make([]int64, len(stretches))
	for i, s := range stretches {
		amounts[i] = s.n
	}
	at := x + padding
	for i, wide := range portions(amounts, inner) {
		if wide > 0 {
			p.use(stretches[i])
			p.fill(stretches[i], at, y+18, wide, 10)
		}
		at += wide
	}
	if more != "" {
		p.text("s", x+padding, y+40, fit(strings.TrimPrefix(more, ", "), inner, smallSize))
	}
	p.end()
}

// words are the slots that are free, all of them, and what else there is to say.
func (t *counts) words() (free, total int64, more string) {
	c := &t.cell
	for _, part := range []struct {
		n    int64
		word string
	}{
		{int64(len(c.assigned)), "new"},
		{int64(t.victims), "evicted"},
		{int64(c.own), "running"},
		{c.leaving, "leaving"},
		{c.out, "out"},
	} {
		if part.n > 0 {
			more += fmt.Sprintf(", %d %s", part.n, part.word)
		}
	}
	return c.free, c.free + c.leaving + c.left + c.held + c.out + int64(len(c.assigned)+c.own), more
}
