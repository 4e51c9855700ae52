package draws

import (
	"fmt"
	"slices"
	"strconv"

	"pgregory.net/rapid"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/validity"
)

// Request draws a gang that may well fit. It takes the gang's running members out of the cluster most of the time.
func Request(t *rapid.T, spec *cluster.Spec, sizes Sizes) gang.Request {
	req := gang.Request{
		Name:   GangName,
		Shape:  gang.Shape{Resources: muster.Resources{Device: 1, Second: 1000}},
		Policy: rapid.SampledFrom([]gang.Policy{"", "", gang.BestFit, gang.Spread, gang.Balanced, gang.ByScore}).Draw(t, "policy"),
	}
	if Chance(t, 10, "members take two") {
		req.Shape.Resources[Device] = 2
	}
	alignMembers(t, &req, spec)
	if Chance(t, 50, "members are pods") {
		req.Shape.Resources[muster.Pods] = 1
	}
	groups := rapid.IntRange(0, 6).Draw(t, "group levels")
	if sizes.Split {
		groups = withShort
	}
	withOwn := Chance(t, 35, "with running members")
	if groups > 0 && rapid.Bool().Draw(t, "with begun groups") {
		withOwn = true
		GiveToGang(t, spec)
	}
	own := TakeOwn(spec, withOwn)
	members := drawGroups(t, &req, groups, own, sizes)
	drawRules(t, &req, spec, &members, own)
	if req.Total > 0 {
		req.Total = max(req.Total, members+own)
	}
	NameMembers(t, &req, spec, members, own)
	Rest(t, &req, spec, own)
	if n := len(req.Groups); n > 0 && own == 0 && len(req.Members)%req.Groups[n-1].Size == 0 && Chance(t, 15, "of several shapes") {
		drawShapes(t, &req)
		if !validity.HasMultiples(&req) && len(req.Members) <= mostInParts && Chance(t, 40, "within") {
			drawWithin(t, &req, spec)
		}
	} else {
		drawLimits(t, &req, spec)
		drawPreferred(t, spec, &req)
	}
	return req
}

// drawShapes gives the members of every innermost group different shapes, in turn by rank, and makes it gather on a node. The
// planner refuses multiples of such gangs.
func drawShapes(t *rapid.T, req *gang.Request) {
	innermost := &req.Groups[len(req.Groups)-1]
	if slices.ContainsFunc(req.Gather, func(r gang.Rule) bool { return r.Multiple > 0 }) {
		return
	}
	innermost.Gather = []gang.Rule{{Layer: "0", Strength: gang.MustGather}}
	var shapes []*gang.Shape
	for i := range innermost.Size {
		s := req.Shape
		s.Resources = muster.Resources{Second: 500 * rapid.Int64Range(int64(bit(i == 0)), 2).Draw(t, "CPUs")}
		if Chance(t, 50, "has devices") {
			s.Resources[Device] = rapid.Int64Range(1, 2).Draw(t, "devices")
		}
		if s.NUMA != (gang.NUMA{}) {
			s.NUMA = NUMA(t)
		}
		shapes = append(shapes, &s)
	}
	ranks := validity.Ranks(req, nil)
	for i := range req.Members {
		m := &req.Members[i]
		m.Shape = shapes[ranks[m.Name]%len(shapes)]
	}
}

// GiveToGang makes some of the running members the gang's own.
func GiveToGang(t *rapid.T, spec *cluster.Spec) {
	for i := range spec.Running {
		if r := &spec.Running[i]; r.Gang != GangName && !r.Leaving && rapid.Bool().Draw(t, "own") {
			r.Gang, r.Member = GangName, fmt.Sprintf("old-%d", i)
		}
	}
}

// NameMembers names the new members and, where the gang has groups, gives running ones ranks among theirs.
func NameMembers(t *rapid.T, req *gang.Request, spec *cluster.Spec, members, own int) {
	total := members
	if len(req.Groups)+req.PP > 0 {
		total += own
	}
	var numbers []int
	for i := range total {
		numbers = append(numbers, HostileRank(i))
	}
	numbers = rapid.Permutation(numbers).Draw(t, "members")
	for _, n := range numbers[:members] {
		req.Members = append(req.Members, gang.Member{Name: fmt.Sprintf("job-%d", n)})
	}
	for i := range spec.Running {
		if r := &spec.Running[i]; r.Gang == GangName && members < total {
			r.Member = fmt.Sprintf("job-%d", numbers[members])
			members++
		}
	}
}

