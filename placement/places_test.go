package placement_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/validity"
	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/topology"
)

// pathsOf has the domains of every node of a tree, as its spec draws them.
func pathsOf(tree *topology.Tree) map[string][]topology.Place {
	paths := map[string][]topology.Place{}
	var down func(path []topology.Place, domains []topology.Domain, nodes []string)
	down = func(path []topology.Place, domains []topology.Domain, nodes []string) {
		below := func(name string, tier int) []topology.Place {
			p := topology.Place{Path: []string{name}, Tier: tier}
			if n := len(path); n > 0 {
				p.Path = append(slices.Clone(path[n-1].Path), name)
			}
			return append(slices.Clone(path), p)
		}
		for _, d := range domains {
			down(below(d.Name, d.Tier), d.Children, d.Nodes)
		}
		for _, name := range nodes {
			paths[name] = below(name, 0)
		}
	}
	spec := tree.Spec()
	down(nil, spec.Roots, spec.Nodes)
	return paths
}

// sitting is a member of a gang with a node, new or running.
type sitting struct {
	rank int
	node string
}

// before counts, of the members that are alike, all and those of lower ranks.
func before(all []sitting, rank int, alike func(sitting) bool) (s placement.RankOf) {
	for _, m := range all {
		if alike(m) {
			s.Size++
			if m.rank < rank {
				s.Rank++
			}
		}
	}
	return s
}

// hostsBefore does the same for nodes, by their lowest ranks.
func hostsBefore(all []sitting, node string) (s placement.RankOf) {
	lowest := map[string]int{}
	for _, m := range all {
		if rank, known := lowest[m.node]; !known || m.rank < rank {
			lowest[m.node] = m.rank
		}
	}
	s.Size = len(lowest)
	for _, rank := range lowest {
		if rank < lowest[node] {
			s.Rank++
		}
	}
	return s
}

// sittings are all members of a gang in equal groups once its plan is carried out, and the sizes of its groups.
func sittings(t require.TestingT, spec *cluster.Spec, req *gang.Request, res *placement.Result) (all []sitting, sizes []int) {
	var own []cluster.Running
	for _, r := range spec.Running {
		if r.Gang == req.Name && (!r.Leaving || req.IgnoreLeaving) {
			own = append(own, r)
		}
	}
	ranks := validity.Ranks(req, own)
	for _, r := range own {
		all = append(all, sitting{ranks[r.Member], r.Node})
	}
	for _, a := range res.Assignments {
		require.Equal(t, ranks[a.Member], a.Rank)
		all = append(all, sitting{a.Rank, a.Node})
	}
	levels, err := req.Levels(max(len(ranks), req.Total))
	require.NoError(t, err)
	for _, l := range levels {
		sizes = append(sizes, l.Size)
	}
	return all, sizes
}

var label = regexp.MustCompile(`^muster\.dev/[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?=([A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?)?$`)

// requireLaunchable checks labels and variables by the rules for them, and returns them.
func requireLaunchable(t require.TestingT, p *placement.Place) (labels []string, env map[string]string) {
	env = map[string]string{}
	seen := map[string]bool{}
	for _, l := range p.Labels() {
		require.Regexp(t, label, l.Key+"="+l.Value)
		require.False(t, seen[l.Key], l.Key)
		seen[l.Key], labels = true, append(labels, l.Key+"="+l.Value)
	}
	for _, v := range p.Env() {
		name, value, _ := strings.Cut(v, "=")
		require.Regexp(t, `^MUSTER_[A-Z0-9_]+$`, name)
		require.NotContains(t, env, name)
		env[name] = value
	}
	require.Len(t, env, len(labels))
	require.True(t, slices.IsSortedFunc(p.Env(), func(a, b string) int {
		a, _, _ = strings.Cut(a, "=")
		b, _, _ = strings.Cut(b, "=")
		return muster.CompareNatural(a, b)
	}))
	require.True(t, slices.IsSortedFunc(p.Labels(), func(a, b placement.Label) int { return muster.CompareNatural(a.Key, b.Key) }))
	return labels, env
}

