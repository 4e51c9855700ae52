package render

import (
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/internal/phrases"
	"github.com/muster-sched/muster/internal/printed"
	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/topology"
)

// Above these, what the plan does not touch is summed up: nodes of a cluster, nodes of one row.
const (
	drawnWhole = 64 // also the most cells of one row, whoever touches them
	drawnInRow = 32
)

// drawing is the tree of one plan with a cell for every node.
type drawing struct {
	tree  *topology.Tree
	cells map[string]cell
	order []string // the nodes
	whole bool     // draw everything
	paint paint    // nil: no colours
}

// cell is what a node is to one shape: how many members of it each kind of slot could hold.
type cell struct {
	assigned                       []rune // a letter a new member
	own, victims                   int    // running members of the gang, and those that leave for it
	free, leaving, left, held, out int64  // left: where victims leave and nobody comes
	touched                        bool
}

// newDrawing counts slots on the snapshot that the plan was made from.
func newDrawing(c *placement.Cluster, o *Outcome) *drawing {
	d := &drawing{cells: map[string]cell{}}
	d.tree = treeOf(c, o)
	parts := partsOf(c.Running(), o)
	counter := counter{shape: shapeOf(o.Request), exclusive: c.NUMAExclusive(), mixed: len(shapesOf(o.Request)) > 0}
	for n := range c.Nodes() {
		d.cells[n.Name] = cellOf(&n, &counter, parts[n.Name])
		d.order = append(d.order, n.Name)
	}
	d.whole = len(d.cells) <= drawnWhole
	return d
}

// cellOf is the cell of a node, on which nothing is if p is nil.
func cellOf(n *cluster.Node, of *counter, p *part) cell {
	if p == nil {
		p = &part{}
	}
	c := cell{assigned: p.assigned, own: p.own, victims: p.victims}
	c.touched = len(p.assigned)+p.own+p.victims > 0 || p.waited
	c.count(n, of, p)
	return c
}

// part is what runs on a node and what the plan does there.
type part struct {
	all, staying, kept load // of all members; without those that are leaving; without victims either
	others, added      load // of members of other gangs that stay; of new members
	own, victims       int
	beside             int // new members of gangs that start together with the one that is drawn
	assigned           []rune
	waited             bool
}

// partsOf looks at running members and at the plan, by node.
func partsOf(running iter.Seq[cluster.Running], o *Outcome) map[string]*part {
	parts := map[string]*part{}
	at := func(node string) *part {
		if parts[node] == nil {
			parts[node] = &part{}
		}
		return parts[node]
	}
	leaves := map[cluster.MemberRef]bool{}
	if o.Result != nil {
		shapes := shapesOf(o.Request)
		for _, a := range o.Result.Assignments {
			p := at(a.Node)
			p.assigned = append(p.assigned, letter(o.Result, a.Group))
			if shape := shapes[a.Member]; shape != nil {
				p.added.add(&cluster.Running{Resources: shape.Resources, NUMA: a.NUMA})
			}
		}
		for _, m := range o.Result.WaitsFor {
			at(m.Node).waited = true
		}
		for _, res := range resultsWith(o) {
			for _, v := range res.Victims {
				at(v.Node).victims++
				leaves[v.MemberRef] = true
			}
		}
	}
	for m := range running {
		p := at(m.Node)
		p.all.add(&m)
		if m.Leaving {
			continue
		}
		p.staying.add(&m)
		gone := leaves[cluster.MemberRef{Gang: m.Gang, Member: m.Member}]
		if m.Gang == o.Gang {
			p.own++
		} else if !gone {
			p.others.add(&m)
		}
		if p.victims > 0 && !gone {
			p.kept.add(&m)
		}
	}
	for i := range o.Together {
		addOthers(&o.Together[i], at)
	}
	return parts
}

// resultsWith are the plans of a gang and of those that start together with it.
func resultsWith(o *Outcome) []*placement.Result {
	results := []*placement.Result{o.Result}
	for i := range o.Together {
		if res := o.Together[i].Result; res != nil {
			results = append(results, res)
		}
	}
	return results
}

// addOthers adds the new members of a gang that starts together with the one that is drawn: they hold what they get.
func addOthers(o *Outcome, at func(node string) *part) {
	if o.Result == nil || o.Request == nil {
		return
	}
	shapes := shapesOf(o.Request)
	for _, a := range o.Result.Assignments {
		shape := shapes[a.Member]
		if shape == nil {
			shape = shapeOf(o.Request)
		}
		m, p := cluster.Running{Resources: shape.Resources, NUMA: a.NUMA}, at(a.Node)
		p.beside++
		for _, l := range []*load{&p.all, &p.staying, &p.kept, &p.others} {
			l.add(&m)
		}
	}
}

// treeOf is the topology of the plan; of a refusal, the one that the request would have been planned in. Nil if there is
// none.
func treeOf(c *placement.Cluster, o *Outcome) *topology.Tree {
	name, trees := o.Request.Tree, c.Trees()
	switch {
	case o.Result != nil:
		name = o.Result.Tree
	case name == "" && len(trees) == 1:
		return trees[0].Tree
	case name == "":
		name = "default"
	}
	named, _ := c.Tree(name)
	return named.Tree
}

