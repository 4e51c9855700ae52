package draws

import (
	"slices"

	"pgregory.net/rapid"

	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/validity"
)

// drawLimits draws what stands beside gathering, as far as the planner supports it together with the rest.
func drawLimits(t *rapid.T, req *gang.Request, spec *cluster.Spec) {
	drawCompany(t, spec)
	req.Tolerated = Chance(t, 5, "tolerated")
	if !Chance(t, 30, "with limits") {
		return
	}
	if Chance(t, 35, "alone") {
		req.Limits = append(req.Limits, gang.Limit{Layer: rapid.SampledFrom(LayerNames(spec)).Draw(t, "limited layer"), Kind: gang.Alone})
	}
	total := len(req.Members) + len(validity.Own(spec, req))
	levels := validity.Levels(req, total)
	if Chance(t, 40, "within") {
		drawWithin(t, req, spec)
	}
	drawApart(t, req, spec, levels, total)
	if len(req.Members) > mostInParts && validity.LimitsNeedParts(spec, req) {
		req.Limits = slices.DeleteFunc(req.Limits, func(l gang.Limit) bool { return l.Kind != gang.Alone })
	}
}

// drawApart draws how members, or groups, must keep apart.
func drawApart(t *rapid.T, req *gang.Request, spec *cluster.Spec, levels []gang.Groups, total int) {
	layers := LayerNames(spec)
	layer := func() string { return rapid.SampledFrom(layers).Draw(t, "limited layer") }
	if len(levels) == 0 {
		for range rapid.IntRange(0, 2).Draw(t, "apart") {
			l := gang.Limit{Layer: layer(), Kind: gang.Apart, Most: rapid.IntRange(1, 3).Draw(t, "most")}
			if !slices.ContainsFunc(req.Limits, func(o gang.Limit) bool { return o.Kind == l.Kind && o.Layer == l.Layer }) {
				req.Limits = append(req.Limits, l)
			}
		}
		return
	}
	if Chance(t, 40, "members apart") {
		req.Limits = append(req.Limits, gang.Limit{Layer: layer(), Kind: gang.Apart, Most: rapid.IntRange(1, 4).Draw(t, "most members")})
	}
	if total%levels[0].Size != 0 || req.PP > 0 {
		return
	}
	if len(req.Groups) > 1 && total > len(req.Members) {
		return
	}
	for i := range req.Groups {
		switch rapid.IntRange(0, 3).Draw(t, "groups apart") {
		case 0:
			req.Groups[i].Limits = []gang.Limit{{Layer: layer(), Kind: gang.Alone}}
		case 1:
			req.Groups[i].Limits = []gang.Limit{{Layer: layer(), Kind: gang.Apart, Most: rapid.IntRange(1, 2).Draw(t, "most groups")}}
		}
	}
}

// drawCompany lets some running members be alone in their domains, or be no company. All members of a gang that are alone say so.
func drawCompany(t *rapid.T, spec *cluster.Spec) {
	layers := LayerNames(spec)
	for i := range spec.Running {
		r := &spec.Running[i]
		switch {
		case Chance(t, 2, "is alone"):
			r.Alone = rapid.SampledFrom(layers).Draw(t, "alone in")
		case Chance(t, 4, "is tolerated"):
			r.Tolerated = true
		}
		if Chance(t, 25, "is of a gang of its own") && r.Gang != GangName {
			r.Gang = "ns/" + r.Member
		}
	}
}

// Alone draws, for a gang in parts or of several roles, that it must be alone, and who is.
func Alone(t *rapid.T, spec *cluster.Spec, req *gang.Request) {
	if !Chance(t, 25, "with company") {
		return
	}
	drawCompany(t, spec)
	req.Tolerated = Chance(t, 10, "tolerated")
	if Chance(t, 60, "alone") {
		req.Limits = []gang.Limit{{Layer: rapid.SampledFrom(LayerNames(spec)).Draw(t, "alone in"), Kind: gang.Alone}}
	}
}

