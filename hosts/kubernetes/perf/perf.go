// Package perf answers: how does the scheduler's throughput with Muster compare with the tree's own on Kubernetes' own performance workloads? Its test
// runs scheduler_perf as it stands in the module of Kubernetes, each workload once with the tree's plugins and once with Muster's profile.
package perf

import (
	"fmt"
	"maps"
	"slices"

	"k8s.io/kubernetes/pkg/features"
	"sigs.k8s.io/yaml"
)

// Topics are folders of scheduler_perf: those where pods come in groups with a gang policy.
var Topics = []string{"podgroup/gangscheduling", "podgroup/tas", "workload_preemption"}

// Plugins that a workload runs with.
const (
	Tree   = "tree"
	Muster = "Muster"
)

// Workload is one of a topic. A case is a sequence of operations; a workload has its numbers.
type Workload struct {
	Case, Name string
	Nodes      int

	measured bool           // by Kubernetes; others are tests
	spec     map[string]any // of the case
	workload map[string]any
}

// Workloads are those of a topic, read from its performance-config.yaml.
func Workloads(topic string, file []byte) (out []Workload, err error) {
	var cases []map[string]any
	if err := yaml.Unmarshal(file, &cases); err != nil {
		return nil, fmt.Errorf("%s: %w", topic, err)
	}
	for _, spec := range cases {
		of, _ := spec["name"].(string)
		workloads, _ := spec["workloads"].([]any)
		for i := range workloads {
			w, _ := workloads[i].(map[string]any)
			name, _ := w["name"].(string)
			labels, _ := w["labels"].([]any)
			params, _ := w["params"].(map[string]any)
			nodes, _ := params["initNodes"].(float64)
			out = append(out, Workload{Case: of, Name: name, Nodes: int(nodes), measured: slices.Contains(labels, any(measured)), spec: spec, workload: w})
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s: no workloads", topic)
	}
	return out, nil
}

const measured = "performance"

// Small are one of each case, the first with 100 nodes.
func Small(all []Workload) (out []Workload) {
	for i := range all {
		if all[i].Nodes == 100 && !slices.ContainsFunc(out, func(w Workload) bool { return w.Case == all[i].Case }) {
			out = append(out, all[i])
		}
	}
	return out
}

// Measured are those that Kubernetes measures.
func Measured(all []Workload) []Workload {
	return slices.DeleteFunc(slices.Clone(all), func(w Workload) bool { return !w.measured })
}

// String is how the workload is called in results.
func (w *Workload) String() string { return w.Case + "/" + w.Name }

// File is a file of scheduler_perf with this workload alone. With a path of a configuration of kube-scheduler it runs with that one, and with the gate that
// lets plugins generate placements.
func (w *Workload) File(config string) ([]byte, error) {
	workload := maps.Clone(w.workload)
	workload["labels"] = []string{measured}
	delete(workload, "threshold") // a throughput of Kubernetes' machines
	spec := maps.Clone(w.spec)
	spec["workloads"] = []any{workload}
	if config != "" {
		gates := map[string]any{string(features.TopologyAwareWorkloadScheduling): true}
		old, _ := spec["featureGates"].(map[string]any)
		maps.Copy(gates, old)
		spec["featureGates"], spec["schedulerConfigPath"] = gates, config
	}
	return yaml.Marshal([]any{spec})
}
