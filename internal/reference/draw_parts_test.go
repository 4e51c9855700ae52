package reference

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"pgregory.net/rapid"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/draws"
	"github.com/muster-sched/muster/internal/validity"
	"github.com/muster-sched/muster/topology"
)

// drawParts draws a gang of groups that differ, or of equal ones of several shapes; of many some members run. Of the clusters half have zones.
func drawParts(t *rapid.T) Input { return drawPartsFor(t, draws.Sizes{Nodes: 8, Slots: 4, Members: 9}) }

// drawPartsFor is drawParts of these sizes.
func drawPartsFor(t *rapid.T, sizes draws.Sizes) Input {
	in := Input{Spec: draws.Cluster(t, sizes)}
	in.Request = gang.Request{
		Name:          draws.GangName,
		Shape:         gang.Shape{Resources: muster.Resources{draws.Device: 1}},
		NeverPreempts: true,
		Policy:        rapid.SampledFrom([]gang.Policy{"", "", gang.BestFit, gang.Spread, gang.Balanced, gang.ByScore}).Draw(t, "policy"),
	}
	if hasZones(&in.Spec) {
		in.Request.Shape.NUMA = draws.NUMA(t)
	}
	withOwn := draws.Chance(t, 50, "with running members")
	if withOwn && draws.Chance(t, 60, "with many") {
		draws.GiveToGang(t, &in.Spec)
	}
	own := draws.TakeOwn(&in.Spec, withOwn)
	members := rapid.IntRange(2, sizes.Members).Draw(t, "gang")
	d := &partDraw{t: t, layers: layersOf(&in)}
	in.Request.Gather = draws.Gather(t, d.layers)
	if len(in.Spec.Trees) > 0 && draws.Chance(t, 30, "another tree") {
		d.addTree(&in.Spec)
	}
	in.Request.Groups = []gang.Groups{{Size: 1}} // ranks of running members are among the others'
	draws.NameMembers(t, &in.Request, &in.Spec, members, own)
	in.Request.Groups = nil
	shapes := []*gang.Shape{&in.Request.Shape}
	for range rapid.SampledFrom([]int{0, 1, 1, 2, 2}).Draw(t, "roles") {
		shapes = append(shapes, drawShape(t, &in.Spec))
	}
	if draws.Chance(t, 15, "equal groups") {
		d.equalGroups(&in, members+own)
	} else {
		d.parts(&in)
	}
	d.shapes(&in, shapes)
	drawElastic(t, &in)
	drawMultiples(t, &in, 20)
	if draws.Chance(t, 40, "with multiples of parts") {
		drawMultiplesOfParts(t, in.Request.Parts, d.layers, "")
	}
	if draws.Chance(t, 30, "affinity") {
		in.Request.AffinityKey = draws.AffinityKey
	}
	in.Request.IgnoreLeaving = draws.Chance(t, 10, "ignore leaving")
	if draws.Chance(t, 5, "exclude") {
		in.Request.Exclude = []string{in.Spec.Nodes[0].Name}
	}
	draws.Alone(t, &in.Spec, &in.Request)
	draws.OfParts(t, &in.Spec, &in.Request)
	drawPreferred(t, &in, 40)
	if draws.Chance(t, 15, "with quotas") {
		drawQuotas(t, &in)
	}
	return in
}

// drawElastic lowers the minima of some gangs of which few nodes take some members: those of the lowest ranks may leave too few.
func drawElastic(t *rapid.T, in *Input) {
	req := &in.Request
	all := len(req.Members) + len(validity.Own(&in.Spec, req))
	if len(req.Groups) > 0 || all < 2 || !draws.Chance(t, 30, "elastic") {
		return
	}
	one := rapid.SampledFrom(req.Members).Draw(t, "role that is large")
	large := *validity.ShapeOf(req, &one)
	if draws.Chance(t, 70, "larger than most nodes have") {
		was := large
		large.Resources = maps.Clone(large.Resources)
		large.Resources[draws.Device] += rapid.Int64Range(1, 4).Draw(t, "more devices")
		for i := range req.Members {
			if m := &req.Members[i]; validity.ShapeOf(req, m).Equal(&was) {
				m.Shape = &large
			}
		}
	}
	if len(req.Parts) == 0 || req.MinMember > 0 {
		req.MinMember = rapid.IntRange(1, all-1).Draw(t, "minimum of an elastic gang")
	}
	var walk func(parts []gang.Part)
	walk = func(parts []gang.Part) {
		for i := range parts {
			if p := &parts[i]; len(p.Members) > 1 && len(p.Groups) == 0 {
				p.MinMember = rapid.IntRange(1, len(p.Members)-1).Draw(t, "minimum of an elastic part")
			}
			walk(parts[i].Parts)
		}
	}
	walk(req.Parts)
}

