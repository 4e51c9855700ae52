package simulate

import (
	"cmp"
	"container/heap"
	"iter"
	"maps"
	"math"
	"slices"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/placement"
)

// loop is a simulation at one instant.
type loop struct {
	opt     Options
	now     int64
	c       *placement.Cluster
	empty   *placement.Cluster // as at first, without anybody: who finds no place there never will
	alone   map[string]alone   // by class: what becomes of its gangs there
	waiting waiting
	sizes   *sizes // nil: refusals say nothing of larger gangs
	running map[string]*pending
	used    int64           // of the resource that is measured, by gangs of the stream
	names   map[string]bool // of gangs that run or wait
	ends    endings
	held    []*pending     // for whom room is held, in the order in which they wait
	changes []change       // that are still to come, in order
	down    map[string]int // by node: outages that it is in
	quotas  quotas
	report  *Report
	noting  *noting // nil: no series is wanted
}

// change is what becomes of a node, or of the quotas, at an instant.
type change struct {
	at     int64
	node   string
	down   bool
	quotas *QuotaChange // nil: it is one of a node
}

// endings are gangs by when they end, then by name; a heap.
type endings []*pending

func (e endings) Len() int { return len(e) }
func (e endings) Less(i, j int) bool {
	return cmp.Or(cmp.Compare(e[i].ends, e[j].ends), muster.CompareNatural(e[i].Request.Name, e[j].Request.Name)) < 0
}
func (e endings) Swap(i, j int) { e[i], e[j] = e[j], e[i] }
func (e *endings) Push(p any)   { *e = append(*e, p.(*pending)) }
func (e *endings) Pop() any {
	last := (*e)[len(*e)-1]
	*e = (*e)[:len(*e)-1]
	return last
}

func newLoop(opt Options) (*loop, error) {
	if opt.Placer == nil {
		opt.Placer = Muster{}
	}
	l := &loop{opt: opt, c: opt.Cluster, alone: map[string]alone{}, running: map[string]*pending{}, names: map[string]bool{}, down: map[string]int{}, report: newReport(opt.Cluster), noting: newNoting(opt.Series)}
	l.waiting.refused = map[string]bool{}
	l.sizes = newSizes(&opt)
	for _, o := range opt.Outages {
		l.changes = append(l.changes, change{at: o.From, node: o.Node, down: true})
		if o.Until > 0 {
			l.changes = append(l.changes, change{at: o.Until, node: o.Node})
		}
	}
	for i := range opt.Quotas {
		l.changes = append(l.changes, change{at: opt.Quotas[i].From, quotas: &opt.Quotas[i]})
	}
	slices.SortStableFunc(l.changes, func(a, b change) int { return cmp.Compare(a.at, b.at) })
	var gone cluster.Delta
	ending, members := map[string]int64{}, map[string]int{} // 0: never
	for r := range opt.Cluster.Running() {
		if r.Leaving {
			gone.Remove = append(gone.Remove, cluster.MemberRef{Gang: r.Gang, Member: r.Member})
			continue
		}
		members[r.Gang]++
		if was, known := ending[r.Gang]; known && (was == 0 || r.End != 0 && r.End < was) {
			continue
		}
		ending[r.Gang] = r.End
	}
	for name, end := range ending { // into a heap, in any order
		p := &pending{ends: end, members: members[name]}
		p.Request.Name = name
		if l.names[name], l.running[name] = true, p; end > 0 {
			heap.Push(&l.ends, p)
		}
	}
	gone.Demand = noDemand(opt.Cluster)
	var err error
	if len(gone.Remove)+len(gone.Demand) > 0 {
		if l.c, err = l.c.Update(gone); err != nil {
			return nil, err
		}
	}
	if l.empty = l.c; len(ending) > 0 {
		if l.empty, err = l.c.ReleaseGangs(slices.SortedFunc(maps.Keys(ending), muster.CompareNatural)...); err != nil {
			return nil, err
		}
	}
	return l, l.expectQuotas()
}

// run plays all events: at one instant gangs end first, then nodes fail and come back and quotas change, then gangs arrive, and then those are tried that wait.
func (l *loop) run() (*Report, error) {
	next, stop := iter.Pull2(l.opt.Jobs)
	defer stop()
	job, err, more := next()
	for {
		if err != nil {
			return nil, err
		}
		at := l.nextEvent(job.Arrives, more)
		if at == math.MaxInt64 {
			break
		}
		if err := l.note(at); err != nil {
			return nil, err
		}
		l.now = at
		if err := l.end(); err != nil {
			return nil, err
		}
		if err := l.applyChanges(); err != nil {
			return nil, err
		}
		for ; more && err == nil && job.Arrives <= at; job, err, more = next() {
			if err := l.arrive(job); err != nil {
				return nil, err
			}
		}
		if err := l.start(); err != nil {
			return nil, err
		}
		l.check()
	}
	if err := l.note(l.now + 1); err != nil {
		return nil, err
	}
	if l.noting != nil {
		l.report.Series = &l.noting.out
	}
	return l.report.closed(l.waiting.n, l.used), nil
}
