package remedies

import (
	"fmt"
	"strings"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/explain"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/bounds"
	"github.com/muster-sched/muster/internal/kinds"
	"github.com/muster-sched/muster/internal/outcome"
	"github.com/muster-sched/muster/internal/search"
	"github.com/muster-sched/muster/internal/snapshot"
	"github.com/muster-sched/muster/internal/victims"
	"github.com/muster-sched/muster/quota"
	"github.com/muster-sched/muster/topology"
)

// inRacks is a cluster with a text for each rack, two racks in a room. A word is a node and a character a device of it: free (.), or held by a
// member of the gang of that letter. A node behind # is cordoned.
func inRacks(racks ...string) cluster.Spec {
	tree := topology.Spec{Layers: []topology.Layer{{Name: "rack", Tier: 1}, {Name: "room", Tier: 2}}}
	var spec cluster.Spec
	for i, text := range racks {
		if i%2 == 0 {
			tree.Roots = append(tree.Roots, topology.Domain{Name: fmt.Sprint("room", i/2), Tier: 2})
		}
		rack := topology.Domain{Name: fmt.Sprint("rack", i), Tier: 1}
		for word := range strings.FieldsSeq(text) {
			n := cluster.Node{Name: fmt.Sprint("n", len(spec.Nodes)), Cordoned: word[0] == '#'}
			word = strings.TrimPrefix(word, "#")
			n.Allocatable = muster.Resources{"gpu": int64(len(word))}
			for _, letter := range strings.ReplaceAll(word, ".", "") {
				spec.Running = append(spec.Running, cluster.Running{
					Gang: string(letter), Member: fmt.Sprint(string(letter), len(spec.Running)), Node: n.Name, Resources: muster.Resources{"gpu": 1},
				})
			}
			spec.Nodes, rack.Nodes = append(spec.Nodes, n), append(rack.Nodes, n.Name)
		}
		room := &tree.Roots[i/2]
		room.Children = append(room.Children, rack)
	}
	made, err := topology.New(tree)
	if err != nil {
		panic(err) // a test draws no such cluster
	}
	spec.Trees = []cluster.NamedTree{{Name: "default", Tree: made}}
	return spec
}

// jobOf is a gang of so many members that ask for so many devices each, and for which nobody leaves.
func jobOf(members int, devices int64) gang.Request {
	req := gang.Request{Name: "job", NeverPreempts: true, Shape: gang.Shape{Resources: muster.Resources{"gpu": devices}}}
	for i := range members {
		req.Members = append(req.Members, gang.Member{Name: fmt.Sprint("job-", i)})
	}
	return req
}

// quotasOf are quotas by name, all below the first one.
func quotasOf(specs ...quota.Spec) *quota.Tree {
	for i := range specs[1:] {
		specs[1+i].Parent = specs[0].Name
	}
	tree, err := quota.New(specs)
	if err != nil {
		panic(err)
	}
	return tree
}

// plans is a planner by the engines alone: what fits now, else once those are gone who leave, else once others have left.
func plans(s *snapshot.Snapshot, req *gang.Request, evict bool, b bounds.Search) (*explain.Plan, bool) {
	p, err := search.New(s, req, nil, b)
	if err != nil {
		return nil, true
	}
	defer p.Done()
	if o := search.Best(p); o != nil {
		return planOf(o), true
	}
	if o := search.Wait(p); o != nil {
		return planOf(o), true
	}
	p.Room.LeavingGone = search.Awaits(p)
	if !evict {
		return nil, true
	}
	e := victims.Evict(p, victims.Anybody)
	if e == nil {
		return nil, !p.Unsettled
	}
	defer e.Done()
	plan := planOf(e.Plan)
	for _, v := range e.Victims {
		plan.Victims = append(plan.Victims, cluster.MemberRef{Gang: v.Member.Class.Gang, Member: v.Member.Name})
	}
	return plan, true
}

func planOf(o *outcome.Outcome) *explain.Plan {
	_, positions := o.Members()
	return &explain.Plan{Members: len(positions), Tier: int(o.Tier), Domain: o.Of.Model.View.Path(o.Domain, o.Of.Snapshot.Lineage.NodeName)}
}

// fits says whether a gang can start, and on which plan.
func fits(spec cluster.Spec, req *gang.Request) *explain.Plan {
	s, err := snapshot.New(spec)
	if err != nil {
		return nil
	}
	plan, _ := plans(s, req, true, bounds.Search{})
	return plan
}

// remediesOf are the changes that are found, and what was not looked into.
func remediesOf(t require.TestingT, spec cluster.Spec, req *gang.Request, lost map[string]int64) ([]explain.Relaxation, []explain.NotTried) {
	s, err := snapshot.New(spec)
	require.NoError(t, err)
	p, err := search.New(s, req, nil, bounds.Search{})
	require.NoError(t, err)
	defer p.Done()
	f := Search{Plan: plans, Left: p.NewBudget(), Plans: 200, Lost: lost}
	found, notTried, _ := f.Find(s, req)
	return found, notTried
}

// lineOf is what a scenario says of a change: `nodes n1,n2`.
func lineOf(c *explain.Change) string {
	_, _, line := kinds.Of(c.Kind).Told(c, "", nil)
	text := string(c.Kind)
	if c.Part != "" {
		text += " of " + c.Part
	}
	if c.Level > 0 {
		text += fmt.Sprint(" of level ", c.Level)
	}
	return text + line
}

// linesOf has all changes of relaxations.
func linesOf(found []explain.Relaxation) (lines []string) {
	for i := range found {
		line := lineOf(&found[i].Change)
		for k := range found[i].And {
			line += " and " + lineOf(&found[i].And[k])
		}
		if !found[i].Least {
			line += " (perhaps less)"
		}
		lines = append(lines, line)
	}
	return lines
}
