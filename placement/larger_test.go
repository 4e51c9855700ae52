package placement_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/reference"
	"github.com/muster-sched/muster/internal/validity"
	"github.com/muster-sched/muster/numa"
	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/topology"
)

// network draws a tree of up to four layers with some hundred nodes, more than the reference solver can look at. Domains
// differ in size, and here and there one of them, or a node, lies right below a higher layer.
type network struct {
	*rand.Rand
	widths []int // children of a domain, by tier
	uneven bool
	named  int
	spec   cluster.Spec
}

func (n *network) domain(tier int) topology.Domain {
	d := topology.Domain{Name: fmt.Sprint("domain-", n.named), Tier: tier}
	n.named++
	width := n.widths[tier-1]
	if n.IntN(4) == 0 {
		width = n.IntN(width + 1)
	}
	bare := tier == 1 || n.uneven && n.IntN(8) == 0 // holds nodes
	for range width {
		below := tier - 1
		if below > 1 && n.uneven && n.IntN(8) == 0 {
			below--
		}
		if !bare {
			d.Children = append(d.Children, n.domain(below))
			continue
		}
		name := fmt.Sprintf("node-%d", len(n.spec.Nodes))
		n.spec.Nodes = append(n.spec.Nodes, cluster.Node{Name: name, Allocatable: gpus(8)})
		d.Nodes = append(d.Nodes, name)
	}
	return d
}

// stretch puts up to two domains between each domain and what it holds, so that a tree has more layers than the index
// keeps all its bounds for.
func (n *network) stretch(domains []topology.Domain) {
	for i := range domains {
		d := &domains[i]
		d.Tier *= 3
		n.stretch(d.Children)
		for tier := d.Tier - 2; tier < d.Tier; tier++ {
			if n.IntN(3) > 0 {
				inner := topology.Domain{Name: "inner", Tier: tier, Children: d.Children, Nodes: d.Nodes}
				d.Children, d.Nodes = []topology.Domain{inner}, nil
			}
		}
	}
}

// fill takes slots on the nodes: at random, by whole domains of the lowest layer, or alike everywhere.
func (n *network) fill(kind string, most int) {
	taken := int64(0)
	for i, node := range n.spec.Nodes {
		switch {
		case kind == "alike":
			taken = int64(most)
		case kind == "scattered" || i%n.widths[0] == 0:
			taken = int64(n.IntN(most + 1))
		}
		if taken > 0 {
			n.spec.Running = append(n.spec.Running, cluster.Running{Gang: "other", Member: node.Name, Node: node.Name, Resources: gpus(taken), MinMember: -1})
		}
	}
}

// others makes so many of four nodes ones that some members are not meant for.
func (n *network) others(ofFour int) {
	for i := range n.spec.Nodes {
		node := &n.spec.Nodes[i]
		node.Labels = map[string]string{"kind": strconv.Itoa(n.IntN(3))}
		if n.IntN(4) >= ofFour {
			continue
		}
		if n.IntN(2) == 0 {
			node.Allocatable["fpga"] = 1
		} else {
			node.Taints = []gang.Taint{{Key: "soft", Effect: gang.PreferNoSchedule}}
		}
	}
}

func drawLarger(t *rapid.T) cluster.Spec {
	n := &network{Rand: rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0)), uneven: rapid.Bool().Draw(t, "uneven")}
	layers := rapid.IntRange(1, 4).Draw(t, "layers")
	most := []int{0, 60, 14, 7, 5}[layers]
	spec := topology.Spec{}
	for tier := 1; tier <= layers; tier++ {
		n.widths = append(n.widths, rapid.IntRange(1, most).Draw(t, "width"))
		spec.Layers = append(spec.Layers, topology.Layer{Name: fmt.Sprint("layer-", tier), Tier: tier})
	}
	for i := range rapid.IntRange(1, 3).Draw(t, "roots") {
		d := n.domain(layers)
		d.Name = fmt.Sprint("root-", i)
		spec.Roots = append(spec.Roots, d)
	}
	if rapid.IntRange(0, 4).Draw(t, "deep") == 4 {
		n.stretch(spec.Roots)
		for i := range spec.Layers {
			spec.Layers[i].Tier *= 3
		}
	}
	inTree := len(n.spec.Nodes)
	outside := rapid.IntRange(-3, 2).Draw(t, "outside")
	if inTree == 0 {
		outside = 1 // one node at least
	}
	for i := range max(0, outside) {
		n.spec.Nodes = append(n.spec.Nodes, cluster.Node{Name: fmt.Sprint("outside-", i), Allocatable: gpus(2)})
	}
	n.fill(rapid.SampledFrom([]string{"scattered", "clean", "alike"}).Draw(t, "fill"), rapid.IntRange(0, 8).Draw(t, "most taken"))
	n.zones(t)
	if rapid.IntRange(0, 2).Draw(t, "meant for others") == 0 {
		n.others(rapid.IntRange(0, 3).Draw(t, "of four"))
	}
	if inTree > 0 {
		n.spec.Trees = []cluster.NamedTree{{Tree: newTree(t, spec)}}
	}
	return n.spec
}

