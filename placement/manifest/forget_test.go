package manifest_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster/internal/known"
	"github.com/muster-sched/muster/placement/manifest"
)

// Every rule of the tables is good for something: without its key the same objects give an error, a notice or another input.
func TestRulesThatAreForgottenAreMissed(t *testing.T) {
	n := 0
	for _, system := range known.Systems() {
		for _, k := range system.Keys {
			if k.Name == "trainer.kubeflow.org/trainjob-ancestor-step" { // of runtimes, whose keys are not looked at
				continue
			}
			if k.Use.IsRule() || k.Use == known.Counted {
				if !isMissed(t, k) {
					t.Errorf("nothing says that %s is not known", k.Name)
				}
				n++
			}
		}
	}
	t.Logf("%d rules", n)
	require.Positive(t, n)
}

// isMissed says whether some objects with a key are read otherwise without it.
func isMissed(t *testing.T, k known.Key) bool {
	t.Helper()
	for _, value := range []string{"x", "w", "worker", "head", "true", "false", "1", "hard", `["default"]`, `{"cpu": "1"}`} {
		for _, o := range []fields{
			{"kind": "Pod", "apiVersion": "v1"},
			{"kind": "Pod", "apiVersion": "v1", "spec": fields{"nodeName": "n1"}},
			{"kind": "Pod", "apiVersion": "v1", "labels": fields{"training.kubeflow.org/job-name": "t", "training.kubeflow.org/replica-index": "0"}},
			{"kind": "Pod", "apiVersion": "v1", "labels": fields{"ray.io/cluster": "r", "ray.io/group": "w"}},
			{"kind": "Pod", "apiVersion": "v1", "labels": fields{"grove.io/podgang": "p"}},
			{"kind": "Job", "apiVersion": "batch/v1"},
			{"kind": "ElasticQuota", "apiVersion": "scheduling.sigs.k8s.io/v1alpha1"},
		} {
			before := readWith(t, k, o, value)
			restore := known.Forget(k.Name)
			after := readWith(t, k, o, value)
			restore()
			if before != after {
				return true
			}
		}
	}
	return false
}

// readWith is what is read of an object with a key, and of what keys may refer to.
func readWith(t *testing.T, k known.Key, o fields, value string) string {
	t.Helper()
	labels := fields{}
	if base, ok := o["labels"].(fields); ok {
		maps.Copy(labels, base)
	}
	meta := fields{"name": "o", "labels": labels}
	if k.Side == known.Labels {
		labels[k.Name] = value
	} else {
		meta["annotations"] = fields{k.Name: value}
	}
	roles := fields{"Master": fields{"template": fields{}}, "Worker": fields{"template": fields{}}}
	data, err := json.Marshal(map[string]any{"apiVersion": "v1", "kind": "List", "items": []any{
		fields{"apiVersion": o["apiVersion"], "kind": o["kind"], "metadata": meta, "spec": o["spec"]},
		fields{"apiVersion": "v1", "kind": "Node", "metadata": fields{"name": "n1"}, "status": fields{"allocatable": fields{"cpu": 1}}},
		fields{"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": fields{"name": "x"}, "value": 7},
		fields{"apiVersion": "batch/v1", "kind": "Job", "metadata": fields{"name": "x"}, "spec": fields{}},
		fields{"apiVersion": "kueue.x-k8s.io/v1beta1", "kind": "Workload", "metadata": fields{"name": "w"}, "spec": fields{"podSets": []any{fields{"name": "main", "template": fields{}}}}},
		fields{"apiVersion": "scheduling.run.ai/v2", "kind": "Queue", "metadata": fields{"name": "x"}, "spec": fields{}},
		fields{"apiVersion": "kubeflow.org/v1", "kind": "PyTorchJob", "metadata": fields{"name": "t"}, "spec": fields{"pytorchReplicaSpecs": roles}},
		fields{"apiVersion": "ray.io/v1", "kind": "RayCluster", "metadata": fields{"name": "r"}, "spec": fields{"headGroupSpec": fields{"template": fields{}}, "workerGroupSpecs": []any{
			fields{"groupName": "w", "replicas": 2, "minReplicas": 1, "numOfHosts": 2, "template": fields{}},
		}}},
		fields{"apiVersion": "scheduler.grove.io/v1alpha1", "kind": "PodGang", "metadata": fields{"name": "p"}, "spec": fields{"podgroups": []any{fields{"name": "x", "minReplicas": 1}}}},
		fields{"apiVersion": "v1", "kind": "Pod", "metadata": fields{"name": "rh", "labels": fields{"ray.io/cluster": "r", "ray.io/node-type": "head"}}},
		fields{"apiVersion": "v1", "kind": "Pod", "metadata": fields{"name": "rw", "labels": fields{
			"ray.io/cluster": "r", "ray.io/group": "w", "ray.io/worker-group-replica-index": "1",
		}}},
	}})
	require.NoError(t, err)
	input, err := manifest.Read([]manifest.File{{Name: "in.json", Data: data}}, manifest.Options{})
	if err != nil {
		return err.Error()
	}
	var b strings.Builder
	for _, g := range input.Gangs {
		q := &g.Request
		fmt.Fprintln(&b, q.Name, q.MinMember, q.Priority, q.Quota, q.NeverPreempts, q.Tree, q.Gather, q.Limits, q.Parts, q.MinParts, g.Ignored, g.Terms, g.Total, g.Err)
		for _, m := range q.Members {
			fmt.Fprintln(&b, m.Name, m.Index, m.Indexed, m.NonPreemptible)
		}
	}
	for _, r := range input.Spec.Running {
		fmt.Fprintln(&b, r.Member, r.Unevictable, r.NonPreemptible, r.Alone, r.Tolerated)
	}
	return fmt.Sprint(b.String(), input.Notices, input.Unread, len(input.Empty))
}
