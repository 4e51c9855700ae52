package manifest

import (
	"slices"
	"strconv"
	"strings"

	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/placement/manifest/internal/object"
	"github.com/muster-sched/muster/placement/manifest/internal/trees"
)

// volcanoTree makes a gang of Volcano use the tree of the HyperNodes.
func (in *rules) volcanoTree(d *draft) {
	for _, key := range []string{"task-topology", "task-topology-affinity", "task-topology-anti-affinity"} {
		if d.obj.Annotation("volcano.sh/"+key).Present() && !slices.Contains(d.lost, "taskTopology") {
			d.lost = append(d.lost, "taskTopology")
		}
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
	switch strings.ToLower(mode.Text()) {
	case "soft":
		return nil
	case "hard", "":
	default:
		mode.Fail("must be hard or soft")
		return nil
	}
	t, why := in.trees.Find(d.tree)
	switch {
	case t == nil && why != "" && mode.Present():
		mode.Fail(why)
	case t == nil && why != "":
		tier.Fail(why)
	case t == nil:
	case !isNumber:
		return []gang.Rule{{Layer: strconv.Itoa(t.RootTier() - 1), Strength: gang.MustGather}}
	default:
		return []gang.Rule{{Layer: strconv.Itoa(most), Strength: gang.MustGather}}
	}
	return nil
}

// networkPrefix begins the keys of Volcano's rule in metadata.
const networkPrefix = "volcano.sh/network-topology-"

// networkTopology reads Volcano's rule: hard binds, and is the default; soft prefers every layer, which is what a gang
// without a rule does.
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
	switch mode := f.Get("mode"); mode.Text() {
	case "soft":
		return nil
	case "hard", "":
	default:
		mode.Fail("must be hard or soft")
		return nil
	}
	t, why := in.trees.Find(d.tree)
	if t == nil {
		if why != "" {
			f.Fail(why)
		}
		return nil
	}
	switch l, known := t.Layer(layer); {
	case layer != "" && !known:
		name.Fail("unknown tier name")
		return nil
	case layer != "":
		tier = l.Tier
	case !isNumber: // no bound but a real domain
		tier = t.RootTier() - 1
	}
	return []gang.Rule{{Layer: strconv.Itoa(tier), Strength: gang.MustGather}}
}
