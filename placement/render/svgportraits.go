package render

import (
	"fmt"
	"slices"
	"strings"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/phrases"
	"github.com/muster-sched/muster/placement"
)

// portrait is a node of a picture: its slots as the text has them, and whose they are.
type portrait struct {
	slots   []stretch
	width   int64
	victims []stretch // members, by gang
	text    string
	title   string
}

// stretch is some slots of one kind, of one gang if it is not empty.
type stretch struct {
	run
	gang string
}

// holding is what a gang has on a node.
type holding struct {
	gang    string
	members int64
	load    load
}

// holdings are those of a node: of members that stay, of those that are leaving, and of victims; and the new members of the gang.
type holdings struct {
	stay, leaving, victims []holding
	new                    []string
}

// gangsOnNode is how many gangs are told apart on one node.
const gangsOnNode = 128

// addTo counts a member among those of its gang.
func addTo(list []holding, m *cluster.Running) []holding {
	i := slices.IndexFunc(list, func(h holding) bool { return h.gang == m.Gang })
	switch {
	case i < 0 && len(list) == gangsOnNode:
		return list
	case i < 0:
		i, list = len(list), append(list, holding{gang: m.Gang})
	}
	list[i].members++
	list[i].load.add(m)
	return list
}

// portraits paints the nodes that boxes draw as cells. O(nodes + running).
func (d *drawing) portraits(o *Outcome, boxes []*box) map[string]*portrait {
	found := map[string]*portrait{}
	var collect func([]*box)
	collect = func(boxes []*box) {
		for _, b := range boxes {
			for _, node := range b.nodes {
				found[node] = nil
			}
			collect(b.kids)
		}
	}
	collect(boxes)
	held := holdingsOf(o, found)
	counter := counter{shape: shapeOf(o.Request), exclusive: o.Cluster.NUMAExclusive()}
	for n := range o.Cluster.Nodes() {
		if _, drawn := found[n.Name]; !drawn {
			continue
		}
		h, c := held[n.Name], d.cells[n.Name]
		p := portray(&n, &c, h, &counter)
		p.title = titleOf(&n, &c, h)
		found[n.Name] = p
	}
	return found
}

// holdingsOf looks at every running member on the nodes that are drawn.
func holdingsOf(o *Outcome, drawn map[string]*portrait) map[string]*holdings {
	leaves := map[cluster.MemberRef]bool{}
	for _, res := range resultsWith(o) {
		if res != nil {
			for _, v := range res.Victims {
				leaves[v.MemberRef] = true
			}
		}
	}
	held := map[string]*holdings{}
	for node := range drawn {
		held[node] = &holdings{}
	}
	for m := range o.Cluster.Running() {
		h := held[m.Node]
		switch {
		case h == nil: // is not drawn
		case m.Leaving:
			h.leaving = addTo(h.leaving, &m)
		case leaves[cluster.MemberRef{Gang: m.Gang, Member: m.Member}]:
			h.victims = addTo(h.victims, &m)
		case m.Gang != o.Gang || o.Gang == "":
			h.stay = addTo(h.stay, &m)
		}
	}
	if o.Result != nil {
		for _, a := range o.Result.Assignments {
			if h := held[a.Node]; h != nil && len(h.new) <= maxNamesInTitle {
				h.new = append(h.new, clip(a.Member, maxName))
			}
		}
	}
	for i := range o.Together {
		holdOthers(&o.Together[i], held)
	}
	return held
}

// holdOthers adds the new members of a gang that starts together with the one that is drawn.
func holdOthers(o *Outcome, held map[string]*holdings) {
	if o.Result == nil || o.Request == nil {
		return
	}
	shapes := shapesOf(o.Request)
	for _, a := range o.Result.Assignments {
		h, shape := held[a.Node], shapes[a.Member]
		if h == nil {
			continue
		}
		if shape == nil {
			shape = shapeOf(o.Request)
		}
		h.stay = addTo(h.stay, &cluster.Running{Gang: o.Gang, Resources: shape.Resources, NUMA: a.NUMA})
	}
}

