package placement

import (
	"cmp"
	"container/heap"
	"fmt"
	"iter"
	"slices"
	"sort"
)

// content says which of the pending members are placed. It fulfils all minima.
type content []bool

// firstOnes is the content of the first n new members.
func (p *problem) firstOnes(n int) content {
	in := make(content, len(p.pending))
	for i := range min(n, len(in)) {
		in[i] = true
	}
	return in
}

func (in content) size() (n int) {
	for _, is := range in {
		if is {
			n++
		}
	}
	return n
}

func (in content) key() string {
	key := make([]byte, (len(in)+7)/8)
	for i, is := range in {
		if is {
			key[i/8] |= 1 << (i % 8)
		}
	}
	return string(key)
}

// compareContents puts those of more members first, then those that have the lower rank where they first differ.
func compareContents(a, b content) int {
	if c := cmp.Compare(b.size(), a.size()); c != 0 {
		return c
	}
	for i := range a {
		if a[i] != b[i] {
			if a[i] {
				return -1
			}
			return 1
		}
	}
	return 0
}

// contentPlans bounds how many contents are tried.
func (p *problem) contentPlans() int { return max(1, p.steps()/256) }

// contentSteps bounds how many contents are looked at for those of which nothing can be left out.
func (p *problem) contentSteps() int { return max(1, p.steps()/64) }

// contents are what of a gang can be placed.
type contents struct {
	p     *problem
	place []int32          // in pending, by rank; -1: the member runs
	alike map[*part]string // equal for parts that can change places
	// truncated: there may be more contents of which nothing can be left out than were found.
	truncated bool
}

func contentsOf(p *problem) *contents {
	b := billing{p: p, place: p.places(), at: p.positionsByRank(), signs: map[*part]string{}, inOrder: true}
	b.sign(p.whole)
	c := &contents{p: p, place: b.place, alike: b.signs}
	if len(p.pinned) == 0 {
		return c
	}
	p.whole.each(func(a *part) { // a quota may admit one of two parts that are alike but for that
		if slices.ContainsFunc(a.all(), func(rank int) bool { i := c.place[rank]; return i >= 0 && p.pinned[p.pending[i].name] }) {
			c.alike[a] = fmt.Sprint("with pinned members, of rank ", a.first())
		}
	})
	return c
}

// count is how many members of a part run or are in a content.
func (c *contents) count(a *part, in content) (n int) {
	a.each(func(b *part) {
		for _, rank := range b.ranks {
			if i := c.place[rank]; i < 0 || in[i] {
				n++
			}
		}
	})
	return n
}

// runs says whether members of a part run.
func (c *contents) runs(a *part) (is bool) {
	a.each(func(b *part) {
		is = is || slices.ContainsFunc(b.ranks, func(rank int) bool { return c.place[rank] < 0 })
	})
	return is
}

// everything is the content of all members, but for optional parts that lack members; nil if there is none.
func (c *contents) everything() content {
	in := make(content, len(c.p.pending))
	for i := range in {
		in[i] = true
	}
	if !c.complete(c.p.whole, in) || in.size() == 0 {
		return nil
	}
	return in
}

// complete says whether a part fulfils its minima; inner parts that do not are left out.
func (c *contents) complete(a *part, in content) bool {
	placed := 0
	for _, b := range a.parts {
		switch {
		case b.idle:
			if placed++; !c.complete(b, in) { // one that has begun lacks members
				return false
			}
		case c.count(b, in) == 0:
		case c.complete(b, in):
			placed++
		case c.runs(b):
			return false
		default:
			c.drop(b, in)
		}
	}
	return placed >= a.leastParts && c.count(a, in) >= a.least
}

func (c *contents) drop(a *part, in content) {
	for _, rank := range a.all() {
		if i := c.place[rank]; i >= 0 {
			in[i] = false
		}
	}
}

// removal is what can be left out of a content: a member or a part.
type removal struct {
	first int // rank
	ranks []int
}

// removals lists what can be left out of a content by itself. Of parts that are alike only the last may go.
func (c *contents) removals(in content) (out []removal) {
	total := in.size()
	var walk func(a *part, slack int)
	walk = func(a *part, slack int) {
		if !a.idle {
			slack = min(slack, c.count(a, in)-max(1, a.least)) // without anybody it would not be placed
		}
		if i := c.lastOwn(a, in); a.least > 0 && i >= 0 && slack > 0 && total > 1 {
			out = append(out, removal{i, []int{i}})
		}
		var placed []*part
		spare := -a.leastParts
		for _, b := range a.parts {
			switch {
			case b.idle:
				spare++
				walk(b, slack)
			case c.count(b, in) > 0:
				spare++
				placed = append(placed, b)
			}
		}
		slices.SortFunc(placed, comparePartRanks)
		for i, b := range placed {
			last := !slices.ContainsFunc(placed[i+1:], func(o *part) bool { return c.alike[o] == c.alike[b] })
			if n := c.count(b, in); spare > 0 && last && n <= slack && n < total && !c.runs(b) {
				out = append(out, removal{b.first(), b.all()})
			}
			walk(b, slack)
		}
	}
	walk(c.p.whole, total)
	return out
}

