// The curves of all positions, kept while nothing is decided, and replaced for a while where something is.

package preempt

// curveCache keeps the curve of every position, as far as it was asked for. It writes its own lists and the budget.
type curveCache struct {
	table    *slotTable
	pricer   *pricer
	budget   *stepBudget
	curves   []*curve // by position; nil: no unit
	known    []bool   // by position
	ofClass  []*curve // by class, where positions have classes
	replaced map[int32]*curve
	recounts int
}

func newCurveCache(t *slotTable, r *pricer, b *stepBudget) curveCache {
	return curveCache{table: t, pricer: r, budget: b}
}

// forget makes all curves unknown, as they are for another ceiling.
func (c *curveCache) forget() {
	if n := len(c.table.byPos); len(c.known) < n {
		c.curves, c.known = make([]*curve, n), make([]bool, n)
	}
	clear(c.known)
	clear(c.ofClass)
}

// know finds the curves of an interval, which is a domain of the gang's tier.
func (c *curveCache) know(lo, end int32) {
	for pos := lo; pos < end; pos++ {
		if !c.known[pos] {
			c.known[pos] = true
			c.curves[pos] = c.find(pos, lo, end)
		}
	}
}

// find is the curve of a position as things are decided, gangs being shared out over an interval. Curves of classes are
// found once: there nothing is decided, and no gang shared out.
func (c *curveCache) find(pos, lo, end int32) *curve {
	if c.table.byPos[pos] <= 0 {
		return nil
	}
	if c.table.classOf == nil {
		return c.pricer.curveOn(pos, lo, end)
	}
	if c.ofClass == nil {
		c.ofClass = make([]*curve, len(c.table.byNode))
	}
	class := c.table.node(pos)
	if c.ofClass[class] == nil {
		c.ofClass[class] = c.pricer.curveOn(class, class, class+1)
	}
	return c.ofClass[class]
}

// in are the curves of an interval by position, which must be known.
func (c *curveCache) in(lo, end int32) []*curve { return c.curves[lo:end] }

// units is how many units there are at most within an interval.
func (c *curveCache) units(lo, end int32) (n int64) {
	for _, of := range c.curves[lo:end] {
		n += of.atMost()
	}
	return n
}

// recount replaces the curves of touched nodes within a domain by what they are as things are decided.
func (c *curveCache) recount(d domain, touched []int32) {
	for _, pos := range touched {
		if d.lo <= pos && pos < d.end {
			c.recountOne(pos, d)
		}
	}
}

// recountOne replaces the curve of one position. Four of them are a step.
func (c *curveCache) recountOne(pos int32, d domain) {
	if c.replaced == nil {
		c.replaced = map[int32]*curve{}
	}
	if _, ok := c.replaced[pos]; !ok {
		c.replaced[pos] = c.curves[pos]
	}
	c.curves[pos] = c.find(pos, d.lo, d.end)
	if c.recounts++; c.recounts%4 == 0 {
		c.budget.used++
	}
}

// restore puts back the curves that were replaced.
func (c *curveCache) restore() {
	for pos, old := range c.replaced {
		c.curves[pos] = old
	}
	clear(c.replaced)
}