// Places are those of the assignments: standings are counts of lower ranks, groups those of the ranks, domains those that the spec of the
// tree draws, and that of the gang is among them.
func TestPlacesAreWhereMembersAre(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spec, req := drawInput(t)
		c := newCluster(t, spec)
		res, err := placement.Plan(c, req)
		if err != nil {
			t.Skip("not placed")
		}
		places, err := placement.Places(c, res)
		require.NoError(t, err)
		require.Len(t, places, len(res.Assignments))
		all, sizes := sittings(t, &spec, req, res)
		var paths map[string][]topology.Place
		tree, ok := c.Tree(res.Tree)
		if require.Equal(t, len(spec.Trees) > 0, ok); ok {
			paths = pathsOf(tree.Tree)
		}
		for i := range places {
			p, a := &places[i], &res.Assignments[i]
			require.Equal(t, placement.Assignment{Member: p.Member, Node: p.Node, Rank: p.Rank, Group: p.Group, NUMA: a.NUMA}, *a)
			require.Equal(t, before(all, a.Rank, func(sitting) bool { return true }), p.Gang)
			require.Equal(t, before(all, a.Rank, func(m sitting) bool { return m.node == a.Node }), p.Local)
			require.Equal(t, hostsBefore(all, a.Node), p.Host)
			var groups []placement.PlaceGroup
			for _, size := range sizes {
				n := a.Rank / size
				groups = append(groups, placement.PlaceGroup{Group: n, Member: before(all, a.Rank, func(m sitting) bool { return m.rank/size == n })})
			}
			require.Equal(t, groups, p.Groups)
			want := paths[a.Node]
			if want == nil { // it lies outside
				want = []topology.Place{{Path: []string{a.Node}}}
			}
			var domains []topology.Place
			for _, d := range p.Domains {
				domains = append(domains, topology.Place{Path: d.Domain, Tier: d.Tier})
			}
			require.Equal(t, want, domains)
			if n := len(res.Domain); n > 0 {
				of := p.Domains[n-1]
				require.Equal(t, placement.LayerFit{Tier: res.Tier, Layer: res.Layer}, placement.LayerFit{Tier: of.Tier, Layer: of.Layer})
				require.Equal(t, res.Domain, of.Domain)
			}
			_, env := requireLaunchable(t, p)
			require.Equal(t, fmt.Sprint(p.Gang.Rank), env["MUSTER_RANK"])
		}
	})
}

// places are those of a plan.
func placesOf(t *testing.T, c *placement.Cluster, req *gang.Request) []placement.Place {
	t.Helper()
	places, err := placement.Places(c, mustPlan(t, c, req))
	require.NoError(t, err)
	return places
}

// A pod reads from its labels or its environment what a launcher wants: here of a lost member between two that run, one of them on its node.
func TestPlaceOfAReplacement(t *testing.T) {
	spec := board(t)
	spec.Running = append(
		spec.Running,
		cluster.Running{Gang: "job", Member: "job-0", Node: "n2", Resources: muster.Resources{"gpu": 1}},
		cluster.Running{Gang: "job", Member: "job-2", Node: "n3", Resources: muster.Resources{"gpu": 2}},
		cluster.Running{Gang: "job", Member: "job-3", Node: "n1", Resources: muster.Resources{"gpu": 2}},
	)
	req := job(2)
	req.Members, req.Groups = req.Members[1:], []gang.Groups{{Size: 2}, {Size: 1}}
	p := placesOf(t, newCluster(t, spec), req)[0]
	labels, _ := requireLaunchable(t, &p)
	require.Equal(t, []string{
		"muster.dev/domain-block=b0", "muster.dev/domain-rack=b0.r1",
		"muster.dev/group=0", "muster.dev/group-1=1", "muster.dev/group-1-rank=0", "muster.dev/group-1-size=1", "muster.dev/group-rank=1", "muster.dev/group-size=2",
		"muster.dev/local-rank=1", "muster.dev/local-size=2", "muster.dev/node-rank=0", "muster.dev/nodes=3", "muster.dev/rank=1", "muster.dev/world-size=4",
	}, labels)
	require.Equal(t, []string{
		"MUSTER_DOMAIN_BLOCK=b0", "MUSTER_DOMAIN_RACK=b0/r1",
		"MUSTER_GROUP=0", "MUSTER_GROUP_1=1", "MUSTER_GROUP_1_RANK=0", "MUSTER_GROUP_1_SIZE=1", "MUSTER_GROUP_RANK=1", "MUSTER_GROUP_SIZE=2",
		"MUSTER_LOCAL_RANK=1", "MUSTER_LOCAL_SIZE=2", "MUSTER_NODES=3", "MUSTER_NODE_RANK=0", "MUSTER_RANK=1", "MUSTER_WORLD_SIZE=4",
	}, p.Env())
}