// drawPartVictims draws a cluster that is nearly full, and a gang in groups that differ that may well need victims.
func drawPartVictims(t *rapid.T) Input {
	in := crowd(t)
	req := &in.Request
	d := &partDraw{t: t, layers: layersOf(&in)}
	if !HasParts(&in) {
		d.partsForVictims(&in)
	}
	if len(req.Parts) > 0 && draws.Chance(t, 40, "of several shapes") {
		d.shapes(&in, []*gang.Shape{&req.Shape, drawShape(t, &in.Spec)})
		drawElastic(t, &in)
	}
	drawPreemptor(t, &in)
	req.Preempt.ForTier = ""
	drawPreferred(t, &in, 30)
	if draws.Chance(t, 40, "with minima") {
		drawMinima(t, &in)
	}
	if draws.Chance(t, 20, "with budgets") {
		drawBudgets(t, &in)
	}
	boundCandidates(&in)
	return in
}

// partsForVictims draws, in place of what the gang was drawn with, parts, and what stands beside them.
func (d *partDraw) partsForVictims(in *Input) {
	t, req := d.t, &in.Request
	req.Groups, req.PP, req.DP, req.Total, req.MinMember = nil, 0, 0, 0, 0
	draws.KeepAlone(req)
	req.Gather = slices.DeleteFunc(req.Gather, func(r gang.Rule) bool { return r.Multiple > 0 })
	if len(in.Spec.Trees) > 0 && draws.Chance(t, 15, "another tree") {
		d.addTree(&in.Spec)
	}
	d.parts(in)
	drawMultiples(t, in, 10)
	if draws.Chance(t, 15, "with multiples of parts") {
		drawMultiplesOfParts(t, req.Parts, d.layers, "")
	}
	draws.OfParts(t, &in.Spec, req)
	d.shapes(in, []*gang.Shape{&req.Shape, drawShape(t, &in.Spec)})
}

// drawMultiplesOfParts gives some of the parts that are groups in the gang's tree a multiple, most of them one that divides their members.
func drawMultiplesOfParts(t *rapid.T, parts []gang.Part, layers []string, around string) {
	for i := range parts {
		p := &parts[i]
		multiple := rapid.SampledFrom([]int{2, 2, 2, 3}).Draw(t, "multiple of the part")
		even := len(allOf(p))%multiple == 0 || p.MinMember != 0 || draws.Chance(t, 20, "that is kept by other numbers")
		tree := cmp.Or(p.Tree, around)
		if !p.NoGroup && tree != otherTree && even && draws.Chance(t, 85, "part with a multiple") {
			p.Gather = append(slices.Clip(p.Gather), gang.Rule{Layer: rapid.SampledFrom(layers).Draw(t, "multiple of the part at"), Multiple: multiple})
		}
		drawMultiplesOfParts(t, p.Parts, layers, tree)
	}
}

// drawPairs draws a gang of parts of whole pairs, many of which are alike, and all of which have a multiple.
func drawPairs(t *rapid.T) Input {
	in := drawParts(t)
	req := &in.Request
	req.Groups, req.Parts, req.MinMember, req.MinParts = nil, nil, 0, 0
	draws.KeepAlone(req)
	d := &partDraw{t: t, layers: layersOf(&in)}
	names := slices.SortedFunc(maps.Keys(validity.Ranks(req, validity.Own(&in.Spec, req))), muster.CompareNatural)
	names = rapid.Permutation(names).Draw(t, "in pairs")
	for len(names) > 1 && !draws.Chance(t, 10, "the rest is in no part") {
		n := min(len(names)/2*2, rapid.SampledFrom([]int{2, 2, 4}).Draw(t, "size"))
		p := gang.Part{Name: fmt.Sprint("part-", d.made), Members: names[:n], Gather: draws.Gather(t, d.layers)}
		d.made++
		switch {
		case draws.Chance(t, 30, "an inner part"):
			at := rapid.IntRange(0, n-1).Draw(t, "own")
			p.Parts = []gang.Part{{Name: p.Name + "-inner", Members: p.Members[at:], Gather: draws.Gather(t, d.layers)}}
			p.Members = p.Members[:at]
		case draws.Chance(t, 20, "some may stay out"):
			p.MinMember = 2
		}
		names, req.Parts = names[n:], append(req.Parts, p)
	}
	drawMultiplesOfParts(t, req.Parts, d.layers, "")
	req.MinParts = d.leastParts(len(req.Parts))
	shapes := []*gang.Shape{&req.Shape}
	if draws.Chance(t, 50, "roles") {
		shapes = append(shapes, drawShape(t, &in.Spec))
	}
	d.shapes(&in, shapes)
	return in
}

