// What do quotas know of those that wait, and what becomes of them when they change?

package simulate

import (
	"fmt"
	"maps"
	"slices"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/quota"
)

// QuotaChange replaces the quotas of the cluster from an instant on. Quotas, which are needed, and Total are as in [cluster.Spec].
type QuotaChange struct {
	From   int64
	Quotas *quota.Tree
	Total  muster.Resources
}

// checkQuotas is the defect of changes; nil: there is none.
func checkQuotas(changes []QuotaChange) error {
	for i := range changes {
		switch ch := &changes[i]; {
		case i > 0 && ch.From < changes[i-1].From:
			return muster.Invalid(fmt.Sprintf("options.Quotas[%d].From", i), ch.From, "before the one in front of it")
		case ch.Quotas == nil:
			return &muster.InvalidError{Field: fmt.Sprintf("options.Quotas[%d].Quotas", i), Reason: "missing"}
		}
	}
	return nil
}

// quotas are what the quotas of a cluster know of those that wait.
type quotas struct {
	known   bool
	pending map[string]muster.Resources // by quota
	changed bool                        // since the cluster was told
	coming  []*placement.Cluster        // without anybody, under the quotas to come
}

// noDemand is that nothing is pending in the quotas of a cluster in which something is: only what comes in the stream waits.
func noDemand(c *placement.Cluster) map[string]muster.Resources {
	none := map[string]muster.Resources{}
	if q := c.Quotas(); q != nil {
		for _, name := range q.Quotas() {
			if _, _, pending := q.Usage(name); q.IsLeaf(name) && len(pending) > 0 {
				none[name] = muster.Resources{}
			}
		}
	}
	return none
}

// asks notes that a gang waits (1), or does not wait any more (-1).
func (q *quotas) asks(p *pending, times int64) {
	if q.changed = true; p.Request.Quota == "" {
		return
	}
	if q.pending == nil {
		q.pending = map[string]muster.Resources{}
	}
	sum := q.pending[p.Request.Quota]
	if sum == nil {
		sum = muster.Resources{}
		q.pending[p.Request.Quota] = sum
	}
	for i := range p.Request.Members {
		for name, amount := range shapeOf(&p.Request, i).Resources {
			sum[name] += times * amount
		}
	}
}

// expectQuotas begins with the quotas of the cluster, and looks ahead at those to come.
func (l *loop) expectQuotas() error {
	l.quotas.known = l.c.Quotas() != nil
	for i := range l.opt.Quotas {
		next, err := withQuotas(l.empty, &l.opt.Quotas[i])
		if err != nil {
			return fmt.Errorf("options.Quotas[%d]: %w", i, err)
		}
		l.quotas.coming = append(l.quotas.coming, next)
	}
	return nil
}

// tellDemand tells quotas what waits, where that has changed: what gangs may use depends on it, so that whoever was refused is tried again.
func (l *loop) tellDemand() error {
	if !l.quotas.known || !l.quotas.changed {
		return nil
	}
	l.quotas.changed = false
	clear(l.waiting.refused)
	d := cluster.Delta{Demand: map[string]muster.Resources{}}
	for name, sum := range l.quotas.pending {
		if l.c.Quotas().IsLeaf(name) {
			d.Demand[name] = maps.Clone(sum)
		}
	}
	next, err := l.c.Update(d)
	if err != nil {
		return err
	}
	l.c = next
	return nil
}

// setQuotas changes the quotas.
func (l *loop) setQuotas(ch change) error {
	next, err := withQuotas(l.c, ch.quotas)
	if err != nil {
		return fmt.Errorf("quotas from %d on: %w", ch.at, err)
	}
	l.c, l.empty, l.quotas.coming = next, l.quotas.coming[0], l.quotas.coming[1:]
	l.quotas.known, l.quotas.changed = true, true
	clear(l.alone)
	return nil
}

// withQuotas is a cluster with other quotas, made anew.
func withQuotas(c *placement.Cluster, to *QuotaChange) (*placement.Cluster, error) {
	return placement.NewCluster(cluster.Spec{
		Trees: c.Trees(), Nodes: slices.Collect(c.Nodes()), Running: slices.Collect(c.Running()), Holds: c.Holds(), DomainHolds: c.DomainHolds(), Budgets: c.Budgets(),
		NUMAExclusive: c.NUMAExclusive(), Quotas: to.Quotas, Total: to.Total,
	})
}
