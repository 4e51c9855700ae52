package manifest

import (
	"slices"
	"strings"
)

// block is a placement block: the keys that are known there, with those below them. Nil: what stands below is not looked
// at. Of a list the keys are those of its elements. A key that a later release of a system adds is an error until it is
// listed here: rather that than a lost rule.
type block map[string]block

// keys are known keys below which nothing is looked at, joined with others.
func keys(names string, with ...block) block {
	out := block{}
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
func (b block) object() block { return keys("apiVersion kind metadata status", block{"spec": b}) }

var (
	// networkAwareBlock is Koordinator's block, in the spec or as JSON in an annotation.
	networkAwareBlock = keys("communicationMode", block{
		"gatherStrategy": keys("layer strategy podCountMultiple"),
		"parallelModel":  keys("parallelStrategy parallelism"),
	})
	sigPodGroupBlock = keys("minMember scheduleTimeoutSeconds minResources", block{"networkTopologyAware": networkAwareBlock})

	volcanoRuleBlock     = keys("mode highestTierAllowed highestTierName")
	volcanoPodGroupBlock = keys("minMember minTaskMember queue priorityClassName minResources", block{
		"networkTopology": volcanoRuleBlock,
		"subGroupPolicy": keys("name labelSelector matchLabelKeys subGroupSize minSubGroups",
			block{"networkTopology": volcanoRuleBlock}),
	})
	volcanoJobBlock = keys(`minAvailable queue priorityClassName schedulerName volumes policies plugins runningEstimate
		maxRetry ttlSecondsAfterFinished minSuccess`, block{
		"networkTopology": volcanoRuleBlock,
		"tasks": keys("name replicas minAvailable template topologyPolicy policies maxRetry dependsOn", block{
			"partitionPolicy": keys("totalPartitions partitionSize minPartitions", block{"networkTopology": volcanoRuleBlock}),
		}),
	})

	kaiConstraintBlock = keys("topology requiredTopologyLevel preferredTopologyLevel")
	kaiConstraints     = block{"topologyConstraint": kaiConstraintBlock, "topologyConstraints": kaiConstraintBlock}
	kaiPodGroupBlock   = keys(`minMember minSubGroup queue priorityClassName preemptibility markUnschedulable schedulingBackoff
		preemptionDelay stalenessGracePeriod parallelism completions backoffLimit`, kaiConstraints, block{
		"subGroups": keys("name parent minMember minSubGroup", kaiConstraints),
	})

	topologyRequestBlock = keys(`required preferred unconstrained podSetGroupName podSetSliceRequiredTopology podSetSliceSize
		podIndexLabel subGroupIndexLabel subGroupCount`,
		block{"podsetSliceRequiredTopologyConstraints": keys("topology size")})
	workloadBlock = keys(`priority priorityClassName priorityClassSource priorityClassRef active queueName preemptionGates
		maximumExecutionTimeSeconds`,
		block{"podSets": keys("name count minCount template", block{"topologyRequest": topologyRequestBlock})})

	levelsBlock    = block{"levels": keys("nodeLabel")}
	hyperNodeBlock = keys("tier tierName", block{
		"members": keys("type", block{
			"selector": {
				"exactMatch": keys("name"),
				"regexMatch": keys("pattern"),
				"labelMatch": keys("matchLabels", block{"matchExpressions": keys("key operator values")}),
			},
		}),
	})
	networkTopologyBlock = block{
		"networkTopologySpec": keys("topologyLayer labelKey parentTopologyLayer"),
		"hierarchy":           keys("layerName labelKey parentTopologyLayer"),
	}
)

// placementBlocks are the objects with placement blocks, by API group and kind.
var placementBlocks = map[string]block{
	"scheduling.sigs.k8s.io/PodGroup":                  sigPodGroupBlock.object(),
	"scheduling.x-k8s.io/PodGroup":                     sigPodGroupBlock.object(),
	"scheduling.koordinator.sh/PodGroup":               sigPodGroupBlock.object(),
	"scheduling.volcano.sh/PodGroup":                   volcanoPodGroupBlock.object(),
	"batch.volcano.sh/Job":                             volcanoJobBlock.object(),
	"scheduling.run.ai/PodGroup":                       kaiPodGroupBlock.object(),
	"kueue.x-k8s.io/Workload":                          workloadBlock.object(),
	"kueue.x-k8s.io/Topology":                          levelsBlock.object(),
	"kai.scheduler/Topology":                           levelsBlock.object(),
	"topology.volcano.sh/HyperNode":                    hyperNodeBlock.object(),
	"scheduling.koordinator.sh/ClusterNetworkTopology": networkTopologyBlock.object(),
}

// checkBlocks notes the unknown keys of an object's placement blocks.
func checkBlocks(o *object) {
	if b := placementBlocks[o.group+"/"+o.kind]; b != nil {
		b.check(o.root)
	}
}

// check notes the keys that are not known, at every depth. What is of another type is left to the reader.
func (b block) check(f field) {
	switch {
	case f.v == nil || b == nil:
	case f.v.kind == list:
		for e := range f.all() {
			b.check(e)
		}
	case f.v.kind == mapping:
		for key, e := range f.entries() {
			below, known := b[key]
			if !known {
				e.fail("unknown field, did you mean " + nearest(key, sortedKeys(b)) + "?")
				continue
			}
			below.check(e)
		}
	}
}

// nearest is the known key with the smallest edit distance without regard to case; of equal ones the first in natural
// order, in which they come. O(keys * length^2).
func nearest(key string, known []string) string {
	if len(known) == 0 {
		return ""
	}
	return slices.MinFunc(known, func(a, b string) int {
		return editDistance(strings.ToLower(key), strings.ToLower(a)) - editDistance(strings.ToLower(key), strings.ToLower(b))
	})
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
