package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	rbacv1 "k8s.io/api/rbac/v1"
	"sigs.k8s.io/yaml"

	"github.com/muster-sched/muster/hosts/kubernetes/internal/apitest"
	"github.com/muster-sched/muster/hosts/kubernetes/internal/live"
)

type object = apitest.Object

func node(name, rack string) object {
	return object{
		"apiVersion": "v1", "kind": "Node", "metadata": object{"name": name, "labels": object{"net/rack": rack}},
		"status": object{"allocatable": object{"gpu": "1", "pods": "10"}, "conditions": []any{object{"type": "Ready", "status": "True"}}},
	}
}

func pod(namespace, name, group, node string) object {
	spec := object{"containers": []any{object{"name": "main", "resources": object{"requests": object{"gpu": "1"}}}}}
	if node != "" {
		spec["nodeName"] = node
	}
	return object{
		"apiVersion": "v1", "kind": "Pod", "spec": spec,
		"metadata": object{"name": name, "namespace": namespace, "labels": object{"scheduling.x-k8s.io/pod-group": group}},
	}
}

func group(namespace, name string, members int64) object {
	return object{
		"apiVersion": "scheduling.x-k8s.io/v1alpha1", "kind": "PodGroup", "metadata": object{"name": name, "namespace": namespace},
		"spec": object{"minMember": members},
	}
}

// cluster is a server with two racks of two nodes, a gang that runs, one that fits and one that does not.
func cluster(t *testing.T) *apitest.Server {
	t.Helper()
	s := apitest.New(
		t,
		apitest.Resource{Version: "v1", Name: "nodes", Kind: "Node"},
		apitest.Resource{Version: "v1", Name: "pods", Kind: "Pod", Namespaced: true},
		apitest.Resource{Version: "v1", Name: "configmaps", Kind: "ConfigMap", Namespaced: true},
		apitest.Resource{Group: "kueue.x-k8s.io", Version: "v1beta1", Name: "topologies", Kind: "Topology"},
		apitest.Resource{Group: "kueue.x-k8s.io", Version: "v1beta1", Name: "workloads", Kind: "Workload", Namespaced: true},
		apitest.Resource{Group: "scheduling.x-k8s.io", Version: "v1alpha1", Name: "podgroups", Kind: "PodGroup", Namespaced: true},
	)
	s.Set(object{
		"apiVersion": "kueue.x-k8s.io/v1beta1", "kind": "Topology", "metadata": object{"name": "default"},
		"spec": object{"levels": []any{object{"nodeLabel": "net/rack"}}},
	})
	for i := range 4 {
		s.Set(node(fmt.Sprintf("n%d", i), fmt.Sprintf("r%d", i/2)))
	}
	s.Set(group("a", "runs", 1), pod("a", "runs-0", "runs", "n0"))
	s.Set(group("a", "fits", 2), pod("a", "fits-0", "fits", ""), pod("a", "fits-1", "fits", ""))
	s.Set(group("b", "large", 3), pod("b", "large-0", "large", ""), pod("b", "large-1", "large", ""), pod("b", "large-2", "large", ""))
	config := filepath.Join(t.TempDir(), "config")
	context := func(name, namespace string) string {
		return fmt.Sprintf("- {name: %s, context: {cluster: c, user: u, namespace: %s}}\n", name, namespace)
	}
	require.NoError(t, os.WriteFile(config, []byte("apiVersion: v1\nkind: Config\nclusters:\n- {name: c, cluster: {server: \""+s.URL+"\"}}\nusers:\n- {name: u, user: {}}\n"+
		"contexts:\n"+context("in-a", "a")+context("in-b", "b")+"current-context: in-a\n"), 0o600))
	t.Setenv("KUBECONFIG", config)
	t.Setenv("COLUMNS", "")
	return s
}

func ask(t *testing.T, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	var out, err bytes.Buffer
	status = run(context.Background(), args, &out, &err)
	return status, out.String(), err.String()
}

