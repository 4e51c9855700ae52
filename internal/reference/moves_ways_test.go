package reference

import (
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/validity"
	"github.com/muster-sched/muster/placement"
)

// ways are all that movers may do in a small cluster.
type ways struct {
	in    *Input
	opt   *placement.MovesOptions
	free  map[string]muster.Resources
	rows  []cluster.Running // who may move
	takes map[string]bool
	was   map[string]int
	found []moved
	left  int
}

type moved struct {
	cost placement.MoveCost
	at   []string
}

// waysOf tries all nodes for all members that may move. Not known: there are too many ways, or more than amounts decides.
func waysOf(in *Input, opt *placement.MovesOptions) (*ways, bool) {
	w := &ways{in: in, opt: opt, free: map[string]muster.Resources{}, takes: map[string]bool{}, was: map[string]int{}, left: 10_000}
	for i := range in.Spec.Nodes {
		n := &in.Spec.Nodes[i]
		if n.NUMA != nil {
			return nil, false
		}
		w.free[n.Name] = maps.Clone(n.Allocatable)
		if _, bounded := n.Allocatable["pods"]; !bounded {
			w.free[n.Name]["pods"] = math.MaxInt32
		}
		w.takes[n.Name] = validity.Refusal(&in.Spec, &gang.Request{Name: "-"}, &gang.Shape{}, n) == ""
	}
	stays := map[string]bool{in.Request.Name: true}
	counts := map[[2]string]int{}
	for _, r := range in.Spec.Running {
		_, moves := lost(opt, r.Gang)
		if stays[r.Gang] = stays[r.Gang] || !moves || !r.Leaving && (r.NonPreemptible || r.Unevictable); r.Alone != "" || r.NUMA != nil || r.Tolerated {
			return nil, false
		}
		for _, b := range r.Budgets {
			if !r.Leaving {
				counts[[2]string{r.Gang, b}]++
			}
		}
	}
	for _, b := range in.Spec.Budgets {
		for of, n := range counts {
			stays[of[0]] = stays[of[0]] || of[1] == b.Name && n > b.Allowed
		}
	}
	for _, r := range in.Spec.Running {
		if stays[r.Gang] || r.Leaving || strings.HasPrefix(r.Gang, "held") {
			for name, amount := range r.Resources {
				w.free[r.Node][name] -= amount
			}
			continue
		}
		w.rows = append(w.rows, r)
		w.was[r.Gang] = tierOf(in, in.Spec.Running, r.Gang)
	}
	if len(in.Spec.Holds) > 0 || len(w.rows) > 6 || len(in.Request.Limits) > 0 {
		return nil, false
	}
	if w.put(0, nil); w.left < 0 {
		return nil, false
	}
	return w, true
}

// leastMoves is what the cheapest way costs by which a goal is reached; nil: there is none.
func leastMoves(c *placement.Cluster, in *Input, opt *placement.MovesOptions, reached func(*placement.Cluster) bool) (best *placement.MoveCost, known bool) {
	w, known := waysOf(in, opt)
	if !known {
		return nil, false
	}
	slices.SortStableFunc(w.found, func(a, b moved) int { return a.cost.Compare(b.cost) })
	for i := range w.found {
		if next, err := w.after(c, &w.found[i]); err == nil && reached(next) {
			return &w.found[i].cost, true
		}
	}
	return nil, true
}

// fitsThen says whether the gang has a place.
func fitsThen(in *Input) func(*placement.Cluster) bool {
	req := in.Request
	req.NeverPreempts = true
	return func(c *placement.Cluster) bool {
		_, err := placement.Plan(c, &req)
		return err == nil
	}
}

// emptyThen says whether so many leaves, or nodes, have nobody.
func emptyThen(in *Input, layer string, least int) func(*placement.Cluster) bool {
	return func(c *placement.Cluster) bool {
		tree, _ := validity.PickTree(&in.Spec, &in.Request)
		all, used := map[string]bool{}, map[string]bool{}
		domain := func(node string) string {
			if layer == "node" {
				return node
			}
			n, _ := tree.Tree.Node(node)
			return strings.Join(tree.Tree.Path(tree.Tree.Leaf(n)), "/")
		}
		for _, n := range in.Spec.Nodes {
			all[domain(n.Name)] = true
		}
		for r := range c.Running() {
			used[domain(r.Node)] = true
		}
		return len(all)-len(used) >= least
	}
}

// put puts the i-th of those who may move on each node.
func (w *ways) put(i int, at []string) {
	if w.left--; w.left < 0 {
		return
	}
	if i == len(w.rows) {
		w.add(at)
		return
	}
	r := &w.rows[i]
	for _, n := range w.in.Spec.Nodes {
		if n.Name != r.Node && !w.takes[n.Name] || w.free[n.Name] == nil {
			continue
		}
		fits := true
		for name, amount := range r.Resources {
			w.free[n.Name][name] -= amount
			fits = fits && (w.free[n.Name][name] >= 0 || amount == 0 || n.Name == r.Node) // it stays where too many are
		}
		if fits {
			w.put(i+1, append(slices.Clone(at), n.Name))
		}
		for name, amount := range r.Resources {
			w.free[n.Name][name] += amount
		}
	}
}

func (w *ways) add(at []string) {
	cost, gangs := placement.MoveCost{}, map[string]bool{}
	after := slices.Clone(w.rows)
	for i := range after {
		if after[i].Node != at[i] {
			for name, amount := range after[i].Resources {
				if amount > 0 && w.free[at[i]][name] < 0 {
					return
				}
			}
			cost.Members++
			gangs[after[i].Gang] = true
		}
		after[i].Node = at[i]
	}
	cost.Gangs = len(gangs)
	for g := range gangs {
		work, _ := lost(w.opt, g)
		if cost.Lost += work; !w.opt.Wider && tierOf(w.in, after, g) > w.was[g] {
			return
		}
	}
	if w.opt.MaxMoved > 0 && cost.Members > w.opt.MaxMoved {
		return
	}
	w.found = append(w.found, moved{cost, slices.Clone(at)})
}

func (w *ways) after(c *placement.Cluster, one *moved) (*placement.Cluster, error) {
	var d cluster.Delta
	for i, r := range w.rows {
		if r.Node != one.at[i] {
			d.Remove = append(d.Remove, cluster.MemberRef{Gang: r.Gang, Member: r.Member})
			r.Node = one.at[i]
			d.Place = append(d.Place, r)
		}
	}
	return c.Update(d)
}
