package cli

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// items are Kubernetes-style objects, as a program has them.
type items []map[string]any

func (o items) file(t *testing.T) string {
	t.Helper()
	text, err := json.Marshal(map[string]any{"apiVersion": "v1", "kind": "List", "items": o})
	require.NoError(t, err)
	return string(text)
}

// each calls do for the objects of a kind.
func (o items) each(kind string, do func(name string, object map[string]any)) {
	for _, object := range o {
		if object["kind"] == kind {
			do(object["metadata"].(map[string]any)["name"].(string), object)
		}
	}
}

// waiting is a cluster with four leaves of four nodes, in which a job of four that must be in one leaf does not start: a node is cordoned, one
// is tainted, one is in another zone, one has a notebook.
func waiting(t *testing.T) items {
	t.Helper()
	var o items
	read := func(text string, args ...any) {
		var object map[string]any
		require.NoError(t, json.Unmarshal(fmt.Appendf(nil, text, args...), &object))
		o = append(o, object)
	}
	read(`{"apiVersion": "scheduling.koordinator.sh/v1alpha1", "kind": "ClusterNetworkTopology", "metadata": {"name": "default"}, "spec": {"hierarchy": [
		{"layerName": "spine", "labelKey": "spine"}, {"layerName": "leaf", "labelKey": "leaf", "parentTopologyLayer": "spine"}, {"layerName": "nodeLayer", "parentTopologyLayer": "leaf"}]}}`)
	for i := range 16 {
		spec, zone := `{}`, "a"
		switch i {
		case 3:
			spec = `{"unschedulable": true}`
		case 7:
			spec = `{"taints": [{"key": "dedicated", "value": "infra", "effect": "NoSchedule"}]}`
		case 11:
			zone = "b"
		}
		read(`{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n%d", "labels": {"spine": "s0", "leaf": "l%d", "zone": %q}}, "spec": %s, "status": {"allocatable": {"gpu": "8"}}}`, i, i/4, zone, spec)
	}
	read(`{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "notebook"}, "spec": {"nodeName": "n15", "priority": 5, "containers": [{"resources": {"requests": {"gpu": "8"}}}]}}`)
	read(`{"apiVersion": "scheduling.koordinator.sh/v1alpha1", "kind": "PodGroup", "metadata": {"name": "train"}, "spec": {"minMember": 4,
		"networkTopologyAware": {"gatherStrategy": [{"layer": "leaf", "strategy": "MustGather"}]}}}`)
	for i := range 4 {
		read(`{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "train-%d", "labels": {"pod-group.scheduling.sigs.k8s.io": "train"}},
			"spec": {"priority": 5, "nodeSelector": {"zone": "a"}, "containers": [{"resources": {"requests": {"gpu": "8"}}}]}}`, i)
	}
	return o
}

// changed is what an explanation says of a change, as a program reads it.
type changed struct {
	Kind   string
	Change struct {
		Gang            string
		MinMember       int
		From, To        any
		Resource        string
		ReturnToService []string
		Tolerate        map[string]any
		Drop            string
		End             []string
		Priority        int
		Nodes           int
		Like, Domain    string
	}
	Plan struct {
		Status, Condition, Domain string
		Members                   int
	}
}

// apply changes the objects as a change says.
func (o items) apply(t *testing.T, c *changed) items {
	t.Helper()
	spec := func(object map[string]any) map[string]any { return object["spec"].(map[string]any) }
	pods := func(do func(spec map[string]any)) {
		o.each("Pod", func(name string, pod map[string]any) {
			if strings.HasPrefix(name, "train-") {
				do(spec(pod))
			}
		})
	}
	switch c.Kind {
	case "members":
		require.Equal(t, "default/train", c.Change.Gang)
		o.each("PodGroup", func(_ string, group map[string]any) { spec(group)["minMember"] = c.Change.MinMember })
	case "layer":
		o.each("PodGroup", func(_ string, group map[string]any) {
			rules := spec(group)["networkTopologyAware"].(map[string]any)["gatherStrategy"].([]any)
			require.Equal(t, c.Change.From, rules[0].(map[string]any)["layer"])
			rules[0].(map[string]any)["layer"] = c.Change.To
		})
	case "request":
		pods(func(spec map[string]any) {
			requests := spec["containers"].([]any)[0].(map[string]any)["resources"].(map[string]any)["requests"].(map[string]any)
			requests[c.Change.Resource] = c.Change.To
		})
	case "nodes":
		o.each("Node", func(name string, node map[string]any) {
			if slices.Contains(c.Change.ReturnToService, name) {
				delete(spec(node), "unschedulable")
			}
		})
	case "taint":
		pods(func(spec map[string]any) { spec["tolerations"] = []any{c.Change.Tolerate} })
	case "selector":
		pods(func(spec map[string]any) { delete(spec["nodeSelector"].(map[string]any), c.Change.Drop) })
	case "gangs":
		return slices.DeleteFunc(o, func(object map[string]any) bool {
			return slices.Contains(c.Change.End, "default/"+object["metadata"].(map[string]any)["name"].(string))
		})
	case "priority":
		pods(func(spec map[string]any) { spec["priority"] = c.Change.Priority })
	case "add":
		for i := range c.Change.Nodes {
			o.each("Node", func(name string, node map[string]any) {
				if name != c.Change.Like {
					return
				}
				path := strings.Split(c.Change.Domain, "/")
				o = append(o, map[string]any{
					"apiVersion": "v1", "kind": "Node", "status": node["status"],
					"metadata": map[string]any{"name": fmt.Sprint("new-", i), "labels": map[string]any{"spine": path[0], "leaf": path[1], "zone": "a"}},
				})
			})
		}
	default:
		t.Fatalf("unexpected kind %s", c.Kind)
	}
	return o
}

// A program applies each change to the files and plans again: the gang starts as was told.
func TestChangesMakeTheGangStart(t *testing.T) {
	_, out, err := command(t, waiting(t).file(t), "-o", "json", "-explain", "default/train", "-")
	require.Empty(t, err)
	var doc struct {
		Plans []struct {
			Explanation struct{ Relaxations []changed }
		}
	}
	require.NoError(t, json.Unmarshal([]byte(out), &doc))
	var found []string
	for _, c := range doc.Plans[0].Explanation.Relaxations {
		found = append(found, c.Kind)
		_, out, err := command(t, waiting(t).apply(t, &c).file(t), "-o", "json", "-")
		require.Empty(t, err, c.Kind)
		var again struct {
			Plans []struct {
				Status, Domain string
				Assignments    []any
				Victims        []any
			}
		}
		require.NoError(t, json.Unmarshal([]byte(out), &again))
		p := again.Plans[0]
		require.Equal(t, "placed", p.Status, c.Kind)
		require.Equal(t, c.Plan.Domain, p.Domain, c.Kind)
		require.Len(t, p.Assignments, c.Plan.Members, c.Kind)
		require.Equal(t, c.Plan.Condition == "needs victims", len(p.Victims) > 0, c.Kind)
	}
	require.Equal(t, []string{"members", "layer", "request", "nodes", "taint", "selector", "gangs", "priority", "add"}, found)
}