func drawLargerRequest(t *rapid.T, spec cluster.Spec) *gang.Request {
	req := job(rapid.IntRange(1, 70).Draw(t, "members"))
	req.Shape.Resources = gpus(rapid.SampledFrom([]int64{1, 1, 2, 8}).Draw(t, "devices"))
	req.Policy = rapid.SampledFrom([]gang.Policy{"", "", gang.Spread, gang.Balanced, gang.ByScore}).Draw(t, "policy")
	if slices.ContainsFunc(spec.Nodes, func(n cluster.Node) bool { return n.NUMA != nil }) {
		req.Shape.Resources = gpus(rapid.SampledFrom([]int64{1, 2, 3, 5, 8}).Draw(t, "of zones"))
		req.Shape.NUMA.Policy = drawPolicy(t)
		req.Shape.NUMA.Exclusive = rapid.SampledFrom([]numa.Exclusive{"", numa.Preferred}).Draw(t, "exclusive")
	}
	if rapid.IntRange(0, 5).Draw(t, "prefers") == 0 {
		term := gang.NodeTerm{Labels: []gang.Expression{{Key: "kind", Operator: gang.In, Values: []string{"0"}}}}
		req.Shape.Preferred = []gang.Preference{{Weight: 1, Nodes: term}}
	}
	if rapid.IntRange(0, 5).Draw(t, "tolerates") == 0 {
		req.Shape.Tolerations = []gang.Toleration{{Key: "soft", Exists: true}}
	}
	roles := max(0, rapid.IntRange(-2, 2).Draw(t, "further roles"))
	for range roles {
		other := &gang.Shape{Resources: gpus(rapid.SampledFrom([]int64{1, 2, 3, 8}).Draw(t, "of a role")), NUMA: req.Shape.NUMA}
		lo := rapid.IntRange(0, len(req.Members)).Draw(t, "first of the role")
		for i := lo; i < min(len(req.Members), lo+rapid.IntRange(1, 40).Draw(t, "in the role")); i++ {
			req.Members[i].Shape = other
		}
	}
	if roles == 0 || len(req.Members) <= 16 { // many groups of several roles spend the steps, and not all keys decide then
		if size := rapid.IntRange(0, 12).Draw(t, "group"); size > 0 && size <= len(req.Members) {
			req.PP = size
		}
		if rapid.IntRange(0, 2).Draw(t, "nested") == 0 {
			drawNested(t, spec, req)
		}
	}
	if rapid.IntRange(0, 3).Draw(t, "elastic") == 0 {
		req.MinMember = rapid.IntRange(1, len(req.Members)).Draw(t, "least")
	}
	if rapid.IntRange(0, 3).Draw(t, "rules") == 0 && len(spec.Trees) > 0 {
		strategy := rapid.SampledFrom([]gang.Strength{gang.MustGather, gang.PreferGather}).Draw(t, "strategy")
		layer := rapid.SampledFrom(spec.Trees[0].Tree.Layers()).Draw(t, "layer")
		req.Gather = []gang.Rule{{Layer: cmp.Or(layer.Name, strconv.Itoa(layer.Tier)), Strength: strategy}}
	}
	for range rapid.IntRange(-4, 4).Draw(t, "excluded") {
		req.Exclude = append(req.Exclude, rapid.SampledFrom(spec.Nodes).Draw(t, "node").Name)
	}
	if rapid.IntRange(0, 3).Draw(t, "inside") == 0 && len(spec.Trees) > 0 {
		tree := spec.Trees[0].Tree
		req.Inside = tree.Path(topology.DomainID(rapid.IntRange(0, tree.Len()-1).Draw(t, "in")))
	}
	if rapid.IntRange(0, 5).Draw(t, "scored") == 0 {
		req.Class, req.Score = "scored", func(node string) int64 { return int64(node[len(node)-1]) % 3 }
	}
	return req
}

