package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	v1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"
	"sigs.k8s.io/yaml"

	"github.com/muster-sched/muster/hosts/kubernetes/internal/apitest"
	"github.com/muster-sched/muster/hosts/kubernetes/internal/live"
)

type object = apitest.Object

// cluster is a server with two nodes and a gang of two, and a kubeconfig for it.
func cluster(t *testing.T) (s *apitest.Server, kubeconfig string) {
	t.Helper()
	s = apitest.New(
		t,
		apitest.Resource{Version: "v1", Name: "nodes", Kind: "Node"},
		apitest.Resource{Version: "v1", Name: "pods", Kind: "Pod", Namespaced: true},
		apitest.Resource{Group: "scheduling.x-k8s.io", Version: "v1alpha1", Name: "podgroups", Kind: "PodGroup", Namespaced: true},
	)
	s.Set(object{"apiVersion": "scheduling.x-k8s.io/v1alpha1", "kind": "PodGroup", "metadata": object{"name": "train", "namespace": "a"}, "spec": object{"minMember": int64(2)}})
	for i := range 2 {
		s.Set(object{
			"apiVersion": "v1", "kind": "Node", "metadata": object{"name": fmt.Sprintf("n%d", i)},
			"status": object{"allocatable": object{"cpu": "4", "pods": "10"}, "conditions": []any{object{"type": "Ready", "status": "True"}}},
		}, object{
			"apiVersion": "v1", "kind": "Pod",
			"metadata": object{"name": fmt.Sprintf("train-%d", i), "namespace": "a", "uid": fmt.Sprintf("uid-%d", i), "labels": object{"scheduling.x-k8s.io/pod-group": "train"}},
			"spec":     object{"containers": []any{object{"name": "main", "resources": object{"requests": object{"cpu": "3"}}}}},
		})
	}
	kubeconfig = filepath.Join(t.TempDir(), "config")
	require.NoError(t, os.WriteFile(kubeconfig, []byte("apiVersion: v1\nkind: Config\nclusters:\n- {name: c, cluster: {server: \""+s.URL+"\"}}\nusers:\n- {name: u, user: {}}\n"+
		"contexts:\n- {name: x, context: {cluster: c, user: u}}\ncurrent-context: x\n"), 0o600))
	return s, kubeconfig
}

// The command follows a cluster, places a gang there pod by pod as the scheduler asks, and ends when it is told to.
func TestRun(t *testing.T) {
	s, kubeconfig := cluster(t)
	bound := make(chan string, 2)
	s.Bind = func(namespace, pod, uid, node string) error {
		bound <- strings.Join([]string{namespace, pod, uid, node}, " ")
		return nil
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	address := l.Addr().String()
	require.NoError(t, l.Close())
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan int, 1)
	go func() { ended <- run(ctx, []string{"--kubeconfig", kubeconfig, "--listen", address}) }()
	url := "http://" + address + "/"
	require.Eventually(t, func() bool {
		answer, err := http.Get(url + "readyz")
		if err != nil {
			return false
		}
		_ = answer.Body.Close()
		return answer.StatusCode == http.StatusOK
	}, 20*time.Second, 5*time.Millisecond)

	post := func(verb string, args, result any) {
		body, err := json.Marshal(args)
		require.NoError(t, err)
		answer, err := http.Post(url+verb, "application/json", bytes.NewReader(body))
		require.NoError(t, err)
		require.Equal(t, http.StatusOK, answer.StatusCode)
		require.NoError(t, json.NewDecoder(answer.Body).Decode(result))
		require.NoError(t, answer.Body.Close())
	}
	for i := range 2 {
		pod := &v1.Pod{}
		pod.Namespace, pod.Name = "a", fmt.Sprintf("train-%d", i)
		var filtered extenderv1.ExtenderFilterResult
		post("filter", extenderv1.ExtenderArgs{Pod: pod, NodeNames: &[]string{"n0", "n1"}}, &filtered)
		require.Equal(t, []string{fmt.Sprintf("n%d", i)}, *filtered.NodeNames)
		var result extenderv1.ExtenderBindingResult
		post("bind", extenderv1.ExtenderBindingArgs{PodName: pod.Name, PodNamespace: "a", Node: (*filtered.NodeNames)[0]}, &result)
		require.Empty(t, result.Error)
		require.Equal(t, fmt.Sprintf("a train-%d  n%d", i, i), <-bound)
	}
	stop()
	require.Zero(t, <-ended)
}

func TestMisuse(t *testing.T) {
	for _, args := range [][]string{
		{"--bad"}, {"word"}, {"--listen", "x"}, {"--listen", "0.0.0.0:1"}, {"--listen", ":1"}, {"--tls-cert-file", "x"}, {"--client-ca-file", "x"},
	} {
		require.Equal(t, misuse, run(context.Background(), args), args)
	}
	require.Zero(t, run(context.Background(), []string{"--help"}))
	require.Equal(t, failed, run(context.Background(), []string{"--kubeconfig", "none"}))
	s, kubeconfig := cluster(t)
	s.Forbidden["nodes"] = true
	require.Equal(t, failed, run(context.Background(), []string{"--kubeconfig", kubeconfig, "--listen", "127.0.0.1:0"}))
}

// rbac.yaml allows what is watched, and to bind.
func TestRBAC(t *testing.T) {
	data, err := os.ReadFile("rbac.yaml")
	require.NoError(t, err)
	var role rbacv1.ClusterRole
	require.NoError(t, yaml.UnmarshalStrict(data, &role))
	var allowed []string
	read := []string{"create pods/binding"}
	for _, rule := range role.Rules {
		require.Len(t, rule.APIGroups, 1)
		for _, r := range rule.Resources {
			allowed = append(allowed, strings.Join(rule.Verbs, ",")+" "+live.Kind{Group: rule.APIGroups[0], Resource: r}.Name())
		}
	}
	for _, k := range live.Kinds() {
		read = append(read, "get,list,watch "+k.Name())
	}
	require.ElementsMatch(t, read, allowed)
}
