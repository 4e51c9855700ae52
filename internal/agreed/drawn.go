// About which gangs in parts are the planners asked?

package agreed

import (
	"fmt"
	"slices"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/draws"
	"github.com/muster-sched/muster/internal/reference"
	"github.com/muster-sched/muster/numa"
	"github.com/muster-sched/muster/quota"
	"github.com/muster-sched/muster/topology"
)

// drawing is a cluster, and a gang for it, while they are drawn.
type drawing struct {
	t  *rapid.T
	in reference.Input
}

// pick draws one of some values; the first ones come more often.
func pick[V any](t *rapid.T, what string, values ...V) V {
	return rapid.SampledFrom(values).Draw(t, what)
}

// drawInput draws a gang in parts, with what else is asked for.
func drawInput(t *rapid.T, with func(d *drawing)) reference.Input {
	d := &drawing{t: t}
	d.nodes(rapid.IntRange(3, 6).Draw(t, "nodes"))
	req := &d.in.Request
	*req = gang.Request{Name: draws.GangName, NeverPreempts: true, Shape: gang.Shape{Resources: muster.Resources{"gpu": 1, "cpu": 1}}}
	if rapid.Bool().Draw(t, "prefers a layer") {
		req.Gather = []gang.Rule{{Layer: pick(t, "layer", "rack", "row", "0"), Strength: gang.PreferGather}}
	}
	for i := range pick(t, "members", 5, 4, 6, 3, 2) {
		m := gang.Member{Name: fmt.Sprint("m-", i)}
		if pick(t, "shape", 1, 2, 3) > 1 {
			m.Shape = &gang.Shape{Resources: muster.Resources{"gpu": rapid.Int64Range(0, 2).Draw(t, "devices"), "cpu": rapid.Int64Range(1, 2).Draw(t, "CPUs")}}
		}
		req.Members = append(req.Members, m)
	}
	d.parts()
	if with != nil {
		with(d)
	}
	return d.in
}

// nodes draws so many of them in racks and rows, two to a rack, and who runs there.
func (d *drawing) nodes(n int) {
	t, spec := d.t, &d.in.Spec
	var rows []topology.Domain
	for i := range n {
		name := fmt.Sprint(string(rune('a'+i/2)), i%2)
		node := cluster.Node{Name: name, Allocatable: muster.Resources{"gpu": rapid.Int64Range(1, 4).Draw(t, "devices"), "cpu": rapid.Int64Range(2, 8).Draw(t, "CPUs")}}
		for range rapid.IntRange(0, 2).Draw(t, "running") {
			who := pick(t, "who", "other", "leaving", draws.GangName)
			r := cluster.Running{Gang: who, Member: fmt.Sprint("r-", len(spec.Running)), Node: name, Resources: muster.Resources{"gpu": 1, "cpu": 1}, MinMember: -1, Leaving: who == "leaving"}
			spec.Running = append(spec.Running, r)
		}
		spec.Nodes = append(spec.Nodes, node)
		if i%4 == 0 {
			rows = append(rows, topology.Domain{Name: fmt.Sprint("row-", i/4), Tier: 2})
		}
		row := &rows[len(rows)-1]
		if i%2 == 0 {
			row.Children = append(row.Children, topology.Domain{Name: "rack-" + name[:1], Tier: 1})
		}
		rack := &row.Children[len(row.Children)-1]
		rack.Nodes = append(rack.Nodes, name)
	}
	for i := range pick(t, "outside", 0, 1) {
		spec.Nodes = append(spec.Nodes, cluster.Node{Name: fmt.Sprint("outside-", i), Allocatable: muster.Resources{"gpu": rapid.Int64Range(1, 4).Draw(t, "devices"), "cpu": 4}})
	}
	d.add("default", topology.Spec{Layers: []topology.Layer{{Name: "rack", Tier: 1}, {Name: "row", Tier: 2}}, Roots: rows})
	own := 0
	for i := range spec.Running {
		if r := &spec.Running[i]; r.Gang == draws.GangName {
			if own++; own > 2 {
				r.Gang = "other"
			}
		}
	}
}

