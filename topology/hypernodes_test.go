package topology_test

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster/topology"
)

// hypers reads HyperNodes from lines such as `l0 1/rack n1 n2 ~^n[3-9]$ {rack=r1} >child`: name, tier and its name, then
// members: nodes by name, ~regex, {label=value}, and HyperNodes after >.
func hypers(text string) []topology.HyperNode {
	var list []topology.HyperNode
	for _, line := range strings.Split(strings.TrimSpace(text), "\n") {
		words := strings.Fields(line)
		h := topology.HyperNode{Name: words[0]}
		tier, name, _ := strings.Cut(words[1], "/")
		h.Tier, _ = strconv.Atoi(tier)
		h.TierName = name
		for _, w := range words[2:] {
			s := topology.Selector{Kind: topology.NodeMember}
			switch w[0] {
			case '>':
				s.Kind, s.ExactName = topology.HyperNodeMember, w[1:]
			case '~':
				s.Regex = w[1:]
			case '{':
				key, value, _ := strings.Cut(strings.Trim(w, "{}"), "=")
				s.Labels = &topology.LabelSelector{MatchLabels: map[string]string{key: value}}
			default:
				s.ExactName = w
			}
			h.Members = append(h.Members, s)
		}
		list = append(list, h)
	}
	return list
}

func TestFromHyperNodes(t *testing.T) {
	// Tiers 1 and 3 stand on one branch, a leaf of tier 2 on another. The regex is not anchored, so it takes n10 too;
	// n1 is chosen twice by one leaf and counts once; ghost is no node; lonely chooses nobody.
	tree, err := topology.FromHyperNodes(hypers(`
		top    3/spine >l0 >l1
		l1     1/rack  {rack=b} {rack=none}
		l0     1/rack  n1 ~n1 ghost
		wide   2       ~^x
		lonely 1/rack  ~^nobody
	`), labeled("n1\nn10\nn2 rack=b\nn3\nx1\nx2 rack=b2"))
	require.NoError(t, err)
	require.Equal(t, lines(`
			layer 1 rack
			layer 2 
			layer 3 spine
			* 4
			  lonely 1
			  top 3
			    l0 1 n1 n10
			    l1 1 n2
			  wide 2 x1 x2
			outside n3
			absent ghost
	`), draw(tree))
}

func TestFromHyperNodesRefuses(t *testing.T) {
	for _, c := range []struct{ name, hypers, want string }{
		{"cycles", "a 2 >b >leaf\nb 3 >c\nc 4 >a\nleaf 1 n1\nself 5 >self", `
			HyperNode a: cycle: a -> b -> c -> a
			HyperNode a "2": tier is not above that of its child b, 3
			HyperNode b "3": tier is not above that of its child c, 4
			HyperNode self: cycle: self -> self
			HyperNode self "5": tier is not above that of its child self, 5
		`},
		{"a cycle below others", "r 9 >a\na 2 >b\nb 1 >a", `
			HyperNode a: cycle: a -> b -> a
			HyperNode a: two parents: b, r
			HyperNode b "1": tier is not above that of its child a, 2
		`},
		{"a cycle that the walk enters in its middle", "a 9 >c\nb 4 >c\nc 3 >b", `
			HyperNode b: cycle: b -> c -> b
			HyperNode c: two parents: a, b
			HyperNode c "3": tier is not above that of its child b, 4
		`},
		{"of two cycles with a common domain one is named", "a 2 >b >c\nb 1 >a\nc 1 >a", `
			HyperNode a: cycle: a -> b -> a
			HyperNode a: two parents: b, c
			HyperNode b "1": tier is not above that of its child a, 2
			HyperNode c "1": tier is not above that of its child a, 2
		`},
		{"twins with one child", "p 2 >l\np 2 >l\nl 1 n1", "HyperNode p: duplicate name"},
		{"two parents", "l0 1 n1\np10 2 >l0\np9 2 >l0 >l0", "HyperNode l0: two parents: p9, p10"},
		{"node in two leaves", "l0 1 n1 n2\nl1 1 n2 ~1", `
			HyperNode l1 "n1": node in two leaves, the other is HyperNode l0
			HyperNode l1 "n2": node in two leaves, the other is HyperNode l0
		`},
		{"absent node in two leaves", "l0 1 ghost\nl1 1 ghost", `HyperNode l1 "ghost": node in two leaves, the other is HyperNode l0`},
		{"mixed members", "leaf 1 n1\nhalf 2 n2 >leaf", "HyperNode half: mixed members: nodes and HyperNodes"},
		{"unknown child", "root 2 >n1 >lost", `
			HyperNode root "lost": unknown child
			HyperNode root "n1": unknown child
		`},
		{"tiers", "same 1 >leaf\nleaf 1 n1\nzero 0 n2\nhuge 1048576 n3", `
			HyperNode huge "1048576": tier out of range
			HyperNode same "1": tier is not above that of its child leaf, 1
			HyperNode zero "0": tier is below 1
		`},
		{"regex", "bad 1 ~a(b", "HyperNode bad \"a(b\": regex: error parsing regexp: missing closing ): `a(b`"},
		{"no members", "none 1", "HyperNode none: no members"},
		{"duplicate name", "twin 1 n1\ntwin 2 n2\ntwin 1 n1", "HyperNode twin: duplicate name"},
		{"twins, one of them in a cycle", "l 2 >l\nl 2 >m\nm 1 >l\nl 1", `
			HyperNode l: cycle: l -> l
			HyperNode l: duplicate name
			HyperNode l: no members
			HyperNode l: two parents: l, m
			HyperNode m "1": tier is not above that of its child l, 1
		`},
		{"tier names", "a 1/rack n1\nb 2/rack n2\nc 1/unit n3", `
			HyperNode b "rack": tier name of tier 2, of tier 1 at HyperNode a
			HyperNode c "unit": tier 1 has the name rack at HyperNode a
		`},
	} {
		t.Run(c.name, func(t *testing.T) {
			list, nodes := hypers(c.hypers), labeled("n1\nn2\nn3")
			_, err := topology.FromHyperNodes(list, nodes)
			require.Equal(t, lines(c.want), refused(t, err))
			slices.Reverse(list)
			slices.Reverse(nodes)
			_, err = topology.FromHyperNodes(list, nodes)
			require.Equal(t, lines(c.want), refused(t, err), "with the input reversed")
		})
	}
}

