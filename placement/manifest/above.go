package manifest

import (
	"slices"

	"github.com/muster-sched/muster/placement/manifest/internal/member"
	"github.com/muster-sched/muster/placement/manifest/internal/object"
	"github.com/muster-sched/muster/placement/manifest/internal/priorities"
	"github.com/muster-sched/muster/placement/manifest/internal/quotas"
)

// What the owners of a gang say of its queue and its priority, the topmost first.

// mostOwners bounds the owners above an object: such chains are short.
const mostOwners = 100

// findOwners finds the owners of a gang, and the Queues that they name.
func (d *draft) findOwners(objects *object.Set, named *quotas.All) {
	var from []*object.Object
	for _, o := range []*object.Object{d.obj, d.jobObject()} {
		if o != nil {
			from = append(from, o)
		}
	}
	if len(from) == 0 && len(d.pods) > 0 {
		from = append(from, d.pods[0].Obj)
	}
	for _, o := range from {
		var chain []*object.Object
		if !d.isGroup() || o != d.obj {
			chain = append(chain, o)
		}
		for up := range objects.Owners(o) {
			if chain = append(chain, up); len(chain) > mostOwners {
				break
			}
		}
		for _, up := range slices.Backward(chain) {
			if up.Kind != "Pod" && !slices.Contains(d.owners, up) {
				d.owners = append(d.owners, up)
			}
		}
	}
	for _, o := range d.owners {
		d.above = append(d.above, named.QueuesOfPod(o.Root)...)
	}
}

// classKeys name a priority class beside the fields of pods.
var classKeys = []string{"priorityClassName", "ray.io/priority-class-name"}

// labeledClass is where the owners of a gang, or else its first member, name a priority class that the input has.
func (d *draft) labeledClass(classes *priorities.All, members []*member.Member) (class object.Field, found bool) {
	metas := make([]object.Field, 0, len(d.owners)+1)
	for _, o := range d.owners {
		metas = append(metas, o.Root.Get("metadata"))
	}
	if len(members) > 0 {
		metas = append(metas, members[0].Spec.Template.Get("metadata"))
	}
	for _, meta := range metas {
		for _, key := range classKeys {
			if _, known := classes.Lookup(object.Said(meta, key)); known {
				return object.Stated(meta, key), true
			}
		}
	}
	return object.Field{}, false
}

// readClass gives a gang the priority class that its owners name, unless its own object, a group, has one.
func (d *draft) readClass(classes *priorities.All, members []*member.Member) {
	if d.isGroup() && (d.priority != nil || d.class.Text() != "") || d.obj != nil && d.obj.Kind == "Workload" {
		return
	}
	if class, found := d.labeledClass(classes, members); found {
		d.class, d.priority = class, nil
	}
}
