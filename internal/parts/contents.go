package parts

import (
	"cmp"
	"container/heap"
	"fmt"
	"iter"
	"slices"
	"sort"

	"github.com/muster-sched/muster/internal/problem"
)

// contents are what of a gang can be placed.
type contents struct {
	p     *problem.Problem
	place []int32                  // in pending, by rank; -1: the member runs
	alike map[*problem.Part]string // equal for parts that can change places
	// truncated: there may be more contents of which nothing can be left out than were found.
	truncated bool
}

func contentsOf(p *problem.Problem) *contents {
	b := billing{p: p, place: p.Places(), at: p.PositionsByRank(), signs: map[*problem.Part]string{}, inOrder: true}
	b.sign(p.Gang)
	c := &contents{p: p, place: b.place, alike: b.signs}
	if len(p.Pinned) == 0 {
		return c
	}
	p.Gang.Each(func(a *problem.Part) { // a quota may admit one of two parts that are alike but for that
		if slices.ContainsFunc(a.All(), func(rank int) bool { i := c.place[rank]; return i >= 0 && p.Pinned[p.Pending[i].Name] }) {
			c.alike[a] = fmt.Sprint("with pinned members, of rank ", a.First())
		}
	})
	return c
}

// count is how many members of a part run or are in a content.
func (c *contents) count(a *problem.Part, in problem.Selection) (n int) {
	a.Each(func(b *problem.Part) {
		for _, rank := range b.Ranks {
			if i := c.place[rank]; i < 0 || in[i] {
				n++
			}
		}
	})
	return n
}

// runs says whether members of a part run.
func (c *contents) runs(a *problem.Part) (is bool) {
	a.Each(func(b *problem.Part) {
		is = is || slices.ContainsFunc(b.Ranks, func(rank int) bool { return c.place[rank] < 0 })
	})
	return is
}

// everything is the content of all members, but for optional parts that lack members; nil if there is none.
func (c *contents) everything() problem.Selection {
	in := make(problem.Selection, len(c.p.Pending))
	for i := range in {
		in[i] = true
	}
	if !c.complete(c.p.Gang, in) || in.Size() == 0 {
		return nil
	}
	return in
}