func TestFromHyperNodesRefusesSelectors(t *testing.T) {
	exp := func(key, op string, values ...string) *topology.LabelSelector {
		return &topology.LabelSelector{MatchExpressions: []topology.LabelExpression{{Key: key, Operator: op, Values: values}}}
	}
	node := topology.NodeMember
	for _, c := range []struct {
		s    topology.Selector
		want string
	}{
		{topology.Selector{Kind: node}, "empty selector"},
		{topology.Selector{Kind: node, ExactName: "n", Regex: "n"}, "selector with more than one of exact name, regex and labels"},
		{topology.Selector{Kind: node, Labels: &topology.LabelSelector{}}, "label selector: empty selector"},
		{topology.Selector{Kind: node, Labels: &topology.LabelSelector{MatchLabels: map[string]string{"": "x"}}}, "label selector: a label has no key"},
		{topology.Selector{Kind: node, Labels: exp("", "Exists")}, "label selector: a label has no key"},
		{topology.Selector{Kind: node, Labels: exp("k", "In")}, "label selector: In without values for label k"},
		{topology.Selector{Kind: node, Labels: exp("k", "NotIn")}, "label selector: NotIn without values for label k"},
		{topology.Selector{Kind: node, Labels: exp("k", "Exists", "v")}, "label selector: Exists with values for label k"},
		{topology.Selector{Kind: node, Labels: exp("k", "DoesNotExist", "v")}, "label selector: DoesNotExist with values for label k"},
		{topology.Selector{Kind: node, Labels: exp("k", "Gt", "1")}, "label selector: unknown operator Gt for label k"},
		{topology.Selector{Kind: topology.HyperNodeMember}, "empty selector"},
		{topology.Selector{Kind: topology.HyperNodeMember, Labels: exp("k", "Exists")}, "selector of HyperNodes by regex or labels: only nodes are chosen so"},
	} {
		_, err := topology.FromHyperNodes([]topology.HyperNode{{Name: "h", Tier: 1, Members: []topology.Selector{c.s}}}, nil)
		require.Equal(t, "HyperNode h: "+c.want+"\n", refused(t, err))
	}
	_, err := topology.FromHyperNodes([]topology.HyperNode{{Name: "h", Tier: 1, Members: []topology.Selector{
		{Kind: topology.HyperNodeMember, Regex: "^l"}, {Kind: "Rack", ExactName: "x"},
	}}}, nil)
	require.Equal(t, lines(`
			HyperNode h "Rack": selector of an unknown kind, not Node or HyperNode
			HyperNode h "^l": selector of HyperNodes by regex or labels: only nodes are chosen so
	`), refused(t, err))
}