// OfParts draws limits on numbers for a gang in parts or of several shapes, as far as the planner supports them together with the rest.
func OfParts(t *rapid.T, spec *cluster.Spec, req *gang.Request) {
	if !Chance(t, 35, "with limits on numbers") {
		return
	}
	d := limitDraw{t: t, layers: LayerNames(spec)}
	elsewhere := inOtherTree(req.Parts)
	d.add(&req.Limits, 30, gang.Limit{Kind: gang.Apart, Most: 3})
	if !elsewhere {
		d.add(&req.Limits, 20, gang.Limit{Kind: gang.Within, Most: 3})
		d.second(&req.Limits)
	}
	if len(req.Parts) > 0 && !elsewhere {
		d.add(&req.Limits, 30, gang.Limit{Kind: gang.Apart, Most: 2, OfParts: true})
		d.add(&req.Limits, 15, gang.Limit{Kind: gang.Alone, OfParts: true})
	}
	for i := range req.Groups {
		d.add(&req.Groups[i].Limits, 30, gang.Limit{Kind: gang.Apart, Most: 2})
		d.add(&req.Groups[i].Limits, 15, gang.Limit{Kind: gang.Alone})
	}
	if !elsewhere {
		d.parts(req.Parts)
		d.alike(req.Parts)
	}
}

// AloneBesideLeaving lets some parts of a gang be alone at times, and makes others that run leaving members of it.
func AloneBesideLeaving(t *rapid.T, spec *cluster.Spec, req *gang.Request) {
	if !Chance(t, 30, "alone beside leaving members") || inOtherTree(req.Parts) {
		return
	}
	for i := range spec.Running {
		if r := &spec.Running[i]; r.Gang != req.Name && (r.Leaving || Chance(t, 30, "leaves as well")) {
			r.Gang, r.Leaving = req.Name, true
		}
	}
	for i := range req.Parts {
		if rapid.Bool().Draw(t, "alone") {
			req.Parts[i].Limits = []gang.Limit{{Layer: rapid.SampledFrom(LayerNames(spec)).Draw(t, "alone in"), Kind: gang.Alone}}
		}
	}
}

// alike lets some parts that are in no other be alone in the same layer, each within a domain of it, at times.
func (d *limitDraw) alike(parts []gang.Part) {
	if len(parts) < 2 || !Chance(d.t, 20, "parts alone alike") {
		return
	}
	layer := rapid.SampledFrom(d.layers).Draw(d.t, "alone in")
	for i := range parts {
		p := &parts[i]
		has := func(l gang.Limit) bool { return l.Kind == gang.Alone && !l.OfParts && l.Layer == layer }
		if p.NoGroup || slices.ContainsFunc(p.Limits, has) || Chance(d.t, 20, "not this one") {
			continue
		}
		p.Limits = append(slices.Clip(p.Limits), gang.Limit{Layer: layer, Kind: gang.Alone})
		must := func(r gang.Rule) bool { return r.Layer == layer && r.Strength == gang.MustGather }
		p.Gather = append(slices.DeleteFunc(slices.Clone(p.Gather), must), gang.Rule{Layer: layer, Strength: gang.MustGather})
	}
}

// limitDraw draws limits.
type limitDraw struct {
	t      *rapid.T
	layers []string
}

// add adds a limit at some layer at times; Most is the largest number.
func (d *limitDraw) add(list *[]gang.Limit, percent int, l gang.Limit) {
	if !Chance(d.t, percent, string(l.Kind)) {
		return
	}
	l.Layer = rapid.SampledFrom(d.layers).Draw(d.t, "limited layer")
	if l.Most > 0 {
		l.Most = rapid.IntRange(1, l.Most).Draw(d.t, "most")
	}
	*list = append(*list, l)
}

// second adds a Within at another layer, at times, where there is one.
func (d *limitDraw) second(list *[]gang.Limit) {
	i := slices.IndexFunc(*list, func(l gang.Limit) bool { return l.Kind == gang.Within })
	if i < 0 {
		return
	}
	before := (*list)[i].Layer
	if d.add(list, 40, gang.Limit{Kind: gang.Within, Most: 3}); (*list)[len(*list)-1].Layer == before && len(*list)-1 > i {
		*list = (*list)[:len(*list)-1] // of one layer there is one
	}
}