// HostileRank is the i-th of some numbers that sort differently as text.
func HostileRank(i int) int {
	if i < len(HostileRanks) {
		return HostileRanks[i]
	}
	return 200 + i
}

// HostileRanks are numbers that sort differently as text.
var HostileRanks = []int{9, 10, 1, 2, 100, 11, 3, 20, 99, 101, 12, 30}

// TakeOwn counts the gang's running members, or gives them to another gang.
func TakeOwn(spec *cluster.Spec, keep bool) int {
	own := 0
	for i := range spec.Running {
		if r := &spec.Running[i]; r.Gang == GangName && !keep {
			r.Gang = "ns/older"
		} else if r.Gang == GangName {
			own++
		}
	}
	return own
}

// withShort is the kind of groups of which the last one is short; larger ones than the others, so that some are split.
const withShort = 6

// drawGroups draws the levels of groups and how many members are new.
func drawGroups(t *rapid.T, req *gang.Request, kind, own int, sizes Sizes) int {
	members := rapid.IntRange(1, sizes.Members).Draw(t, "gang")
	size := rapid.IntRange(1, 4).Draw(t, "group size")
	switch kind {
	case 1, 2:
		req.Groups = []gang.Groups{{Size: size}}
	case 3:
		req.PP = size
	case 4, 5:
		inner := rapid.IntRange(1, 2).Draw(t, "inner size")
		outer := inner * rapid.IntRange(2, 3).Draw(t, "inner groups")
		req.Groups = []gang.Groups{{Size: outer}, {Size: inner}}
		if kind == 5 {
			outer *= 2
			req.Groups = slices.Insert(req.Groups, 0, gang.Groups{Size: outer})
		}
		members = outer*max(1, (members+own)/outer) - own
		if members <= 0 {
			members += outer
		}
	case withShort:
		size = rapid.IntRange(2, max(2, sizes.Members*2/3)).Draw(t, "size")
		req.Groups = []gang.Groups{{Size: size}}
		if members = max(members, size-own); (members+own)%size == 0 {
			members++
		}
		return members
	}
	if kind < 4 && Chance(t, 10, "known in part") {
		req.Total = members + own + rapid.IntRange(0, 4).Draw(t, "unknown")
	}
	if largest := max(req.PP, sizeOf(req.Groups)); max(members+own, req.Total) < largest && (kind > 3 || Chance(t, 50, "a group is not larger than the gang")) {
		members = largest - own
	}
	if len(req.Groups)+req.PP > 0 && own == 0 && Chance(t, 50, "groups divide the gang") {
		size := max(req.PP, sizeOf(req.Groups))
		members = size * max(1, members/size)
	}
	return members
}

// sizeOf is the size of the outermost groups, 0 if there are none.
func sizeOf(levels []gang.Groups) int {
	if len(levels) == 0 {
		return 0
	}
	return levels[0].Size
}

// drawRules draws gather rules and multiples; a multiple divides the groups, and the members follow it.
func drawRules(t *rapid.T, req *gang.Request, spec *cluster.Spec, members *int, own int) {
	layers := LayerNames(spec)
	req.Gather = Gather(t, layers)
	for i := range req.Groups {
		req.Groups[i].Gather = Gather(t, layers)
	}
	if own > 0 || !Chance(t, 12, "with a multiple") { // the planner refuses multiples beside running members
		return
	}
	multiple := rapid.IntRange(2, 3).Draw(t, "multiple")
	for _, g := range append(req.Groups, gang.Groups{Size: req.PP}) {
		if g.Size%multiple != 0 {
			return
		}
	}
	total := (*members + multiple - 1) / multiple * multiple
	if size := max(req.PP, sizeOf(req.Groups)); size > 0 && total%size != 0 {
		return // the planner refuses some multiples beside a short group
	}
	*members = total
	layer := rapid.SampledFrom(layers).Draw(t, "multiple at")
	req.Gather = append(req.Gather, gang.Rule{Layer: layer, Multiple: multiple})
}

