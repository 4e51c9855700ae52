package cases

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster/internal/cli"
	"github.com/muster-sched/muster/internal/document"
)

// controllers is the folder with what controllers leave in a cluster.
const controllers = "../../placement/manifest/testdata/controllers"

// rack is how the topology of the union is called by the labels of nodes.
const rack = "topology.kubernetes.io/rack"

// left are all objects that controllers left, and the 40 nodes that they speak of.
func left(t *testing.T) (all []any) {
	t.Helper()
	paths, err := filepath.Glob(controllers + "/*.yaml")
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	for _, path := range paths {
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		for _, d := range document.Parse(path, data, &document.Budget{}) {
			require.Nil(t, d.Err)
			root, _ := d.Root.Plain().(map[string]any)
			items, _ := root["items"].([]any)
			all = append(all, items...)
		}
	}
	for i := range 40 {
		in := fmt.Sprint(1 + i/14)
		all = append(all, map[string]any{
			"apiVersion": "v1", "kind": "Node",
			"metadata": map[string]any{"name": fmt.Sprintf("n%02d", i+1), "labels": map[string]any{
				"pool": "gpu", "topology.kubernetes.io/zone": "z1", rack: "r" + in,
				"network.topology.nvidia.com/spine": "s1", "network.topology.nvidia.com/block": "b" + in,
			}},
			"status": map[string]any{"allocatable": map[string]any{"cpu": "126", "memory": "500Gi", "nvidia.com/gpu": "8", "pods": "110"}},
		})
	}
	return all
}

// ofOneTopology are the objects of all cases whose only topology is one that most of them have, under names of their own. The topology
// itself is there once.
func ofOneTopology(t *testing.T) (all []any) {
	t.Helper()
	of := map[string][][]any{}
	for _, objects := range inputs(t) {
		if spec := onlyTopology(objects); spec != "" {
			of[spec] = append(of[spec], objects)
		}
	}
	most := ""
	for spec, list := range of {
		if n := len(list) - len(of[most]); n > 0 || n == 0 && spec < most {
			most = spec
		}
	}
	for i, objects := range of[most] {
		renamed := renamedAll(objects, fmt.Sprintf("case%d-", i))
		for _, o := range renamed {
			if !isTopology(o) || i == 0 {
				all = append(all, o)
			}
		}
	}
	t.Logf("%d cases have the topology %s", len(of[most]), most)
	return all
}

func kindOf(o any) string {
	m, _ := o.(map[string]any)
	kind, _ := m["kind"].(string)
	return kind
}

func isTopology(o any) bool {
	return slices.Contains([]string{"ClusterNetworkTopology", "Topology", "HyperNode"}, kindOf(o))
}

// onlyTopology is the kind, name and levels of the one topology among some objects; empty: there is none, or it is not alone.
func onlyTopology(objects []any) (spec string) {
	for _, o := range objects {
		if !isTopology(o) {
			continue
		}
		m := o.(map[string]any)
		text, _ := json.Marshal([]any{m["kind"], m["metadata"], m["spec"]})
		if spec != "" || kindOf(o) == "HyperNode" {
			return ""
		}
		spec = string(text)
	}
	return spec
}

// renamedAll is a copy of objects in which each name of one, wherever it stands, has a prefix; those of topologies stay.
func renamedAll(objects []any, prefix string) []any {
	names := map[string]bool{}
	for _, o := range objects {
		if m, ok := o.(map[string]any); ok && !isTopology(o) {
			meta, _ := m["metadata"].(map[string]any)
			if name, ok := meta["name"].(string); ok {
				names[name] = true
			}
		}
	}
	var renamed func(v any) any
	renamed = func(v any) any {
		switch v := v.(type) {
		case string:
			if names[v] {
				return prefix + v
			}
		case []any:
			for i := range v {
				v[i] = renamed(v[i])
			}
		case map[string]any:
			for key := range v {
				if key != "kind" && key != "apiVersion" {
					v[key] = renamed(v[key])
				}
			}
		}
		return v
	}
	out := copied(objects).([]any)
	for i := range out {
		if !isTopology(out[i]) {
			out[i] = renamed(out[i])
		}
	}
	return out
}

