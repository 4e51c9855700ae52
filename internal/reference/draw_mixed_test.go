package reference

import (
	"errors"
	"slices"

	"pgregory.net/rapid"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/draws"
	"github.com/muster-sched/muster/internal/validity"
	"github.com/muster-sched/muster/topology"
)

// mixed draws what another draw does, and beside it at times what that one leaves out: other trees, or none; scores and preferences; limits of
// every kind and of everybody, and running gangs that are alone. What the planner does not support together is left out again.
func mixed(draw func(*rapid.T) Input) func(*rapid.T) Input {
	return func(t *rapid.T) Input {
		in := draw(t)
		for _, mix := range []struct {
			what    string
			percent int
			into    func(t *rapid.T, in *Input)
		}{
			{"another shape of the tree", 20, mixTree},
			{"scores", 15, mixScores},
			{"more limits", 35, mixLimits},
		} {
			if !draws.Chance(t, mix.percent, mix.what) {
				continue
			}
			next := in
			next.Request = withOwnParts(in.Request)
			next.Spec.Running = slices.Clone(in.Spec.Running)
			if mix.into(t, &next); isSupported(next) {
				in = next
			}
		}
		return in
	}
}

// mixedWithVictims is mixed where members may leave: of so few candidates that all sets can be looked at.
func mixedWithVictims(draw func(*rapid.T) Input) func(*rapid.T) Input {
	return func(t *rapid.T) Input {
		in := mixed(draw)(t)
		boundCandidates(&in)
		return in
	}
}

// isSupported says whether a planner takes the input at all; if it panics, that is for the comparison to tell.
func isSupported(in Input) bool {
	_, err := plan(in, &in.Request)
	var invalid *muster.InvalidError
	return !errors.As(err, &invalid)
}

// mixTree takes away the whole tree, or the place of some nodes in it, or lets nodes be right below a domain that had others in it.
func mixTree(t *rapid.T, in *Input) {
	if len(in.Spec.Trees) == 0 {
		return // it has none already
	}
	in.Spec.Trees = slices.Clone(in.Spec.Trees)
	first := &in.Spec.Trees[0]
	spec := first.Tree.Spec()
	switch rapid.IntRange(0, 3).Draw(t, "which tree") {
	case 0:
		if len(in.Spec.Trees) == 1 {
			in.Spec.Trees = nil
			forgetLayers(&in.Spec, &in.Request)
		}
		return
	case 1:
		takeOut(t, spec.Roots)
	default:
		flatten(t, spec.Roots)
	}
	tree, err := topology.New(spec)
	if err != nil {
		panic(err)
	}
	first.Tree = tree
}

// takeOut takes some nodes out of their domains.
func takeOut(t *rapid.T, domains []topology.Domain) {
	for i := range domains {
		d := &domains[i]
		d.Nodes = slices.DeleteFunc(slices.Clone(d.Nodes), func(string) bool { return draws.Chance(t, 40, "outside") })
		takeOut(t, d.Children)
	}
}

// flatten puts the nodes of some domains right below them.
func flatten(t *rapid.T, domains []topology.Domain) {
	for i := range domains {
		d := &domains[i]
		if len(d.Children) > 0 && draws.Chance(t, 40, "nodes beside units") {
			d.Nodes, d.Children = nodesBelow(d), nil
		}
		flatten(t, d.Children)
	}
}

func nodesBelow(d *topology.Domain) []string {
	nodes := slices.Clone(d.Nodes)
	for i := range d.Children {
		nodes = append(nodes, nodesBelow(&d.Children[i])...)
	}
	return nodes
}

// forgetLayers drops rules at layers that are not there without a tree; limits are about nodes then.
func forgetLayers(spec *cluster.Spec, req *gang.Request) {
	known := func(rules []gang.Rule) []gang.Rule {
		return slices.DeleteFunc(slices.Clone(rules), func(r gang.Rule) bool { return r.Layer != "0" })
	}
	req.Gather = known(req.Gather)
	for i := range req.Groups {
		req.Groups[i].Gather = known(req.Groups[i].Gather)
	}
	var of func(parts []gang.Part)
	of = func(parts []gang.Part) {
		for i := range parts {
			p := &parts[i]
			p.Gather = known(p.Gather)
			for k := range p.Groups {
				p.Groups[k].Gather = known(p.Groups[k].Gather)
			}
			of(p.Parts)
		}
	}
	of(req.Parts)
	for _, list := range allLimits(req) {
		*list = slices.Clone(*list)
		for i := range *list {
			(*list)[i].Layer = "0"
		}
		*list = distinct(*list)
	}
	req.Preempt.ForTier = ""
	for i := range spec.Running {
		if r := &spec.Running[i]; r.Alone != "" {
			r.Alone = "0"
		}
	}
}