// lastOwn is the highest rank of the new members of a part itself that are in a content, -1 if there is none.
func (c *contents) lastOwn(a *part, in content) int {
	for _, rank := range slices.Backward(a.ranks) {
		if i := c.place[rank]; i >= 0 && in[i] {
			return rank
		}
	}
	return -1
}

func (c *contents) without(in content, r removal) content {
	out := slices.Clone(in)
	for _, rank := range r.ranks {
		if i := c.place[rank]; i >= 0 {
			out[i] = false
		}
	}
	return out
}

// chain leaves out one thing after the other, the last in rank order first.
func (c *contents) chain(in content) []content {
	out := []content{in}
	if len(c.p.whole.parts) == 0 { // as removals would, at once
		n, least := in.size(), max(1, c.p.whole.least-len(c.p.running))
		if c.p.whole.least == 0 {
			least = n
		}
		for n--; n >= least; n-- {
			out = append(out, c.p.firstOnes(n))
		}
		return out
	}
	for {
		list := c.removals(in)
		if len(list) == 0 {
			return out
		}
		in = c.without(in, slices.MaxFunc(list, func(a, b removal) int { return cmp.Compare(a.first, b.first) }))
		out = append(out, in)
	}
}

// most is the best content that fits; nil if none does. Fewer members never need more room.
func (c *contents) most(fits func(content) bool) content {
	all := c.everything()
	if all != nil && len(c.p.evens) > 0 {
		return c.mostEven(all, fits)
	}
	if all == nil || fits(all) {
		return all
	}
	chain := c.chain(all)
	i := 1 + sort.Search(len(chain)-1, func(i int) bool { return fits(chain[i+1]) })
	var best content
	if i < len(chain) {
		best = chain[i]
	}
	if len(c.p.whole.parts) == 0 {
		return best
	}
	refused := map[string]bool{}
	for _, in := range chain[:i] {
		refused[in.key()] = true
	}
	plans := 0
	if best == nil {
		best = c.leastThatFits(refused, fits, &plans)
	}
	if best == nil {
		return nil
	}
	best = c.grow(best, all, fits)
	for in := range c.downFrom(all) {
		if compareContents(in, best) >= 0 {
			break
		}
		if refused[in.key()] {
			continue
		}
		if plans >= c.p.contentPlans() {
			*c.p.parting.doubt = true
			break
		}
		if plans++; fits(in) {
			return in
		}
	}
	return best
}

// downFrom iterates over the contents within one, the best first.
func (c *contents) downFrom(all content) iter.Seq[content] {
	return func(yield func(content) bool) {
		open, seen := contentHeap{all}, map[string]bool{all.key(): true}
		for len(open) > 0 {
			in := heap.Pop(&open).(content)
			if !yield(in) {
				return
			}
			for _, r := range c.removals(in) {
				next := c.without(in, r)
				if key := next.key(); !seen[key] {
					seen[key] = true
					heap.Push(&open, next)
				}
			}
		}
	}
}

// least lists the contents of which nothing can be left out, those of fewer members first. With multiples all: fewer members may need what
// more do not.
func (c *contents) least() []content {
	all := c.everything()
	if all == nil {
		return nil
	}
	if len(c.p.evens) > 0 {
		return c.everyEven(all)
	}
	chain := c.chain(all)
	out := []content{chain[len(chain)-1]}
	if len(c.p.whole.parts) == 0 {
		return out
	}
	seen := map[string]bool{out[0].key(): true}
	steps := 0
	for in := range c.downFrom(all) {
		if steps++; steps > c.p.contentSteps() {
			c.truncated, *c.p.parting.doubt = true, true
			break
		}
		if key := in.key(); !seen[key] && len(c.removals(in)) == 0 {
			seen[key] = true
			out = append(out, in)
		}
	}
	slices.SortFunc(out, func(a, b content) int {
		return cmp.Or(cmp.Compare(a.size(), b.size()), compareContents(a, b))
	})
	return out
}

// contentHeap has the best content first.
type contentHeap []content

func (h contentHeap) Len() int { return len(h) }

func (h contentHeap) Less(i, j int) bool { return compareContents(h[i], h[j]) < 0 }

func (h contentHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }

func (h *contentHeap) Push(x any) { *h = append(*h, x.(content)) }

func (h *contentHeap) Pop() any {
	last := len(*h) - 1
	x := (*h)[last]
	*h = (*h)[:last]
	return x
}
