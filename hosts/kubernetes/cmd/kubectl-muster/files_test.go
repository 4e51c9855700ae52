package main

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/muster-sched/muster/hosts/kubernetes/internal/apitest"
	"github.com/muster-sched/muster/hosts/kubernetes/internal/live"
	"github.com/muster-sched/muster/internal/cli"
)

// Of the objects of files a cluster has the plans that the files have.
func TestSameAsFiles(t *testing.T) {
	const stories = "../../../../examples/stories/"
	for _, names := range [][]string{
		{"cluster.yaml", "story-1.yaml", "story-2.yaml"}, {"cluster.yaml", "story-3.yaml"}, {"quotas.yaml"}, {"pending.yaml"}, {"zones.yaml"}, {"cluster.yaml", "together.yaml"},
	} {
		var objects []object
		args := []string{"-keep-going"}
		for _, name := range names {
			objects = append(objects, objectsOf(t, stories+name)...)
			args = append(args, stories+name)
		}
		var want, told bytes.Buffer
		require.Zero(t, cli.Run(args, strings.NewReader(""), &want, &told))

		s := apitest.New(t, resourcesOf(objects)...)
		s.Set(objects...)
		config := filepath.Join(t.TempDir(), "config")
		require.NoError(t, os.WriteFile(config, nil, 0o600))
		status, out, errs := ask(t, "plan", "-A", "--kubeconfig", config, "-s", s.URL)
		require.Zero(t, status, errs)
		require.Equal(t, want.String(), out, names)
	}
}

// objectsOf are the objects of a file of YAML.
func objectsOf(t *testing.T, path string) (all []object) {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	for document := range strings.SplitSeq("\n"+string(data), "\n---") {
		var o object
		require.NoError(t, yaml.Unmarshal([]byte(document), &o))
		if items, is := o["items"].([]any); is {
			for _, item := range items {
				one := object{"apiVersion": o["apiVersion"], "kind": strings.TrimSuffix(o["kind"].(string), "List")}
				maps.Copy(one, item.(object))
				all = append(all, one)
			}
		} else if o != nil {
			all = append(all, o)
		}
	}
	for _, o := range all {
		if meta := o["metadata"].(object); meta["namespace"] == nil && slices.Contains([]string{"Pod", "PodGroup", "Job", "Workload"}, o["kind"].(string)) {
			meta["namespace"] = "default"
		}
	}
	return all
}

// resourcesOf are those that the kinds of objects need, and those of nodes and pods.
func resourcesOf(objects []object) (served []apitest.Resource) {
	kinds := live.Kinds()
	for _, o := range append([]object{{"apiVersion": "v1", "kind": "Node"}, {"apiVersion": "v1", "kind": "Pod"}}, objects...) {
		group, version, grouped := strings.Cut(o["apiVersion"].(string), "/")
		if !grouped {
			group, version = "", group
		}
		i := slices.IndexFunc(kinds, func(k live.Kind) bool { return k.Group == group && k.Kind == o["kind"] })
		if i < 0 {
			continue
		}
		r := apitest.Resource{Group: group, Version: version, Name: kinds[i].Resource, Kind: kinds[i].Kind}
		if !slices.Contains(served, r) {
			served = append(served, r)
		}
	}
	return served
}
