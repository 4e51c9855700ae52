package render

import (
	"bytes"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"

	"github.com/muster-sched/muster/internal/phrases"
	"github.com/muster-sched/muster/internal/printed"
	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/topology"
)

// Bounds of a picture.
const (
	maxPanels     = 8    // plans that are drawn
	cellsInPanel  = 1024 // nodes
	barsInPanel   = 512
	cellsInAll    = 3072
	barsInAll     = 512
	narrow, broad = 576, 960 // pixels: where nodes have names, and where they are many
	maxGangs      = 16       // that the legend names
)

// SVG draws the outcomes as one picture, each on the snapshot that it was planned on, and below them the snapshot after, unless it is nil; without outcomes
// that is the picture of a cluster. The document is complete in itself, light or dark as the reader's browser is, and its text is
// text.
//
// Domains are boxes in each other, nodes are cells with their slots, which have the colours and characters of [Text] and the letters of the
// gangs that hold them; victims are struck through. A gang has one colour and one letter in all panels. Clusters of more
// nodes than a panel has room for are drawn down to a layer whose domains are bars of counts; where the plan touches nodes, these are drawn all the
// same. Of a long queue the first plans are drawn and the others counted, so that the document stays below two megabytes, whatever
// the size of the cluster, unless names are long. The snapshot after is counted in devices, or in CPUs where nodes have none. O(nodes + running) for each panel.
func SVG(w io.Writer, outcomes []Outcome, after *placement.Cluster) error {
	p := newPicture(outcomes, after)
	p.draw()
	_, err := w.Write(p.document())
	return err
}

// picture is a document that grows downwards.
type picture struct {
	canvas
	panels   []*panel
	ids      *identities
	outcomes []Outcome
	title    string
	width, y int
}

// panel is the picture of one outcome or snapshot.
type panel struct {
	outcome *Outcome
	heading string
	text    string
	gang    string   // that is placed
	like    string   // the gang of a panel before that has the same drawing
	drawing *drawing // nil: there is no cluster
	boxes   []*box
	nodes   map[string]*portrait
	cells   cells
}

func newPicture(outcomes []Outcome, after *placement.Cluster) *picture {
	p := &picture{outcomes: outcomes, width: narrow, title: phrases.Count(len(outcomes), "plan")}
	drawn := outcomes[:min(len(outcomes), maxPanels)]
	n := len(drawn)
	if after != nil {
		n++
	}
	share := room{cells: min(cellsInPanel, cellsInAll/max(n, 1)), bars: min(barsInPanel, barsInAll/max(n, 1))}
	for i := range drawn {
		o := short(&drawn[i])
		one := &panel{outcome: o, heading: name(o), text: headline(o)}
		if drawable(o) {
			one.look(share)
		}
		if o.Result != nil {
			one.gang = o.Gang
		}
		p.panels = append(p.panels, one)
	}
	switch len(drawn) {
	case 0:
	case 1:
		p.title = name(&drawn[0])
	default:
		p.title += ": " + name(&drawn[0]) + ", " + name(&drawn[1])
		if len(outcomes) > 2 {
			p.title += " and others"
		}
	}
	if after != nil {
		p.panels = append(p.panels, panelOf(after, len(outcomes) > 0, share))
	}
	if len(outcomes) == 0 && after != nil {
		p.title = "Cluster of " + phrases.Count(after.Len(), "node")
	}
	for i, one := range p.panels {
		one.alike(p.panels[:i])
		if one.drawing != nil && len(one.drawing.order) > drawnWhole {
			p.width = broad
		}
	}
	if p.width == broad {
		p.width = fitting(p.panels)
	}
	p.ids = identify(p.panels)
	return p
}

// maxAlt is how many letters the description of a picture has.
const maxAlt = 1200

// alt says in words what the picture shows, for who does not see it: what each panel says, what it draws and what is left out.
func (p *picture) alt() string {
	var said []string
	for _, one := range p.panels {
		text := one.heading + ": " + one.text
		if one.drawing != nil && one.like == "" {
			text += ". Drawn: " + phrases.Count(len(one.drawing.order), "node")
			if layers := layersText(one.drawing.tree, one.outcome.Cluster); layers != "" {
				text += " in " + layers
			}
		}
		said = append(said, clip(text, 4*maxName)+".")
	}
	if text := p.undrawn(); text != "" {
		said = append(said, text+".")
	}
	return clip(strings.Join(said, " "), maxAlt)
}

// undrawn says what became of the plans that have no panel.
func (p *picture) undrawn() string {
	if len(p.outcomes) <= maxPanels {
		return ""
	}
	return "Not drawn: " + tally(p.outcomes[maxPanels:])
}

// alike finds a panel that is drawn already and looks the same: refusals on one snapshot, for members of one shape.
func (p *panel) alike(before []*panel) {
	for _, other := range before {
		if p.outcome.Result == nil && other.outcome.Result == nil && p.drawing != nil && other.drawing != nil && other.like == "" &&
			reflect.DeepEqual(p.nodes, other.nodes) && reflect.DeepEqual(p.boxes, other.boxes) {
			p.like = other.heading
			return
		}
	}
}