// portray divides the slots of a cell among the gangs that hold them. What none of them takes alone, such as a slot that is
// in use in part by each of two, is nobody's.
func portray(n *cluster.Node, c *cell, h *holdings, of *counter) *portrait {
	p := &portrait{text: c.String()}
	runs, width := c.runs()
	p.width = width
	base := &load{}
	for _, r := range runs {
		switch r.char {
		case 'x':
			p.slots = append(p.slots, divide(r, n, of, &load{}, h.stay)...)
		case '~':
			for i := range h.stay {
				base = base.with(&h.stay[i].load)
			}
			p.slots = append(p.slots, divide(r, n, of, base, h.leaving)...)
		default:
			p.slots = append(p.slots, stretch{run: r})
		}
	}
	for _, v := range h.victims {
		p.victims = append(p.victims, stretch{run{'-', v.members}, v.gang})
	}
	return p
}

// divide gives each gang the slots that are gone with its members beside those before it.
func divide(r run, n *cluster.Node, of *counter, base *load, list []holding) (out []stretch) {
	before := of.slots(n, base)
	for i := range list {
		if r.n == 0 {
			return out
		}
		base = base.with(&list[i].load)
		after := of.slots(n, base)
		if takes := min(r.n, before-after); takes > 0 {
			out = append(out, stretch{run{r.char, takes}, list[i].gang})
			r.n -= takes
		}
		before = after
	}
	if r.n > 0 {
		out = append(out, stretch{run: r})
	}
	return out
}

// maxNamesInTitle is the most gangs, and the most new members, of one node that its title names.
const maxNamesInTitle = 4

// titleOf says in words what a node holds.
func titleOf(n *cluster.Node, c *cell, h *holdings) string {
	text := clip(n.Name, maxName) + ": never room for a member"
	if _, all := c.runs(); all > 0 {
		text = fmt.Sprintf("%s: %d of %s free", clip(n.Name, maxName), c.free, phrases.Count(int(all), "slot"))
	}
	for _, part := range []struct {
		word  string
		names []string
	}{{"new", h.new}, {"taken by", namesOf(h.stay)}, {"leaving", namesOf(h.leaving)}, {"evicted", namesOf(h.victims)}} {
		if len(part.names) > maxNamesInTitle {
			part.names = append(part.names[:maxNamesInTitle:maxNamesInTitle], "and others")
		}
		if len(part.names) > 0 {
			text += "; " + part.word + " " + strings.Join(part.names, ", ")
		}
	}
	if n.Cordoned || n.NotReady {
		text += "; out of service"
	}
	return text
}

// namesOf are those of gangs, with the number of their members if these are several.
func namesOf(list []holding) (names []string) {
	for _, of := range list {
		names = append(names, clip(of.gang, maxName)+map[bool]string{true: fmt.Sprintf(" %d", of.members)}[of.members > 1])
	}
	return names
}

// snapshot is an outcome that draws a cluster as it is, its slots counted in devices where nodes have some, else in
// CPUs.
func snapshot(c *placement.Cluster) *Outcome {
	nodes, least := map[string]int{}, muster.Resources{}
	for n := range c.Nodes() {
		for resource, amount := range n.Allocatable {
			if amount > 0 {
				nodes[resource]++
				least[resource] = 1
			}
		}
	}
	best := ""
	for _, resource := range slices.SortedFunc(slices.Values(least.Names()), muster.CompareResources) {
		if muster.CompareResources(resource, muster.CPU) < 0 && nodes[resource] > nodes[best] {
			best = resource
		}
	}
	shape := muster.Resources{muster.CPU: 1000}
	if best != "" {
		shape = muster.Resources{best: 1}
	}
	o := &Outcome{Cluster: c, Request: &gang.Request{Shape: gang.Shape{Resources: shape}}}
	if _, found := c.Tree("default"); !found && len(c.Trees()) > 1 {
		o.Request.Tree = c.Trees()[0].Name
	}
	return o
}