// LayerNames names the layers of the tree, the nodes included.
func LayerNames(spec *cluster.Spec) []string {
	layers := []string{"0"}
	for _, l := range Layers(spec) {
		name := l.Name
		if name == "" {
			name = strconv.Itoa(l.Tier)
		}
		layers = append(layers, name)
	}
	return layers
}

// Inside draws where new members must be, some of the time: a domain above some node of the request's topology, or the node.
func Inside(t *rapid.T, req *gang.Request, spec *cluster.Spec) {
	tree, ok := validity.PickTree(spec, req)
	if !ok || tree.Tree == nil || !Chance(t, 10, "inside") {
		return
	}
	id, ok := tree.Tree.Node(rapid.SampledFrom(spec.Nodes).Draw(t, "above a node").Name)
	if !ok {
		return
	}
	path := append(tree.Tree.Path(tree.Tree.Leaf(id)), tree.Tree.NodeName(id))
	req.Inside = path[:min(len(path), rapid.SampledFrom([]int{1, 1, 2, 2, 3, 4}).Draw(t, "names"))]
}

// Gather draws rules for some layers.
func Gather(t *rapid.T, layers []string) []gang.Rule {
	var out []gang.Rule
	for _, layer := range layers {
		if Chance(t, 15, "prefer") {
			out = append(out, gang.Rule{Layer: layer, Strength: gang.PreferGather})
		}
		if Chance(t, 6, "must") {
			out = append(out, gang.Rule{Layer: layer, Strength: gang.MustGather})
		}
	}
	return out
}

// Rest draws what is left: the minimum, the indexes, the nodes allowed and their scores.
func Rest(t *rapid.T, req *gang.Request, spec *cluster.Spec, own int) {
	groups := own > 0 && len(req.Groups)+req.PP > 0
	if groups && rapid.Bool().Draw(t, "with a minimum") || !groups && Chance(t, 25, "with a minimum") {
		req.MinMember = rapid.IntRange(1, len(req.Members)+own).Draw(t, "minimum")
	}
	if Chance(t, 15, "indexed") {
		some := Chance(t, 40, "some without an index")
		for i := range req.Members {
			if !some || Chance(t, 70, "with an index") {
				req.Members[i].Index, req.Members[i].Indexed = len(req.Members)-1-i, true
			}
		}
	}
	if Chance(t, 30, "affinity") {
		req.AffinityKey = AffinityKey
	}
	req.IgnoreLeaving = Chance(t, 10, "ignore leaving")
	if Chance(t, 5, "exclude") {
		req.Exclude = []string{spec.Nodes[0].Name}
	}
	if Chance(t, 4, "selector") {
		req.Shape.Selector = map[string]string{"kind": "a"}
	}
	if Chance(t, 10, "eligible") {
		req.Shape.Affinity = []gang.NodeTerm{{Labels: []gang.Expression{{Key: "kind", Operator: gang.NotIn, Values: []string{"b"}}}}}
	}
	if Chance(t, 5, "tolerates") {
		req.Shape.Tolerations = []gang.Toleration{{Key: "soft", Exists: true}}
	}
	req.TakesAnyNode = Chance(t, 10, "takes any node")
	if Chance(t, 15, "weight") {
		term := gang.NodeTerm{Labels: []gang.Expression{{Key: "kind", Operator: gang.In, Values: []string{"b"}}}}
		req.Shape.Preferred = []gang.Preference{{Weight: 3, Nodes: term}}
		if Chance(t, 30, "of lower weight") {
			term.Labels = []gang.Expression{{Key: "kind", Operator: gang.In, Values: []string{"a"}}}
			req.Shape.Preferred = append(req.Shape.Preferred, gang.Preference{Weight: rapid.Int64Range(0, 3).Draw(t, "weight"), Nodes: term})
		}
	}
	if req.Policy == gang.ByScore || Chance(t, 15, "scored") {
		scores := map[string]int64{}
		for _, n := range spec.Nodes {
			scores[n.Name] = rapid.Int64Range(0, 3).Draw(t, "score")
		}
		req.Score = func(node string) int64 { return scores[node] }
	}
}
