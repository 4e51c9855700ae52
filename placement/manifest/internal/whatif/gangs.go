package whatif

import (
	"slices"

	"github.com/muster-sched/muster/placement/manifest/internal/object"
)

// Gang is a gang of a copy of the objects.
type Gang struct {
	Name   string
	Owners []string         // other names that it answers to
	Made   []*object.Object // of what it is made
	Behind []*object.Object // what it stands for, or was a part of it
}

// DropGangs forgets the objects of gangs that are theirs alone, and returns the names of these gangs. Read reads a copy of the objects, to say
// which these are.
func (a *Asked) DropGangs(objects *object.Set, read func(copied *object.Set) []Gang) (names []string, err error) {
	if len(a.WithoutGangs) == 0 {
		return nil, nil
	}
	copied, of := objects.Copy()
	gangs := read(copied)
	called := map[string][]string{} // gangs, by the names that they answer to
	for i := range gangs {
		for _, name := range append([]string{gangs[i].Name}, gangs[i].Owners...) {
			called[name] = append(called[name], gangs[i].Name)
		}
	}
	asked := map[string]bool{}
	if err := choose("WithoutGangs", "gang", a.WithoutGangs, object.SortedKeys(called), asked); err != nil {
		return nil, err
	}
	for _, name := range object.SortedKeys(asked) {
		names = append(names, called[name]...)
	}
	gone, left := map[*object.Object]bool{}, map[*object.Object]bool{}
	for i := range gangs {
		to := left
		if slices.Contains(names, gangs[i].Name) {
			to = gone
			for _, o := range gangs[i].Behind {
				gone[o] = true
			}
		}
		for _, o := range gangs[i].Made {
			to[o] = true
		}
	}
	addMade(copied, gone, left)
	drop := map[*object.Object]bool{}
	for o, goes := range gone {
		drop[of[o]] = goes && !left[o] // else it is such as the owner of several gangs
	}
	objects.Drop(func(o *object.Object) bool { return drop[o] })
	return names, nil
}

// addMade adds whatever the objects that go have made.
func addMade(objects *object.Set, gone, left map[*object.Object]bool) {
	for _, o := range objects.List {
		for up := range objects.Controllers(o) {
			if gone[o] {
				break
			}
			gone[o] = gone[up] && !left[up]
		}
	}
}
