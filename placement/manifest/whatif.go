package manifest

import (
	"fmt"
	"slices"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/internal/known"
	"github.com/muster-sched/muster/placement/manifest/internal/object"
)

// readFiles collects the objects of all files: those of added ones in place of others of their names, without the nodes that are to
// be left out. The error tells names that nobody has.
func readFiles(objects *object.Set, files []File, opt *Options) error {
	if len(opt.Added)+len(opt.WithoutNodes)+len(opt.WithoutGangs) > 0 {
		objects.HoldNotices()
	}
	for _, f := range files {
		objects.ReadFile(f.Name, f.Data, f.Open)
	}
	objects.Replacing()
	for _, f := range opt.Added {
		objects.ReadFile(f.Name, f.Data, f.Open)
	}
	isNode := func(o *object.Object) bool { return o.Kind == "Node" && o.Group == "" }
	var names []string
	for _, o := range objects.List {
		if isNode(o) {
			names = append(names, o.Name)
		}
	}
	if err := unknown("WithoutNodes", "node", opt.WithoutNodes, names); err != nil {
		return err
	}
	objects.Drop(func(o *object.Object) bool { return isNode(o) && slices.Contains(opt.WithoutNodes, o.Name) })
	objects.MakeUpNames()
	return nil
}

// dropGangs forgets gangs, and the objects that are theirs alone.
func (r *reader) dropGangs(names []string) error {
	var all []string
	for _, d := range r.gangs.drafts {
		all = append(all, d.name)
	}
	if err := unknown("WithoutGangs", "gang", names, all); err != nil {
		return err
	}
	gone := map[*object.Object]bool{}
	r.gangs.drafts = slices.DeleteFunc(r.gangs.drafts, func(d *draft) bool {
		if !slices.Contains(names, d.name) {
			return false
		}
		delete(r.gangs.byName, d.name)
		for _, o := range d.everything() {
			gone[o] = true
		}
		return true
	})
	for _, d := range r.gangs.drafts {
		for _, o := range d.everything() {
			delete(gone, o) // such as the owner of several gangs
		}
	}
	r.objects.Drop(func(o *object.Object) bool { return gone[o] })
	r.objects.Tell()
	return nil
}

// everything is all objects that a gang is made of.
func (d *draft) everything() []*object.Object {
	out := d.objects()
	for _, m := range d.pods {
		out = append(out, m.obj)
	}
	return out
}

// unknown tells the first name that nobody has, and the nearest one.
func unknown(option, what string, names, all []string) error {
	for i, name := range names {
		if slices.Contains(all, name) {
			continue
		}
		reason := fmt.Sprintf("there is no %s at all", what)
		if len(all) > 0 {
			reason = fmt.Sprintf("no such %s; the nearest one is %s", what, known.Nearest(name, all))
		}
		return muster.Invalid(fmt.Sprintf("options.%s[%d]", option, i), name, reason)
	}
	return nil
}
