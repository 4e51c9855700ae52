package render

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/muster-sched/muster/internal/phrases"
)

// colours of one mode. Those of gangs are eight, strong for new members and pale for running ones; letters on them have a contrast of
// 4.5 at least.
type colours struct {
	page, box, boxes, edge, ink, faint, letters, taken, strike string
	strong, pale                                               [hues]string
}

var light = colours{
	page: "#ffffff", box: "#f6f8fa", boxes: "#ffffff", edge: "#818b96", ink: "#1f2328", faint: "#57606a", letters: "#ffffff", taken: "#d0d7de", strike: "#b3141f",
	strong: [hues]string{"#0550ae", "#8a3a00", "#116329", "#6639ba", "#0a5c66", "#99286e", "#665200", "#5f3b2c"},
	pale:   [hues]string{"#b6dcff", "#ffd8b0", "#a6e3b3", "#e0ccff", "#aeeaee", "#ffc8e5", "#efe09a", "#e3cfc4"},
}

var dark = colours{
	page: "#0d1117", box: "#161b22", boxes: "#0d1117", edge: "#6e7681", ink: "#e6edf3", faint: "#9ea7b3", letters: "#000000", taken: "#3d444d", strike: "#ff8a80",
	strong: [hues]string{"#79c0ff", "#ffa657", "#56d364", "#d2a8ff", "#6cd9e6", "#ff9bce", "#e3c95a", "#d9a78c"},
	pale:   [hues]string{"#0f3a7d", "#6a3303", "#0e5325", "#482684", "#075660", "#6b1647", "#554600", "#553628"},
}

// rules are those of the style that have colours.
func (c *colours) rules() string {
	var b strings.Builder
	fmt.Fprintf(&b, "svg{background:%s}.page{fill:%s}text{fill:%s}.d,.s{fill:%s}.k{fill:%s}.g{fill:%s}", c.page, c.page, c.ink, c.faint, c.letters, c.ink)
	fmt.Fprintf(&b, ".b0{fill:%s;stroke:%s}.b1{fill:%s;stroke:%s}", c.box, c.edge, c.boxes, c.edge)
	fmt.Fprintf(&b, ".c{fill:%s;stroke:%s}.f{fill:%s;stroke:%s}.t{fill:%s;stroke:%s}.z{fill:none;stroke:%s}", c.page, c.edge, c.page, c.edge, c.taken, c.edge, c.edge)
	fmt.Fprintf(&b, ".hatch{stroke:%s}.v{stroke:%s}.y{stroke:%s}", c.edge, c.strike, c.page)
	for i := range hues {
		fmt.Fprintf(&b, ".n.h%d{fill:%s;stroke:%s}", i, c.strong[i], c.page)
		fmt.Fprintf(&b, ".p.h%d,.o.h%d{fill:%s;stroke:%s}.home.h%d{stroke:%s}", i, i, c.pale[i], c.strong[i], i, c.strong[i])
	}
	return b.String()
}

// shapes are the rules that both modes share.
const shapes = `text{font:12px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono","Liberation Mono",monospace;white-space:pre}` +
	`.e{font-size:14px;font-weight:bold}.s,.k,.g{font-size:10px}.k,.g,.q{font-weight:bold}.y{paint-order:stroke;stroke-width:4}.m{text-anchor:middle}.r{text-anchor:end}` +
	`rect{stroke-width:1;shape-rendering:crispEdges}.z{stroke-dasharray:2 2}.home{stroke-width:3}.o{stroke-width:2}` +
	`.v{fill:none;stroke-width:1.5}.hatch{fill:none;stroke-width:1}.u{fill:url(#out)}.w{fill:url(#leaving)}`

// patterns of slots out of service and of those that leaving members hold.
const patterns = `<defs><pattern id="out" width="6" height="6" patternUnits="userSpaceOnUse"><path class="hatch" d="M0 0L6 6M0 6L6 0"/></pattern>` +
	`<pattern id="leaving" width="6" height="6" patternUnits="userSpaceOnUse"><path class="hatch" d="M-1 1L1 -1M0 6L6 0M5 7L7 5"/></pattern></defs>`