// count fills in the slots of a node: those that are left after the new members, those that leaving members hold, those
// that victims leave, those that others hold. Victims that make room for no member take one of the latter. Members of several shapes hold as
// many slots as there are less for them.
func (c *cell) count(n *cluster.Node, of *counter, p *part) {
	total, now, then := of.slots(n, &load{}), of.slots(n, &p.all), of.slots(n, &p.staying)
	taken := int64(len(c.assigned))
	after, rest := then, &p.staying
	if p.victims > 0 {
		after, rest = of.slots(n, &p.kept), &p.kept
	}
	if of.mixed {
		taken = after - of.slots(n, rest.with(&p.added))
	}
	c.free = max(0, now-taken)
	c.leaving = max(0, then-max(now, taken))
	c.left = max(0, after-max(then, taken))
	c.held = max(0, total-max(after, taken)-int64(c.own))
	if of.mixed {
		c.held = total - of.slots(n, &p.others)
	}
	if p.victims > 0 && after == then && p.beside == 0 {
		c.left, c.held = 1, max(0, c.held-1)
	}
	if n.Cordoned || n.NotReady {
		c.out, c.free = c.free, 0
	}
}

// maxLiteral is the widest cell that is drawn slot by slot.
const maxLiteral = 8

// run is some slots of one kind, named by the character that the text has for it.
type run struct {
	char rune
	n    int64
}

// runs are the slots of a cell in the order in which they are drawn, and how many there are.
func (c *cell) runs() (runs []run, width int64) {
	push := func(char rune, n int64) {
		if n <= 0 {
			return
		}
		width += n
		if len(runs) > 0 && runs[len(runs)-1].char == char {
			runs[len(runs)-1].n += n
			return
		}
		runs = append(runs, run{char, n})
	}
	push('=', int64(c.own))
	for _, l := range c.assigned {
		push(l, 1)
	}
	for _, r := range []run{{'.', c.free}, {'~', c.leaving}, {'-', c.left}, {'x', c.held}, {'#', c.out}} {
		push(r.char, r.n)
	}
	return runs, width
}

// String draws a cell.
func (c *cell) String() string { return c.painted(nil) }

// painted draws a cell in colours.
func (c *cell) painted(in paint) string {
	runs, width := c.runs()
	var text strings.Builder
	for _, r := range runs {
		if width <= maxLiteral {
			text.WriteString(in.text(r.char, strings.Repeat(string(r.char), int(r.n))))
		} else {
			text.WriteString(in.text(r.char, fmt.Sprintf("%d%c", r.n, r.char)))
		}
	}
	if width == 0 {
		return "0"
	}
	return text.String()
}

// sum adds up what a domain without a part in the plan holds.
type sum struct {
	nodes             int
	free, slots, outs int64
	members           int // of the gang
	touched           bool
}

func (s *sum) add(c cell) {
	s.nodes++
	s.free += c.free
	s.slots += c.free + c.leaving + c.left + c.held + c.out + int64(c.own+len(c.assigned))
	s.outs += c.out
	s.members += c.own + len(c.assigned)
	s.touched = s.touched || c.touched
}

func (s *sum) String() string {
	text := fmt.Sprintf("%s, %d of %d slots free", phrases.Count(s.nodes, "node"), s.free, s.slots)
	if s.outs > 0 {
		text += fmt.Sprintf(", %d out of service", s.outs)
	}
	if s.members > 0 {
		text += fmt.Sprintf(", %s of the gang", phrases.Count(s.members, "member"))
	}
	return text
}

// line is one line of the drawing.
type line struct {
	label, text string
}

func (d *drawing) write(w io.Writer) {
	lines := d.below(topology.Root, 1)
	if d.tree != nil && len(lines) == 0 && d.tree.NumNodes() > 0 {
		lines = append(lines, line{"  (nodes)", d.row(d.names(topology.Root))})
	}
	if outside := d.outside(); len(outside) > 0 {
		lines = append(lines, line{"  " + d.outsideLabel(), d.row(outside)})
	}
	writeLines(w, lines)
}

// writeLines puts what stands behind labels below each other.
func writeLines(w io.Writer, lines []line) {
	width := 0
	for _, l := range lines {
		if l.text != "" {
			width = max(width, utf8.RuneCountInString(l.label))
		}
	}
	for _, l := range lines {
		if l.text == "" {
			printed.Fprintln(w, l.label)
			continue
		}
		fmt.Fprintf(w, "%-*s  %s\n", width, l.label, l.text) // of our own, but for the label, which is printed
	}
}

// outsideLabel stands before the nodes that are in no domain, which are all of them where there is no tree.
func (d *drawing) outsideLabel() string {
	if d.tree == nil {
		return "(nodes)"
	}
	return "(outside the tree)"
}

// outside lists the nodes that are in no domain, in natural order; without a tree these are all. A node may have come after the tree was made.
func (d *drawing) outside() (names []string) {
	if d.tree == nil {
		return d.order
	}
	for _, name := range d.order {
		if _, in := d.tree.Node(name); !in {
			names = append(names, name)
		}
	}
	slices.SortFunc(names, muster.CompareNatural)
	return names
}