// complete says whether a part fulfils its minima; inner parts that do not are left out.
func (c *contents) complete(a *problem.Part, in problem.Selection) bool {
	placed := 0
	for _, b := range a.Parts {
		switch {
		case b.Idle:
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
	return placed >= a.LeastParts && c.count(a, in) >= a.Least
}

func (c *contents) drop(a *problem.Part, in problem.Selection) {
	for _, rank := range a.All() {
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
func (c *contents) removals(in problem.Selection) (out []removal) {
	total := in.Size()
	var walk func(a *problem.Part, slack int)
	walk = func(a *problem.Part, slack int) {
		if !a.Idle {
			slack = min(slack, c.count(a, in)-max(1, a.Least)) // without anybody it would not be placed
		}
		if i := c.lastOwn(a, in); a.Least > 0 && i >= 0 && slack > 0 && total > 1 {
			out = append(out, removal{i, []int{i}})
		}
		var placed []*problem.Part
		spare := -a.LeastParts
		for _, b := range a.Parts {
			switch {
			case b.Idle:
				spare++
				walk(b, slack)
			case c.count(b, in) > 0:
				spare++
				placed = append(placed, b)
			}
		}
		slices.SortFunc(placed, problem.ComparePartRanks)
		for i, b := range placed {
			last := !slices.ContainsFunc(placed[i+1:], func(o *problem.Part) bool { return c.alike[o] == c.alike[b] })
			if n := c.count(b, in); spare > 0 && last && n <= slack && n < total && !c.runs(b) {
				out = append(out, removal{b.First(), b.All()})
			}
			walk(b, slack)
		}
	}
	walk(c.p.Gang, total)
	return out
}

// lastOwn is the highest rank of the new members of a part itself that are in a content, -1 if there is none.
func (c *contents) lastOwn(a *problem.Part, in problem.Selection) int {
	for _, rank := range slices.Backward(a.Ranks) {
		if i := c.place[rank]; i >= 0 && in[i] {
			return rank
		}
	}
	return -1
}

func (c *contents) without(in problem.Selection, r removal) problem.Selection {
	out := slices.Clone(in)
	for _, rank := range r.ranks {
		if i := c.place[rank]; i >= 0 {
			out[i] = false
		}
	}
	return out
}

// chain leaves out one thing after the other, the last in rank order first.
func (c *contents) chain(in problem.Selection) []problem.Selection {
	out := []problem.Selection{in}
	if len(c.p.Gang.Parts) == 0 { // as removals would, at once
		n, least := in.Size(), max(1, c.p.Gang.Least-len(c.p.Running))
		if c.p.Gang.Least == 0 {
			least = n
		}
		for n--; n >= least; n-- {
			out = append(out, c.p.FirstOnes(n))
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
func (c *contents) most(fits func(problem.Selection) bool) problem.Selection {
	all := c.everything()
	if all != nil && len(c.p.Multiples) > 0 {
		return c.mostEven(all, fits)
	}
	if all == nil || fits(all) {
		return all
	}
	chain := c.chain(all)
	i := 1 + sort.Search(len(chain)-1, func(i int) bool { return fits(chain[i+1]) })
	var best problem.Selection
	if i < len(chain) {
		best = chain[i]
	}
	if len(c.p.Gang.Parts) == 0 {
		return best
	}
	refused := map[string]bool{}
	for _, in := range chain[:i] {
		refused[in.Key()] = true
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
		if problem.CompareSelections(in, best) >= 0 {
			break
		}
		if refused[in.Key()] {
			continue
		}
		if plans >= c.p.ContentPlans() {
			*c.p.Parts.Doubt = true
			break
		}
		if plans++; fits(in) {
			return in
		}
	}
	return best
}

// downFrom iterates over the contents within one, the best first.
func (c *contents) downFrom(all problem.Selection) iter.Seq[problem.Selection] {
	return func(yield func(problem.Selection) bool) {
		open, seen := contentHeap{all}, map[string]bool{all.Key(): true}
		for len(open) > 0 {
			in := heap.Pop(&open).(problem.Selection)
			if !yield(in) {
				return
			}
			for _, r := range c.removals(in) {
				next := c.without(in, r)
				if key := next.Key(); !seen[key] {
					seen[key] = true
					heap.Push(&open, next)
				}
			}
		}
	}
}

// least lists the contents of which nothing can be left out, those of fewer members first. With multiples all: fewer members may need what
// more do not.
func (c *contents) least() []problem.Selection {
	all := c.everything()
	if all == nil {
		return nil
	}
	if len(c.p.Multiples) > 0 {
		return c.everyEven(all)
	}
	chain := c.chain(all)
	out := []problem.Selection{chain[len(chain)-1]}
	if len(c.p.Gang.Parts) == 0 {
		return out
	}
	seen := map[string]bool{out[0].Key(): true}
	steps := 0
	for in := range c.downFrom(all) {
		if steps++; steps > c.p.ContentSteps() {
			c.truncated, *c.p.Parts.Doubt = true, true
			break
		}
		if key := in.Key(); !seen[key] && len(c.removals(in)) == 0 {
			seen[key] = true
			out = append(out, in)
		}
	}
	slices.SortFunc(out, func(a, b problem.Selection) int {
		return cmp.Or(cmp.Compare(a.Size(), b.Size()), problem.CompareSelections(a, b))
	})
	return out
}

// contentHeap has the best content first.
type contentHeap []problem.Selection

func (h contentHeap) Len() int { return len(h) }

func (h contentHeap) Less(i, j int) bool { return problem.CompareSelections(h[i], h[j]) < 0 }

func (h contentHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }

func (h *contentHeap) Push(x any) { *h = append(*h, x.(problem.Selection)) }

func (h *contentHeap) Pop() any {
	last := len(*h) - 1
	x := (*h)[last]
	*h = (*h)[:last]
	return x
}