// parts draws the limits of parts, and of the groups that these are cut into.
func (d *limitDraw) parts(parts []gang.Part) {
	for i := range parts {
		p := &parts[i]
		if !p.NoGroup {
			d.add(&p.Limits, 25, gang.Limit{Kind: gang.Apart, Most: 3})
			d.add(&p.Limits, 20, gang.Limit{Kind: gang.Alone})
			d.add(&p.Limits, 15, gang.Limit{Kind: gang.Within, Most: 3})
			if len(p.Parts) > 0 {
				d.add(&p.Limits, 25, gang.Limit{Kind: gang.Apart, Most: 2, OfParts: true})
				d.add(&p.Limits, 10, gang.Limit{Kind: gang.Alone, OfParts: true})
			}
		}
		for k := range p.Groups {
			d.add(&p.Groups[k].Limits, 30, gang.Limit{Kind: gang.Apart, Most: 2})
			d.add(&p.Groups[k].Limits, 10, gang.Limit{Kind: gang.Alone})
		}
		d.parts(p.Parts)
	}
}

// inOtherTree says whether any part names a topology.
func inOtherTree(parts []gang.Part) bool {
	return slices.ContainsFunc(parts, func(p gang.Part) bool { return p.Tree != "" || inOtherTree(p.Parts) })
}

// KeepAlone drops the limits that the planner does not support for a gang in parts.
func KeepAlone(req *gang.Request) {
	req.Limits = slices.DeleteFunc(slices.Clone(req.Limits), func(l gang.Limit) bool { return l.Kind != gang.Alone || l.OfParts })
	for i := range req.Groups {
		req.Groups[i].Limits = nil
	}
}

// drawPreferred makes some limits preferred ones.
func drawPreferred(t *rapid.T, spec *cluster.Spec, req *gang.Request) {
	if !Chance(t, 40, "prefers limits") {
		return
	}
	for _, list := range limitsOf(req) {
		for i := range list {
			list[i].Preferred = Chance(t, 70, "preferred")
		}
	}
	HardInParts(spec, req)
}

// HardInParts makes all limits hard of a gang that might be placed as parts are if it kept some of them: reference plans for preferred limits
// are of one kind, with a limit and without.
func HardInParts(spec *cluster.Spec, req *gang.Request) {
	if !validity.LimitsMayNeedParts(spec, req) {
		return
	}
	for _, list := range limitsOf(req) {
		for i := range list {
			list[i].Preferred = false
		}
	}
}

// limitsOf are those of the gang and of its levels of groups.
func limitsOf(req *gang.Request) [][]gang.Limit {
	lists := [][]gang.Limit{req.Limits}
	for _, g := range req.Groups {
		lists = append(lists, g.Limits)
	}
	return lists
}

// mostInParts bounds the new members of a gang for which all selections of parts are compared.
const mostInParts = 9

// drawWithin draws in how many domains of a layer the gang may lie, and of some that each of its groups lies in one of them.
func drawWithin(t *rapid.T, req *gang.Request, spec *cluster.Spec) {
	layer := rapid.SampledFrom(LayerNames(spec)).Draw(t, "within of")
	if len(req.Groups) > 0 && Chance(t, 50, "each group in one of them") {
		req.Groups[0].Gather = append(slices.DeleteFunc(slices.Clone(req.Groups[0].Gather), func(r gang.Rule) bool {
			return r.Layer == layer && r.Strength == gang.MustGather
		}), gang.Rule{Layer: layer, Strength: gang.MustGather})
	}
	req.Limits = append(req.Limits, gang.Limit{Layer: layer, Kind: gang.Within, Most: rapid.IntRange(1, 3).Draw(t, "domains")})
	if len(req.Members) <= mostInParts {
		d := limitDraw{t: t, layers: LayerNames(spec)}
		d.second(&req.Limits)
	}
}
