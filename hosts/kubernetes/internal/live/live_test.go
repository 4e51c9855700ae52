package live

import (
	"compress/gzip"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	"github.com/muster-sched/muster/hosts/kubernetes/internal/apitest"
	"github.com/muster-sched/muster/placement/manifest"
)

var (
	nodes     = apitest.Resource{Version: "v1", Name: "nodes", Kind: "Node"}
	pods      = apitest.Resource{Version: "v1", Name: "pods", Kind: "Pod", Namespaced: true}
	secrets   = apitest.Resource{Version: "v1", Name: "secrets", Kind: "Secret", Namespaced: true}
	jobs      = apitest.Resource{Group: "batch", Version: "v1", Name: "jobs", Kind: "Job", Namespaced: true}
	newer     = apitest.Resource{Group: "scheduling.k8s.io", Version: "v1", Name: "priorityclasses", Kind: "PriorityClass"}
	older     = apitest.Resource{Group: "scheduling.k8s.io", Version: "v1alpha2", Name: "podgroups", Kind: "PodGroup", Namespaced: true}
	oldest    = apitest.Resource{Group: "scheduling.k8s.io", Version: "v1alpha1", Name: "podgroups", Kind: "PodGroup", Namespaced: true}
	otherKind = apitest.Resource{Group: "kai.scheduler", Version: "v1", Name: "topologies", Kind: "Network"}
)

func node(name string) apitest.Object {
	return apitest.Object{
		"apiVersion": "v1", "kind": "Node", "metadata": apitest.Object{"name": name, "managedFields": []any{apitest.Object{"manager": "kubelet"}}},
		"status": apitest.Object{"allocatable": apitest.Object{"cpu": "4", "pods": "10"}},
	}
}

func find(t *testing.T, s *apitest.Server) ([]Served, []string, error) {
	t.Helper()
	server, err := discovery.NewDiscoveryClientForConfig(&rest.Config{Host: s.URL})
	require.NoError(t, err)
	return Find(server, "list")
}

func reader(t *testing.T, s *apitest.Server) *Reader {
	t.Helper()
	client, err := dynamic.NewForConfig(&rest.Config{Host: s.URL, QPS: -1})
	require.NoError(t, err)
	return &Reader{Client: client, PageSize: 10}
}

// Of a group with several versions each kind is read in the first that has it; what is not read, or called alike, is not found.
func TestFind(t *testing.T) {
	found, notices, err := find(t, apitest.New(t, nodes, pods, secrets, jobs, newer, older, oldest, otherKind))
	require.NoError(t, err)
	require.Empty(t, notices)
	var names []string
	for _, f := range found {
		names = append(names, f.Name()+" "+f.Version)
	}
	require.Equal(t, []string{"nodes v1", "pods v1", "jobs.batch v1", "podgroups.scheduling.k8s.io v1alpha2", "priorityclasses.scheduling.k8s.io v1"}, names)

	_, _, err = find(t, apitest.New(t, nodes))
	require.EqualError(t, err, "the server does not serve pods")

	s := apitest.New(t, nodes, pods, jobs, otherKind)
	s.Silent["batch/v1"], s.Silent["kai.scheduler/v1"] = true, true
	found, notices, err = find(t, s)
	require.NoError(t, err)
	require.Len(t, found, 2)
	require.Len(t, notices, 2)
	require.Contains(t, notices[0], "what of batch/v1 is served is not known")
}

// All pages of a list are read, also where the server forgets in between what it was a list of.
func TestPages(t *testing.T) {
	s := apitest.New(t, nodes, pods)
	for i := range 35 {
		s.Set(node(fmt.Sprintf("n%d", i)))
	}
	kinds, _, err := find(t, s)
	require.NoError(t, err)
	for expire, lists := range map[int]int{0: 4, 1: 6, restarts: 4 + 2*restarts} {
		s.Expire["nodes"] = expire
		before := count(s.Requests(), "GET /api/v1/nodes")
		files, notices, err := reader(t, s).Read(t.Context(), kinds)
		require.NoError(t, err)
		require.Empty(t, notices)
		require.Equal(t, lists, count(s.Requests(), "GET /api/v1/nodes")-before)
		require.NotContains(t, text(t, files[0]), "managedFields")
		in, err := manifest.Read(files, manifest.Options{})
		require.NoError(t, err)
		require.Len(t, in.Spec.Nodes, 35)
		require.Empty(t, in.Notices)
	}
	s.Expire["nodes"] = restarts + 1
	_, _, err = reader(t, s).Read(t.Context(), kinds)
	require.True(t, apierrors.IsResourceExpired(err), "%v", err)
	require.ErrorContains(t, err, "nodes: ")
	require.ErrorContains(t, err, "begun 5 times")
}

// What may not be listed is told; it is an error where there is no plan without.
func TestForbidden(t *testing.T) {
	s := apitest.New(t, nodes, pods, jobs)
	s.Set(node("n"))
	kinds, _, err := find(t, s)
	require.NoError(t, err)
	s.Forbidden["jobs"] = true
	files, notices, err := reader(t, s).Read(t.Context(), kinds)
	require.NoError(t, err)
	require.Len(t, files, 2)
	require.Len(t, notices, 1)
	require.True(t, strings.HasPrefix(notices[0], "may not list jobs.batch (jobs is forbidden: "), notices[0])
	s.Forbidden["pods"] = true
	_, _, err = reader(t, s).Read(t.Context(), kinds)
	require.ErrorContains(t, err, "may not list pods (pods is forbidden: ")
	require.True(t, apierrors.IsForbidden(err))
}

// text is what a file holds.
func text(t *testing.T, f manifest.File) string {
	t.Helper()
	packed, err := f.Open()
	require.NoError(t, err)
	in, err := gzip.NewReader(packed)
	require.NoError(t, err)
	data, err := io.ReadAll(in)
	require.NoError(t, err)
	require.Contains(t, string(data), `"kind":"Node"`)
	return string(data)
}

func count(all []string, one string) (n int) {
	for _, r := range all {
		if r == one {
			n++
		}
	}
	return n
}