// The gangs of all namespaces are planned, and those of one printed: that of the context, unless another one is named.
func TestPlan(t *testing.T) {
	cluster(t)
	status, out, errs := ask(t, "plan")
	require.Zero(t, status, errs)
	require.Empty(t, errs)
	require.True(t, strings.HasPrefix(out, "a/fits: placed, 2 members in rack r1, strategy 1\n"), out)
	require.NotContains(t, out, "b/large:")
	require.Contains(t, out, "2 gangs: 1 placed, 0 waiting, 1 refused, 0 invalid; 2 pods placed, 4 nodes")

	for _, args := range [][]string{{"plan", "-n", "b"}, {"plan", "--context", "in-b"}} {
		_, out, _ = ask(t, args...)
		require.NotContains(t, out, "a/fits:")
		require.Contains(t, out, "b/large: unschedulable")
	}
	_, out, _ = ask(t, "plan", "-A")
	require.Contains(t, out, "a/fits: placed")
	require.Contains(t, out, "b/large: unschedulable")
	_, out, _ = ask(t, "plan", "-n", "empty")
	require.True(t, strings.HasPrefix(out, "none of the gangs that wait is asked for\n2 gangs: "), out)
	status, _, _ = ask(t, "plan", "-A", "--fail-unplaced")
	require.Equal(t, 3, status)

	_, out, _ = ask(t, "plan", "-n", "a", "-o", "json")
	var document struct {
		Plans []struct{ Gang, Status string }
	}
	require.NoError(t, json.Unmarshal([]byte(out), &document))
	require.Len(t, document.Plans, 1)
	require.Equal(t, "a/fits", document.Plans[0].Gang)
	_, out, _ = ask(t, "plan", "-A", "-o", "svg")
	require.True(t, strings.HasPrefix(out, "<svg"), out[:min(len(out), 80)])
}

func TestWhy(t *testing.T) {
	cluster(t)
	for _, args := range [][]string{{"why", "b/large"}, {"why", "large", "-n", "b"}, {"why", "b/large", "-A"}} {
		status, out, errs := ask(t, args...)
		require.Zero(t, status, errs)
		require.NotContains(t, out, "a/fits: placed")
		require.Contains(t, out, "b/large cannot start")
		require.Contains(t, out, "2 gangs: ")
	}
	status, out, _ := ask(t, "why", "fits", "-o", "json")
	require.Zero(t, status)
	require.Contains(t, out, `"explanation":`)
	require.NotContains(t, out, "b/large")

	status, out, errs := ask(t, "why", "b/larg")
	require.Equal(t, failed, status)
	require.Empty(t, out)
	require.Equal(t, "why \"b/larg\": no such gang waits for a node; the nearest one is b/large\n", errs)
	status, _, errs = ask(t, "why", "runs")
	require.Equal(t, failed, status)
	require.Equal(t, "why \"a/runs\": all its pods have nodes\n", errs)
}

func TestFit(t *testing.T) {
	cluster(t)
	status, out, errs := ask(t, "fit")
	require.Zero(t, status, errs)
	require.NotContains(t, out, "placed, 2 members")
	require.Contains(t, out, "a/fits")
	require.NotContains(t, out, "b/large")
	require.Contains(t, out, "rack")
	_, out, _ = ask(t, "fit", "-A", "-o", "json")
	require.Contains(t, out, `"maxFit":[{"gangs":["a/fits","b/large"]`)
	require.Contains(t, out, `"plans":[]`)
}

func TestWhatIf(t *testing.T) {
	cluster(t)
	_, out, errs := ask(t, "what-if", "-A", "--without", "gang/a/fits")
	require.Contains(t, out, "b/large: placed")
	require.Contains(t, errs, "planned without gang/a/fits\n")
	_, out, _ = ask(t, "what-if", "-A", "--without", "domain/r1", "--without", "node/n0")
	require.Contains(t, out, "a/fits: unschedulable")
	file := filepath.Join(t.TempDir(), "cordon.yaml")
	require.NoError(t, os.WriteFile(file, []byte("{apiVersion: v1, kind: Node, metadata: {name: n3}, spec: {unschedulable: true}}\n"), 0o600))
	_, out, _ = ask(t, "what-if", "--add", file)
	require.NotContains(t, out, "in rack r1")
	status, _, errs := ask(t, "what-if", "--without", "node/n9")
	require.Equal(t, failed, status)
	require.Contains(t, errs, "-without node/n9: ")
}

