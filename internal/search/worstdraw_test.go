package search_test

import (
	"fmt"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/room"
	"github.com/muster-sched/muster/numa"
	"github.com/muster-sched/muster/quota"
	"github.com/muster-sched/muster/topology"
)

// genes are bytes that say what a cluster and a gang look like; where they end, they are zeros. So chance and fuzzing change
// one choice at a time.
type genes struct {
	list []byte
	at   int
}

// next is a choice from 0 to n-1.
func (g *genes) next(n int) int {
	if g.at >= len(g.list) {
		return 0
	}
	g.at++
	return int(g.list[g.at-1]) % n
}

// drawn is a cluster and a gang, with room to make them hard: nodes of several kinds that are partly taken, and a gang of
// many shapes, in groups, nested groups or parts, with minima, multiples and a second topology. What is beside comes from genes of its own.
func drawn(list, beside []byte) (cluster.Spec, *gang.Request) {
	g := &genes{list: list}
	nodes := 4 << g.next(9) // to 1,024
	var spec cluster.Spec
	spec.Nodes = g.nodes(nodes)
	spec.Trees = []cluster.NamedTree{{Name: "net", Tree: tree(spec.Nodes, 1<<(2+g.next(4)), 1<<(1+g.next(3)), 0)}}
	if g.next(4) == 1 {
		spec.Trees = append(spec.Trees, cluster.NamedTree{Name: "power", Tree: tree(spec.Nodes, 1<<(1+g.next(5)), 4, 1+g.next(7))})
	}
	spec.Running = g.running(spec.Nodes)
	req := g.gang(nodes, len(spec.Trees) > 1)
	(&genes{list: beside}).beside(&spec, req)
	return spec, req
}

// beside adds quotas, limits, members that leave or are alone, nodes out of service, and members of the gang that run.
func (g *genes) beside(spec *cluster.Spec, req *gang.Request) {
	limits := [][]gang.Limit{
		{},
		{{Kind: gang.Apart, Layer: "node"}},
		{{Kind: gang.Apart, Layer: "leaf"}},
		{{Kind: gang.Alone, Layer: "node"}},
		{{Kind: gang.Alone, Layer: "leaf"}},
		{{Kind: gang.Within, Layer: "leaf"}},
	}
	if req.Limits = limits[g.next(len(limits))]; len(req.Limits) > 0 && req.Limits[0].Kind != gang.Alone {
		req.Limits[0].Most = 1 + g.next(8)
	}
	if g.next(2) == 1 {
		g.quotas(spec, req)
	}
	leaving, lonely, out := 30*g.next(3), 20*g.next(3), 1+g.next(16)
	chance := uint32(g.next(256))
	for i := range spec.Running {
		chance = chance*1664525 + 1013904223
		r := &spec.Running[i]
		r.Leaving, r.NonPreemptible = int(chance>>16)%100 < leaving, int(chance>>20)%100 < 8
		if int(chance>>8)%100 < lonely {
			r.Alone = "node"
		}
	}
	for i := range spec.Nodes {
		spec.Nodes[i].Cordoned = out > 1 && i%out == 0
	}
	if own := g.next(4); own > 0 && len(req.Parts) == 0 {
		for i := range min(own, len(req.Members)-1, len(spec.Running)) {
			r := &spec.Running[i*7%len(spec.Running)]
			r.Gang, r.Member, r.Quota, r.Alone, r.Leaving, r.MinMember = req.Name, req.Members[0].Name, req.Quota, "", false, 0
			req.Members = req.Members[1:]
		}
	}
}

// quotas are two, each with a min; whoever runs is in one of them.
func (g *genes) quotas(spec *cluster.Spec, req *gang.Request) {
	gpus := int64(0)
	for i := range spec.Nodes {
		gpus += spec.Nodes[i].Allocatable["gpu"]
	}
	of := func(name string) quota.Spec {
		q := quota.Spec{Name: name, Min: muster.Resources{"gpu": gpus * int64(g.next(9)) / 8}}
		if g.next(3) == 1 {
			q.Max = muster.Resources{"gpu": max(q.Min["gpu"], gpus*int64(1+g.next(8))/8)}
		}
		return q
	}
	tree, err := quota.New([]quota.Spec{of("a"), of("b")})
	if err != nil {
		panic(err)
	}
	spec.Quotas, req.Quota = tree, []string{"", "a", "b"}[g.next(3)]
	req.QuotaLimit = []quota.Limit{quota.Fair, quota.Borrow, quota.Greedy}[g.next(3)]
	share := g.next(9)
	for i := range spec.Running {
		spec.Running[i].Quota = []string{"a", "b"}[room.Bit(i*5%8 < share)]
	}
}