// document is the picture with all around it.
func (p *picture) document() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" role="img" aria-labelledby="title desc"`, p.width, p.y, p.width, p.y)
	if p.width == narrow { // which can be read when it is shrunk
		b.WriteString(` style="max-width:100%;height:auto"`)
	}
	fmt.Fprintf(&b, ">\n<title id=\"title\">%s</title>\n<desc id=\"desc\">%s</desc>\n", escaped(clip(p.title, 2*maxName)), escaped(p.alt()))
	fmt.Fprintf(&b, "<style>%s%s@media (prefers-color-scheme:dark){%s}</style>\n%s\n", shapes, light.rules(), dark.rules(), patterns)
	fmt.Fprintf(&b, `<rect class="page" x="0" y="0" width="%d" height="%d"/>`+"\n", p.width, p.y)
	b.Write(p.Bytes())
	b.WriteString("</svg>\n")
	return b.Bytes()
}

// legend explains what the picture shows, and no more.
func (p *picture) legend() {
	names := p.ids.listed()
	to := painter{canvas: &p.canvas, identities: p.ids, cells: cells{w: smallCell, h: slotSize}}
	if len(names) > 0 {
		to.gang = names[0]
	}
	var items []item
	for _, kind := range []struct {
		char rune
		text string
	}{
		{'A', "new member, a letter a group"},
		{'=', "member that runs already"},
		{'.', "free"},
		{'x', "taken"},
		{'~', "taken by a leaving member"},
		{'-', "left by a victim"},
		{'#', "out of service"},
		{'0', "never room for a member"},
		{'v', "evicted"},
		{'h', "domain of the gang"},
		{'b', "slots of a domain, 3/8: so many of them free"},
	} {
		if p.ids.used[kind.char] {
			items = append(items, item{func(x, y int) { to.sample(kind.char, x, y) }, kind.text, 0})
		}
	}
	for _, gang := range names[:min(len(names), maxGangs)] {
		items = append(items, to.item(gang))
	}
	p.items(items)
	if rest := len(names) - maxGangs; rest > 0 {
		p.paragraph("d", "and "+phrases.Count(rest, "gang")+" more, named where the pointer is", 2)
	}
	var examples []string
	for _, one := range p.panels {
		if text := one.cells.example(one.nodes); text != "" && !slices.Contains(examples, text) {
			examples = append(examples, text)
			p.paragraph("d", text, 3)
		}
	}
	p.y += margin
}

// item is a part of the legend.
type item struct {
	draw func(x, y int)
	text string
	more int // width of what is drawn, beyond that of a cell
}

// item shows a gang as it comes and as it runs.
func (p *painter) item(gang string) item {
	comes, runs := p.placed[gang], p.seen[gang]
	it := item{text: clip(gang, maxName/2)}
	if comes && runs {
		it.more = smallCell
	}
	it.draw = func(x, y int) {
		if comes {
			p.rect("n"+p.hue(gang), x, y, smallCell-1, slotSize-1)
			p.text("k m", x+smallCell/2, y+slotSize/2+4, "A")
			x += smallCell
		}
		if runs {
			p.slot(stretch{run{'x', 1}, gang}, x, y, smallCell, slotSize-1)
		}
	}
	return it
}

// items puts them beside each other while there is room.
func (p *picture) items(items []item) {
	x := margin
	for i, it := range items {
		wide := smallCell + it.more + 6 + widthOf(it.text, plainSize) + 18
		if i > 0 && x+wide > p.width {
			x, p.y = margin, p.y+slotSize+6
		}
		it.draw(x, p.y)
		p.canvas.text("l", x+smallCell+it.more+6, p.y+13, it.text)
		x += wide
	}
	p.y += slotSize + 6
}

// sample draws one of a kind.
func (p *painter) sample(kind rune, x, y int) {
	switch kind {
	case '0':
		p.strip(&portrait{}, x, y, smallCell, slotSize, false)
	case 'v':
		p.rect("t", x, y+1, smallCell-1, laneHigh-2)
		p.line("v", x+1, y+laneHigh/2, x+smallCell-2, y+laneHigh/2)
	case 'b':
		p.rect("t", x, y+4, smallCell/2, 10)
		p.rect("f", x+smallCell/2, y+4, smallCell/2-1, 10)
	case 'h':
		p.rect("b1 home"+p.hue(p.gang), x+2, y+2, smallCell-4, slotSize-4)
	default:
		p.slot(stretch{run: run{kind, 1}}, x, y, smallCell, slotSize-1)
	}
}
