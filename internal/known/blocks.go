// Package known answers: which keys may stand in an object, and which known one is nearest to one that may not? It has the
// placement blocks of the systems that are read, and the annotations and labels that they read or write.
//
// A field that a later release of a system adds to a block is refused until it is listed here: rather that than a lost rule. Of
// annotations and labels releases add too many: one that is near to a key that is read is refused, any other is told. Everything
// here is read only.
package known

import (
	"slices"
	"strings"

	"github.com/muster-sched/muster"
)

// Block is a placement block: the keys that are known there, with those below them. Nil: what stands below is not looked
// at. Of a list the keys are those of its elements.
type Block map[string]Block

// keys are known keys below which nothing is looked at, joined with others.
func keys(names string, with ...Block) Block {
	out := Block{}
	for name := range strings.FieldsSeq(names) {
		out[name] = nil
	}
	for _, b := range with {
		for name, below := range b {
			out[name] = below
		}
	}
	return out
}

// object is the whole of an object whose spec is a placement block.
func (b Block) object() Block { return keys("apiVersion kind metadata status", Block{"spec": b}) }

var (
	// NetworkAware is Koordinator's block, in the spec or as JSON in an annotation.
	NetworkAware = keys("communicationMode", Block{
		"gatherStrategy": keys("layer strategy podCountMultiple"),
		"parallelModel":  keys("parallelStrategy parallelism"),
	})
	sigPodGroupBlock = keys("minMember scheduleTimeoutSeconds minResources", Block{"networkTopologyAware": NetworkAware})

	volcanoRuleBlock     = keys("mode highestTierAllowed highestTierName")
	volcanoPodGroupBlock = keys("minMember minTaskMember queue priorityClassName minResources", Block{
		"networkTopology": volcanoRuleBlock,
		"subGroupPolicy": keys("name labelSelector matchLabelKeys subGroupSize minSubGroups",
			Block{"networkTopology": volcanoRuleBlock}),
	})
	volcanoJobBlock = keys(`minAvailable queue priorityClassName schedulerName volumes policies plugins runningEstimate
		maxRetry ttlSecondsAfterFinished minSuccess`, Block{
		"networkTopology": volcanoRuleBlock,
		"tasks": keys("name replicas minAvailable template topologyPolicy policies maxRetry dependsOn", Block{
			"partitionPolicy": keys("totalPartitions partitionSize minPartitions", Block{"networkTopology": volcanoRuleBlock}),
		}),
	})

	kaiConstraintBlock = keys("topology requiredTopologyLevel preferredTopologyLevel")
	kaiConstraints     = Block{"topologyConstraint": kaiConstraintBlock, "topologyConstraints": kaiConstraintBlock}
	kaiPodGroupBlock   = keys(`minMember minSubGroup queue priorityClassName preemptibility markUnschedulable schedulingBackoff
		preemptionDelay stalenessGracePeriod parallelism completions backoffLimit`, kaiConstraints, Block{
		"subGroups": keys("name parent minMember minSubGroup", kaiConstraints),
	})

	topologyRequestBlock = keys(`required preferred unconstrained podSetGroupName podSetSliceRequiredTopology podSetSliceSize
		podIndexLabel subGroupIndexLabel subGroupCount`,
		Block{"podsetSliceRequiredTopologyConstraints": keys("topology size")})
	workloadBlock = keys(`priority priorityClassName priorityClassSource priorityClassRef active queueName preemptionGates
		maximumExecutionTimeSeconds`,
		Block{"podSets": keys("name count minCount template", Block{"topologyRequest": topologyRequestBlock})})

	inTreeBlock = keys(`priority priorityClassName preemptionPolicy parentCompositePodGroupName workloadRef podGroupTemplateRef`, Block{
		"schedulingConstraints": {"topology": keys("key")},
		"disruptionMode":        keys("all single"),
	})
	inTreePodGroupBlock = keys("resourceClaims", inTreeBlock, Block{
		"schedulingPolicy": keys("basic", Block{"gang": keys("minCount")}),
	})
	inTreeCompositeBlock = keys("", inTreeBlock, Block{
		"schedulingPolicy": keys("basic", Block{"gang": keys("minGroupCount")}),
	})
	inTreeWorkloadBlock = keys("podGroupTemplates compositePodGroupTemplates controllerRef", Block{
		"podGroups": keys("name", Block{"policy": keys("basic", Block{"gang": keys("minCount")})}),
	})

	levelsBlock    = Block{"levels": keys("nodeLabel")}
	hyperNodeBlock = keys("tier tierName", Block{
		"members": keys("type", Block{
			"selector": {
				"exactMatch": keys("name"),
				"regexMatch": keys("pattern"),
				"labelMatch": keys("matchLabels", Block{"matchExpressions": keys("key operator values")}),
			},
		}),
	})
	networkTopologyBlock = Block{
		"networkTopologySpec": keys("topologyLayer labelKey parentTopologyLayer"),
		"hierarchy":           keys("layerName labelKey parentTopologyLayer"),
	}
)