// equalGroups draws levels of equal groups.
func (d *partDraw) equalGroups(in *Input, total int) {
	d.levels(&in.Request.Groups, total, d.layers)
	if draws.Chance(d.t, 30, "minimum") {
		in.Request.MinMember = rapid.IntRange(1, total).Draw(d.t, "minimum")
	}
}

// parts draws those of a gang.
func (d *partDraw) parts(in *Input) {
	var names []string
	for name := range validity.Ranks(&in.Request, validity.Own(&in.Spec, &in.Request)) {
		names = append(names, name)
	}
	slices.SortFunc(names, muster.CompareNatural)
	if draws.Chance(d.t, 60, "parts are not in rank order") {
		names = rapid.Permutation(names).Draw(d.t, "in parts")
	}
	_, in.Request.Parts = d.split(names, 1, "")
	if parts := in.Request.Parts; draws.Chance(d.t, 8, "somebody is not known yet") && len(parts[0].Groups) == 0 {
		parts[0].Members = append(slices.Clip(parts[0].Members), "unknown")
	}
	in.Request.MinParts = d.leastParts(len(in.Request.Parts))
	if draws.Chance(d.t, 20, "minimum of the gang") {
		in.Request.MinMember = rapid.IntRange(1, len(names)).Draw(d.t, "minimum of the gang")
	}
}

// shapes gives members shapes, those of a part rather the same.
func (d *partDraw) shapes(in *Input, shapes []*gang.Shape) {
	at := map[string]*gang.Shape{}
	var of func(parts []gang.Part)
	of = func(parts []gang.Part) {
		for _, p := range parts {
			shape := rapid.SampledFrom(shapes).Draw(d.t, "shape of the part")
			for i, name := range p.Members {
				if at[name] = shape; i == 0 || draws.Chance(d.t, 20, "another shape") {
					at[name] = rapid.SampledFrom(shapes).Draw(d.t, "shape")
				}
			}
			of(p.Parts)
		}
	}
	of(in.Request.Parts)
	ranks := validity.Ranks(&in.Request, validity.Own(&in.Spec, &in.Request))
	for i := range in.Request.Members {
		m := &in.Request.Members[i]
		m.Shape = at[m.Name]
		if len(in.Request.Groups) > 0 { // in turn, so that groups are alike
			m.Shape = shapes[ranks[m.Name]%in.Request.Groups[0].Size%len(shapes)]
		}
	}
}

// partDraw draws parts.
type partDraw struct {
	t      *rapid.T
	layers []string
	others []string // layers of another tree; nil: there is none
	made   int
}

// otherTree is the name of a tree beside the first.
const otherTree = "other"

// addTree draws another tree over the nodes of a cluster, most of them and one that the cluster lacks.
func (d *partDraw) addTree(spec *cluster.Spec) {
	t := d.t
	nodes := []string{"unknown"}
	for i := range spec.Nodes {
		if !draws.Chance(t, 10, "in no other domain") {
			nodes = append(nodes, spec.Nodes[i].Name)
		}
	}
	nodes = rapid.Permutation(nodes).Draw(t, "in another tree")
	two := rapid.Bool().Draw(t, "two other layers")
	tree := topology.Spec{Layers: []topology.Layer{{Name: "row", Tier: 1}}}
	d.others = []string{"0", "row"}
	if two {
		tree.Layers, d.others = append(tree.Layers, topology.Layer{Name: "hall", Tier: 2}), append(d.others, "hall")
	}
	for i := 0; len(nodes) > 0; i++ {
		n := rapid.IntRange(1, min(4, len(nodes))).Draw(t, "nodes of a row")
		row := topology.Domain{Name: fmt.Sprint("r", i), Tier: 1, Nodes: nodes[:n]}
		nodes = nodes[n:]
		if last := len(tree.Roots) - 1; two && last >= 0 && rapid.Bool().Draw(t, "in the same hall") {
			tree.Roots[last].Children = append(tree.Roots[last].Children, row)
		} else if two {
			tree.Roots = append(tree.Roots, topology.Domain{Name: fmt.Sprint("h", i), Tier: 2, Children: []topology.Domain{row}})
		} else {
			tree.Roots = append(tree.Roots, row)
		}
	}
	made, err := topology.New(tree)
	if err != nil {
		panic(err)
	}
	spec.Trees[0].Name = "default"
	spec.Trees = append(spec.Trees, cluster.NamedTree{Name: otherTree, Tree: made})
}