// drawNested gives a gang two or three levels of groups in place of one, and no members that they leave over.
func drawNested(t *rapid.T, spec cluster.Spec, req *gang.Request) {
	var levels []gang.Groups
	size := rapid.IntRange(1, 6).Draw(t, "innermost group")
	for range rapid.IntRange(2, 3).Draw(t, "levels") {
		level := gang.Groups{Size: size}
		if rapid.IntRange(0, 2).Draw(t, "rules of groups") == 0 && len(spec.Trees) > 0 {
			layer := rapid.SampledFrom(spec.Trees[0].Tree.Layers()).Draw(t, "layer of groups")
			strength := rapid.SampledFrom([]gang.Strength{gang.MustGather, gang.PreferGather}).Draw(t, "strength")
			level.Gather = []gang.Rule{{Layer: cmp.Or(layer.Name, strconv.Itoa(layer.Tier)), Strength: strength}}
		}
		levels = slices.Insert(levels, 0, level)
		size *= rapid.IntRange(2, 4).Draw(t, "groups in one")
	}
	if whole := len(req.Members) - len(req.Members)%levels[0].Size; whole > 0 {
		req.Members, req.PP, req.Groups = req.Members[:whole], 0, levels
	}
}

// On clusters too large for the reference the index, which passes over most of the tree, gives the plans that counting
// every node gives, and they are valid.
func TestIndexChangesNoPlan(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spec := drawLarger(t)
		c := newCluster(t, spec)
		for range 4 {
			req := drawLargerRequest(t, spec)
			res, err := placement.Plan(c, req)
			require.Equal(t, answerOf(placement.Plan(c, reference.WithoutIndex(*req))), answerOf(res, err))
			if err == nil {
				require.NoError(t, validity.Check(spec, req, res))
			}
		}
	})
}

// Inside a domain the index, which counts all nodes, gives the plan, the refusal and the further plans of the request that excludes all others.
func TestInsideIsAsExcludingAllOthers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spec := drawLarger(t)
		if len(spec.Trees) == 0 {
			return
		}
		c, tree := newCluster(t, spec), spec.Trees[0].Tree
		for range 4 {
			req := drawLargerRequest(t, spec)
			d := topology.DomainID(min(rapid.IntRange(0, 4).Draw(t, "high up"), rapid.IntRange(0, tree.Len()-1).Draw(t, "inside")))
			if req.Inside = tree.Path(d); d == topology.Root {
				continue
			}
			other := *req
			other.Inside, other.Exclude = nil, slices.Clone(req.Exclude)
			for _, n := range spec.Nodes {
				if !validity.IsInside(&spec, req, n.Name) {
					other.Exclude = append(other.Exclude, n.Name)
				}
			}
			res, err := placement.Plan(c, req)
			require.Equal(t, answerOf(placement.Plan(c, &other)), answerOf(res, err))
			if err == nil {
				require.NoError(t, validity.Check(spec, req, res))
			}
		}
	})
}

// Without an index, too, a large gang goes to the largest domains of each layer where it uses fewer there: of two halls that hold 70 members in one row the one
// with fewer slots to spare needs three racks, the other one two.
func TestLargestDomainsWithoutAnIndex(t *testing.T) {
	spec, tree := cluster.Spec{}, topology.Spec{Layers: []topology.Layer{{Name: "hall", Tier: 3}, {Name: "row", Tier: 2}, {Name: "rack", Tier: 1}}}
	for hall, racks := range [][]int{{5, 4, 1}, {3, 3, 3}} { // free nodes of eight each, of 16 nodes
		row := topology.Domain{Name: fmt.Sprint("row-", hall), Tier: 2}
		for rack, free := range racks {
			d := topology.Domain{Name: fmt.Sprint("rack-", hall, "-", rack), Tier: 1}
			for i := range 16 {
				node := cluster.Node{Name: fmt.Sprint("node-", hall, "-", rack, "-", i), Allocatable: gpus(0)}
				if i < free {
					node.Allocatable = gpus(8)
				}
				spec.Nodes, d.Nodes = append(spec.Nodes, node), append(d.Nodes, node.Name)
			}
			row.Children = append(row.Children, d)
		}
		tree.Roots = append(tree.Roots, topology.Domain{Name: fmt.Sprint("hall-", hall), Tier: 3, Children: []topology.Domain{row}})
	}
	spec.Trees = []cluster.NamedTree{{Tree: newTree(t, tree)}}
	req := job(70)
	req.Gather = []gang.Rule{{Layer: "rack", Strength: gang.PreferGather}}
	for _, r := range []*gang.Request{req, reference.WithoutIndex(*req)} {
		res := mustPlan(t, newCluster(t, spec), r)
		require.Equal(t, []placement.LayerSpan{{Layer: "rack", Tier: 1, Domains: 2}}, res.Span)
		require.Equal(t, []string{"hall-0", "row-0"}, res.Domain)
	}
}
