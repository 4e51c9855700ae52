// Package changed answers: what are a cluster and a gang once a change is made that an explanation names? It does by hand what a reader
// of the explanation would, and is meant for tests.
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
	"github.com/muster-sched/muster/quota"
	"github.com/muster-sched/muster/topology"
)

// Make makes a change of a cluster, or of a gang, as package explain describes it. What is replaced is copied before.
func Make(spec *cluster.Spec, req *gang.Request, c *explain.Change) {
	switch c.Kind {
	case explain.KindNodes, explain.KindGangs, explain.KindAdd, explain.KindQuota:
		changeCluster(spec, req, c)
	default:
		changeRequest(req, c)
	}
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

// changeRequest changes a request, in copies of what it holds.
func changeRequest(req *gang.Request, c *explain.Change) {
	switch c.Kind {
	case explain.KindPriority:
		req.Priority = c.Priority
		if c.Preempts {
			req.NeverPreempts = false
		}
	case explain.KindRequest, explain.KindTaint, explain.KindSelector:
		eachShape(req, func(s *gang.Shape) { changeShape(s, c) })
	case explain.KindMembers:
		changeMinimum(req, c)
	default:
		changeRules(req, c)
	}
}

// eachShape calls change for a copy of every shape.
func eachShape(req *gang.Request, change func(*gang.Shape)) {
	change(&req.Shape)
	req.Members = slices.Clone(req.Members)
	for i := range req.Members {
		if m := &req.Members[i]; m.Shape != nil {
			own := *m.Shape
			change(&own)
			m.Shape = &own
		}
	}
}

func changeShape(s *gang.Shape, c *explain.Change) {
	switch {
	case c.Kind == explain.KindRequest && s.Resources[c.Resource] > c.Amount:
		s.Resources = Over(s.Resources, muster.Resources{c.Resource: c.Amount})
	case c.Kind == explain.KindTaint:
		t := gang.Toleration{Key: c.Taint.Key, Value: c.Taint.Value, Effect: c.Taint.Effect}
		s.Tolerations = append(slices.Clone(s.Tolerations), t)
	case c.Kind == explain.KindSelector && c.Affinity:
		s.Affinity = nil
	case c.Kind == explain.KindSelector:
		s.Selector = maps.Clone(s.Selector)
		delete(s.Selector, c.Label)
	}
}

// changeMinimum changes how many members, or parts, must be placed.
func changeMinimum(req *gang.Request, c *explain.Change) {
	members, parts := &req.MinMember, &req.MinParts
	if c.Part != "" {
		req.Parts = copyParts(req.Parts)
		p := Part(req.Parts, c.Part)
		members, parts = &p.MinMember, &p.MinParts
	}
	switch {
	case c.Parts && c.MinParts == 0:
		*parts = -1
	case c.Parts:
		*parts = c.MinParts
	default:
		*members = c.MinMember
	}
	if c.GangMinMember > 0 {
		req.MinMember = c.GangMinMember
	}
}

func copyParts(parts []gang.Part) []gang.Part {
	out := slices.Clone(parts)
	for i := range out {
		out[i].Parts, out[i].Groups = copyParts(out[i].Parts), slices.Clone(out[i].Groups)
	}
	return out
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

// changeLimits are limits of which one has another number, or is gone.
func changeLimits(limits []gang.Limit, c *explain.Change) (out []gang.Limit) {
	for _, l := range limits {
		if l.Kind == c.Limit && l.Layer == c.From && l.OfParts == c.OfParts {
			if l.Most = c.Most; c.Most == 0 {
				continue
			}
		}
		out = append(out, l)
	}
	return out
}

// changeRules changes a gather rule or a limit, drops a multiple or a level of groups.
func changeRules(req *gang.Request, c *explain.Change) {
	rules, limits, groups := &req.Gather, &req.Limits, &req.Groups
	if c.Part != "" {
		req.Parts = copyParts(req.Parts)
		p := Part(req.Parts, c.Part)
		rules, limits, groups = &p.Gather, &p.Limits, &p.Groups
	}
	if c.Level > 0 && len(*groups) > 0 {
		*groups = slices.Clone(*groups)
		rules, limits = &(*groups)[c.Level-1].Gather, &(*groups)[c.Level-1].Limits
	}
	switch c.Kind {
	case explain.KindLimit:
		*limits = changeLimits(*limits, c)
	case explain.KindGroup:
		if req.PP, req.DP = 0, 0; len(*groups) > 0 {
			*groups = slices.Delete(*groups, c.Level-1, c.Level)
		}
	case explain.KindMultiple:
		i := slices.IndexFunc(*rules, func(r gang.Rule) bool { return r.Layer == c.From && r.Multiple == c.Multiple })
		*rules = slices.Clone(*rules)
		if (*rules)[i].Multiple = 0; (*rules)[i].Strength == "" {
			*rules = slices.Delete(*rules, i, i+1)
		}
	default:
		var out []gang.Rule
		for _, r := range *rules {
			if r.Strength == gang.MustGather && r.Layer == c.From {
				if r.Strength = ""; c.To != "" {
					out = append(out, gang.Rule{Layer: c.To, Strength: gang.MustGather})
				}
				if r.Multiple == 0 {
					continue
				}
			}
			out = append(out, r)
		}
		*rules = out
	}
}
