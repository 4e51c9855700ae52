package scenario

import (
	"cmp"
	"slices"
	"strings"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/placement"
)

// sync brings the drawing up to date with the snapshot: whoever left frees its slots, who leaves frees those that it holds no
// more, newcomers take the first free ones.
func (b *board) sync(c *placement.Cluster) {
	running := map[cluster.MemberRef]int64{} // how many slots it still holds
	drawn := map[cluster.MemberRef]bool{}
	clear(b.leaves)
	var newcomers []cluster.Running
	for m := range c.Running() {
		ref := cluster.MemberRef{Gang: m.Gang, Member: m.Member}
		running[ref], b.leaves[ref] = m.Resources[device], m.Leaving
	}
	for node, slots := range b.slots {
		for i, ref := range slots {
			if drawn[ref] = true; ref == somebody {
				continue
			}
			if running[ref]--; running[ref] < 0 {
				slots[i] = cluster.MemberRef{}
			}
		}
		if z := b.zones[node]; z != nil { // nobody is beside the zones any more
			last := z[len(z)-1]
			b.slots[node] = append(slots[:last:last], slices.DeleteFunc(slots[last:], func(r cluster.MemberRef) bool { return r == cluster.MemberRef{} })...)
		}
	}
	for m := range c.Running() {
		if ref := (cluster.MemberRef{Gang: m.Gang, Member: m.Member}); !drawn[ref] {
			newcomers = append(newcomers, m)
		}
	}
	slices.SortFunc(newcomers, func(x, y cluster.Running) int {
		return cmp.Or(muster.CompareNatural(x.Gang, y.Gang), muster.CompareNatural(x.Member, y.Member))
	})
	for _, m := range newcomers {
		ref := cluster.MemberRef{Gang: m.Gang, Member: m.Member}
		b.slots[m.Node] = b.zones[m.Node].put(b.slots[m.Node], m.NUMA, m.Resources[device], ref, nil)
	}
}

// fill gives n slots to a member: free ones first, then those of members that will be gone.
func fill(slots []cluster.MemberRef, n int64, ref cluster.MemberRef, gone map[cluster.MemberRef]bool) {
	for _, mayTake := range []func(cluster.MemberRef) bool{
		func(r cluster.MemberRef) bool { return r == cluster.MemberRef{} },
		func(r cluster.MemberRef) bool { return gone[r] },
	} {
		for i := range slots {
			if n > 0 && mayTake(slots[i]) {
				slots[i], n = ref, n-1
			}
		}
	}
}

// plan draws a result on the board: new members as capital letters, by group or shape, by rank, or by the number in their name.
func (b *board) plan(req *gang.Request, res *placement.Result, show string) string {
	gone, victims := map[cluster.MemberRef]bool{}, map[cluster.MemberRef]bool{}
	for _, w := range res.WaitsFor {
		gone[w.MemberRef] = true
	}
	for _, v := range res.Victims {
		gone[v.MemberRef], victims[v.MemberRef] = true, true
	}
	drawn := *b
	drawn.slots = map[string][]cluster.MemberRef{}
	for node, slots := range b.slots {
		drawn.slots[node] = slices.Clone(slots)
	}
	for _, a := range res.Assignments {
		shape, n := shapeOf(req, a.Member)
		if a.Group >= 0 {
			n = a.Group
		}
		switch show {
		case "ranks":
			n = a.Rank
		case "names":
			n = number(a.Member)
		}
		letter := string(rune('A' + n%26))
		if show == "" && a.Group < 0 && len(req.Parts) > 0 {
			letter = "*"
		}
		ref := cluster.MemberRef{Gang: letter, Member: a.Member}
		drawn.slots[a.Node] = b.zones[a.Node].put(drawn.slots[a.Node], a.NUMA, shape.Resources[device], ref, gone)
	}
	drawn.vacate(victims)
	return drawn.String()
}

// String draws the tree, the cells in one column.
func (b *board) String() string {
	width := 0
	for _, r := range b.rows {
		if len(r.nodes) > 0 {
			width = max(width, 2*r.indent+len(r.label))
		}
	}
	var lines []string
	for _, r := range b.rows {
		line := strings.Repeat("  ", r.indent) + r.label
		if len(r.nodes) > 0 {
			line += strings.Repeat(" ", width-len(line)+1)
		}
		for _, node := range r.nodes {
			line += " " + b.cell(node)
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n") + "\n"
}

func (b *board) cell(node string) string {
	var cell []byte
	for _, ref := range b.slots[node] {
		c := byte(taken)
		switch {
		case ref.Gang == "" && b.cordoned[node]:
			c = out
		case ref.Gang == "":
			c = free
		case ref == somebody:
			c = unknown
		case b.leaves[ref]:
			c = leaving
		case len(ref.Gang) == 1:
			c = ref.Gang[0]
		}
		cell = append(cell, c)
	}
	return b.zones[node].draw(string(cell))
}
