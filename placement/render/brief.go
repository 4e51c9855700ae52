package render

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/internal/phrases"
	"github.com/muster-sched/muster/internal/printed"
	"github.com/muster-sched/muster/topology"
)

// Above so many plans the cluster is drawn once, before the first one, and of each plan the lowest domains that it touches.
const (
	drawnEach      = 8
	drawnAtOnce    = 512 // nodes of the one drawing of the cluster
	domainsInBrief = 16
	briefColumns   = 72 // of cells: in a longer line only those stand that the plan touches
)

// writeCluster draws the snapshot that the first plan was made from.
func writeCluster(w io.Writer, outcomes []Outcome, in paint) {
	for i := range outcomes {
		c := outcomes[i].Cluster
		if c == nil || outcomes[i].Request == nil {
			continue
		}
		o := snapshot(c)
		for resource, n := range o.Request.Shape.Resources { // there is one
			fmt.Fprintf(w, "the cluster before the plans, a slot is %s; of each plan stands below what it touches\n", printed.Text(phrases.AmountOf(resource, n)))
		}
		d := newDrawing(c, o)
		d.whole, d.paint = len(d.cells) <= drawnAtOnce, in
		d.write(w)
		fmt.Fprintln(w)
		return
	}
}

// touched are the nodes that a plan adds members to or takes some from.
func touched(o *Outcome) map[string]bool {
	nodes := map[string]bool{}
	for _, a := range o.Result.Assignments {
		nodes[a.Node] = true
	}
	for _, m := range o.Result.WaitsFor {
		nodes[m.Node] = true
	}
	for _, res := range resultsWith(o) {
		for _, v := range res.Victims {
			nodes[v.Node] = true
		}
	}
	return nodes
}

// writeBrief draws the lowest domains that a plan touches, a line each with its path: of small ones all nodes, of large ones those that the
// plan touches. O(nodes that are drawn and what runs there).
func writeBrief(w io.Writer, o *Outcome, in paint) {
	d := &drawing{tree: treeOf(o.Cluster, o), paint: in}
	nodes := touched(o)
	rows := map[topology.DomainID][]string{}
	for name := range nodes { // sorted below
		leaf := topology.NoDomain
		if id, known := d.tree.Node(name); known {
			leaf = d.tree.Leaf(id)
		}
		rows[leaf] = append(rows[leaf], name)
	}
	var lines []line
	leaves := slices.Sorted(maps.Keys(rows)) // the order of the tree, those outside last
	if len(leaves) > 0 && leaves[0] == topology.NoDomain {
		leaves = append(leaves[1:], topology.NoDomain)
	}
	for i, leaf := range leaves {
		if i == domainsInBrief {
			lines = append(lines, line{"  and " + phrases.Count(len(leaves)-i, "domain") + " more", ""})
			break
		}
		lines = append(lines, d.briefLine(o, leaf, rows[leaf]))
	}
	writeLines(w, lines)
}

// briefLine draws the nodes of a lowest domain, or those outside of all, some of which the plan touches.
func (d *drawing) briefLine(o *Outcome, leaf topology.DomainID, names []string) line {
	rest := 0
	slices.SortFunc(names, muster.CompareNatural)
	label := d.outsideLabel()
	if leaf != topology.NoDomain {
		label = cmp.Or(strings.Join(d.tree.Path(leaf), "/"), "(nodes)")
		if first, last := d.tree.Nodes(leaf); int(last-first) <= drawnInRow {
			names = nil
			for ; first < last; first++ {
				names = append(names, d.tree.NodeName(first))
			}
		} else {
			rest = int(last-first) - len(names)
		}
	}
	if more := len(names) - drawnWhole; more > 0 {
		names, rest = names[:drawnWhole], rest+more
	}
	d.look(o, names)
	names = d.present(names)
	text := d.row(names)
	if columns(text) > briefColumns { // the others stand in the drawing of the cluster
		all := len(names)
		names = slices.DeleteFunc(names, func(name string) bool { return !d.cells[name].touched })
		if len(names) < all {
			rest, text = rest+all-len(names), d.row(names)
		}
	}
	if rest > 0 {
		text += " and " + phrases.Count(rest, "node") + " more"
	}
	return line{"  " + printed.Text(label), text}
}

// look counts the slots of some nodes alone.
func (d *drawing) look(o *Outcome, names []string) {
	d.cells, d.whole = map[string]cell{}, true
	var running []cluster.Running
	for _, name := range names {
		running = append(running, o.Cluster.RunningOn(name)...)
	}
	parts := partsOf(slices.Values(running), o)
	counter := counter{shape: shapeOf(o.Request), exclusive: o.Cluster.NUMAExclusive(), mixed: len(shapesOf(o.Request)) > 0}
	for _, name := range names {
		if n, is := o.Cluster.Node(name); is {
			d.cells[name] = cellOf(&n, &counter, parts[name])
		}
	}
}

// present are those of the nodes that the cluster has.
func (d *drawing) present(names []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { _, is := d.cells[name]; return !is })
}
