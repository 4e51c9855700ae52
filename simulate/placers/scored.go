// Where would Muster put a gang under another policy, and what are the policies of others as scores of nodes?

package placers

import (
	"maps"
	"slices"
	"sync"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/simulate"
)

// Planned is a plan of Muster under another policy than the request's own. It knows all rules of a request.
type Planned struct{ Policy gang.Policy }

// CanAsk implements [Asked].
func (Planned) CanAsk(req *gang.Request) bool { return req != nil }

// Place implements [simulate.Placer].
func (p Planned) Place(c *placement.Cluster, req *gang.Request) (*simulate.Place, error) {
	return planned(c, req, p.Policy, nil)
}

// LeastLeft is a plan of Muster under gang.ByScore, where the score of a node is how little it has left ([LeastLeft.Score]): what others call best fit. Muster's own best fit counts slots, which are
// whole members: to it two nodes are equal of which one has 5 devices free and the other one 6, while a member asks for 4. O(nodes * resources) beside the plan. The score is one member's, the first one's, on a
// node as it is: of several members on one node each counts as the first.
type LeastLeft struct{}

// CanAsk implements [Asked].
func (LeastLeft) CanAsk(req *gang.Request) bool { return req != nil }

// Place implements [simulate.Placer].
func (l LeastLeft) Place(c *placement.Cluster, req *gang.Request) (*simulate.Place, error) {
	most := sync.OnceValue(func() muster.Resources {
		most := muster.Resources{}
		for n := range c.Nodes() {
			for name, amount := range n.Allocatable {
				most[name] = max(most[name], amount)
			}
		}
		return most
	})
	return planned(c, req, gang.ByScore, func(free, asks muster.Resources) int64 { return l.Score(free, asks, most()) })
}

// Score is below 0 by what a node has left of cpu and of each device once the member is there, each as a part of the most that a node of the cluster has of it, in 2^-20, rounded down; all of them
// weigh the same. Weng et al. (USENIX ATC 2023) have this as BestFit, for cpu and one kind of device, with scores of whole percent. O(resources).
func (LeastLeft) Score(free, asks, most muster.Resources) (score int64) {
	for name, whole := range most {
		if counts(name) {
			score -= int64(parts(free[name]-asks[name], whole, 1<<20))
		}
	}
	return score
}

// FGD is a plan of Muster under gang.ByScore, where the score of a node is by how much less it is fragmented once the member is there ([FGD.Score]): fragmentation gradient descent (Weng et al., Beware of
// Fragmentation: Scheduling GPU-Sharing Workloads with Fragmentation Gradient Descent, USENIX ATC 2023). It is for pods that take whole devices: shares of a device, and devices of a model, are
// not told apart. There scores are rounded to whole percent, here to 2^-16 devices. O(running members + nodes * kinds * resources) beside the plan.
type FGD struct {
	// Typical are the pods that are expected. Nil: those that run on the cluster, and the first member of the gang.
	Typical []Typical
}

// Typical is a kind of pods: what one asks for, and how many come. Cpu and devices count, and nothing else.
type Typical struct {
	Resources muster.Resources
	Count     int64
}

// CanAsk implements [Asked].
func (FGD) CanAsk(req *gang.Request) bool { return req != nil }

// Place implements [simulate.Placer].
func (f FGD) Place(c *placement.Cluster, req *gang.Request) (*simulate.Place, error) {
	typical := sync.OnceValue(func() []Typical {
		if f.Typical != nil {
			return f.Typical
		}
		return typicalOf(c, shapeOf(req, 0).Resources)
	})
	return planned(c, req, gang.ByScore, func(free, asks muster.Resources) int64 { return FGD{typical()}.Score(free, asks) })
}

// Score is by how much less a node with this free is fragmented once a member is there, in 2^-16 devices. Fragments are what is free of devices for a typical pod that cannot use them, as it asks for
// none, or for more than is free of a device or of cpu: in the mean over these pods. Of nodes with more than 2^16 free devices so many count. O(kinds * resources).
func (f FGD) Score(free, asks muster.Resources) int64 {
	after := maps.Clone(free)
	for name := range free {
		after[name] -= asks[name]
	}
	return f.fragments(free) - f.fragments(after)
}

// fragments are those of a node, in 2^-16 devices.
func (f FGD) fragments(free muster.Resources) int64 {
	devices := int64(0)
	for name, amount := range free {
		if muster.IsDevice(name) {
			devices = min(1<<16, devices+min(1<<16, max(0, amount)))
		}
	}
	all, cannot := int64(0), int64(0)
	for i := range f.Typical {
		t := &f.Typical[i]
		if all += t.Count; !uses(free, t.Resources) {
			cannot += t.Count
		}
	}
	return int64(parts(cannot, all, 1<<16)) * devices
}

// uses says whether a pod asks for devices, and has all that it asks for of devices and cpu.
func uses(free, asks muster.Resources) (uses bool) {
	for name, amount := range asks {
		if !counts(name) || amount <= 0 {
			continue
		}
		if amount > free[name] {
			return false
		}
		uses = uses || muster.IsDevice(name)
	}
	return uses
}

// counts says whether a resource counts in scores.
func counts(resource string) bool { return resource == muster.CPU || muster.IsDevice(resource) }

// typicalOf counts the pods that run, and one more, by what they ask for of cpu and devices. They stand in no order: sums over all of them are all that is made of them.
func typicalOf(c *placement.Cluster, first muster.Resources) (out []Typical) {
	add := func(asks muster.Resources) {
		same := func(t Typical) bool {
			for _, of := range []muster.Resources{t.Resources, asks} {
				for name := range of {
					if counts(name) && t.Resources[name] != asks[name] {
						return false
					}
				}
			}
			return true
		}
		i := slices.IndexFunc(out, same)
		if i < 0 {
			i, out = len(out), append(out, Typical{Resources: asks})
		}
		out[i].Count++
	}
	add(first)
	for r := range c.Running() {
		add(r.Resources)
	}
	return out
}

// planned is a plan under another policy, and with another score of what is free on a node and what a member asks for; nil: the request's own.
func planned(c *placement.Cluster, req *gang.Request, policy gang.Policy, score func(free, asks muster.Resources) int64) (*simulate.Place, error) {
	if req == nil || len(req.Members) == 0 { // a plan says what is wrong with it
		return simulate.Muster{}.Place(c, req)
	}
	own, asks := *req, shapeOf(req, 0).Resources
	if own.Policy = policy; score != nil {
		own.Score = func(node string) int64 {
			free, _ := c.Free(node)
			return score(free, asks)
		}
	}
	return simulate.Muster{}.Place(c, &own)
}