func (d *drawing) add(name string, s topology.Spec) {
	tree, err := topology.New(s)
	require.NoError(d.t, err)
	d.in.Spec.Trees = append(d.in.Spec.Trees, cluster.NamedTree{Name: name, Tree: tree})
}

// parts divides the members, and those that run, into parts, some with an inner one, or cut into groups.
func (d *drawing) parts() {
	t, req := d.t, &d.in.Request
	for i := range pick(t, "parts", 2, 1, 3) {
		p := gang.Part{Name: fmt.Sprint("p-", i), NoGroup: draws.Chance(t, 15, "bundle")}
		if !p.NoGroup {
			p.Gather = d.rules()
		}
		req.Parts = append(req.Parts, p)
	}
	var names []string
	for _, m := range req.Members {
		names = append(names, m.Name)
	}
	for _, r := range d.in.Spec.Running {
		if r.Gang == req.Name {
			names = append(names, r.Member)
		}
	}
	for _, name := range names {
		if k := rapid.IntRange(0, len(req.Parts)).Draw(t, "part"); k < len(req.Parts) {
			req.Parts[k].Members = append(req.Parts[k].Members, name)
		}
	}
	if !slices.ContainsFunc(req.Parts, func(p gang.Part) bool { return len(p.Members) > 0 }) {
		req.Parts[0].Members = names[:1]
	}
	req.Parts = slices.DeleteFunc(req.Parts, func(p gang.Part) bool { return len(p.Members) == 0 })
	for i := range req.Parts {
		p := &req.Parts[i]
		switch n := len(p.Members); pick(t, "inside", "nothing", "a part", "groups") {
		case "a part":
			if n > 1 {
				p.Parts = []gang.Part{{Name: p.Name + "-inner", Members: p.Members[n/2:], Gather: d.rules()}}
				p.Members = p.Members[:n/2]
			}
		case "groups":
			if n > 1 {
				p.Groups = []gang.Groups{{Size: 2, Gather: d.rules()}}
			}
		}
	}
}

// rules draws those of a group.
func (d *drawing) rules() []gang.Rule {
	if rapid.Bool().Draw(d.t, "no rule") {
		return nil
	}
	return []gang.Rule{{Layer: pick(d.t, "layer", "rack", "0", "row"), Strength: pick(d.t, "strength", gang.MustGather, gang.PreferGather)}}
}

// multiples gives the gang, or its parts, multiples.
func (d *drawing) multiples() {
	of := func() gang.Rule {
		return gang.Rule{Layer: pick(d.t, "layer", "0", "rack", "row"), Multiple: pick(d.t, "multiple", 2, 3)}
	}
	if rapid.Bool().Draw(d.t, "of the gang") {
		d.in.Request.Gather = append(d.in.Request.Gather, of())
	}
	for i := range d.in.Request.Parts {
		if p := &d.in.Request.Parts[i]; !p.NoGroup && p.Tree == "" && rapid.Bool().Draw(d.t, "of a part") {
			p.Gather = append(p.Gather, of())
		}
	}
}

// limits gives the gang and its parts limits, as often as not.
func (d *drawing) limits() {
	draws.OfParts(d.t, &d.in.Spec, &d.in.Request)
	if len(d.in.Request.Limits) == 0 {
		limit := gang.Limit{Kind: pick(d.t, "kind", gang.Apart, gang.Within), Layer: pick(d.t, "limited layer", "0", "rack"), Most: pick(d.t, "most", 2, 1, 3)}
		d.in.Request.Limits = []gang.Limit{limit}
	}
}

// alone lets the gang, or some parts, have domains for themselves.
func (d *drawing) alone() {
	for i := range d.in.Request.Parts {
		d.in.Request.Parts[i].NoGroup = false // a bundle has no limits
	}
	draws.Alone(d.t, &d.in.Spec, &d.in.Request)
	draws.AloneBesideLeaving(d.t, &d.in.Spec, &d.in.Request)
}