// fitting is the width of a picture of many nodes: of three that one at which it is least high, as far as its boxes take it.
func fitting(panels []*panel) int {
	best, least := 0, 0
	for _, width := range []int{broad, broad + broad/10, broad + broad/5} {
		wide, high := narrow, 0
		for _, p := range panels {
			if p.drawing != nil && p.like == "" {
				w, h := p.cells.arrange(p.boxes, width-2*margin)
				wide, high = max(wide, w+2*margin), high+h
			}
		}
		if best == 0 || high < least-least/10 { // a little is not worth it
			best, least = wide, high
		}
	}
	return best
}

// panelOf draws a snapshot.
func panelOf(c *placement.Cluster, behindPlans bool, share room) *panel {
	one := &panel{outcome: snapshot(c), heading: "The cluster"}
	if behindPlans {
		one.heading = "The cluster after the plans"
	}
	for resource, n := range one.outcome.Request.Shape.Resources { // there is one
		one.text = fmt.Sprintf("%s, a slot is %s of %s", phrases.Count(c.Len(), "node"), phrases.Amount(resource, n), resource)
	}
	one.look(share)
	return one
}

// look counts slots and chooses what is drawn.
func (p *panel) look(share room) {
	p.drawing = newDrawing(p.outcome.Cluster, p.outcome)
	p.boxes = p.drawing.boxes(p.outcome.Result, share)
	p.nodes = p.drawing.portraits(p.outcome, p.boxes)
	p.cells = cellsOf(p.nodes, p.drawing.whole)
	p.openLanes(p.boxes)
}

// openLanes leaves room for victims in the boxes that have some.
func (p *panel) openLanes(boxes []*box) {
	for _, b := range boxes {
		b.lane = slices.ContainsFunc(b.nodes, func(name string) bool { return p.nodes[name] != nil && len(p.nodes[name].victims) > 0 })
		p.openLanes(b.kids)
	}
}

// draw draws the panels, what is left out, and the legend.
func (p *picture) draw() {
	p.y = margin
	for _, one := range p.panels {
		p.panel(one)
	}
	if text := p.undrawn(); text != "" {
		p.paragraph("d", text, 2)
		p.y += margin
	}
	p.legend()
}

// panel draws one.
func (p *picture) panel(one *panel) {
	p.begin(clip(one.heading+": "+one.text, 4*maxName))
	p.y += 14
	p.canvas.text("e", margin, p.y, fit(one.heading, p.width-2*margin, plainSize+2))
	p.y += 4
	p.paragraph("l", one.text, 4)
	p.end()
	for _, line := range reasons(one.outcome) {
		p.paragraph("l", line, 3)
	}
	if line := partsText(one.outcome); line != "" {
		p.paragraph("d", line, 3)
	}
	switch {
	case one.like != "":
		p.paragraph("d", "The nodes are drawn above, for "+one.like+".", 2)
	case one.drawing != nil:
		p.boxes(one)
	}
	p.y += 2 * margin
}

// boxes draws the nodes of a panel in their domains.
func (p *picture) boxes(one *panel) {
	p.paragraph("d", layersText(one.drawing.tree, one.outcome.Cluster), 2)
	p.y += 8
	_, high := one.cells.arrange(one.boxes, p.width-2*margin)
	to := painter{canvas: &p.canvas, identities: p.ids, cells: one.cells, gang: one.outcome.Gang, nodes: one.nodes}
	for _, b := range one.boxes {
		to.box(b, margin, p.y, 0)
	}
	p.y += high
}

// paragraph writes text in lines.
func (p *picture) paragraph(class, text string, lines int) {
	for _, line := range wrap(printed.Text(text), (p.width-2*margin)*1000/(plainSize*letterWidth), lines) {
		p.y += 16
		p.canvas.text(class, margin, p.y, line)
	}
}

// maxReasons is how many lines of a refusal a panel has, each of which may be broken into three.
const maxReasons = 6

// reasons are the lines that the text has below the drawing of a refusal.
func reasons(o *Outcome) []string {
	bare := *o
	bare.Explanation = nil // a picture has none
	var b bytes.Buffer
	writeReason(&b, &bare)
	lines := strings.FieldsFunc(b.String(), func(r rune) bool { return r == '\n' })
	if more := len(lines) - maxReasons; more > 0 {
		lines = append(lines[:maxReasons-1:maxReasons-1], "and "+phrases.Count(more+1, "line")+" more in the text")
	}
	return lines
}

// partsText says which letters are which groups, where these have names.
func partsText(o *Outcome) string {
	if o.Result == nil {
		return ""
	}
	names := partNames(o.Request)
	var said []string
	last := ""
	for i := range o.Result.Assignments {
		a := &o.Result.Assignments[i]
		if name := names[a.Member]; name != "" {
			if now := string(letter(o.Result, a.Group)) + " " + name; now != last && len(said) < maxGroupsListed {
				said, last = append(said, now), now
			}
		}
	}
	return strings.Join(said, ", ")
}

// layersText names the layers from the outermost to the nodes, if there are some.
func layersText(tree *topology.Tree, c *placement.Cluster) string {
	names, short := []string{"node"}, layersOf(c.Trees())
	for _, l := range tree.Layers() {
		names = append(names, layerOrTier(short.of(l.Name), l.Tier))
	}
	if len(names) == 1 {
		return ""
	}
	slices.Reverse(names)
	return strings.Join(names, " > ")
}
