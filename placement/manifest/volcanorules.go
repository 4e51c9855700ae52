package manifest

import (
	"slices"
	"strconv"
	"strings"

	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/placement/manifest/internal/ignored"
	"github.com/muster-sched/muster/placement/manifest/internal/object"
	"github.com/muster-sched/muster/placement/manifest/internal/trees"
	"github.com/muster-sched/muster/topology"
)

// volcanoTree makes a gang of Volcano use the tree of the HyperNodes.
func (in *rules) volcanoTree(d *draft) {
	for _, key := range []string{"task-topology", "task-topology-affinity", "task-topology-anti-affinity"} {
		if d.obj.Annotation("volcano.sh/"+key).Present() && !slices.Contains(d.lost, "taskTopology") {
			d.lost = append(d.lost, "taskTopology")
		}
	}
	if object.Stated(d.obj.Root.Get("metadata"), ignored.HyperJobName).Present() {
		d.lost = append(d.lost, ignored.HyperJob)
	}
	if in.trees.HasHyperNodes() {
		d.tree = trees.HyperTree
	}
}

// networkNotes reads Volcano's rule in the metadata of pods, templates and Ray's owners: as networkTopology, where one key of the two is enough.
func (in *rules) networkNotes(d *draft, meta object.Field) []gang.Rule {
	mode, tier := object.Stated(meta, networkPrefix+"mode"), object.Stated(meta, networkPrefix+"highest-tier")
	if !tier.Present() && mode.Present() {
		tier = object.Stated(meta, networkPrefix+"highest-tier-allowed")
	}
	if !mode.Present() && !tier.Present() {
		return nil
	}
	if d.tree == "" && in.trees.HasHyperNodes() {
		d.tree = trees.HyperTree
	}
	most, isNumber := 0, false
	if tier.Present() {
		most, isNumber = tier.Count(tier.Text(), 0)
	}
	if !isHard(mode, strings.ToLower(mode.Text())) {
		return nil
	}
	at := tier
	if mode.Present() {
		at = mode
	}
	return in.withinTier(d, at, "", func(t *topology.Tree) (int, bool) { return most, isNumber })
}

// isHard says whether a mode of Volcano's rule binds, which is the default: the other one prefers every layer, which is what a gang without a
// rule does.
func isHard(at object.Field, mode string) bool {
	switch mode {
	case "hard", "":
		return true
	case "soft":
	default:
		at.Fail("must be hard or soft")
	}
	return false
}

// withinTier is the rule that a gang lies in a domain of a tier, if one is told, perhaps by the name of its layer: else in any real domain. Where
// the gang has no topology, that is a defect at a place.
func (in *rules) withinTier(d *draft, at object.Field, layer string, told func(t *topology.Tree) (tier int, ok bool)) []gang.Rule {
	t, why := in.trees.FindWith(d.tree, layer)
	if t == nil {
		if why != "" {
			at.Fail(why)
		}
		return nil
	}
	tier, ok := told(t)
	switch {
	case !ok:
		layer = strconv.Itoa(t.RootTier() - 1)
	case layer == "":
		layer = strconv.Itoa(tier)
	}
	return []gang.Rule{{Layer: layer, Strength: gang.MustGather}}
}

// networkPrefix begins the keys of Volcano's rule in metadata.
const networkPrefix = "volcano.sh/network-topology-"

// networkTopology reads Volcano's rule in a field.
func (in *rules) networkTopology(d *draft, f object.Field) []gang.Rule {
	if !f.Present() {
		return nil
	}
	allowed, name := f.Get("highestTierAllowed"), f.Get("highestTierName")
	tier, isNumber := allowed.Whole(0)
	layer := name.Text()
	if allowed.Present() && name.Present() {
		name.Fail("highestTierAllowed and highestTierName exclude each other")
		return nil
	}
	if mode := f.Get("mode"); !isHard(mode, mode.Text()) {
		return nil
	}
	unknown := ""
	rules := in.withinTier(d, f, layer, func(t *topology.Tree) (int, bool) {
		if layer == "" {
			return tier, isNumber
		}
		l, ok := t.Layer(layer)
		if !ok {
			unknown = "unknown tier name: " + trees.NotOneOf(t)
		}
		return l.Tier, ok
	})
	if unknown != "" {
		name.Fail(unknown)
		return nil
	}
	return rules
}
