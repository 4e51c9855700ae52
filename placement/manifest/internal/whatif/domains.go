package whatif

import (
	"fmt"
	"slices"
	"strings"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/placement/manifest/internal/object"
	"github.com/muster-sched/muster/topology"
)

// domain is one of a topology.
type domain struct {
	topology string
	tree     *topology.Tree
	id       topology.DomainID
}

// chooseDomains adds the nodes of the domains that are left out.
func (a *Asked) chooseDomains(trees []cluster.NamedTree, to map[string]bool) error {
	of := map[string][]domain{} // by path
	for _, t := range trees {
		if a.Topology != "" && t.Name != a.Topology {
			continue
		}
		for d := range t.Tree.All() {
			if d != topology.Root {
				at := strings.Join(t.Tree.Path(d), "/")
				of[at] = append(of[at], domain{t.Name, t.Tree, d})
			}
		}
	}
	paths := object.SortedKeys(of)
	for i, name := range a.WithoutDomains {
		called, err := chosenPaths(i, name, paths)
		if err != nil {
			return err
		}
		for _, at := range called {
			if len(of[at]) > 1 {
				return muster.Invalid(fmt.Sprintf("options.WithoutDomains[%d]", i), name,
					fmt.Sprintf("topologies %s and %s have it: choose one (Options.Topology, -topology)", of[at][0].topology, of[at][1].topology))
			}
			of[at][0].addNodes(to)
		}
	}
	return nil
}

func (d domain) addNodes(to map[string]bool) {
	first, last := d.tree.Nodes(d.id)
	for n := first; n < last; n++ {
		to[d.tree.NodeName(n)] = true
	}
}

// chosenPaths are the paths of domains that a name means: a path, an end of one that no other has, or a pattern.
func chosenPaths(i int, name string, paths []string) ([]string, error) {
	var ends []string
	for _, at := range paths {
		if strings.HasSuffix(at, "/"+name) {
			ends = append(ends, at)
		}
	}
	switch {
	case slices.Contains(paths, name) || len(ends) == 0:
		return chosen("WithoutDomains", "domain", i, name, paths)
	case len(ends) == 1:
		return ends, nil
	}
	return nil, muster.Invalid(fmt.Sprintf("options.WithoutDomains[%d]", i), name, fmt.Sprintf("%d domains are called so, such as %s and %s", len(ends), ends[0], ends[1]))
}