func TestRunning(t *testing.T) {
	cluster(t)
	status, out, errs := ask(t, "running")
	require.Zero(t, status, errs)
	require.Contains(t, out, "a/runs  1 member")
	require.NotContains(t, out, "a/fits: placed")
	_, out, _ = ask(t, "running", "-n", "b")
	require.NotContains(t, out, "a/runs")
	_, out, _ = ask(t, "running", "-A", "-o", "json")
	require.Contains(t, out, `"running":[{"gang":"a/runs"`)
}

// What is wrong with an object, and what may not be seen, is told by the object, not by a file that nobody has.
func TestTold(t *testing.T) {
	s := cluster(t)
	s.Forbidden["workloads"] = true
	broken := group("b", "broken", 1)
	broken["spec"].(object)["minMember"] = "x"
	s.Set(broken, pod("b", "broken-0", "broken", ""))
	status, out, errs := ask(t, "plan", "-A")
	require.Zero(t, status)
	require.Contains(t, out, "a/fits: placed")
	require.Contains(t, errs, "may not list workloads.kueue.x-k8s.io (workloads is forbidden: ")
	require.Contains(t, errs, "\nPodGroup/b/broken: spec.minMember \"x\": is text, must be a whole number\n")
	require.NotContains(t, errs, ".json")

	s.Forbidden["nodes"] = true
	status, out, errs = ask(t, "plan", "-A")
	require.Equal(t, failed, status)
	require.Empty(t, out)
	require.Contains(t, errs, "may not list nodes (nodes is forbidden: ")
}

// A ConfigMap is read where it is named, and only then.
func TestConfigMap(t *testing.T) {
	s := cluster(t)
	s.Set(object{"apiVersion": "v1", "kind": "ConfigMap", "metadata": object{"name": "tree", "namespace": "net"}, "data": object{"a": "b"}})
	_, _, errs := ask(t, "plan")
	require.Empty(t, errs)
	status, _, errs := ask(t, "plan", "--configmap", "net/tree")
	require.Zero(t, status)
	require.Contains(t, errs, "v1 ConfigMap: a kind that is not read, skipped (objects: 1)")
	status, _, errs = ask(t, "plan", "--configmap", "net/none")
	require.Equal(t, failed, status)
	require.Contains(t, errs, "ConfigMap net/none: ")
}

func TestMisuse(t *testing.T) {
	s := cluster(t)
	for _, args := range [][]string{
		{},
		{"nothing"},
		{"plan", "file.yaml"},
		{"plan", "--bad"},
		{"plan", "-o", "yaml"},
		{"why"},
		{"why", "a/b/c"},
		{"why", "a/"},
		{"what-if"},
		{"what-if", "--without", "x"},
		{"running", "-o", "svg"},
		{"fit", "-o", "svg"},
		{"plan", "--configmap", "x"},
	} {
		status, out, errs := ask(t, args...)
		require.Equal(t, misuse, status, args)
		require.Empty(t, out, args)
		require.Contains(t, errs, "--help has the flags and examples", args)
	}
	for _, r := range s.Requests() {
		t.Error(r)
	}
	status, _, errs := ask(t, "plan", "--context", "none")
	require.Equal(t, failed, status)
	require.Contains(t, errs, "none")
	status, out, _ := ask(t, "plan", "--help")
	require.Zero(t, status)
	require.Contains(t, out, "kubectl muster plan -A")
	status, out, _ = ask(t, "version")
	require.Zero(t, status)
	require.Contains(t, out, "behavior")
}

// rbac.yaml allows what is asked for, and nothing else.
func TestRBAC(t *testing.T) {
	data, err := os.ReadFile("rbac.yaml")
	require.NoError(t, err)
	var role rbacv1.ClusterRole
	require.NoError(t, yaml.UnmarshalStrict([]byte(strings.Split(string(data), "\n---\n")[0]), &role))
	var allowed, read []string
	for _, rule := range role.Rules {
		require.Equal(t, []string{"get", "list"}, rule.Verbs)
		require.Len(t, rule.APIGroups, 1)
		for _, r := range rule.Resources {
			allowed = append(allowed, live.Kind{Group: rule.APIGroups[0], Resource: r}.Name())
		}
	}
	for _, k := range live.Kinds() {
		read = append(read, k.Name())
	}
	require.ElementsMatch(t, read, allowed)
}