func TestFromHyperNodesRefusesNodes(t *testing.T) {
	_, err := topology.FromHyperNodes([]topology.HyperNode{{Tier: 1, Members: []topology.Selector{{Kind: topology.NodeMember, ExactName: "n"}}}},
		[]topology.LabeledNode{{Name: "n"}, {Name: "n"}, {}})
	require.Equal(t, "HyperNode: a domain has no name\nnode: a node has no name\nnode n: duplicate name\n", refused(t, err))
}

// chosen are the nodes that one selector chooses.
func chosen(t require.TestingT, s topology.Selector, nodes []topology.LabeledNode) []string {
	tree, err := topology.FromHyperNodes([]topology.HyperNode{{Name: "h", Tier: 1, Members: []topology.Selector{s}}}, nodes)
	require.NoError(t, err)
	names := []string{}
	for n := range topology.NodeID(tree.NumNodes()) {
		names = append(names, tree.NodeName(n))
	}
	slices.Sort(names)
	return names
}

func drawNodes(t *rapid.T) []topology.LabeledNode {
	var nodes []topology.LabeledNode
	for _, name := range rapid.SliceOfDistinct(rapid.StringMatching(`[ab1\n\xff]{1,4}`), rapid.ID[string]).Draw(t, "nodes") {
		nodes = append(nodes, topology.LabeledNode{Name: name, Labels: rapid.MapOf(
			rapid.SampledFrom([]string{"x", "y"}), rapid.SampledFrom([]string{"", "1", "2"}),
		).Draw(t, "labels")})
	}
	return nodes
}

func TestRegexChoosesWhatItMatches(t *testing.T) {
	var nodes []topology.LabeledNode // every name of up to three of these bytes, one of which is no UTF-8
	names := []string{""}
	for range 3 {
		var longer []string
		for _, name := range names {
			for _, c := range []string{"a", "b", "A", "1", "\n", "\xff"} {
				longer = append(longer, name+c)
				nodes = append(nodes, topology.LabeledNode{Name: name + c})
			}
		}
		names = longer
	}
	check := func(t require.TestingT, pattern string) {
		re, err := regexp.Compile(pattern)
		if err != nil {
			return // refused, see above
		}
		want := []string{}
		for _, n := range nodes {
			if re.MatchString(n.Name) {
				want = append(want, n.Name)
			}
		}
		slices.Sort(want)
		require.Equal(t, want, chosen(t, topology.Selector{Kind: topology.NodeMember, Regex: pattern}, nodes), "%q", pattern)
	}
	// What looks like an anchored literal and is not, or not all of it.
	for _, pattern := range []string{"^(?i)a", ".*b", "1?ab", `^\x{FFFD}`, "^a|b", "(?m)^a", "^ab?", "^aa*", "^aa", `\Aab$`, "^"} {
		check(t, pattern)
	}
	rapid.Check(t, func(rt *rapid.T) {
		parts := rapid.SampledFrom([]string{"^", "^a", "ab", "|", "b", "1?", "(a|b)", "(?i)", "(?m)", "(?s)", "$", ".*", `\x{FFFD}`, `\b`, `\B`, "[^a]", "a{2}", "(a*)*", "(|b){0,2}", `\z`, `\w+?`})
		check(rt, strings.Join(rapid.SliceOfN(parts, 1, 5).Draw(rt, "pattern"), ""))
	})
}