// A cluster of every controller's objects, those of many cases, and 200 spoiled copies of any of them: something is planned, and of every
// object that is lost it is said, once.
func TestUnionGoesOn(t *testing.T) {
	sound := append(left(t), ofOneTopology(t)...)
	r := rand.New(rand.NewPCG(5, 6))
	rounds := 5
	if testing.Short() {
		rounds = 1
	}
	before, text := readAndPlan(t, map[string]any{"apiVersion": "v1", "kind": "List", "items": sound}, cli.Options{KeepGoing: true})
	require.Empty(t, text)
	t.Logf("%d objects, %d gangs wait, %d placed, %d defects", len(sound), len(before.Outcomes), numPlaced(before), len(before.Input.Defects))
	for range rounds {
		all, spoiled := slices.Clone(sound), map[int]any{}
		for i := range 200 {
			from := copied(sound[r.IntN(len(sound))]).(map[string]any)
			meta, _ := from["metadata"].(map[string]any)
			meta["name"] = fmt.Sprintf("%v-spoiled%d", meta["name"], i)
			delete(meta, "uid")
			whole := copied(from)
			for reflect.DeepEqual(whole, from) {
				mutate(r, from)
			}
			at := r.IntN(len(all) + 1)
			all, spoiled[i] = slices.Insert(all, at, any(from)), from
		}
		got, text := readAndPlan(t, map[string]any{"apiVersion": "v1", "kind": "List", "items": all}, cli.Options{KeepGoing: true})
		require.Empty(t, text)
		assert.Empty(t, unsound(got))
		t.Logf("%d gangs wait, %d placed, %d defects", len(got.Outcomes), numPlaced(got), len(got.Input.Defects))
		assert.Greater(t, numPlaced(got), numPlaced(before)/2)
		saidOnce(t, got)
		accounted(t, got, all)
	}
}

// numPlaced is the number of gangs that are placed.
func numPlaced(p *cli.Planned) (n int) {
	for i := range p.Outcomes {
		if p.Outcomes[i].Err == nil {
			n++
		}
	}
	return n
}

// sayings is all that is said of what is lost: of a gang that waits in its own error, of all else in one list.
func sayings(p *cli.Planned) (all []string) {
	for _, err := range p.Input.Defects {
		all = append(all, strings.Split(err.Error(), "\n")...)
	}
	for i := range p.Input.Gangs {
		if g := &p.Input.Gangs[i]; g.Err != nil {
			for _, line := range strings.Split(g.Err.Error(), "\n") {
				all = append(all, g.Request.Name+": "+line)
			}
		}
	}
	return append(all, p.Input.Notices...)
}

// saidOnce wants each loss in one place.
func saidOnce(t *testing.T, p *cli.Planned) {
	t.Helper()
	seen := map[string]int{}
	for _, line := range sayings(p) {
		seen[line]++
		assert.Equal(t, 1, seen[line], "said again: %s", line)
	}
}

// titleOf is how an object is called in what is said of it.
var titleOf = regexp.MustCompile(`[A-Z][A-Za-z]*/[^ :,]+`)

// accounted wants each Pod and Node of the input, as far as it can be told that it is one, to be in a plan, to run, to be there, or to be
// spoken of.
func accounted(t *testing.T, p *cli.Planned, objects []any) {
	t.Helper()
	known := map[string]bool{}
	var ending []string // names of owners, with which those of their pods begin
	for _, title := range p.Input.Ending {
		ending = append(ending, title[strings.LastIndex(title, "/")+1:])
	}
	for _, n := range p.Input.Spec.Nodes {
		known["Node/"+n.Name] = true
	}
	for _, r := range p.Input.Spec.Running {
		known["Pod/"+r.Member] = true
	}
	for i := range p.Input.Gangs {
		for _, m := range p.Input.Gangs[i].Request.Members {
			known["Pod/"+m.Name] = true
		}
	}
	for _, line := range sayings(p) {
		for _, title := range titleOf.FindAllString(line, -1) {
			kind, name, _ := strings.Cut(title, "/")
			known[kind+"/"+name[strings.LastIndex(name, "/")+1:]] = true
		}
	}
	for _, o := range objects {
		m, _ := o.(map[string]any)
		meta, _ := m["metadata"].(map[string]any)
		name, _ := meta["name"].(string)
		status, _ := m["status"].(map[string]any)
		over := status["phase"] == "Succeeded" || status["phase"] == "Failed"
		if kind := kindOf(o); (kind == "Pod" || kind == "Node") && name != "" && !over {
			ends := slices.ContainsFunc(ending, func(of string) bool { return strings.HasPrefix(name, of) })
			assert.True(t, ends || known[kind+"/"+name], "%s/%s is lost and nothing says so", kind, name)
		}
	}
}