// nodes are of up to four kinds.
func (g *genes) nodes(n int) []cluster.Node {
	kinds, zones := 1+g.next(4), 0
	if g.next(6) == 1 {
		zones = 2 << g.next(2)
	}
	out := make([]cluster.Node, n)
	for i := range out {
		kind := int64(i * 7 % 11 % kinds)
		out[i] = cluster.Node{Name: fmt.Sprint("n", i), Allocatable: muster.Resources{
			muster.CPU: 128_000 - 16_000*kind, muster.Memory: (512 + 64*kind) << 30, "gpu": 8 >> kind,
		}}
		if zones > 0 {
			out[i].NUMA = &cluster.NUMA{}
		}
		for z := range zones {
			zone := numa.Zone{ID: z, Allocatable: muster.Resources{}}
			for name, amount := range out[i].Allocatable {
				zone.Allocatable[name] = amount / int64(zones)
			}
			out[i].NUMA.Zones = append(out[i].NUMA.Zones, zone)
		}
	}
	return out
}

// tree has leaves of some nodes, and spines of some leaves. Every skip-th node goes to another leaf; 0: none does.
func tree(nodes []cluster.Node, leaf, spine, skip int) *topology.Tree {
	spec := topology.Spec{Layers: []topology.Layer{{Name: "leaf", Tier: 1}, {Name: "spine", Tier: 2}}}
	count := max(1, len(nodes)/leaf)
	leaves := make([]topology.Domain, count)
	for i := range leaves {
		leaves[i] = topology.Domain{Name: fmt.Sprint("leaf-", i), Tier: 1}
	}
	for i, n := range nodes {
		at := min(i/leaf, count-1)
		if skip > 0 && i%(skip+1) == 0 {
			at = (at + i) % count
		}
		leaves[at].Nodes = append(leaves[at].Nodes, n.Name)
	}
	for i, l := range leaves {
		if i%spine == 0 {
			spec.Roots = append(spec.Roots, topology.Domain{Name: fmt.Sprint("spine-", i/spine), Tier: 2})
		}
		if len(l.Nodes) > 0 {
			last := &spec.Roots[len(spec.Roots)-1]
			last.Children = append(last.Children, l)
		}
	}
	out, err := topology.New(spec)
	if err != nil {
		panic(err)
	}
	return out
}

// running members take up to nine tenths of the nodes, in gangs that may have minima.
func (g *genes) running(nodes []cluster.Node) []cluster.Running {
	fill, size, least, spread := g.next(10), 1+g.next(12), g.next(13), 1+g.next(50)
	var out []cluster.Running
	chance := uint32(g.next(256))
	for i := range nodes {
		n := nodes[i*spread%len(nodes)]
		if len(nodes)%spread == 0 && spread > 1 {
			n = nodes[i]
		}
		chance = chance*1664525 + 1013904223
		if int(chance>>16)%10 >= fill {
			continue
		}
		k := len(out)
		out = append(out, cluster.Running{
			Gang: fmt.Sprint("g", k/size), Member: fmt.Sprint("g", k/size, "-", k%size), Node: n.Name, MinMember: min(least, size),
			Priority: int64(k / size % 5), Resources: muster.Resources{muster.CPU: 4_000 + int64(chance>>20)%8*8_000, "gpu": min(n.Allocatable["gpu"], 1+int64(chance>>24)%4)},
		})
	}
	return out
}

