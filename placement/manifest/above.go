package manifest

import (
	"slices"

	"github.com/muster-sched/muster/placement/manifest/internal/object"
)

// What the owners of a gang say of its queue and its priority, the topmost first.

// readOwnersOf finds the owners of a gang, and the Queues that they name.
func (r *reader) readOwnersOf(d *draft) {
	var from []*object.Object
	for _, o := range []*object.Object{d.obj, d.jobObject()} {
		if o != nil {
			from = append(from, o)
		}
	}
	if len(from) == 0 && len(d.pods) > 0 {
		from = append(from, d.pods[0].obj)
	}
	for _, o := range from {
		own := []*object.Object{}
		if !d.isGroup() || o != d.obj {
			own = append(own, o)
		}
		chain := slices.Concat(own, r.objects.OwnersOf(o))
		for _, up := range slices.Backward(chain) {
			if up.Kind != "Pod" && !slices.Contains(d.owners, up) {
				d.owners = append(d.owners, up)
			}
		}
	}
	for _, o := range d.owners {
		d.above = append(d.above, r.base.quotas.QueuesOfPod(o.Root)...)
	}
}

// classKeys name a priority class beside the fields of pods.
var classKeys = []string{"priorityClassName", "ray.io/priority-class-name"}

// labeledClass is where the owners of a gang, or else its first member, name a priority class that the input has.
func (r *reader) labeledClass(d *draft, members []*member) (class object.Field, found bool) {
	metas := make([]object.Field, 0, len(d.owners)+1)
	for _, o := range d.owners {
		metas = append(metas, o.Root.Get("metadata"))
	}
	if len(members) > 0 {
		metas = append(metas, members[0].spec.template.Get("metadata"))
	}
	for _, meta := range metas {
		for _, key := range classKeys {
			if _, known := r.base.priorities.Lookup(object.Said(meta, key)); known {
				return object.Stated(meta, key), true
			}
		}
	}
	return object.Field{}, false
}

// readClass gives a gang the priority class that its owners name, unless its own object, a group, has one.
func (r *reader) readClass(d *draft, members []*member) {
	if d.isGroup() && (d.priority != nil || d.class.Text() != "") || d.obj != nil && d.obj.Kind == "Workload" {
		return
	}
	if class, found := r.labeledClass(d, members); found {
		d.class, d.priority = class, nil
	}
}
