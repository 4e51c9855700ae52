// The relaxed problem: candidates leave one by one, a gang costs on each node its share. What room costs then in every
// domain of the gang's tier, groups being counted whole. No legal set costs less: docs/order.md, section 6, "Proof".

package preempt

import "slices"

// relaxation solves relaxed problems under one strategy. It writes domains and what it borrows: merger and curves.
type relaxation struct {
	model   *model
	tree    *tree
	table   *slotTable
	pricer  *pricer
	curves  *curveCache
	merger  merger
	domains []domain // with room, while nothing is decided, the cheapest first
	tier    int      // over whose domains the costs of gangs were shared out
}

func newRelaxation(m *model, t *tree, table *slotTable, r *pricer, c *curveCache) relaxation {
	return relaxation{model: m, tree: t, table: table, pricer: r, curves: c, merger: merger{budget: c.budget}}
}

// survey finds the domains of the gang's tier in which there is room if enough candidates leave, and what that costs,
// the cheapest first. Where candidates do not depend on each other, those that cannot be the cheapest are left out.
// O(positions) for the curves that are not known, then what merging costs.
func (x *relaxation) survey(st *Strategy) {
	x.domains = x.domains[:0]
	for lo, end := range x.tree.withRoom(st, x.table.byPos) {
		x.domains = append(x.domains, domain{lo: lo, end: end, cost: x.atLeast(lo, end)})
	}
	if x.model.coupled && x.tier != st.Gang {
		x.curves.forget() // costs of gangs were shared out over other domains
		x.tier = st.Gang
	}
	byCost := func(a, b domain) int { return a.compare(&b) }
	slices.SortFunc(x.domains, byCost)
	best := impossible
	for i := range x.domains {
		d := &x.domains[i]
		// Bounds ascend: from the first one above a known cost on, no domain can be cheaper. A coupled problem needs them
		// all, since decisions may yet make each of them the cheapest.
		if !x.model.coupled && best.less(&d.cost) {
			x.domains = x.domains[:i]
			break
		}
		d.cost = x.cost(st, d.lo, d.end)
		if d.cost.less(&best) {
			best = d.cost
		}
	}
	slices.SortFunc(x.domains, byCost)
}

// atLeast bounds from below what room in an interval costs, by the fewest candidates that make it.
func (x *relaxation) atLeast(lo, end int32) (w weight) {
	if !x.model.coupled {
		x.model.layout.put(&w, memberCount, uint64(x.table.fewest(x.tree.units, lo, end)))
	}
	return w
}

// cheapest is the domain in which room costs least, those with touched nodes being looked at again. In all others costs
// are what the survey found, since no decision concerns their nodes.
func (x *relaxation) cheapest(st *Strategy, touched []int32) (best domain, ok bool) {
	best.cost = impossible
	var again []int32 // where they begin
	for _, pos := range touched {
		lo := x.tree.tiers[st.Gang][x.tree.domainAt(st.Gang, pos)]
		if n := len(again); n == 0 || again[n-1] != lo {
			again = append(again, lo)
		}
	}
	for i := range x.domains {
		if _, changed := slices.BinarySearch(again, x.domains[i].lo); !changed {
			best = x.domains[i]
			break
		}
	}
	for _, lo := range again {
		i := slices.IndexFunc(x.domains, func(d domain) bool { return d.lo == lo })
		if i < 0 {
			continue
		}
		d := x.domains[i]
		x.curves.recount(d, touched)
		d.cost = x.cost(st, d.lo, d.end)
		x.curves.restore()
		if d.compare(&best) < 0 {
			best = d
		}
	}
	return best, best.cost != impossible
}

// cost is what room for the gang costs within an interval; impossible if there is none.
func (x *relaxation) cost(st *Strategy, lo, end int32) weight {
	x.curves.know(lo, end)
	x.curves.budget.used += 1 + int(end-lo)/4
	units := x.tree.units
	if len(st.Groups) == 0 {
		return costOf(x.merger.merge(x.curves.in(lo, end), units), units)
	}
	full, short := units/x.tree.groups[0], units%x.tree.groups[0]
	if short == 0 {
		return costOf(x.merger.merge(x.groupCurves(st, 0, lo, end), full), full)
	}
	beside := x.withShort(st, lo, end)
	return beside.cost(full)
}

