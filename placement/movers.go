// Who may move, and by which rules is it placed anew?

package placement

import (
	"fmt"
	"slices"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/holds"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/snapshot"
)

// mover is a running gang that may move.
type mover struct {
	gang    string
	members []*snapshot.Member // all that stay
	req     *gang.Request      // its rules, the tier that it keeps included
	lost    int64
	tier    int // place in the tiers of the goal's topology: it lies in a domain of it
}

// findMovers lists them in natural order of names.
//
// order: moves.2
func (m *moveSearch) findMovers() error {
	given := map[string]*Mover{}
	for i := range m.opt.Movers {
		of := &m.opt.Movers[i]
		field := fmt.Sprintf("options.Movers[%d]", i)
		switch {
		case given[of.Gang] != nil:
			return muster.Invalid(field+".Gang", of.Gang, "duplicate name")
		case of.Lost < 0 || of.Lost > mostLost:
			return muster.Invalid(field+".Lost", fmt.Sprint(of.Lost), fmt.Sprintf("must be between 0 and %d", int64(mostLost)))
		}
		if err := m.checkRules(field+".Request", of); err != nil {
			return err
		}
		given[of.Gang] = of
	}
	m.s.Gangs.Ascend(func(g *snapshot.GangMembers) bool {
		of := given[g.Name]
		if of == nil && m.opt.Movers == nil {
			of = &Mover{Gang: g.Name}
		}
		if of != nil && m.mayMove(g) {
			m.of[g.Name] = len(m.movers)
			m.movers = append(m.movers, m.moverOf(of))
		}
		return true
	})
	return nil
}

// checkRules checks what the rules of a mover name.
func (m *moveSearch) checkRules(field string, of *Mover) error {
	req := of.Request
	if req == nil {
		return nil
	}
	switch {
	case req.Name != of.Gang:
		return muster.Invalid(field+".Name", req.Name, "is not the name of the gang that moves")
	case req.Slots != nil:
		return muster.Unsupported(field+".Slots", "", "slots that the host tells, of a gang that runs: its own room is free then")
	}
	v := m.s.Lineage.Tree(req.Tree)
	if v == nil {
		return muster.Invalid(field+".Tree", req.Tree, "no topology of this name")
	}
	for i, rule := range req.Gather {
		if _, ok := v.TierNamed(rule.Layer); !ok {
			return v.UnknownLayer(fmt.Sprintf("%s.Gather[%d].Layer", field, i), rule.Layer)
		}
	}
	return nil
}

// layerOf names a tier as rules do.
func layerOf(v *layout.View, tier int32) string {
	name := v.LayerName(tier)
	if t, ok := v.TierNamed(name); ok && t == tier {
		return name
	}
	return fmt.Sprint(tier)
}

// mostLost bounds the work of one gang, so that sums do not overflow.
const mostLost = 1 << 40

// mayMove says whether a gang that runs may move at all.
func (m *moveSearch) mayMove(g *snapshot.GangMembers) bool {
	if _, held := holds.For(g.Name); held || g.Staying == 0 || m.goal.Fit != nil && m.goal.Fit.Name == g.Name {
		return false
	}
	counts := map[string]int{}
	for _, member := range g.Members.All() {
		if member.Leaving {
			continue
		}
		if !member.MayLeave() {
			return false
		}
		for _, b := range member.Class.Budgets {
			counts[b]++
		}
	}
	for _, b := range m.s.Budgets {
		if counts[b.Name] > b.Allowed {
			return false
		}
	}
	return true
}

func (m *moveSearch) moverOf(of *Mover) mover {
	out := mover{gang: of.Gang, members: staying(m.s, of.Gang), lost: of.Lost, tier: len(m.view.Tiers) - 1}
	req := of.Request
	if req == nil {
		class := out.members[0].Class
		req = &gang.Request{Name: of.Gang, Tree: m.view.Name, AffinityKey: class.AffinityKey, Tolerated: class.Tolerated}
		if class.Alone != "" && class.AloneIn == m.view.Name {
			req.Limits = append(req.Limits, gang.Limit{Layer: class.Alone, Kind: gang.Alone})
		}
	}
	if req = again(m.s, req, out.members); of.Request == nil {
		underPolicies(req, out.members)
	}
	req.IgnoreLeaving = true
	own := m.s.Lineage.Tree(req.Tree)
	if own == nil {
		out.req = req
		return out
	}
	now := lies(own, out.members)
	if !m.opt.Wider && now < mustTier(own, req) {
		req = mustGather(own, req, layerOf(own, now))
	}
	if out.req = req; own == m.view {
		tier := min(mustTier(own, req), own.RootTop)
		out.tier = own.TierIndex(max(tier, now))
	}
	return out
}

// underPolicies lets members have their shares of zones by the policy by which they have them now.
func underPolicies(req *gang.Request, members []*snapshot.Member) {
	for i, member := range members {
		if member.Placed != nil && member.Placed.Policy != "" {
			shape := *req.Members[i].Shape
			shape.NUMA.Policy = member.Placed.Policy
			req.Members[i].Shape = &shape
		}
	}
}

// lies is the tier of the lowest domain that has all of the members.
func lies(v *layout.View, members []*snapshot.Member) int32 {
	positions := make([]int32, len(members))
	for i, member := range members {
		positions[i] = v.At(member.Node)
	}
	return v.TierOf(v.Named(v.Lowest(positions)))
}

// mustTier is the tier of the domain in which a gang must gather; that of the root where it need not.
func mustTier(v *layout.View, req *gang.Request) int32 {
	tier := v.RootTop
	for _, rule := range req.Gather {
		if t, ok := v.TierNamed(rule.Layer); ok && rule.Strength == gang.MustGather {
			tier = min(tier, t)
		}
	}
	return tier
}

// anew is the request for some of its members, perhaps all, once they left.
func (o *mover) anew(members []*snapshot.Member) *gang.Request {
	if len(members) == len(o.members) {
		next := *o.req
		return &next
	}
	runs := map[string]bool{}
	for _, member := range members {
		runs[member.Name] = true
	}
	next := *o.req
	next.Members = slices.DeleteFunc(slices.Clone(next.Members), func(member gang.Member) bool { return !runs[member.Name] })
	next.Parts = partsOf(next.Parts, runs)
	return &next
}