// distinct are limits of which a layer has one of each kind.
func distinct(list []gang.Limit) (out []gang.Limit) {
	for _, l := range list {
		if !slices.ContainsFunc(out, func(o gang.Limit) bool { return o.Kind == l.Kind && o.Layer == l.Layer && o.OfParts == l.OfParts }) {
			out = append(out, l)
		}
	}
	return out
}

// mixScores lets the host score nodes, mostly to go by that alone, and members prefer some.
func mixScores(t *rapid.T, in *Input) {
	req := &in.Request
	if draws.Chance(t, 70, "by score") {
		req.Policy = gang.ByScore
	}
	scores := map[string]int64{}
	for _, n := range in.Spec.Nodes {
		scores[n.Name] = rapid.Int64Range(-1, 3).Draw(t, "score")
	}
	req.Score = func(node string) int64 { return scores[node] }
	if draws.Chance(t, 50, "prefers nodes") {
		term := gang.NodeTerm{Labels: []gang.Expression{{Key: "kind", Operator: gang.In, Values: []string{"b"}}}}
		req.Shape.Preferred = []gang.Preference{{Weight: rapid.Int64Range(1, 100).Draw(t, "weight"), Nodes: term}}
	}
}

// mixLimits gives limits to some of the gang, its parts and its groups, and lets running gangs be alone.
func mixLimits(t *rapid.T, in *Input) {
	layers := draws.LayerNames(&in.Spec)
	if draws.Chance(t, 40, "gangs that are alone") {
		mixCompany(t, &in.Spec, in.Request.Name, layers)
	}
	whole := len(in.Request.Members) // one of so many binds nobody
	for place, list := range allLimits(&in.Request) {
		percent := 30
		if place == 0 {
			percent = 70
		}
		for range 2 {
			if !draws.Chance(t, percent, "limit") {
				break
			}
			l := gang.Limit{
				Kind:      rapid.SampledFrom([]gang.LimitKind{gang.Apart, gang.Apart, gang.Alone, gang.Within}).Draw(t, "kind"),
				Layer:     rapid.SampledFrom(layers).Draw(t, "limited layer"),
				Preferred: draws.Chance(t, 30, "preferred"),
			}
			if l.Kind != gang.Alone {
				l.Most = rapid.IntRange(1, max(1, min(3, whole-1))).Draw(t, "most")
			}
			l.OfParts = l.Kind != gang.Within && len(in.Request.Parts) > 0 && draws.Chance(t, 40, "of parts")
			before := slices.Clone(*list)
			if *list = distinct(append(slices.Clone(*list), l)); !isSupported(*in) || !isSmall(in) {
				*list = before
			}
		}
	}
	if len(in.Request.Parts) == 0 && ofOneShape(&in.Request) {
		draws.HardInParts(&in.Spec, &in.Request)
	}
}

// isSmall says whether the reference can look at all selections of a gang that is placed as parts are.
func isSmall(in *Input) bool {
	return len(in.Request.Members) <= 9 || !HasParts(in) && !validity.LimitsMayNeedParts(&in.Spec, &in.Request)
}

// mixCompany lets some running gangs be alone, all of their members, and some members be no company.
func mixCompany(t *rapid.T, spec *cluster.Spec, own string, layers []string) {
	alone := map[string]string{}
	for i := range spec.Running {
		r := &spec.Running[i]
		if _, known := alone[r.Gang]; !known {
			alone[r.Gang] = ""
			if draws.Chance(t, 20, "is alone") && r.Gang != own {
				alone[r.Gang] = rapid.SampledFrom(layers).Draw(t, "alone in")
			}
		}
		if alone[r.Gang] != "" {
			r.Alone = alone[r.Gang]
		}
		r.Tolerated = r.Tolerated || draws.Chance(t, 8, "is tolerated")
	}
}

// limitKinds says what is mixed into a cluster and a gang.
func limitKinds(in *Input) (out []string) {
	if len(in.Spec.Trees) == 0 {
		out = append(out, "mixed: no tree")
	}
	if in.Request.Score != nil && in.Request.Policy == gang.ByScore {
		out = append(out, "mixed: by score")
	}
	if slices.ContainsFunc(in.Spec.Running, func(r cluster.Running) bool { return r.Alone != "" }) {
		out = append(out, "mixed: beside gangs that are alone")
	}
	seen := map[string]bool{}
	for place, list := range allLimits(&in.Request) {
		for _, l := range *list {
			what := "mixed: limit " + string(l.Kind)
			if l.OfParts {
				what += " of parts"
			}
			if l.Preferred {
				what += ", preferred"
			}
			if place > 0 {
				what += ", of a part or groups"
			}
			if !seen[what] {
				seen[what], out = true, append(out, what)
			}
		}
	}
	return out
}
