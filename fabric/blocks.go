package fabric

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/topology"
)

// blocks are Slurm's, in their order, which says which of them are neighbours.
type blocks struct {
	r     *reading
	name  string
	list  []block
	lines map[string]int // by name
	sizes []string       // the nodes of a block, and of aggregates of blocks
	base  string         // that of a block where blocks are shown, not configured
	shown []string       // and of their aggregates
	file  string
	line  int // of the sizes
}

type block struct {
	name  string
	file  string
	line  int
	nodes []string
}

func (r *reading) blocks(name string) *blocks {
	return &blocks{r: r, name: name, lines: map[string]int{}}
}

func (b *blocks) add(one block) {
	if line, is := b.lines[one.name]; is {
		b.r.fail(Error{File: one.file, Line: one.line, Field: one.name, Reason: "duplicate name: line " + itoa(line) + " has it too"})
		return
	}
	b.lines[one.name] = one.line
	b.list = append(b.list, one)
}

// show takes a size that stands beside a block, or beside an aggregate.
func (b *blocks) show(size, file string, line int, aggregate bool) {
	switch {
	case size == "":
		return
	case aggregate && !slices.Contains(b.shown, size):
		b.shown = append(b.shown, size)
	case !aggregate:
		b.base = cmp.Or(b.base, size)
	}
	b.file, b.line = file, cmp.Or(b.line, line)
}

// finish makes the tree: blocks at tier 1, above them aggregates of as many neighbours as the sizes say, called after the first and
// the last of them. A block without nodes keeps its place among the others, and makes no domain.
func (b *blocks) finish() {
	if len(b.list) == 0 {
		return
	}
	if len(b.sizes) == 0 && b.base != "" {
		slices.SortFunc(b.shown, muster.CompareNatural)
		b.sizes = append([]string{b.base}, b.shown...)
	}
	owner := map[string]string{}
	spec := topology.Spec{Layers: []topology.Layer{{Name: "block", Tier: 1}}}
	now := make([]*topology.Domain, len(b.list)) // nil: a place without nodes
	for i, one := range b.list {
		d := &topology.Domain{Name: one.name, Tier: 1}
		for _, n := range one.nodes {
			if other, is := owner[n]; is && other != one.name {
				b.r.find(Finding{TwoLeaves, b.name, n, one.name})
				continue
			}
			owner[n] = one.name
			d.Nodes = append(d.Nodes, n)
		}
		if len(d.Nodes) > 0 {
			now[i] = d
		}
	}
	for at, times := range b.times() {
		tier := at + 2
		spec.Layers = append(spec.Layers, topology.Layer{Name: "block-" + strings.TrimSpace(b.sizes[at+1]), Tier: tier})
		now = aggregate(now, times, tier)
	}
	for _, d := range now {
		if d != nil {
			spec.Roots = append(spec.Roots, *d)
		}
	}
	b.r.build(b.name, b.list[0].file, spec)
}

// times is how many of the size before it each size holds.
func (b *blocks) times() (times []int) {
	last := 0
	for i, text := range b.sizes {
		n, err := strconv.Atoi(strings.TrimSpace(text))
		switch {
		case err != nil || n < 1:
			b.r.fail(Error{File: b.file, Line: b.line, Field: "block sizes", Value: text, Reason: "must be a whole number of at least 1"})
			return nil
		case i == 0:
		case n <= last || n%last != 0 || !isPower(n/last):
			b.r.fail(Error{File: b.file, Line: b.line, Field: "block sizes", Value: text, Reason: fmt.Sprintf("must be %d times a power of two", last)})
			return nil
		default:
			times = append(times, n/last)
		}
		last = n
	}
	return times
}

func isPower(n int) bool { return n > 0 && n&(n-1) == 0 }

// aggregate joins so many neighbours each.
func aggregate(below []*topology.Domain, times, tier int) (out []*topology.Domain) {
	for from := 0; from < len(below); from += times {
		var d *topology.Domain
		for _, c := range below[from:min(from+times, len(below))] {
			switch {
			case c == nil:
				continue
			case d == nil:
				d = &topology.Domain{Name: c.Name, Tier: tier}
			default:
				first, _ := firstLast(d.Name)
				_, last := firstLast(c.Name)
				d.Name = first + to + last
			}
			d.Children = append(d.Children, *c)
		}
		out = append(out, d)
	}
	return out
}

// to stands between the names of the first and the last block of an aggregate.
const to = ".."

func firstLast(name string) (first, last string) {
	if first, last, is := strings.Cut(name, to); is {
		return first, last
	}
	return name, name
}
