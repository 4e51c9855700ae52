// Which is the smallest set of nodes, or of gangs, that helps?

package remedies

import (
	"cmp"
	"slices"

	"github.com/muster-sched/muster/explain"
	"github.com/muster-sched/muster/internal/layout"
)

// gain is how many units a change adds at most at a position.
type gain struct {
	pos   int32
	units int64
}

// choice is a set to be chosen: elements in natural order of names, with what each adds. More elements never help less, unless it is loose.
type choice struct {
	gains [][]gain
	// class tells equal elements, by element; nil: all differ.
	class []int32
	// named: of equally many elements the first ones by name are asked for, not just any.
	named bool
	loose bool
	edit  func(set []int32) edit
	// most bounds the units in a domain whatever is chosen; nil: nothing but the gains does.
	most func(d layout.Vertex) int64
	// notAlone: no element helps by itself, as is known already.
	notAlone bool
	// ending is what amounts tell of the gangs of a scope; nil: the elements are no gangs.
	ending func(p *scope) *ending
}

// scope is a domain with the elements that add to it.
type scope struct {
	domain   layout.Vertex
	elements []int32 // ascending
	adds     []int64 // the same
	needs    int64
	least    int // no set of fewer elements helps
}

// chosen is a set that helps.
type chosen struct {
	set   []int32
	least bool
	plan  *explain.Plan
}

// mostDomains is in how many domains a kind looks, where bounds do not decide; beyond that less may be possible elsewhere.
const mostDomains = 16

// smallest finds the smallest set that helps: domain by domain, those first in which fewer elements may do. Nil: none was found.
func (f *Search) smallest(at state, r *rooms, c *choice) *chosen {
	var best *chosen
	scopes := r.scopes(c)
	sorted := r.byName(c, scopes)
	for i, d := range scopes {
		if i == mostDomains {
			f.doubt = true
			break
		}
		if best != nil && !d.mayBeat(best, c.named && i >= sorted) {
			break
		}
		found := f.within(at, r, c, &d)
		if found == nil {
			continue
		}
		if i < sorted && !slices.Equal(found.set, d.first(d.least)) {
			sorted = 0 // amounts told more than the gains
		}
		if best == nil || found.isBefore(best, c.named) {
			best = found
		}
	}
	if best != nil {
		best.least = best.least && !f.doubt
	}
	return best
}

// mayBeat says whether a scope may have a smaller set than one that helps or, where that counts, an equally small one before it by name.
func (p *scope) mayBeat(best *chosen, byName bool) bool {
	return p.least < len(best.set) || byName && p.least == len(best.set)
}

// isBefore says whether a set is smaller than another one or, where that counts, equally small and before it by name.
func (c *chosen) isBefore(other *chosen, byName bool) bool {
	if n, of := len(c.set), len(other.set); n != of {
		return n < of
	}
	return byName && slices.Compare(c.set, other.set) < 0
}

// byName orders the first scopes, in which equally few elements may suffice, by the names of these, and says how many they are: where
// bounds tell what suffices, the first one that has a plan is the first one by name. Elsewhere, and where names do not count, these are none.
func (r *rooms) byName(c *choice, scopes []scope) (n int) {
	if !c.named || !r.exact || c.loose {
		return 0
	}
	type named struct {
		of  scope
		set []int32
	}
	var first []named
	for n < len(scopes) && scopes[n].least == scopes[0].least {
		first = append(first, named{scopes[n], scopes[n].first(scopes[n].least)})
		n++
	}
	slices.SortStableFunc(first, func(a, b named) int { return slices.Compare(a.set, b.set) })
	for i := range first {
		scopes[i] = first[i].of
	}
	return n
}

// scopes lists the domains in which the elements may suffice, those that need fewest first, then by path. O(gains).
func (r *rooms) scopes(c *choice) (out []scope) {
	place := make([]int32, r.p.Model.View.NumDomains()+int(r.p.Model.View.Nodes)) // by domain, its place in out and 1
	for e, gains := range c.gains {
		for _, g := range gains {
			d, ok := r.domainOf(g.pos)
			if !ok {
				continue
			}
			if place[d] == 0 {
				out = append(out, scope{domain: d})
				place[d] = int32(len(out))
			}
			p := &out[place[d]-1]
			if n := len(p.elements); n == 0 || p.elements[n-1] != int32(e) {
				p.elements, p.adds = append(p.elements, int32(e)), append(p.adds, 0)
			}
			p.adds[len(p.adds)-1] += g.units
		}
	}
	for i := range out {
		out[i].bound(r)
	}
	out = slices.DeleteFunc(out, func(p scope) bool { return p.least == 0 || c.most != nil && c.most(p.domain) < r.units() })
	slices.SortFunc(out, func(a, b scope) int {
		return cmp.Or(cmp.Compare(a.least, b.least), cmp.Compare(r.p.Model.View.First(a.domain), r.p.Model.View.First(b.domain)))
	})
	return out
}

