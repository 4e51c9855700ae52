package manifest

import (
	"slices"

	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/placement/manifest/internal/member"
	"github.com/muster-sched/muster/placement/manifest/internal/object"
	"github.com/muster-sched/muster/placement/manifest/internal/whatif"
)

// readFiles collects the objects of all files: those of added ones in place of others of their names, without the nodes and gangs that are to
// be left out, and with nodes as they are when they are back. The error tells names that nobody has.
func readFiles(objects *object.Set, files []File, opt *Options) (changed whatif.Nodes, err error) {
	asked := whatif.Asked{
		WithoutNodes: opt.WithoutNodes, WithoutDomains: opt.WithoutDomains, WithoutGangs: opt.WithoutGangs, Returned: opt.Returned, Topology: opt.Topology, Layers: opt.Layers,
	}
	if len(opt.Added) > 0 || !asked.Nothing() {
		objects.HoldNotices()
	}
	for _, f := range files {
		objects.ReadFile(f.Name, f.Data, f.Open)
	}
	objects.Replacing()
	for _, f := range opt.Added {
		objects.ReadFile(f.Name, f.Data, f.Open)
	}
	if changed, err = asked.ChangeNodes(objects, func(copied *object.Set) []cluster.NamedTree { return readCopy(copied, opt).trees.All() }); err != nil {
		return changed, err
	}
	objects.MakeUpNames()
	opt.WithoutGangs, err = asked.DropGangs(objects, func(copied *object.Set) []whatif.Gang { return readCopy(copied, opt).askedFor() })
	objects.Tell()
	return changed, err
}

// readCopy reads objects to be asked about, and to be thrown away.
func readCopy(copied *object.Set, opt *Options) *reader {
	var notices object.Notices
	b := newBase(*opt, copied, &notices)
	b.read()
	r := newReader(b, copied, &notices, nil)
	r.link()
	return r
}

// askedFor tells the gangs that may be left out.
func (r *reader) askedFor() (all []whatif.Gang) {
	owners, behind := r.ownerNames(), map[*draft][]*object.Object{}
	for title, d := range r.gangs.covered {
		if o := r.objects.Titled(title); o != nil && d != nil {
			behind[d] = append(behind[d], o)
		}
	}
	for _, m := range slices.Concat(r.pods.over, r.pods.done) {
		d := r.gangs.gangOf(m)
		behind[d] = append(behind[d], m.Obj)
	}
	for _, d := range r.gangs.drafts {
		all = append(all, whatif.Gang{Name: d.name, Owners: owners[d.name], Made: d.everything(), Behind: behind[d]})
	}
	return all
}

// everything is the objects that make a gang.
func (d *draft) everything() []*object.Object {
	all := append(d.objects(), member.PodsOf(d.pods)...)
	if d.submits && d.top != nil { // which stays for it
		all = append(all, d.top)
	}
	return all
}

// forget leaves out gangs of which an owner of several would promise the members that are not there.
func (g *gangs) forget(names []string) {
	g.drafts = slices.DeleteFunc(g.drafts, func(d *draft) bool { return len(d.pods) == 0 && slices.Contains(names, d.name) })
}
