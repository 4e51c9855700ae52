package validity

import (
	"cmp"
	"slices"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
)

// Own lists the members of the request's gang that already run. Leaving members count for no gang, unless the request
// treats them as staying.
func Own(spec *cluster.Spec, req *gang.Request) []cluster.Running {
	var own []cluster.Running
	for _, r := range spec.Running {
		if r.Gang == req.Name && Stays(req, &r) {
			own = append(own, r)
		}
	}
	return own
}

// Stays holds for running members that are not leaving, or whose leaving the request ignores.
func Stays(req *gang.Request, r *cluster.Running) bool { return !r.Leaving || req.IgnoreLeaving }

// Levels are the group levels of a gang of which this many members are known, outermost first, PP and DP included. A group
// larger than the gang is a short one of all members.
func Levels(req *gang.Request, known int) []gang.Groups {
	total := max(known, req.Total)
	switch {
	case req.PP > 0:
		return []gang.Groups{{Size: min(req.PP, total)}}
	case req.DP > 0:
		return []gang.Groups{{Size: (total + req.DP - 1) / req.DP}}
	}
	levels := slices.Clone(req.Groups)
	for i := range levels {
		levels[i].Size = min(levels[i].Size, total)
	}
	return levels
}

// Ranks gives the gang's members, new and running, their ranks: first those with an index by index, then the others
// in natural order of names. With groups an index is the rank itself if all indexes are distinct and below the total;
// the members without one then take the ranks that are left.
func Ranks(req *gang.Request, own []cluster.Running) map[string]int {
	var members []gang.Member
	members = append(members, req.Members...)
	for _, r := range own {
		members = append(members, gang.Member{Name: r.Member, Index: r.Index, Indexed: r.Indexed})
	}
	slices.SortFunc(members, compareRank)
	taken := indexesAsRanks(members)
	if len(Levels(req, len(members))) == 0 {
		taken = nil
	}
	ranks := map[string]int{}
	next := 0
	for _, m := range members {
		if taken != nil && m.Indexed {
			ranks[m.Name] = m.Index
			continue
		}
		for taken[next] {
			next++
		}
		ranks[m.Name] = next
		next++
	}
	return ranks
}

func compareRank(a, b gang.Member) int {
	if a.Indexed != b.Indexed {
		if a.Indexed {
			return -1
		}
		return 1
	}
	if a.Indexed && a.Index != b.Index {
		return cmp.Compare(a.Index, b.Index)
	}
	return muster.CompareNatural(a.Name, b.Name)
}

// indexesAsRanks is the set of all indexes, nil if they cannot be ranks.
func indexesAsRanks(members []gang.Member) map[int]bool {
	taken := map[int]bool{}
	for _, m := range members {
		if !m.Indexed {
			continue
		}
		if m.Index < 0 || m.Index >= len(members) || taken[m.Index] {
			return nil
		}
		taken[m.Index] = true
	}
	return taken
}