// bound finds how many elements are needed at least; 0: all do not suffice.
func (p *scope) bound(r *rooms) {
	if p.needs = r.units() - r.in(p.domain); p.needs <= 0 {
		p.least = 1
		return
	}
	left := p.needs
	r.sorted = append(r.sorted[:0], p.adds...)
	slices.Sort(r.sorted)
	for i, units := range slices.Backward(r.sorted) {
		if left -= units; left <= 0 {
			p.least = len(p.adds) - i
			return
		}
	}
}

// fewElements is up to how many elements a smallest set is searched for; of more, one that bounds suggest is made smaller.
const fewElements = 64

// within finds the smallest set of elements that add to one domain; nil if none helps.
func (f *Search) within(at state, r *rooms, c *choice, p *scope) *chosen {
	var quick *chosen
	if c.loose {
		if len(p.elements) <= fewElements {
			if one := f.single(at, c, p); one != nil {
				return one
			}
		}
		f.doubt = true // of more, what the search leaves out might help
	}
	e := (*ending)(nil)
	if c.ending != nil {
		e = c.ending(p)
	}
	if e != nil {
		var done bool
		if quick, done = f.byAmounts(at, r, c, p, e); done {
			return quick
		}
	}
	if quick == nil && !r.rough {
		quick = f.suggested(at, c, p)
	}
	if quick != nil && len(quick.set) == p.least && (r.exact && e == nil || !c.named) {
		quick.least = true
		return quick
	}
	if len(p.elements) > fewElements {
		return f.spared(at, c, p, quick)
	}
	return f.searched(at, c, p, e, quick)
}

// byAmounts tries the fewest gangs without which amounts suffice. done: no set is better.
func (f *Search) byAmounts(at state, r *rooms, c *choice, p *scope, e *ending) (quick *chosen, done bool) {
	set, least, named := f.fewestEnding(e, len(p.elements) <= fewElements)
	switch {
	case set == nil && least:
		return nil, true
	case set == nil:
		return nil, false
	case least:
		p.least = max(p.least, len(set))
	}
	set = pick(p.elements, set)
	plan := f.after(at, c.edit(set))
	if plan == nil {
		return nil, false
	}
	return &chosen{set, least && named, plan}, least && (named || r.exact) // what amounts allow is all that may help
}

// single is the first element that helps by itself; nil if none does.
func (f *Search) single(at state, c *choice, p *scope) *chosen {
	for i := range p.elements {
		if plan := f.after(at, c.edit(p.elements[i:i+1])); plan != nil {
			return &chosen{p.elements[i : i+1], true, plan}
		}
	}
	return nil
}

// suggested tries sets that bounds allow: the fewest elements that may suffice, then more and more. Nil if none helps.
func (f *Search) suggested(at state, c *choice, p *scope) *chosen {
	for n, more := p.least, 1; n <= len(p.elements); n, more = n+more, more*2 {
		set := p.first(n)
		if set == nil {
			continue
		}
		if plan := f.after(at, c.edit(set)); plan != nil {
			return &chosen{set, false, plan}
		}
		if more > 1 && len(p.elements) <= fewElements {
			return nil // the search finds it
		}
	}
	return nil
}

// first is, of n elements that may suffice together, the first set by name; nil if there is none. O(elements * (log elements + different
// gains)).
func (p *scope) first(n int) (set []int32) {
	if len(p.elements) > manyElements {
		return p.largest(n)
	}
	needs, rest := p.needs, newTally(p.adds)
	for i := range p.elements {
		if len(set) == n {
			break
		}
		rest.remove(p.adds[i])
		if most := p.adds[i] + rest.largest(n-len(set)-1); most >= needs && len(p.elements)-i >= n-len(set) {
			set, needs = append(set, p.elements[i]), needs-p.adds[i]
		}
	}
	if len(set) < n {
		return nil
	}
	return set
}

// tally counts numbers by their value, the largest value first.
type tally struct {
	values []int64
	counts []int
}

func newTally(numbers []int64) *tally {
	t := &tally{values: slices.Clone(numbers)}
	slices.SortFunc(t.values, func(a, b int64) int { return cmp.Compare(b, a) })
	t.values = slices.Compact(t.values)
	t.counts = make([]int, len(t.values))
	for _, n := range numbers {
		t.counts[t.place(n)]++
	}
	return t
}

func (t *tally) place(n int64) int {
	i, _ := slices.BinarySearchFunc(t.values, n, func(v, n int64) int { return cmp.Compare(n, v) })
	return i
}

func (t *tally) remove(n int64) { t.counts[t.place(n)]-- }

// largest is the sum of the k largest numbers, or of all if there are fewer.
func (t *tally) largest(k int) (sum int64) {
	for i, v := range t.values {
		take := min(k, t.counts[i])
		sum, k = sum+v*int64(take), k-take
	}
	return sum
}

// manyElements is from how many elements on those that add most are suggested, whatever their names.
const manyElements = 512

// largest is the set of the n elements that add most, the first ones of equal ones.
func (p *scope) largest(n int) []int32 {
	order := make([]int32, len(p.elements))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(p.adds[b], p.adds[a]) })
	set := pick(p.elements, order[:n])
	slices.Sort(set)
	return set
}

// pick lists the elements at some places.
func pick(elements, places []int32) []int32 {
	out := make([]int32, len(places))
	for i, at := range places {
		out[i] = elements[at]
	}
	return out
}
