package fabric

import (
	"slices"
	"strconv"
	"strings"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/topology"
)

// Presets are the labels by which clouds and tools publish where nodes are, from the widest to the lowest.
var presets = []struct {
	levels Levels
	source string
}{
	{Levels{Topology: "aws", Labels: labels("topology.k8s.aws/network-node-layer-", "1", "2", "3")}, "docs.aws.amazon.com/eks: node labels of EKS, layer 1 is the top"},
	{Levels{Topology: "gce", Labels: labels("cloud.google.com/gce-topology-", "block", "subblock", "host")}, "cloud.google.com/kubernetes-engine: topology-aware scheduling"},
	{Levels{Topology: "oci", Labels: labels("oci.oraclecloud.com/rdma.", "hpc_island_id", "network_block_id", "local_block_id")}, "github.com/oracle-quickstart/oci-hpc-oke: RDMA topology labels"},
	{Levels{Topology: "coreweave", Labels: []string{"backend.coreweave.cloud/superpod", "backend.coreweave.cloud/leafgroup", "ds.coreweave.com/nvlink.domain"}}, "docs.coreweave.com: node labels for topology"},
	{Levels{Topology: "nvidia", Labels: labels("network.topology.nvidia.com/", "datacenter", "spine", "block")}, "topograph until 2025, and Koordinator's proposal"},
	{Levels{Topology: "topograph-tree", Labels: labels("network.topology.nvidia.com/", "core", "spine", "leaf")}, "docs.nvidia.com/topograph: node labels before version 1"},
	{Levels{Topology: "accelerator-nvidia", Labels: labels("network.topology.nvidia.com/", "accelerator")}, "docs.nvidia.com/topograph: node labels before version 1"},
	{Levels{Topology: "accelerator", Labels: []string{domainLabel, subDomainLabel}}, "docs.nvidia.com/topograph: node labels"},
	{Levels{Topology: "cloud", Labels: labels("cloud.provider.com/topology-", "block", "rack")}, "examples of Kueue and KAI"},
	{Levels{Topology: "zones", Labels: labels("topology.kubernetes.io/", "region", "zone")}, "kubernetes.io/docs/reference/labels-annotations-taints"},
}

func labels(prefix string, ends ...string) []string {
	out := make([]string, len(ends))
	for i, end := range ends {
		out[i] = prefix + end
	}
	return out
}

// fabricPrefix begins topograph's labels of switches; tier 0 is the one next to the node.
const fabricPrefix = "fabric.topograph.run/tier-"

// Presets lists the labels by which clouds and tools publish where nodes are, each family as a topology of its name. Topograph's
// `fabric.topograph.run/tier-N` has as many levels as nodes have labels, so it is not among them; the format NodeLabels knows it.
func Presets() []Levels {
	out := make([]Levels, len(presets))
	for i, p := range presets {
		out[i] = p.levels
		out[i].Labels = slices.Clone(p.levels.Labels)
	}
	return out
}

// readNodeLabels reads Nodes, and makes a topology of each family of labels that they have, cut down to the labels that some node has.
func readNodeLabels(r *reading, files []File) {
	var nodes []topology.LabeledNode
	for _, f := range files {
		for _, root := range r.documents(f) {
			nodes = append(nodes, nodesIn(root)...)
		}
	}
	has := map[string]bool{}
	tiers := 0
	for _, n := range nodes {
		for key := range n.Labels {
			has[key] = true
			if number, is := strings.CutPrefix(key, fabricPrefix); is {
				if n, err := strconv.Atoi(number); err == nil && n >= 0 && n < topology.MaxLayers {
					tiers = max(tiers, n+1)
				}
			}
		}
	}
	families := Presets()
	fabric := Levels{Topology: "fabric"}
	for n := tiers - 1; n >= 0; n-- {
		fabric.Labels = append(fabric.Labels, fabricPrefix+itoa(n))
	}
	for _, l := range append(families, fabric) {
		l.Labels = slices.DeleteFunc(l.Labels, func(key string) bool { return !has[key] })
		if len(l.Labels) > 0 {
			r.fromLabels(l, nodes, "")
		}
	}
	if len(r.trees) == 0 && len(r.errs) == 0 {
		r.fail(Error{Field: "labels", Reason: "no node has one of a known family, such as " + presets[0].levels.Labels[0]})
	}
	slices.SortFunc(r.findings, func(a, b Finding) int { return muster.CompareNatural(a.One, b.One) })
}