// groupCurves are the curves of the domains of a level within an interval, in groups of that level.
func (x *relaxation) groupCurves(st *Strategy, level int, lo, end int32) []*curve {
	var out []*curve
	for from, to := range x.tree.within(st.Groups[level], lo, end) {
		out = append(out, x.groupCurve(st, level, from, to))
	}
	return out
}

// groupCurve is the curve of one domain in groups of a level; nil if it holds none. A group is whole where it lies, so
// that n groups cost what n times their size costs in units of the level below.
func (x *relaxation) groupCurve(st *Strategy, level int, lo, end int32) *curve {
	if x.curves.units(lo, end) < x.tree.groups[level] {
		return nil
	}
	costs, size := x.inside(st, level, lo, end)
	var out []weight
	for n := int64(0); n*size < int64(len(costs)); n++ {
		out = append(out, costs[n*size])
	}
	if len(out) < 2 {
		return nil
	}
	return newCurve(out)
}

// inside are the costs within a domain of a level in units of the next level, and how many of these make one group.
func (x *relaxation) inside(st *Strategy, level int, lo, end int32) (costs []weight, size int64) {
	groups, units := x.tree.groups, x.tree.units
	if level+1 == len(groups) {
		return x.merger.merge(x.curves.in(lo, end), units), groups[level]
	}
	inner := x.groupCurves(st, level+1, lo, end)
	return x.merger.merge(inner, units/groups[level+1]), groups[level] / groups[level+1]
}

// withShort are the curves of the domains of the only level, with the short group and without.
func (x *relaxation) withShort(st *Strategy, lo, end int32) (b besideShort) {
	size, short := x.tree.groups[0], x.tree.units%x.tree.groups[0]
	for from, to := range x.tree.within(st.Groups[0], lo, end) {
		costs := x.merger.merge(x.curves.in(from, to), x.tree.units)
		var without, with []weight
		for n := int64(0); n*size < int64(len(costs)); n++ {
			without = append(without, costs[n*size])
			if n*size+short < int64(len(costs)) {
				with = append(with, costs[n*size+short])
			}
		}
		b.without, b.with = append(b.without, &curve{cost: without}), append(b.with, &curve{cost: with})
	}
	return b
}

// taken lists the candidates that leave in the relaxed solution, beside those that are gone for sure, ascending.
func (x *relaxation) taken(st *Strategy, d domain) []int32 {
	out := x.spread(nil, st, d, 0, domain{lo: d.lo, end: d.end}, x.tree.units)
	slices.Sort(out)
	return out
}

// spread adds to a list the candidates that leave for so many units, in whole groups of a level, within a part of a
// domain of the gang's tier.
func (x *relaxation) spread(out []int32, st *Strategy, d domain, level int, part domain, units int64) []int32 {
	if level == len(st.Groups) {
		curves := x.curves.in(part.lo, part.end)
		for _, sh := range x.merger.split(curves, units) {
			out = append(out, x.pricer.takenFor(part.lo+sh.at, d.lo, d.end, sh.units, curves[sh.at].cost[sh.units])...)
		}
		return out
	}
	tier := st.Groups[level]
	base := x.tree.domainAt(tier, part.lo)
	for at, n := range x.unitsIn(st, level, part, units) {
		if n > 0 {
			lo, end := x.tree.interval(tier, base+int32(at))
			out = x.spread(out, st, d, level+1, domain{lo: lo, end: end}, n)
		}
	}
	return out
}

// unitsIn is how many units each domain of a level has in the cheapest way to have so many within an interval, all but
// the rest in whole groups.
func (x *relaxation) unitsIn(st *Strategy, level int, part domain, units int64) []int64 {
	size := x.tree.groups[level]
	full, short := units/size, units%size
	var curves []*curve
	where := -1 // the place of the short group
	if short == 0 {
		curves = x.groupCurves(st, level, part.lo, part.end)
	} else {
		beside := x.withShort(st, part.lo, part.end)
		where = beside.place(full)
		// The short group is taken as placed: what merging splits are whole groups alone.
		curves = beside.without
		curves[where] = fromZero(beside.with[where])
	}
	out := make([]int64, len(curves))
	for _, sh := range x.merger.split(curves, full) {
		out[sh.at] = sh.units * size
	}
	if where >= 0 {
		out[where] += short
	}
	return out
}
