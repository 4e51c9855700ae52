// Package partnames answers: how are the parts of a gang called, in the request and in refusals?
package partnames

import (
	"fmt"
	"slices"

	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/model"
)

// Names are what people call the parts of a gang, by number. The zero value has none.
type Names struct {
	// Gangs are several ones that start together, each of them a part; nil: it is one gang.
	Gangs interface {
		// Called names a gang, or a group of one, whose lowest rank is first, in a refusal of all.
		Called(first int, name string) string
	}
	all []name
}

// name is what people call a part.
type name struct {
	label  string // in the request; of equal groups, which have none there, that of the part around and a number
	called string // in refusals
	isCut  bool   // it is one of the equal groups of the part around it
}

// add notes the name of the next part, and returns the part's number. Outer parts come first.
func (n *Names) add(one name) int {
	n.all = append(n.all, one)
	return len(n.all) - 1
}

// Gang is the number of the whole gang, which comes first; it has about so many parts.
func (n *Names) Gang(gang string, parts int) int {
	n.all = make([]name, 0, 1+parts)
	return n.add(name{called: gang})
}

// Part is the number of a part of the request.
func (n *Names) Part(label string) int { return n.add(name{label: label, called: "part " + label}) }

// Group is the number of the next of the equal groups of a part.
func (n *Names) Group(of *model.Part, size int64) int {
	return n.add(name{label: fmt.Sprintf("%s/%d", n.Label(of), len(of.Parts)), called: fmt.Sprintf("groups of %d", size), isCut: true})
}

// Label is the name of a part in the request.
func (n *Names) Label(a *model.Part) string { return n.all[a.Number].label }

// IsCut says whether a part is one of the equal groups of the part around it.
func (n *Names) IsCut(a *model.Part) bool { return n.all[a.Number].isCut }

// InRefusals is the name of a group in a refusal; each of several gangs that start together is a group.
func (n *Names) InRefusals(a *model.Part) string {
	if n.Gangs == nil {
		return n.all[a.Number].called
	}
	return n.Gangs.Called(a.First(), n.all[a.Number].called)
}

// Multiple names the first multiple that does not divide a number of members, else the first one.
func Multiple(v *layout.View, list []model.Multiple, members int) string {
	i := max(0, slices.IndexFunc(list, func(m model.Multiple) bool { return int64(members)%m.Of != 0 }))
	return fmt.Sprintf("multiple %d at %s", list[i].Of, v.LayerName(list[i].Tier))
}