// gang has members of some shapes.
func (g *genes) gang(nodes int, second bool) *gang.Request {
	req := &gang.Request{Name: "job", Priority: int64(g.next(7)), Tree: "net"}
	shapes, each := 1+g.next(48), 1+g.next(24)
	if g.next(3) == 1 {
		each *= 1 + g.next(40)
	}
	each = max(1, min(each, 8*nodes/shapes))
	base, step, mem, gpus := 1_000+500*int64(g.next(64)), 100*int64(g.next(64)), int64(g.next(9)), g.next(5)
	var policy numa.Policy
	if g.next(4) == 1 {
		policy = []numa.Policy{numa.BestEffort, numa.Restricted, numa.SingleNUMANode}[g.next(3)]
	}
	var names []string
	for s := range shapes {
		shape := &gang.Shape{Resources: muster.Resources{muster.CPU: base + step*int64(s*5%shapes), "gpu": int64(s * gpus % 5)}, NUMA: gang.NUMA{Policy: policy}}
		if mem > 0 {
			shape.Resources[muster.Memory] = mem * int64(1+(shapes-s)*7%shapes) << 30
		}
		for range each {
			names = append(names, fmt.Sprint("m", len(names)))
			req.Members = append(req.Members, gang.Member{Name: names[len(names)-1], Shape: shape})
		}
	}
	if shapes == 1 {
		req.Shape = *req.Members[0].Shape
		for i := range req.Members {
			req.Members[i].Shape = nil
		}
	}
	req.Policy = []gang.Policy{gang.BestFit, gang.Spread, gang.Balanced, gang.ByScore}[g.next(4)]
	if req.Policy == gang.ByScore {
		req.Score = func(node string) int64 { return int64(len(node)*31+int(node[len(node)-1])) % 17 }
	}
	req.Gather = g.rules()
	if g.next(3) == 1 {
		req.MinMember = max(1, len(names)*g.next(10)/10)
	}
	switch g.next(4) {
	case 1:
		req.Groups = g.groups(len(names))
	case 2, 3:
		req.Parts = g.parts(names, second, 0)
		if g.next(3) == 1 {
			req.MinParts = 1 + g.next(len(req.Parts))
		}
	}
	return req
}

// rules of a gang or a group.
func (g *genes) rules() []gang.Rule {
	var out []gang.Rule
	layer := []string{"node", "leaf", "spine"}
	switch g.next(4) {
	case 1:
		out = append(out, gang.Rule{Layer: layer[1+g.next(2)], Strength: gang.MustGather})
	case 2:
		out = append(out, gang.Rule{Layer: layer[g.next(3)], Strength: gang.PreferGather})
	}
	if g.next(6) == 1 {
		out = append(out, gang.Rule{Layer: layer[g.next(3)], Multiple: 2 + g.next(7)})
	}
	return out
}

// groups are nested levels.
func (g *genes) groups(members int) []gang.Groups {
	var out []gang.Groups
	for size := members / (1 + g.next(16)); size > 1 && len(out) < 3; size /= 2 + g.next(3) {
		rules := g.rules()
		for i := range rules {
			rules[i].Multiple = 0
		}
		if len(rules) > 0 && rules[len(rules)-1].Strength == "" {
			rules = rules[:len(rules)-1]
		}
		if len(out) > 0 && out[len(out)-1].Size%size != 0 {
			break
		}
		out = append(out, gang.Groups{Size: size, Gather: rules})
	}
	return out
}

// parts divide members among some groups, which may be divided again.
func (g *genes) parts(names []string, second bool, depth int) []gang.Part {
	count := min(1+g.next(40), len(names))
	var out []gang.Part
	for i := range count {
		lo, hi := len(names)*i/count, len(names)*(i+1)/count
		if stride := g.next(3); stride == 2 && i+1 < count && hi-lo > 1 {
			hi-- // groups of unequal sizes, the rest in no group
		}
		p := gang.Part{Name: fmt.Sprint("p", depth, "-", i, "-", names[lo]), Gather: g.rules()}
		own := names[lo:hi]
		switch {
		case depth < 2 && len(own) > 3 && g.next(4) == 1:
			p.Parts = g.parts(own, second, depth+1)
			if g.next(3) == 1 {
				p.MinParts = 1 + g.next(len(p.Parts))
			}
		default:
			p.Members = own
			if g.next(3) == 1 {
				p.MinMember = 1 + g.next(len(own))
			}
		}
		if second && g.next(4) == 1 {
			p.Tree = "power"
		}
		out = append(out, p)
	}
	return out
}
