package manifest

import (
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/known"
	"github.com/muster-sched/muster/placement/manifest/internal/jobs"
	"github.com/muster-sched/muster/placement/manifest/internal/member"
	"github.com/muster-sched/muster/placement/manifest/internal/object"
	"github.com/muster-sched/muster/placement/manifest/internal/trees"
)

// readSigPodGroup reads a PodGroup of the coscheduling plugin or of Koordinator.
func (r *reader) readSigPodGroup(o *object.Object) {
	d := r.gangs.podGroup(o)
	block := o.Root.Sub("spec").Sub("networkTopologyAware")
	if !block.Present() {
		block = topologyAnnotation(o)
	}
	r.rules.readNetworkBlock(d, block)
	d.tie = readTie(o)
	d.done = o.Root.Sub("status").Get("phase").Text() == "Finished"
}

// topologyAnnotation is the same block as JSON in an annotation, of two spellings.
func topologyAnnotation(o *object.Object) object.Field {
	for _, key := range []string{"network-topology-spec", "networkTopologyAware"} {
		if f := o.Annotation(koordinatorPrefix + key); f.Present() {
			inner := f.JSON().Mapping()
			object.CheckBlock(inner, known.NetworkAware)
			return inner
		}
	}
	return object.Field{Of: o}
}

// readNetworkBlock reads gather rules and parallelism.
func (in *rules) readNetworkBlock(d *draft, block object.Field) {
	for e := range block.Get("gatherStrategy").All() {
		e = e.Mapping()
		rule := gang.Rule{Layer: in.gatherLayer(e.Get("layer"))}
		switch s := e.Get("strategy"); gang.Strength(s.Text()) {
		case gang.MustGather, gang.PreferGather:
			rule.Strength = gang.Strength(s.Text())
		default:
			if s.Present() || !e.Get("podCountMultiple").Present() {
				s.Fail("must be MustGather or PreferGather")
			}
		}
		rule.Multiple, _ = e.Get("podCountMultiple").Whole(0)
		d.gather = append(d.gather, rule)
	}
	for e := range block.Get("parallelModel").All() {
		e = e.Mapping()
		n, ok := e.Get("parallelism").Whole(1)
		switch s := e.Get("parallelStrategy"); s.Required() {
		case "pipeline-parallel":
			once(s, &d.pp, n)
		case "data-parallel":
			once(s, &d.dp, n)
		}
		if !ok && !e.Get("parallelism").Present() {
			e.Get("parallelism").Fail("missing")
		}
	}
	block.Get("communicationMode").Text()
}

func once(f object.Field, to *int, n int) {
	if *to != 0 {
		f.Fail("given twice")
	}
	*to = n
}

// gatherLayer reads a layer's name, which may be the general one of the node layer.
func (in *rules) gatherLayer(f object.Field) string {
	name := f.Required()
	if name == "" {
		return ""
	}
	t, why := in.trees.FindWith("", name)
	switch {
	case t == nil && why != "":
		f.Fail(why)
	case t == nil:
	case name == trees.NodeLayer && t.NodeLayer() != "":
		return t.NodeLayer()
	default:
		if _, ok := t.Layer(name); !ok {
			f.Fail(trees.UnknownLevel(t))
		}
	}
	return name
}

// declaredByPods reads what pods say about a gang that no object declares. They must agree.
func (in *rules) declaredByPods(d *draft) {
	objects := member.PodsOf(d.pods)
	if d.obj != nil {
		if d.obj.Kind == "Job" && d.obj.Group == "batch" && d.min == 0 {
			d.min = object.Agreed(objects, 0, jobs.GroupMinimum)
		}
		return
	}
	d.min = object.Agreed(objects, d.min, koordinatorPrefix+"min-available", "pod-group/min-available",
		"pod-group.scheduling.sigs.k8s.io/min-available", jobs.GroupMinimum, kueueCount, groupSize)
	d.total = object.Agreed(objects, 0, koordinatorPrefix+"total-number", kueueCount)
	for _, m := range d.pods {
		if !m.Obj.Created.IsZero() && (d.created.IsZero() || m.Obj.Created.Before(d.created)) {
			d.created = m.Obj.Created
		}
	}
	first := d.pods[0].Obj
	in.readNetworkBlock(d, topologyAnnotation(first))
}