// elsewhere gives some parts rules in another topology.
func (d *drawing) elsewhere() {
	feeds := make([]topology.Domain, 2)
	for i, n := range d.in.Spec.Nodes {
		k := i % 2
		feeds[k].Name, feeds[k].Tier, feeds[k].Nodes = fmt.Sprint("feed-", k), 1, append(feeds[k].Nodes, n.Name)
	}
	d.add("feeds", topology.Spec{Layers: []topology.Layer{{Name: "feed", Tier: 1}}, Roots: feeds})
	for i := range d.in.Request.Parts {
		p := &d.in.Request.Parts[i]
		if p.NoGroup || len(p.Limits) > 0 || len(p.Groups) > 0 || len(p.Parts) > 0 || len(d.in.Request.Limits) > 0 || hasMultiple(p.Gather) {
			continue
		}
		if p.Tree = "feeds"; rapid.Bool().Draw(d.t, "anywhere there") {
			p.Gather = nil
		} else {
			p.Gather = []gang.Rule{{Layer: pick(d.t, "feed layer", "feed", "0"), Strength: gang.MustGather}}
		}
	}
}

func hasMultiple(rules []gang.Rule) bool {
	return slices.ContainsFunc(rules, func(r gang.Rule) bool { return r.Multiple > 0 })
}

// zones gives nodes two zones, and members a policy.
func (d *drawing) zones() {
	for i := range d.in.Spec.Nodes {
		n := &d.in.Spec.Nodes[i]
		first := rapid.Int64Range(0, n.Allocatable["gpu"]).Draw(d.t, "devices in the first zone")
		n.NUMA = &cluster.NUMA{Zones: []numa.Zone{
			{ID: 0, Allocatable: muster.Resources{"gpu": first}}, {ID: 1, Allocatable: muster.Resources{"gpu": n.Allocatable["gpu"] - first}},
		}}
	}
	policy := func() gang.NUMA {
		return gang.NUMA{Policy: pick(d.t, "policy", numa.SingleNUMANode, numa.BestEffort, numa.Restricted, "")}
	}
	d.in.Request.Shape.NUMA = policy()
	for i := range d.in.Request.Members {
		if s := d.in.Request.Members[i].Shape; s != nil {
			s.NUMA = policy()
		}
	}
}

// minima lets some members stay out.
func (d *drawing) minima() {
	req := &d.in.Request
	if rapid.Bool().Draw(d.t, "of the gang") {
		req.MinMember = rapid.IntRange(1, len(req.Members)).Draw(d.t, "least")
	}
	req.MinParts = rapid.IntRange(-1, len(req.Parts)-1).Draw(d.t, "least parts")
	for i := range req.Parts {
		if p := &req.Parts[i]; len(p.Members) > 1 && len(p.Groups) == 0 && rapid.Bool().Draw(d.t, "of a part") {
			p.MinMember = rapid.IntRange(1, len(p.Members)-1).Draw(d.t, "least of a part")
		}
	}
}

// quota puts the gang into one, of which some of its members may be too many.
func (d *drawing) quota() {
	d.minima()
	tree, err := quota.New([]quota.Spec{{Name: "q", Min: muster.Resources{"gpu": 1}, Max: muster.Resources{"gpu": rapid.Int64Range(1, 6).Draw(d.t, "devices of the quota")}}})
	require.NoError(d.t, err)
	d.in.Spec.Quotas = tree
	d.in.Request.Quota, d.in.Request.QuotaLimit = "q", quota.Greedy
}

// leaving lets most members leave that are not the gang's.
func (d *drawing) leaving() {
	for i := range d.in.Spec.Running {
		if r := &d.in.Spec.Running[i]; r.Gang != draws.GangName && rapid.IntRange(0, 3).Draw(d.t, "stays") < 3 {
			r.Leaving = true
		}
	}
}

// equalGroups makes equal groups of members of several shapes in place of parts.
func (d *drawing) equalGroups() {
	req := &d.in.Request
	req.Parts, req.Groups = nil, []gang.Groups{{Size: pick(d.t, "size", 2, 3), Gather: d.rules()}}
	req.Members[0].Shape = &gang.Shape{Resources: muster.Resources{"gpu": 2, "cpu": 2}}
	if rapid.Bool().Draw(d.t, "some groups") {
		req.MinMember = rapid.IntRange(1, len(req.Members)).Draw(d.t, "least")
	}
}