// Blocks are the objects with placement blocks, by API group and kind: what may stand in the whole object.
var Blocks = map[string]Block{
	"scheduling.sigs.k8s.io/PodGroup":                  sigPodGroupBlock.object(),
	"scheduling.x-k8s.io/PodGroup":                     sigPodGroupBlock.object(),
	"scheduling.koordinator.sh/PodGroup":               sigPodGroupBlock.object(),
	"scheduling.volcano.sh/PodGroup":                   volcanoPodGroupBlock.object(),
	"batch.volcano.sh/Job":                             volcanoJobBlock.object(),
	"scheduling.run.ai/PodGroup":                       kaiPodGroupBlock.object(),
	"scheduling.k8s.io/PodGroup":                       inTreePodGroupBlock.object(),
	"scheduling.k8s.io/CompositePodGroup":              inTreeCompositeBlock.object(),
	"scheduling.k8s.io/Workload":                       inTreeWorkloadBlock.object(),
	"kueue.x-k8s.io/Workload":                          workloadBlock.object(),
	"kueue.x-k8s.io/Topology":                          levelsBlock.object(),
	"kai.scheduler/Topology":                           levelsBlock.object(),
	"topology.volcano.sh/HyperNode":                    hyperNodeBlock.object(),
	"scheduling.koordinator.sh/ClusterNetworkTopology": networkTopologyBlock.object(),
}

// Nearest is the known key with the smallest edit distance without regard to case; of equal ones the first in natural
// order. Empty if none is known. O(keys * length^2).
func Nearest(key string, known []string) string {
	best, least := "", 0
	for _, k := range slices.SortedFunc(slices.Values(known), muster.CompareNatural) {
		if d := editDistance(strings.ToLower(key), strings.ToLower(k)); best == "" || d < least {
			best, least = k, d
		}
	}
	return best
}

// editDistance is the least number of letters to insert, drop or replace (Levenshtein 1966). O(len(a) * len(b)).
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replaced := diagonal
			if a[i] != b[j] {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, diagonal+1, row[j]+1)
		}
	}
	return row[len(b)]
}

// distanceBelow is the edit distance of two words if it is less than a small bound, the bound else. It looks only at the cells of
// the table from which the bound can be kept (Ukkonen 1985). O(bound * length).
func distanceBelow(a, b string, bound int) int {
	if d := len(a) - len(b); max(d, -d) >= bound {
		return bound
	}
	var short [96]int // longer than any key that is read
	row := short[:]
	if len(b) >= len(short) {
		row = make([]int, len(b)+1)
	}
	row = row[:len(b)+1]
	for j := range row {
		row[j] = min(j, bound)
	}
	for i := range len(a) {
		from, to := max(0, i-bound), min(len(b), i+bound+1)
		diagonal, least := row[from], bound
		if row[from] = bound; from == 0 {
			row[0] = min(i+1, bound)
			least = row[0]
		}
		for j := from; j < to; j++ {
			replaced := diagonal
			if a[i] != b[j] {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, diagonal+1, row[j]+1, bound)
			least = min(least, row[j+1])
		}
		if to < len(b) {
			row[to+1] = bound
		}
		if least == bound {
			return bound
		}
	}
	return row[len(b)]
}
