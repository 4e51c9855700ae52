package fronts

import (
	"cmp"
	"container/heap"
	"iter"
	"slices"

	"github.com/muster-sched/muster/internal/features"
	"github.com/muster-sched/muster/internal/keys"
	"github.com/muster-sched/muster/internal/layout"
)

// In which order come the domains that hold a gang, if those with the narrowest span are the first?

// rankedDomain is a domain that may hold the gang, with its span or a lower bound of it.
type rankedDomain struct {
	at   layout.Vertex
	span int
	by   spanSource
}

// spanSource says how a span was found.
type spanSource int8

const (
	byLoad   spanSource = iota // a bound, known without fronts; whether the domain holds the gang is not known
	byFronts                   // a bound: the domain holds the gang
	exact
)

// domainQueue has the best domain first, as container/heap has it.
type domainQueue struct {
	c    *capacity
	list []rankedDomain
}

func (q *domainQueue) Len() int           { return len(q.list) }
func (q *domainQueue) Less(i, j int) bool { return q.c.compareDomains(q.list[i], q.list[j]) < 0 }
func (q *domainQueue) Swap(i, j int)      { q.list[i], q.list[j] = q.list[j], q.list[i] }
func (q *domainQueue) Push(d any)         { q.list = append(q.list, d.(rankedDomain)) }

// Pop takes the last of the list.
func (q *domainQueue) Pop() any {
	n := len(q.list) - 1
	d := q.list[n]
	q.list = q.list[:n]
	return d
}

// byLeastSpan queues domains by lower bounds of their spans, which are known without fronts.
func (c *capacity) byLeastSpan(domains []layout.Vertex) *domainQueue {
	q := &domainQueue{c: c, list: make([]rankedDomain, len(domains))}
	for i, d := range domains {
		q.list[i].at = d
		if c.search.joint != nil && c.countsChildren(d) {
			q.list[i].span = max(c.search.joint.Children(d, c.search.loads.Of(c.search.want)), c.search.caps.children(c.m.View, d, c.search.totals))
		}
	}
	heap.Init(q)
	return q
}

// bySpan iterates over those domains that hold the gang, best first. All begin with a lower bound of their span, the
// better the more it costs. The next one is only found for a domain at the head of the queue, if it holds the gang; the
// domain is then put back where it belongs. A domain that is still ahead with its exact span is the best: the keys of
// all others only grow.
//
// Same answer as order: roles.8, faster.
func (c *capacity) bySpan(domains []layout.Vertex) iter.Seq[layout.Vertex] {
	return func(yield func(layout.Vertex) bool) {
		if !features.BySpan.Takes(c.tables.space.Features) {
			c.byExactSpan(domains)(yield)
			return
		}
		queue := c.byLeastSpan(domains)
		for queue.Len() > 0 {
			best := heap.Pop(queue).(rankedDomain)
			switch best.by {
			case exact:
				if !yield(best.at) {
					return
				}
				continue
			case byLoad:
				if !c.holds(best.at) {
					continue
				}
				best.span, best.by = max(best.span, c.leastSpan(best.at)), byFronts
			case byFronts:
				best.span, best.by = c.span(best.at), exact
			}
			heap.Push(queue, best)
		}
	}
}

// byExactSpan is bySpan with the span of every domain.
func (c *capacity) byExactSpan(domains []layout.Vertex) iter.Seq[layout.Vertex] {
	var list []rankedDomain
	for _, d := range domains {
		if c.holds(d) {
			list = append(list, rankedDomain{at: d, span: c.span(d), by: exact})
		}
	}
	slices.SortFunc(list, c.compareDomains)
	return func(yield func(layout.Vertex) bool) {
		for _, d := range list {
			if !yield(d.at) {
				return
			}
		}
	}
}

// compareDomains compares by the keys and the span, slots being those of the first role, then by paths.
//
// order: roles.8
func (c *capacity) compareDomains(a, b rankedDomain) int {
	m := c.m
	return cmp.Or(
		m.CompareDomains(keys.Of(c.tables.space.Features), &c.search.slots, a.at, b.at, a.span, b.span),
		m.View.ComparePaths(a.at, b.at),
	)
}
