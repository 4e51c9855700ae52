package reference

import (
	"slices"

	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/validity"
	"github.com/muster-sched/muster/placement"
)

// unitsOf is the request with its innermost groups as members, if it has members of different shapes: these must be alike in
// every group, and lie on one node. It lists the members of a unit, by rank; nil where members are units.
func unitsOf(in *Input) (units Input, members []gang.Member) {
	req := &in.Request
	if hasRoles(in) {
		return *in, nil
	}
	ranks := validity.Ranks(req, nil)
	members = slices.Clone(req.Members)
	slices.SortFunc(members, func(a, b gang.Member) int { return ranks[a.Name] - ranks[b.Name] })
	levels := validity.Levels(req, len(members))
	if ofOneShape(req) {
		return *in, nil
	}
	size := levels[len(levels)-1].Size
	units = *in
	units.Request.Members, units.Request.PP, units.Request.DP = nil, 0, 0
	units.Request.MinMember = (req.MinMember + size - 1) / size
	for i := range len(members) / size {
		units.Request.Members = append(units.Request.Members, gang.Member{Name: members[i*size].Name, Index: i, Indexed: true})
	}
	units.Request.Groups = slices.Clone(levels[:len(levels)-1])
	for i := range units.Request.Groups {
		units.Request.Groups[i].Size /= size
	}
	units.Request.Limits = limitsOfUnits(req.Limits, levels[len(levels)-1].Limits, size)
	units.refused = len(units.Request.Members) - (len(members)-in.refused)/size
	for _, m := range members[:size] {
		units.unit = append(units.unit, validity.ShapeOf(req, &m))
	}
	return units, members
}

// limitsOfUnits are the limits of a gang whose members are units of so many, by those of its members and of these units. A unit lies on one node,
// and so within any number of domains.
func limitsOfUnits(ofMembers, ofGroups []gang.Limit, size int) []gang.Limit {
	out := slices.Clone(ofMembers)
	for i := range out {
		if out[i].Kind == gang.Apart {
			out[i].Most /= size
		}
	}
	for _, l := range ofGroups {
		if l.Kind == gang.Within {
			continue
		}
		if out = append(out, l); l.Kind == gang.Alone {
			out = append(out, gang.Limit{Layer: l.Layer, Kind: gang.Apart, Most: 1, Preferred: l.Preferred})
		}
	}
	return out
}

// ofMembers turns an answer about units into one about their members.
func (a *Answer) ofMembers(members []gang.Member, size, outermost int) *Answer {
	out := *a
	out.Wanted, out.Fits, out.Members, out.Outside = a.Wanted*size, a.Fits*size, a.Members*size, a.Outside*size
	if !a.Placed {
		return &out
	}
	out.Worth = append(slices.Clone(a.Worth), 0)
	out.Assignments, out.Counts = nil, map[string]int{}
	for i, unit := range a.Assignments {
		for j := range size {
			rank := unit.Rank*size + j
			out.Assignments = append(out.Assignments, placement.Assignment{
				Member: members[rank].Name, Rank: rank, Group: rank / outermost, Node: unit.Node, NUMA: a.shares[i][j],
			})
			out.Counts[unit.Node]++
		}
	}
	return &out
}
