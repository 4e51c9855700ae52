package benchmarks

import (
	"cmp"
	"slices"

	"github.com/muster-sched/muster/cluster"
)

// Greedy takes victims as schedulers do that know of no gang but the one they place: domain by domain it places one member after the other, each on
// the node where that takes the cheapest victims then. It stands beside the planner in the benchmarks.
type Greedy struct {
	devices int64 // that a member takes
	members int
	free    []int64
	on      [][]*crowdPod // by node, the lowest priority first
	gangs   map[string]*crowdGang
}

type crowdPod struct {
	*crowdGang
	node    int
	devices int64
	gone    bool
}

type crowdGang struct {
	priority       int64
	pods           []*crowdPod
	staying, needs int
}

// Evicted is what a placement costs, in the order in which it is compared.
type Evicted struct {
	HighestPriority     int64
	GangsEnded, Members int
	PrioritySum         int64
}

// Compare orders costs.
func (e Evicted) Compare(o Evicted) int {
	return cmp.Or(cmp.Compare(e.HighestPriority, o.HighestPriority), cmp.Compare(e.GangsEnded, o.GangsEnded),
		cmp.Compare(e.Members, o.Members), cmp.Compare(e.PrioritySum, o.PrioritySum))
}

func (e *Evicted) add(o Evicted) {
	if e.Members == 0 || o.Members > 0 && o.HighestPriority > e.HighestPriority {
		e.HighestPriority = o.HighestPriority
	}
	e.GangsEnded, e.Members, e.PrioritySum = e.GangsEnded+o.GangsEnded, e.Members+o.Members, e.PrioritySum+o.PrioritySum
}

// NewGreedy reads a crowd.
func NewGreedy(spec cluster.Spec, members int, devices int64) *Greedy {
	g := &Greedy{devices: devices, members: members, on: make([][]*crowdPod, len(spec.Nodes)), gangs: map[string]*crowdGang{}}
	at := map[string]int{}
	for i := range spec.Nodes {
		at[spec.Nodes[i].Name] = i
		g.free = append(g.free, spec.Nodes[i].Allocatable[device])
	}
	for _, r := range spec.Running {
		of := g.gangs[r.Gang]
		if of == nil {
			of = &crowdGang{priority: r.Priority, needs: r.MinMember}
			g.gangs[r.Gang] = of
		}
		p := &crowdPod{crowdGang: of, node: at[r.Node], devices: r.Resources[device]}
		of.pods, of.staying = append(of.pods, p), of.staying+1
		g.on[p.node] = append(g.on[p.node], p)
		g.free[p.node] -= p.devices
	}
	for _, pods := range g.on {
		slices.SortStableFunc(pods, func(a, b *crowdPod) int { return cmp.Compare(a.priority, b.priority) })
	}
	return g
}

// Best is the cheapest over all domains of so many nodes; false if no domain takes the gang.
func (g *Greedy) Best(size int) (best Evicted, ok bool) {
	free := slices.Clone(g.free)
	for lo := 0; lo < len(g.free); lo += size {
		cost, fits := g.within(lo, lo+size)
		if fits && (!ok || cost.Compare(best) < 0) {
			best, ok = cost, true
		}
		copy(g.free, free)
		for _, of := range g.gangs {
			of.staying = len(of.pods)
			for _, p := range of.pods {
				p.gone = false
			}
		}
	}
	return best, ok
}

// within places one member after the other on the nodes from lo to end.
func (g *Greedy) within(lo, end int) (total Evicted, ok bool) {
	for range g.members {
		best, cost := -1, Evicted{}
		for n := lo; n < end; n++ {
			if c, ok := g.cost(n, false); ok && (best < 0 || c.Members == 0 && cost.Members > 0 || (c.Members > 0 || cost.Members == 0) && c.Compare(cost) < 0) {
				best, cost = n, c
			}
		}
		if best < 0 {
			return total, false
		}
		c, _ := g.cost(best, true)
		total.add(c)
		g.free[best] -= g.devices
	}
	return total, true
}

// cost is what it takes that a member fits on a node, the lowest priorities leaving first, each gang with all that cannot run on without it; take carries it out.
func (g *Greedy) cost(n int, take bool) (cost Evicted, ok bool) {
	free := g.free[n]
	for _, p := range g.on[n] {
		if free >= g.devices {
			break
		}
		if p.gone {
			continue
		}
		if take {
			cost.add(g.leave(p))
			free = g.free[n]
			continue
		}
		free += p.devices
		one := Evicted{HighestPriority: p.priority, Members: 1, PrioritySum: p.priority}
		if p.staying-1 < p.needs {
			one.GangsEnded, one.Members, one.PrioritySum = 1, p.staying, p.priority*int64(p.staying)
		}
		cost.add(one)
	}
	return cost, free >= g.devices
}

func (g *Greedy) leave(p *crowdPod) (cost Evicted) {
	cost.HighestPriority = p.priority
	pods := []*crowdPod{p}
	if p.needs > 0 && p.staying-1 < p.needs {
		pods, cost.GangsEnded = p.pods, 1
	}
	for _, o := range pods {
		if !o.gone {
			o.gone, o.staying = true, o.staying-1
			g.free[o.node] += o.devices
			cost.Members, cost.PrioritySum = cost.Members+1, cost.PrioritySum+o.priority
		}
	}
	return cost
}
