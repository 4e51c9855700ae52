package render

import (
	"slices"
	"strings"

	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/explain"
	"github.com/muster-sched/muster/internal/keyends"
	"github.com/muster-sched/muster/placement"
)

// layerNames are layers by the shortest end of their keys that no other one has: `zone` of `topology.kubernetes.io/zone`. A layer that is not
// there is called as it is.
type layerNames map[string]string

// layersOf are the short names of the layers of topologies.
func layersOf(trees []cluster.NamedTree) layerNames {
	var keys []string
	for _, t := range trees {
		for _, l := range t.Tree.Layers() {
			keys = append(keys, l.Name)
		}
	}
	return keyends.Of(keys)
}

// of is the short name of a layer.
func (n layerNames) of(layer string) string {
	if short, known := n[layer]; known {
		return short
	}
	return layer
}

// rule shortens the layers in a rule, whose words stand apart.
func (n layerNames) rule(text string) string {
	words := strings.Split(text, " ")
	for i := range words {
		words[i] = n.of(words[i])
	}
	return strings.Join(words, " ")
}

// strategy shortens the layers in the name of a strategy, which has several with slashes between them.
func (n layerNames) strategy(text string, layers []string) string {
	var pairs []string
	slices.SortFunc(layers, func(a, b string) int { return len(b) - len(a) }) // of layers that begin alike the longer one first
	for _, layer := range layers {
		if layer != "" {
			pairs = append(pairs, layer, n.of(layer))
		}
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

// short is an outcome whose layers have short names, for those who read it. It shares the rest with o.
func short(o *Outcome) *Outcome {
	if o.Cluster == nil {
		return o
	}
	names := layersOf(o.Cluster.Trees())
	if len(names) == 0 {
		return o
	}
	out := *o
	out.Result = names.result(o.Result, o.Cluster)
	if why, is := o.Err.(*placement.Unschedulable); is && why != nil { //nolint:errorlint // what wraps it has words of its own
		out.Err = names.refusal(why)
	}
	if e := o.Explanation; e != nil {
		told := *e
		told.Plan = names.result(e.Plan, o.Cluster)
		told.Facts = slices.Clone(e.Facts)
		for i := range told.Facts {
			told.Facts[i].Detail.Rule = names.rule(told.Facts[i].Detail.Rule)
		}
		told.Fragmentation = slices.Clone(e.Fragmentation)
		for i := range told.Fragmentation {
			told.Fragmentation[i].Layer = names.of(told.Fragmentation[i].Layer)
		}
		told.Relaxations = slices.Clone(e.Relaxations)
		for i := range told.Relaxations {
			names.relaxation(&told.Relaxations[i])
		}
		out.Explanation = &told
	}
	return &out
}

func (n layerNames) result(r *placement.Result, c *placement.Cluster) *placement.Result {
	if r == nil {
		return nil
	}
	out := *r
	var layers []string
	if named, known := c.Tree(r.Tree); known {
		for _, l := range named.Tree.Layers() {
			layers = append(layers, l.Name)
		}
	}
	out.Layer, out.Strategy = n.of(r.Layer), n.strategy(r.Strategy, layers)
	out.Span = n.span(r.Span)
	out.Elsewhere = slices.Clone(r.Elsewhere)
	for i := range out.Elsewhere {
		out.Elsewhere[i].Layer = n.of(out.Elsewhere[i].Layer)
	}
	return &out
}

func (n layerNames) span(layers []placement.LayerSpan) []placement.LayerSpan {
	layers = slices.Clone(layers)
	for i := range layers {
		layers[i].Layer = n.of(layers[i].Layer)
	}
	return layers
}

func (n layerNames) refusal(u *placement.Unschedulable) *placement.Unschedulable {
	out := *u
	out.Rule, out.Tiers = n.rule(u.Rule), slices.Clone(u.Tiers)
	for i := range out.Tiers {
		out.Tiers[i].Layer = n.of(out.Tiers[i].Layer)
	}
	return &out
}

func (n layerNames) relaxation(r *explain.Relaxation) {
	r.Plan.Layer = n.of(r.Plan.Layer)
	r.Change.From, r.Change.To = n.of(r.Change.From), n.of(r.Change.To)
	r.And = slices.Clone(r.And)
	for i := range r.And {
		r.And[i].From, r.And[i].To = n.of(r.And[i].From), n.of(r.And[i].To)
	}
}

// position shortens the layers of where a gang lies.
func (n layerNames) position(at *placement.Position) *placement.Position {
	out := *at
	out.Layer, out.Span, out.Groups = n.of(at.Layer), n.span(at.Span), slices.Clone(at.Groups)
	for i := range out.Groups {
		within := slices.Clone(out.Groups[i].Within)
		for k := range within {
			within[k].Layer = n.of(within[k].Layer)
		}
		out.Groups[i].Within = within
	}
	return &out
}
