// Package changed answers: what are a cluster and a gang once a change is made that an explanation names? Of a gang the table
// of kinds says that; what a cluster is it does by hand, as a reader of the explanation would. It is meant for tests.
package changed

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/explain"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/kinds"
	"github.com/muster-sched/muster/quota"
	"github.com/muster-sched/muster/topology"
)

// Make makes a change of a cluster, or of a gang, as package explain describes it. What is replaced is copied before.
func Make(spec *cluster.Spec, req *gang.Request, c *explain.Change) {
	if edit := kinds.Of(c.Kind).Edit; edit != nil {
		next, _ := edit(req, c)
		*req = *next
		return
	}
	changeCluster(spec, req, c)
}

// changeCluster changes nodes, running members, quotas.
func changeCluster(spec *cluster.Spec, req *gang.Request, c *explain.Change) {
	switch c.Kind {
	case explain.KindNodes:
		spec.Nodes = slices.Clone(spec.Nodes)
		for i := range spec.Nodes {
			if n := &spec.Nodes[i]; slices.Contains(c.Nodes, n.Name) {
				*n = serving(*n)
			}
		}
	case explain.KindGangs:
		spec.Running = slices.DeleteFunc(slices.Clone(spec.Running), func(r cluster.Running) bool {
			return slices.Contains(c.Gangs, r.Gang) && !r.Unevictable
		})
	case explain.KindQuota:
		spec.Quotas = sure(Quotas(spec.Quotas, c))
	default:
		addNodes(spec, req.Tree, c)
	}
}

// Quotas is a tree of quotas after a change of quotas. An error says why there can be no such tree: a minimum that is less than its children
// have in sum, say.
func Quotas(tree *quota.Tree, c *explain.Change) (*quota.Tree, error) {
	var specs []quota.Spec
	for _, name := range tree.Quotas() {
		s, _ := tree.Spec(name)
		for _, q := range c.Quotas {
			if q.Quota == name {
				s.Max, s.Min = Over(s.Max, q.Max), Over(s.Min, q.Min)
			}
		}
		specs = append(specs, s)
	}
	return quota.New(specs)
}

// serving is a node that is in service again, as whoever returns it leaves it.
func serving(n cluster.Node) cluster.Node {
	if n.Cordoned || n.NotReady {
		n.Taints = slices.DeleteFunc(slices.Clone(n.Taints), func(t gang.Taint) bool {
			switch strings.TrimPrefix(t.Key, "node.kubernetes.io/") {
			case "unschedulable", "not-ready", "unreachable", "memory-pressure", "disk-pressure", "pid-pressure", "network-unavailable":
				return strings.HasPrefix(t.Key, "node.")
			}
			return false
		})
	}
	n.Cordoned, n.NotReady = false, false
	return n
}

// Over is amounts with some of them replaced.
func Over(old, fresh muster.Resources) muster.Resources {
	if len(fresh) == 0 {
		return old
	}
	out := maps.Clone(old)
	if out == nil {
		out = muster.Resources{}
	}
	maps.Copy(out, fresh)
	return out
}

func sure[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// addNodes adds nodes like one to a domain of the topology that a request is planned in.
func addNodes(spec *cluster.Spec, tree string, c *explain.Change) {
	like := spec.Nodes[slices.IndexFunc(spec.Nodes, func(n cluster.Node) bool { return n.Name == c.Like })]
	like = serving(like)
	spec.Nodes, spec.Trees = slices.Clone(spec.Nodes), slices.Clone(spec.Trees)
	var names []string
	for i := range c.Add {
		like.Name = fmt.Sprintf("added-%d", i)
		names, spec.Nodes = append(names, like.Name), append(spec.Nodes, like)
	}
	for i := range spec.Trees {
		if t := &spec.Trees[i]; t.Name == tree || tree == "" && (len(spec.Trees) == 1 || t.Name == "default") {
			grown := t.Tree.Spec()
			if !grown.Grow(c.Domain, names) {
				panic(fmt.Sprint("no domain ", c.Domain))
			}
			t.Tree = sure(topology.New(grown))
		}
	}
}

// Part finds a part by its name, at any depth; nil if there is none.
func Part(parts []gang.Part, name string) *gang.Part {
	for i := range parts {
		if parts[i].Name == name {
			return &parts[i]
		}
		if p := Part(parts[i].Parts, name); p != nil {
			return p
		}
	}
	return nil
}
