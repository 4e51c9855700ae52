// How may the tree of a model look?

package spec

import (
	"strconv"

	"pgregory.net/rapid"

	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/topology"
)

// tree draws a topology of one to three layers, or none.
func (d *drawer) tree() {
	var tiers []int
	for tier := range max(1+d.upTo(2, "layers"), 3*bit(d.focus == fewDomains || d.focus == groupsOnly || d.focus == inDomain)) {
		tiers = append(tiers, 1+tier+bit(d.chance(15, "tier is missing")))
	}
	for i := 1; i < len(tiers); i++ {
		tiers[i] = max(tiers[i], tiers[i-1]+1)
	}
	g := &grower{drawer: d, skips: 5, siblings: 4, left: rapid.SampledFrom([]int{2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 9, 8, 7, 6, 5}).Draw(d.t, "nodes")}
	if d.focus == groupsOnly || d.focus == inDomain {
		g.left, g.siblings, g.few = 12, 2, true
	}
	if d.chance(15, "uneven") {
		g.skips = 35
	}
	var spec topology.Spec
	switch {
	case d.chance(4, "bare"):
		spec.Nodes = g.nodes(g.left)
	default:
		spec.Roots = g.domains(tiers)
	}
	inTree := len(g.names)
	if d.chance(40, "nodes outside") || inTree == 0 {
		g.left = 2
		g.nodes(1 + d.upTo(1, "outside"))
	}
	for _, tier := range tiers { // layers that no domain is of
		if d.chance(50, "layer has a name") {
			spec.Layers = append(spec.Layers, topology.Layer{Name: "layer" + strconv.Itoa(tier), Tier: tier})
		}
	}
	tree, err := topology.New(spec)
	if err != nil {
		panic(err)
	}
	d.m.View = layout.New("tree", tree, g.names, nil)
}

// grower makes the domains and nodes of a tree, named in the order of paths.
type grower struct {
	drawer   *drawer
	siblings int  // at most
	few      bool // at most two nodes in a domain
	skips    int  // of a hundred domains, so many have no children of the next layer, but of one below
	left     int  // nodes to come
	domain   int
	names    []string
}

// domains are some siblings, of the last of some tiers unless they skip it.
func (g *grower) domains(tiers []int) (out []topology.Domain) {
	for first := true; first || g.left > 0 && len(out) < g.siblings && g.drawer.chance(85, "one more domain"); first = false {
		own := tiers
		if len(own) > 1 && g.drawer.chance(g.skips, "skips a layer") {
			own = own[:len(own)-1]
		}
		g.domain++
		d := topology.Domain{Name: "d" + strconv.Itoa(g.domain), Tier: own[len(own)-1]}
		if below := own[:len(own)-1]; len(below) > 0 && !g.drawer.chance(g.skips, "has no layer below") {
			d.Children = g.domains(below)
		} else {
			n := rapid.SampledFrom([]int{1, 2, 3, 1, 2, 3, 2, 4, 0}).Draw(g.drawer.t, "nodes")
			if g.few {
				n = min(n, 2)
			}
			d.Nodes = g.nodes(n)
		}
		out = append(out, d)
	}
	return out
}

// nodes makes some nodes.
func (g *grower) nodes(n int) (out []string) {
	for ; n > 0 && g.left > 0; n-- {
		out = append(out, "n"+strconv.Itoa(len(g.names)))
		g.names, g.left = append(g.names, out[len(out)-1]), g.left-1
	}
	return out
}