// Parts have names, their groups numbers; a part that is no group counts in the one around it. Ranks have a gap where a part stays out,
// the standing in the gang has none.
func TestPlacesInParts(t *testing.T) {
	c := newCluster(t, board(t))
	req := job(8)
	name := func(from, to int) (names []string) {
		for _, m := range req.Members[from:to] {
			names = append(names, m.Name)
		}
		return names
	}
	req.Parts = []gang.Part{
		{Name: "absent", Members: name(1, 3), MinMember: 3}, // one of its members is not known yet
		{Name: "prefill", NoGroup: true, Members: name(3, 4), Parts: []gang.Part{{Name: "inner", Members: name(4, 5)}}},
		{Name: "decode", Members: name(5, 8), Groups: []gang.Groups{{Size: 2}}},
	}
	req.MinParts = 2
	var got []string
	for _, p := range placesOf(t, c, req) {
		got = append(got, fmt.Sprintf("%d %s %q %v %d %v", p.Rank, p.Member, p.Part, p.Gang, p.Group, p.Groups))
	}
	require.Equal(t, []string{
		`0 job-0 "" {0 6} -1 []`,
		`3 job-3 "prefill" {1 6} -1 []`,
		`4 job-4 "inner" {2 6} 1 [{1 {0 1}}]`,
		`5 job-5 "decode" {3 6} 2 [{2 {0 3}} {0 {0 2}}]`,
		`6 job-6 "decode" {4 6} 2 [{2 {1 3}} {0 {1 2}}]`,
		`7 job-7 "decode" {5 6} 2 [{2 {2 3}} {1 {0 1}}]`,
	}, got)
}

// Gangs that start together have places of their own, as each has a result.
func TestPlacesOfGangsTogether(t *testing.T) {
	c := newCluster(t, board(t))
	other := job(2)
	other.Name, other.Parts = "other", []gang.Part{{Name: "p", Members: []string{"job-1"}}}
	results, err := placement.Together(c, nil, job(3), other)
	require.NoError(t, err)
	places, err := placement.Places(c, results[1])
	require.NoError(t, err)
	require.Equal(t, placement.RankOf{Rank: 1, Size: 2}, places[1].Gang)
	require.Equal(t, "p", places[1].Part)
	require.Equal(t, 0, places[1].Group)
}

// Names that no label may have are shortened so that two domains keep two values, and layers that would share a variable keep two.
func TestLabelsOfAnyName(t *testing.T) {
	long := strings.Repeat("x", 70)
	for _, n := range []struct {
		layers []string
		path   []string
		want   []string
	}{
		{[]string{"rack", "block"}, []string{"b0", "r1"}, []string{"domain-block=b0", "domain-rack=b0.r1"}},
		{[]string{"", "rack-a"}, []string{"b", "r"}, []string{"domain-1=b.r", "domain-rack-a=b"}},
		{[]string{"rack.a", "rack-a"}, []string{"b", "r"}, []string{"domain-rack-a-2=b", "domain-rack.a=b.r"}},
		{[]string{"rack.a", "rack/a", "Rack_A-2"}, []string{"c", "b", "r"}, []string{"domain-Rack_A-2-3=c", "domain-rack-a-2=c.b", "domain-rack.a=c.b.r"}},
		{[]string{"a-2", "A.2", "a"}, []string{"c", "b", "r"}, []string{"domain-A.2-2=c.b", "domain-a=c", "domain-a-2=c.b.r"}},
		{[]string{"层", "级"}, []string{"b", "r"}, []string{"domain=b.r", "domain-2=b"}},
		{[]string{long, long + "y"}, []string{"b", "r"}, []string{"domain-" + long[:54] + "-2=b", "domain-" + long[:56] + "=b.r"}},
		{[]string{"rack"}, []string{"a.b"}, []string{"domain-rack=a.b-e61d99190466522c"}},
		{[]string{"rack", "block"}, []string{"a", "b"}, []string{"domain-block=a", "domain-rack=a.b"}},
		{[]string{"rack"}, []string{"-r/1_"}, []string{"domain-rack=r-1-586bbcb4ee23346b"}},
		{[]string{"rack"}, []string{"层"}, []string{"domain-rack=1a438f1b668493b3"}},
		{[]string{"rack"}, []string{long}, []string{"domain-rack=" + long[:46] + "-513a36f59147a8dd"}},
	} {
		s := topology.Spec{}
		var domains []topology.Domain
		for i, layer := range n.layers { // lowest first
			s.Layers = append(s.Layers, topology.Layer{Name: layer, Tier: i + 1})
			d := topology.Domain{Name: n.path[len(n.path)-1-i], Tier: i + 1, Children: domains}
			if i == 0 {
				d.Nodes = []string{"n0"}
			}
			domains = []topology.Domain{d}
		}
		s.Roots = domains
		spec := cluster.Spec{
			Trees: []cluster.NamedTree{{Tree: newTree(t, s)}},
			Nodes: []cluster.Node{{Name: "n0", Allocatable: muster.Resources{"gpu": 2}}},
		}
		p := placesOf(t, newCluster(t, spec), job(1))[0]
		var got []string
		labels, _ := requireLaunchable(t, &p)
		for _, l := range labels {
			if l, is := strings.CutPrefix(l, "muster.dev/domain"); is {
				got = append(got, "domain"+l)
			}
		}
		require.ElementsMatch(t, n.want, got, "%q %q", n.layers, n.path)
	}
}

