package fabric

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/internal/hostlist"
	"github.com/muster-sched/muster/topology"
)

// blockList is a tree as blocks of Slurm: those in a row, as many as an aggregate has places; a place without nodes is a block without any.
type blockList struct {
	t     *topology.Tree
	sizes []int // of a block, then of the aggregates
	list  []block
	taken map[string]bool
}

// blocksOf is a tree as blocks, if it was made of such; read again it is the same. Not ok: it is a tree of switches.
func blocksOf(tree cluster.NamedTree) (b *blockList, ok bool) {
	t := tree.Tree
	b = &blockList{t: t, taken: map[string]bool{}}
	if b.sizes = blockSizes(t); b.sizes == nil {
		return nil, false
	}
	for d := range t.All() {
		if d == topology.Root || t.Tier(d) > 1 {
			continue
		}
		name := t.Name(d)
		if b.taken[name] || name == "" || strings.ContainsFunc(name, func(r rune) bool { return !isWord(r) }) {
			return nil, false
		}
		b.taken[name] = true
	}
	first, last := t.Children(topology.Root)
	for d := first; d < last; d++ {
		if b.add(d); d+1 < last {
			b.fill(d)
		}
	}
	var text bytes.Buffer
	b.write(&text, hostlist.Fold)
	r := &reading{opt: Options{KeepGoing: true}, name: tree.Name}
	readSlurmConf(r, []File{{Name: "blocks", Data: text.Bytes()}})
	return b, len(r.errs) == 0 && len(r.trees) == 1 && r.trees[0].Tree.Equal(t)
}

// blockSizes are the sizes that the layers of a tree of blocks tell; nil: it is none. That of a block is told by none of them: it is the
// largest that goes with the others and no block is smaller than.
func blockSizes(t *topology.Tree) []int {
	layers := t.Layers()
	if len(layers) == 0 || layers[0].Name != "block" || layers[0].Tier != 1 {
		return nil
	}
	var above []int
	for i, l := range layers[1:] {
		size, is := strings.CutPrefix(l.Name, "block-")
		n, err := strconv.Atoi(size)
		if !is || err != nil || l.Tier != i+2 || n < 1 {
			return nil
		}
		above = append(above, n)
	}
	smallest, most := math.MaxInt32, 1
	for d := range t.All() {
		switch first, last := t.Children(d); {
		case d == topology.Root:
		case t.Tier(d) == 1:
			from, to := t.Nodes(d)
			smallest = min(smallest, int(to-from))
		case t.Tier(d) == 2:
			most = max(most, int(last-first))
		}
	}
	base := max(1, smallest)
	if len(above) > 0 {
		base = 0
		for times := 2; times <= above[0]; times *= 2 {
			if above[0]%times == 0 && times >= most && (base == 0 || base > smallest) {
				base = above[0] / times
			}
		}
	}
	if base == 0 {
		return nil
	}
	return append([]int{base}, above...)
}

// add adds the blocks of a domain, in the order that its name tells.
func (b *blockList) add(d topology.DomainID) {
	if b.t.Tier(d) == 1 {
		_, nodes := below(b.t, make([]string, b.t.Len()), d)
		b.list = append(b.list, block{name: b.t.Name(d), nodes: nodes})
		return
	}
	low, high := firstLast(b.t.Name(d))
	first, last := b.t.Children(d)
	var kids []topology.DomainID
	for c := first; c < last; c++ {
		kids = append(kids, c)
	}
	place := func(c topology.DomainID) int {
		switch from, to := firstLast(b.t.Name(c)); {
		case from == low:
			return 0
		case to == high:
			return 2
		}
		return 1
	}
	slices.SortStableFunc(kids, func(x, y topology.DomainID) int { return place(x) - place(y) })
	for i, c := range kids {
		if b.add(c); i+1 < len(kids) {
			b.fill(c)
		}
	}
}

// fill adds blocks without nodes until a domain has all of its places.
func (b *blockList) fill(d topology.DomainID) {
	places := 1
	if tier := b.t.Tier(d); tier > 1 && tier <= len(b.sizes) {
		places = b.sizes[tier-1] / b.sizes[0]
	}
	for n := 1; len(b.list)%places != 0; n++ {
		if name := fmt.Sprintf("empty-%d", n); !b.taken[name] {
			b.taken[name] = true
			b.list = append(b.list, block{name: name})
		}
	}
}

// sizesText reads `4,8,16`.
func (b *blockList) sizesText() string {
	out := make([]string, len(b.sizes))
	for i, n := range b.sizes {
		out[i] = strconv.Itoa(n)
	}
	return strings.Join(out, ",")
}

// write writes topology.conf.
func (b *blockList) write(w *bytes.Buffer, fold func([]string) string) {
	for _, one := range b.list {
		fmt.Fprintf(w, "BlockName=%s", one.name)
		if len(one.nodes) > 0 {
			fmt.Fprintf(w, " Nodes=%s", fold(one.nodes))
		}
		fmt.Fprintln(w)
	}
	fmt.Fprintf(w, "BlockSizes=%s\n", b.sizesText())
}

// writeYAML writes the part of topology.yaml.
func (b *blockList) writeYAML(w *writing, fold func([]string) string) {
	w.printf("  block:\n    block_sizes: [%s]\n    blocks:\n", strings.ReplaceAll(b.sizesText(), ",", ", "))
	for _, one := range b.list {
		w.printf("      - block: %s\n", quote(one.name))
		if len(one.nodes) > 0 {
			w.printf("        nodes: %s\n", quote(fold(one.nodes)))
		}
	}
}
