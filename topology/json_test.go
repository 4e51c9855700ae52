package topology_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster/topology"
)

func TestFromJSON(t *testing.T) {
	// The example of the proposal; the root has no parents list, an extra field is ignored, a tier may be a string.
	tree, err := topology.FromJSON([]byte(`[
		{"layer": 2, "name": "s2", "children": ["s0", "s1"], "vendor": {"x": 1}},
		{"layer": "1", "name": "s0", "parents": ["s2"], "children": ["node10", "node9", "node9"]},
		{"layer": 1, "name": "s1", "parents": ["s2"], "children": ["node2", "gone"]}
	]`), []string{"node3", "node2", "node10", "node9"})
	require.NoError(t, err)
	require.Equal(t, lines(`
			layer 1 
			layer 2 
			* 3
			  s2 2
			    s0 1 node9 node10
			    s1 1 node2
			outside node3
			absent gone
	`), draw(tree))
}

func TestFromJSONTakesEitherSideOfARelation(t *testing.T) {
	for name, list := range map[string]string{
		"parents":  `[{"layer":2,"name":"p"},{"layer":1,"name":"c","parents":["p"],"children":["n"]}]`,
		"children": `[{"layer":2,"name":"p","parents":[],"children":["c"]},{"layer":1,"name":"c","parents":null,"children":["n"]}]`,
		"both":     `[{"layer":2,"name":"p","children":["c"]},{"layer":1,"name":"c","parents":["p"],"children":["n"]}]`,
	} {
		tree, err := topology.FromJSON([]byte(list), []string{"n"})
		require.NoError(t, err, name)
		require.Equal(t, "layer 1 \nlayer 2 \n* 3\n  p 2\n    c 1 n\n", draw(tree), name)
	}
}

func TestFromJSONOfAnEmptyList(t *testing.T) {
	tree, err := topology.FromJSON([]byte(`[]`), []string{"n"})
	require.NoError(t, err)
	require.Equal(t, "* 1\noutside n\n", draw(tree))
}

func TestFromJSONRefuses(t *testing.T) {
	for _, c := range []struct{ name, list, want string }{
		{"no json", `[{]`, "topology: json: invalid character ']' looking for beginning of object key string"},
		{"no text", "[{\"layer\": 1, \"name\": \"a\xff\"}]", "topology: json: not UTF-8"},
		{"no character", `[{"layer": 1, "name": "a\ud800"}]`, "topology: json: half of a surrogate pair, which is no character"},
		{"no list", `null`, `topology "null": json: not a list`},
		{"no entry", `[7]`, "topology[0]: json: json: cannot unmarshal number into Go value of type topology.jsonEntry"},
		{"cycle", `[{"layer":2,"name":"a","children":["b"]},{"layer":3,"name":"b","children":["a"]}]`, `
			domain a: cycle: a -> b -> a
			domain a "2": tier is not above that of its child b, 3
		`},
		{"two parents, by parents", `[{"layer":1,"name":"c","parents":["p","q"]},{"layer":2,"name":"p"},{"layer":2,"name":"q"}]`, "domain c: two parents: p, q"},
		{"two parents, by children", `[{"layer":1,"name":"c"},{"layer":2,"name":"p","children":["c"]},{"layer":2,"name":"q","children":["c"]}]`, "domain c: two parents: p, q"},
		{
			"parent that denies", `[{"layer":1,"name":"c","parents":["p"]},{"layer":2,"name":"p","children":["d"]},{"layer":1,"name":"d"}]`,
			`domain c "p": parent contradicts: its children do not list this domain`,
		},
		{
			"child that denies", `[{"layer":1,"name":"c","parents":[]},{"layer":2,"name":"p","children":["c"]}]`,
			`domain p "c": child contradicts: its parents do not list this domain`,
		},
		{"unknown names", `[{"layer":2,"name":"c","parents":["q"],"children":["lost"]}]`, `
			domain c "lost": unknown child
			domain c "q": unknown parent
		`},
		{"mixed members", `[{"layer":2,"name":"p","children":["c","n1"]},{"layer":1,"name":"c"}]`, "domain p: mixed members: child domains and nodes"},
		{
			"node in two leaves", `[{"layer":1,"name":"a","children":["n1"]},{"layer":1,"name":"b","children":["n1"]}]`,
			`domain b "n1": node in two leaves, the other is domain a`,
		},
		{"tiers", `[{"layer":0,"name":"a"},{"layer":1.5,"name":"b","children":["a"]},{"name":"c"},{"layer":"x","name":"d"},{"layer":1,"name":"e","children":["f"]},{"layer":1,"name":"f"}]`, `
			domain a "0": tier is below 1
			domain b "1.5": tier is not an integer
			domain c: tier is not an integer
			domain d "x": tier is not an integer
			domain e "1": tier is not above that of its child f, 1
		`},
		{"names", `[{"layer":1},{"layer":1,"name":"a","children":[""]},{"layer":1,"name":"a"}]`, `
			domain: a domain has no name
			domain a: duplicate name
			domain a "1": tier is not above that of its child , 1
		`},
		{"twins, one without a tier", `[{"layer":"x","name":"c"},{"layer":0,"name":"c"},{"layer":0,"name":"p","children":["c"]}]`, `
			domain c: duplicate name
			domain c "0": tier is below 1
			domain c "x": tier is not an integer
			domain p "0": tier is below 1
			domain p "0": tier is not above that of its child c, 0
		`},
		{"node without a name", `[{"layer":1,"name":"a","children":[""]}]`, "domain a: a node has no name"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := topology.FromJSON([]byte(c.list), []string{"n1", "n2"})
			require.Equal(t, lines(c.want), refused(t, err))
			if list, ok := reversed(c.list); ok {
				_, err = topology.FromJSON(list, []string{"n2", "n1"})
				require.Equal(t, lines(c.want), refused(t, err), "with the input reversed")
			}
		})
	}
	_, err := topology.FromJSON([]byte(`[]`), []string{"n", "", "n"})
	require.Equal(t, "node: a node has no name\nnode n: duplicate name\n", refused(t, err))
}

