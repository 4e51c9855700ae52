package manifest

import (
	"slices"
	"strconv"

	"github.com/muster-sched/muster/gang"
)

// volcanoTree makes a gang of Volcano use the tree of the HyperNodes.
func (in *trees) volcanoTree(d *draft) {
	for _, key := range []string{"task-topology", "task-topology-affinity", "task-topology-anti-affinity"} {
		if d.obj.annotation("volcano.sh/"+key).present() && !slices.Contains(d.lost, "taskTopology") {
			d.lost = append(d.lost, "taskTopology")
		}
	}
	if in.byName[hyperTree] != nil {
		d.tree = hyperTree
	}
}

// networkTopology reads Volcano's rule: hard binds, and is the default; soft prefers every layer, which is what a gang
// without a rule does.
func (in *trees) networkTopology(d *draft, f field) []gang.Rule {
	if !f.present() {
		return nil
	}
	allowed, name := f.get("highestTierAllowed"), f.get("highestTierName")
	tier, isNumber := allowed.whole(0)
	layer := name.str()
	if allowed.present() && name.present() {
		name.fail("highestTierAllowed and highestTierName exclude each other")
		return nil
	}
	switch mode := f.get("mode"); mode.str() {
	case "soft":
		return nil
	case "hard", "":
	default:
		mode.fail("must be hard or soft")
		return nil
	}
	t, why := in.findTree(d.tree)
	if t == nil {
		if why != "" {
			f.fail(why)
		}
		return nil
	}
	switch l, known := t.Layer(layer); {
	case layer != "" && !known:
		name.fail("unknown tier name")
		return nil
	case layer != "":
		tier = l.Tier
	case !isNumber: // no bound but a real domain
		tier = t.RootTier() - 1
	}
	return []gang.Rule{{Layer: strconv.Itoa(tier), Strength: gang.MustGather}}
}