func TestLabelSelectorChoosesWhatItSays(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		nodes := drawNodes(rt)
		key := rapid.SampledFrom([]string{"x", "y"})
		value := rapid.SampledFrom([]string{"", "1", "2", "3"})
		s := &topology.LabelSelector{MatchLabels: rapid.MapOfN(key, value, 0, 2).Draw(rt, "match")}
		for range rapid.IntRange(0, 2).Draw(rt, "expressions") {
			e := topology.LabelExpression{Key: key.Draw(rt, "key"), Operator: rapid.SampledFrom([]string{"In", "NotIn", "Exists", "DoesNotExist"}).Draw(rt, "operator")}
			if strings.HasSuffix(e.Operator, "In") {
				e.Values = rapid.SliceOfN(value, 1, 3).Draw(rt, "values")
			}
			s.MatchExpressions = append(s.MatchExpressions, e)
		}
		if len(s.MatchLabels)+len(s.MatchExpressions) == 0 {
			rt.Skip()
		}
		want := []string{}
		for _, n := range nodes {
			all := true
			for k, v := range s.MatchLabels {
				has, ok := n.Labels[k]
				all = all && ok && has == v
			}
			for _, e := range s.MatchExpressions {
				v, ok := n.Labels[e.Key]
				in := ok && slices.Contains(e.Values, v)
				all = all && map[string]bool{"In": in, "NotIn": !in, "Exists": ok, "DoesNotExist": !ok}[e.Operator]
			}
			if all {
				want = append(want, n.Name)
			}
		}
		slices.Sort(want)
		require.Equal(rt, want, chosen(rt, topology.Selector{Kind: topology.NodeMember, Labels: s}, nodes))
	})
}

// asHyperNodes spells a topology as HyperNodes. Their names are unique, so a domain is renamed to its path.
func asHyperNodes(roots domains, path string) (list []topology.HyperNode, renamed domains) {
	for _, d := range roots {
		d.Name = path + d.Name
		h := topology.HyperNode{Name: d.Name, Tier: d.Tier, TierName: map[int]string{1: "rack"}[d.Tier]}
		var below []topology.HyperNode
		below, d.Children = asHyperNodes(d.Children, d.Name+"/")
		for _, c := range d.Children {
			h.Members = append(h.Members, topology.Selector{Kind: topology.HyperNodeMember, ExactName: c.Name})
		}
		for _, n := range d.Nodes {
			h.Members = append(h.Members, topology.Selector{Kind: topology.NodeMember, ExactName: n})
		}
		if len(h.Members) == 0 {
			h.Members = append(h.Members, topology.Selector{Kind: topology.NodeMember, Regex: "^none$"})
		}
		list, renamed = append(append(list, h), below...), append(renamed, d)
	}
	return list, renamed
}

func TestFromHyperNodesFindsTheTreeThatTheySpell(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		spec, r := drawSpec(rt), drawRand(rt)
		list, renamed := asHyperNodes(spec.Roots, "")
		spec.Layers = nil
		if slices.ContainsFunc(list, func(h topology.HyperNode) bool { return h.Tier == 1 }) {
			spec.Layers = []topology.Layer{{Name: "rack", Tier: 1}}
		}
		spec.Roots, spec.Absent = renamed, nil
		want := newTree(rt, spec)
		nodes := []topology.LabeledNode{{Name: "x-9"}, {Name: "x-10"}}
		for n := range topology.NodeID(want.NumNodes()) {
			nodes = append(nodes, topology.LabeledNode{Name: want.NodeName(n)})
		}
		tree, err := topology.FromHyperNodes(permuted(r, list), permuted(r, nodes))
		require.NoError(rt, err)
		require.Equal(rt, draw(want), draw(tree))
	})
}

func FuzzFromHyperNodes(f *testing.F) {
	f.Add("top 3/spine >l0\nl0 1/rack n1 ~^n {rack=a}", "n1 rack=a\nn2")
	f.Add("a 2 >b\nb 1 >a\na 0 ~( {=} >", "n n\nn =")
	f.Fuzz(func(t *testing.T, text, nodes string) {
		var known []topology.LabeledNode
		var list []topology.HyperNode
		for _, line := range strings.Split(nodes, "\n") {
			if len(strings.Fields(line)) > 0 {
				known = append(known, labeled(line)...)
			}
		}
		for _, line := range strings.Split(text, "\n") {
			if len(strings.Fields(line)) > 1 {
				list = append(list, hypers(line)...)
			}
		}
		checkBuilt(t, func() (*topology.Tree, error) { return topology.FromHyperNodes(list, known) }, func() {
			slices.Reverse(list)
			slices.Reverse(known)
		})
	})
}

// checkBuilt checks that a builder gives a tree or nothing but InvalidErrors, and the same after the input is permuted.
func checkBuilt(t *testing.T, build func() (*topology.Tree, error), permute func()) {
	outcome := func() string {
		tree, err := build()
		if err != nil {
			return refused(t, err)
		}
		return draw(tree)
	}
	first := outcome()
	permute()
	require.Equal(t, first, outcome())
}
