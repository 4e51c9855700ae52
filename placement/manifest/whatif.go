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
	err := dropGangs(objects, opt)
	objects.Tell()
	return err
}

// dropGangs forgets the objects of gangs that are theirs alone. A reading of copies, which is thrown away, says which these are.
func dropGangs(objects *object.Set, opt *Options) error {
	if len(opt.WithoutGangs) == 0 {
		return nil
	}
	copied, of := objects.Copy()
	var notices object.Notices
	b := newBase(*opt, copied, &notices)
	b.read()
	r := newReader(b, copied, &notices, nil)
	r.link()
	var all []string
	gone, left := map[*object.Object]bool{}, map[*object.Object]bool{}
	for _, d := range r.gangs.drafts {
		all = append(all, d.name)
		to := left
		if slices.Contains(opt.WithoutGangs, d.name) {
			to = gone
		}
		for _, o := range d.everything() {
			to[o] = true
		}
	}
	if err := unknown("WithoutGangs", "gang", opt.WithoutGangs, all); err != nil {
		return err
	}
	r.addBehind(opt.WithoutGangs, gone, left)
	drop := map[*object.Object]bool{}
	for o, goes := range gone {
		drop[of[o]] = goes && !left[o] // else it is such as the owner of several gangs
	}
	objects.Drop(func(o *object.Object) bool { return drop[o] })
	return nil
}

// everything is the objects that make a gang.
func (d *draft) everything() []*object.Object {
	out := d.objects()
	for _, m := range d.pods {
		out = append(out, m.obj)
	}
	return out
}

// addBehind adds the objects for which gangs stand, their pods that are over, and whatever the objects that go have made.
func (r *reader) addBehind(names []string, gone, left map[*object.Object]bool) {
	for title, d := range r.gangs.covered {
		if o := r.objects.Titled(title); o != nil && d != nil && slices.Contains(names, d.name) {
			gone[o] = true
		}
	}
	for _, m := range slices.Concat(r.pods.over, r.pods.done) {
		if d := r.gangs.gangOf(m); d != nil && slices.Contains(names, d.name) {
			gone[m.obj] = true
		}
	}
	for _, o := range r.objects.List {
		seen := map[*object.Object]bool{}
		for up := r.objects.ControllerOf(o); up != nil && !seen[up] && !gone[o]; up = r.objects.ControllerOf(up) {
			seen[up], gone[o] = true, gone[up] && !left[up]
		}
	}
}

// forget leaves out gangs of which an owner of several would promise the members that are not there.
func (g *gangs) forget(names []string) {
	g.drafts = slices.DeleteFunc(g.drafts, func(d *draft) bool { return len(d.pods) == 0 && slices.Contains(names, d.name) })
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