// tree draws in which one the rules of a part are, which lies in one of a tree.
func (d *partDraw) tree(around string) (name string, layers []string) {
	if around != otherTree {
		around = ""
	}
	if name = around; d.others != nil && draws.Chance(d.t, 35, "in the other tree") {
		name = map[string]string{"": otherTree, otherTree: "default"}[around]
	}
	if name == otherTree {
		return name, d.others
	}
	return name, d.layers
}

// split divides members into those of the part itself and inner parts; depth is the level of these.
func (d *partDraw) split(names []string, depth int, tree string) ([]string, []gang.Part) {
	t := d.t
	if depth > 3 || len(names) == 0 || depth > 1 && !draws.Chance(t, 45, "inner parts") {
		return names, nil
	}
	own := 0
	if draws.Chance(t, 30, "own members") {
		own = rapid.IntRange(0, len(names)-1).Draw(t, "own")
	}
	mine, names := names[:own], names[own:]
	var parts []gang.Part
	for len(names) > 0 && len(parts) < 4 {
		n := rapid.IntRange(1, len(names)).Draw(t, "size")
		if len(parts) > 0 && draws.Chance(t, 40, "as large as the one before") {
			n = min(len(names), total2(&parts[len(parts)-1]))
		}
		parts = append(parts, d.part(names[:n], depth, tree))
		names = names[n:]
	}
	return append(slices.Clone(mine), names...), parts
}

// total2 counts the members of a part.
func total2(p *gang.Part) int {
	n := len(p.Members)
	for i := range p.Parts {
		n += total2(&p.Parts[i])
	}
	return max(1, n)
}

func (d *partDraw) part(names []string, depth int, around string) gang.Part {
	t := d.t
	tree, layers := d.tree(around)
	p := gang.Part{Name: fmt.Sprint("part-", d.made), Tree: tree, NoGroup: draws.Chance(t, 20, "no group")}
	d.made++
	if !p.NoGroup {
		p.Gather = draws.Gather(t, layers)
	}
	if p.Members, p.Parts = names, nil; draws.Chance(t, 25, "cut") {
		d.levels(&p.Groups, len(names), layers)
	} else {
		p.Members, p.Parts = d.split(names, depth+1, tree)
	}
	if p.MinParts = d.leastParts(len(p.Parts)); len(p.Groups) > 0 {
		p.MinParts = d.leastParts((len(names)+p.Groups[0].Size-1)/p.Groups[0].Size + bit(draws.Chance(t, 3, "more than are known")))
	}
	if draws.Chance(t, 40, "minimum") {
		p.MinMember = rapid.IntRange(1, len(names)).Draw(t, "minimum")
	}
	return p
}

func (d *partDraw) leastParts(most int) int {
	if most == 0 || !draws.Chance(d.t, 50, "minimum of parts") {
		return 0
	}
	return rapid.IntRange(-1, most).Draw(d.t, "least parts")
}

// levels draws one level of groups, or two that divide the members.
func (d *partDraw) levels(levels *[]gang.Groups, members int, layers []string) {
	t := d.t
	size := rapid.IntRange(1, min(4, members)).Draw(t, "group size")
	*levels = []gang.Groups{{Size: size, Gather: draws.Gather(t, layers)}}
	if members%(2*size) == 0 && draws.Chance(t, 40, "two levels") {
		*levels = slices.Insert(*levels, 0, gang.Groups{Size: 2 * size, Gather: draws.Gather(t, layers)})
	}
}
