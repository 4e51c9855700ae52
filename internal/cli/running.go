package cli

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/printed"
	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/placement/render"
)

// running says how each gang of the files lies that runs, worst first; alone counts the pods that run in no gang.
func (p *Planned) running() (gangs []placement.RunningGang, alone int, err error) {
	gangs = []placement.RunningGang{} // in JSON a list, also of none
	known := map[string]bool{}
	for i := range p.Input.Standing {
		req := &p.Input.Standing[i]
		known[req.Name] = true
		g, err := p.standing(req)
		if err != nil {
			return nil, 0, fmt.Errorf("%s: %w", printed.Text(req.Name), err)
		}
		gangs = append(gangs, *g)
	}
	for i := range p.Input.Spec.Running {
		if r := &p.Input.Spec.Running[i]; !known[r.Gang] && !r.Leaving {
			alone++
		}
	}
	slices.SortFunc(gangs, compareRunning)
	return gangs, alone, nil
}

// standing asks for a gang by its request; where the cluster has no such layers, by its members alone.
func (p *Planned) standing(req *gang.Request) (*placement.RunningGang, error) {
	if g, err := placement.Standing(p.Cluster, req); err == nil {
		return g, nil
	}
	return placement.Standing(p.Cluster, &gang.Request{Name: req.Name, Tree: p.knownTree(req.Tree), Members: req.Members})
}

// knownTree is a topology by its name, another one if the cluster has none of this name.
func (p *Planned) knownTree(name string) string {
	if trees := p.Cluster.Trees(); len(trees) > 0 && !slices.ContainsFunc(trees, func(t cluster.NamedTree) bool { return t.Name == cmp.Or(name, "default") }) {
		return trees[0].Name
	}
	return name
}

// compareRunning puts the gang first that is most tiers wider than it need be, then those that would lie better elsewhere, larger ones
// first.
func compareRunning(a, b placement.RunningGang) int {
	stays := func(g *placement.RunningGang) int { return map[bool]int{true: 1}[g.Moves == nil] }
	return cmp.Or(cmp.Compare(b.Wider, a.Wider), cmp.Compare(stays(&a), stays(&b)), cmp.Compare(b.Members, a.Members), muster.CompareNatural(a.Gang, b.Gang))
}

// writeRunning writes them as lines.
func writeRunning(w io.Writer, p *Planned) error {
	gangs, alone, err := p.running()
	if err != nil {
		return err
	}
	return render.RunningText(w, gangs, alone, p.Cluster.Trees()...)
}