// reversed is a JSON list backwards, if it is a list.
func reversed(list string) ([]byte, bool) {
	var raw []json.RawMessage
	if json.Unmarshal([]byte(list), &raw) != nil || len(raw) == 0 {
		return nil, false
	}
	text := make([]string, len(raw))
	for i, r := range raw {
		text[len(raw)-1-i] = string(r)
	}
	return []byte("[" + strings.Join(text, ",") + "]"), true
}

// asJSON spells HyperNodes as entries; each relation is told by the parent, the child, or both.
func asJSON(t *rapid.T, list []topology.HyperNode) []map[string]any {
	entries := map[string]map[string]any{}
	var order []map[string]any
	for _, h := range list {
		e := map[string]any{"layer": h.Tier, "name": h.Name}
		if rapid.Bool().Draw(t, "tier as a string") {
			e["layer"] = fmt.Sprint(h.Tier)
		}
		entries[h.Name] = e
		order = append(order, e)
	}
	for _, h := range list {
		byParent := rapid.Bool().Draw(t, "told by the parent")
		var children []string
		for _, m := range h.Members {
			switch {
			case m.Kind == topology.NodeMember && m.Regex == "":
				children = append(children, m.ExactName)
			case m.Kind == topology.HyperNodeMember:
				if byParent {
					children = append(children, m.ExactName)
				}
				if !byParent || rapid.Bool().Draw(t, "told by both") {
					entries[m.ExactName]["parents"] = []string{h.Name}
				}
			}
		}
		if len(children) > 0 {
			entries[h.Name]["children"] = children
		}
	}
	return order
}

func TestFromJSONFindsTheTreeThatItSpells(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		spec, r := drawSpec(rt), drawRand(rt)
		list, renamed := asHyperNodes(spec.Roots, "")
		want := newTree(rt, topology.Spec{Roots: renamed, Outside: spec.Outside})
		nodes := []string{"x-9", "x-10"}
		for n := range topology.NodeID(want.NumNodes()) {
			nodes = append(nodes, want.NodeName(n))
		}
		data, err := json.Marshal(permuted(r, asJSON(rt, list)))
		require.NoError(rt, err)
		if len(list) == 0 {
			data = []byte("[]")
		}
		tree, err := topology.FromJSON(data, permuted(r, nodes))
		require.NoError(rt, err)
		require.Equal(rt, draw(want), draw(tree))
	})
}

func FuzzFromJSON(f *testing.F) {
	f.Add(`[{"layer":2,"name":"s2","children":["s0"]},{"layer":"1","name":"s0","parents":["s2"],"children":["n1"]}]`, "n1 n2")
	f.Add(`[{"layer":0,"name":"a","parents":["a"],"children":["a","a",""]},{"layer":1e9,"name":"a"},null]`, "a  a")
	f.Fuzz(func(t *testing.T, list, nodes string) {
		names := strings.Split(nodes, " ")
		tree, err := topology.FromJSON([]byte(list), names)
		if err != nil {
			refused(t, err)
			return
		}
		back, ok := reversed(list)
		if !ok {
			return
		}
		again, err := topology.FromJSON(back, names)
		require.NoError(t, err)
		require.Equal(t, draw(tree), draw(again))
	})
}
