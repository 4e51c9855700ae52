package seats_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster/internal/document"
	"github.com/muster-sched/muster/placement/manifest/internal/member"
	"github.com/muster-sched/muster/placement/manifest/internal/object"
	"github.com/muster-sched/muster/placement/manifest/internal/seats"
)

func TestOf(t *testing.T) {
	for labels, want := range map[string]string{ // role, child, index
		"app: web": " -1 -1",
		"jobset.sigs.k8s.io/jobset-name: j, jobset.sigs.k8s.io/replicatedjob-name: Node, jobset.sigs.k8s.io/job-index: '2'":       "Node 2 7",
		"leaderworkerset.sigs.k8s.io/name: l, leaderworkerset.sigs.k8s.io/worker-index: '0'":                                      "leader -1 0",
		"leaderworkerset.sigs.k8s.io/name: l, leaderworkerset.sigs.k8s.io/worker-index: '3'":                                      "worker -1 2",
		"training.kubeflow.org/job-name: p, training.kubeflow.org/replica-type: Worker, training.kubeflow.org/replica-index: '1'": "worker -1 1",
		"ray.io/cluster: r, ray.io/node-type: head, ray.io/group: headgroup":                                                      "headgroup -1 0",
		"ray.io/cluster: r, ray.io/group: Small, ray.io/worker-group-replica-index: '4'":                                          "Small 4 -1",
		"grove.io/podgang: g, grove.io/podclique: decode":                                                                         "decode -1 -1",
		"training.kubeflow.org/job-name: p, training.kubeflow.org/replica-index: many":                                            " -1 -1",
	} {
		text := "{apiVersion: v1, kind: Pod, metadata: {name: p, labels: {" + labels + "}}}"
		docs := document.Parse("in.yaml", []byte(text), &document.Budget{})
		require.Len(t, docs, 1)
		var notices object.Notices
		all := object.NewSet(func(string, string) bool { return true }, &notices)
		all.Add(docs[0].Root)
		role, child, index := seats.Of(&member.Member{Obj: all.List[0], Index: 7, Indexed: true})
		require.Equal(t, want, fmt.Sprintf("%s %d %d", role, child, index), labels)
	}
}
