package placement

import "github.com/muster-sched/muster/internal/problem"

// elsewhere says where the groups in other topologies lie, new members being at these positions.
func elsewhere(p *problem.Problem, positions []int32) (out []GroupPlace) {
	var at []int32
	p.Gang.Each(func(a *problem.Part) {
		if a.OtherTree == nil || a.Bundle {
			return
		}
		if at == nil {
			at = p.AllByRank(positions)
		}
		v := a.OtherTree
		x := problem.LowestAbroad(p, a, at)
		if x < 0 {
			return
		}
		x = v.Named(x)
		tier := v.TierOf(x)
		out = append(out, GroupPlace{
			Part: a.Label, Tree: v.Name, Tier: int(tier), Layer: v.LayerName(tier), Domain: v.Path(x, p.Snapshot.Lineage.NodeName),
		})
	})
	return out
}