// A layer that some branch lacks has the same variable everywhere.
func TestKeysOfLayersAreThoseOfTheTopology(t *testing.T) {
	spec := board(t)
	spec.Running = nil
	spec.Trees[0].Tree = newTree(t, topology.Spec{
		Layers: []topology.Layer{{Name: "rack.a", Tier: 1}, {Name: "rack-a", Tier: 2}},
		Roots: []topology.Domain{
			{Name: "b0", Tier: 2, Children: []topology.Domain{{Name: "r0", Tier: 1, Nodes: []string{"n0", "n1"}}}},
			{Name: "b1", Tier: 2, Nodes: []string{"n2", "n3"}},
		},
	})
	env := map[string][]string{}
	for _, p := range placesOf(t, newCluster(t, spec), job(10)) {
		env[p.Node] = slices.DeleteFunc(p.Env(), func(v string) bool { return !strings.HasPrefix(v, "MUSTER_DOMAIN_") })
	}
	require.Equal(t, []string{"MUSTER_DOMAIN_RACK_A=b0/r0", "MUSTER_DOMAIN_RACK_A_2=b0"}, env["n0"])
	require.Equal(t, []string{"MUSTER_DOMAIN_RACK_A_2=b1"}, env["n3"])
	require.Empty(t, env["n9"], "it lies outside")
	require.Len(t, env, 5)
}

// What cannot be placed is an error that names the field.
func TestPlacesOfWhatIsNot(t *testing.T) {
	c := newCluster(t, board(t))
	good := func() *placement.Result { return mustPlan(t, c, job(3)) }
	changed := func(change func(r *placement.Result)) *placement.Result {
		r := good()
		change(r)
		return r
	}
	other := board(t)
	other.Nodes = other.Nodes[:1]
	for _, bad := range []struct {
		want string
		c    *placement.Cluster
		res  *placement.Result
	}{
		{"cluster: missing: NewCluster makes one", nil, good()},
		{"cluster: missing: NewCluster makes one", &placement.Cluster{}, good()},
		{"result: missing: Plan makes one", c, nil},
		{"result: missing: Plan makes one", c, &placement.Result{Assignments: good().Assignments}},
		{`result.Tree "other": unknown topology`, c, changed(func(r *placement.Result) { r.Tree = "other" })},
		{`result.Assignments[1].Node "n1": the cluster has no such node`, newCluster(t, other), good()},
		{`result.Assignments[1].Node "gone": the cluster has no such node`, c, changed(func(r *placement.Result) { r.Assignments[1].Node = "gone" })},
		{`result.Assignments[1].Rank "-1": the gang has 3 members`, c, changed(func(r *placement.Result) { r.Assignments[1].Rank = -1 })},
		{`result.Assignments[1].Rank "3": the gang has 3 members`, c, changed(func(r *placement.Result) { r.Assignments[1].Rank = 3 })},
		{`result.Assignments[2].Rank "0": another member has this rank`, c, changed(func(r *placement.Result) { r.Assignments[2].Rank = 0 })},
	} {
		places, err := placement.Places(bad.c, bad.res)
		require.EqualError(t, err, bad.want)
		var invalid *muster.InvalidError
		require.ErrorAs(t, err, &invalid)
		require.Nil(t, places)
	}
}
