package render

import (
	"strings"

	"github.com/muster-sched/muster/internal/printed"
	"github.com/muster-sched/muster/topology"
)

// below draws the children of a domain. Runs of children without a part in the plan become one line.
func (d *drawing) below(top topology.DomainID, depth int) []line {
	if d.tree == nil {
		return nil
	}
	var lines []line
	first, last := d.tree.Children(top)
	for c := first; c < last; c++ {
		if end, s := d.untouched(c, last); end > c {
			lines = append(lines, line{d.label(c, end-1, depth), s.String()})
			c = end - 1
			continue
		}
		l := line{label: d.label(c, c, depth)}
		if kids, end := d.tree.Children(c); kids == end {
			l.text = d.row(d.names(c))
		}
		lines = append(lines, l)
		lines = append(lines, d.below(c, depth+1)...)
	}
	return lines
}

// untouched finds the run of siblings from c on that have no part in the plan, and what they hold together. In a
// drawing that is whole there is none.
func (d *drawing) untouched(c, last topology.DomainID) (topology.DomainID, sum) {
	var total sum
	if d.whole {
		return c, total
	}
	for ; c < last; c++ {
		s := total
		for _, name := range d.names(c) {
			s.add(d.cells[name])
		}
		if s.touched {
			break
		}
		total = s
	}
	return c, total
}

// label names one domain, or a run of siblings.
func (d *drawing) label(from, to topology.DomainID, depth int) string {
	indent := strings.Repeat("  ", depth)
	if to > from {
		return indent + printed.Sprintf("%s (%d domains)", through(d.tree.Name(from), d.tree.Name(to)), to-from+1)
	}
	return indent + printed.Text(d.tree.Name(from))
}

// names lists the nodes below a domain, without those that the snapshot no longer has.
func (d *drawing) names(c topology.DomainID) []string {
	first, last := d.tree.Nodes(c)
	names := make([]string, 0, last-first)
	for n := first; n < last; n++ {
		name := d.tree.NodeName(n)
		if _, there := d.cells[name]; there {
			names = append(names, name)
		}
	}
	return names
}

// row draws cells; of a long row, those that the plan touches, as many as a line has room for, and a sum of the rest.
func (d *drawing) row(names []string) string {
	var cells []string
	var rest sum
	for _, name := range names {
		c := d.cells[name]
		if !d.whole && len(names) > drawnInRow && (!c.touched || len(cells) == drawnWhole) {
			rest.add(c)
			continue
		}
		cells = append(cells, c.painted(d.paint))
	}
	if rest.nodes > 0 {
		cells = append(cells, "and "+rest.String())
	}
	return strings.Join(cells, " ")
}
