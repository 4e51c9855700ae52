package victims

import (
	"slices"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/internal/snapshot"
	"github.com/muster-sched/muster/quota"
)

// This file answers: what is a set of candidates to quotas? The question is put thousands of times in a search, so that amounts are read once.

// evictionsRead is what was read of candidates, and memory that is used again.
type evictionsRead struct {
	held  map[*snapshot.MemberClass]muster.Resources // of a member
	whole map[int32][]quota.Eviction                 // of all members of a gang, by quota
	count []int32                                    // by gang, its victims; listed: its evictions stand in out
	out   []quota.Eviction
}

const listed = -1

// evictions is a set of candidates as quotas see it: a gang with a minimum that leaves whole is one eviction in each
// quota of its members, every other member is one by itself. They are good until the next call, and their amounts to be
// read only. O(set).
func (e *victimSearch) evictions(gone []int32) []quota.Eviction {
	read := &e.read
	if read.count == nil {
		read.count = make([]int32, len(e.question.Gangs))
	}
	for _, i := range gone {
		read.count[e.question.Candidates[i].Gang]++
	}
	read.out = read.out[:0]
	for _, i := range gone {
		g := e.question.Candidates[i].Gang
		switch {
		case read.count[g] == listed:
		case e.leavesWhole(g, int(read.count[g])):
			read.count[g], read.out = listed, append(read.out, e.wholeGang(g, gone)...)
		default:
			m := e.members[i]
			read.out = append(read.out, quota.Eviction{Quota: m.Class.Quota, Held: e.held(m)})
		}
	}
	for _, i := range gone {
		read.count[e.question.Candidates[i].Gang] = 0
	}
	return read.out
}

// leavesWhole says whether so many victims of a gang are one eviction.
func (e *victimSearch) leavesWhole(g int32, victims int) bool {
	of := &e.question.Gangs[g]
	return of.Ends && victims >= of.Running
}

// wholeGang is the evictions of a gang of which all members are in a set.
func (e *victimSearch) wholeGang(g int32, gone []int32) []quota.Eviction {
	out, known := e.read.whole[g]
	if known {
		return out
	}
	for _, i := range gone {
		if e.question.Candidates[i].Gang != g {
			continue
		}
		m := e.members[i]
		at := slices.IndexFunc(out, func(o quota.Eviction) bool { return o.Quota == m.Class.Quota })
		if at < 0 {
			at, out = len(out), append(out, quota.Eviction{Quota: m.Class.Quota, Held: muster.Resources{}})
		}
		out[at].Held.Add(e.held(m))
	}
	if e.read.whole == nil {
		e.read.whole = map[int32][]quota.Eviction{}
	}
	e.read.whole[g] = out
	return out
}

// held is what a member holds, to be read only.
func (e *victimSearch) held(m *snapshot.Member) muster.Resources {
	read := &e.read
	out, known := read.held[m.Class]
	if !known {
		if read.held == nil {
			read.held = map[*snapshot.MemberClass]muster.Resources{}
		}
		out = e.p.Snapshot.Lineage.Held(m.Class.Holds)
		read.held[m.Class] = out
	}
	return out
}

// heldWith is the amounts that leave a candidate's quota in one eviction with it: its own, or those of its whole gang there.
func (e *victimSearch) heldWith(i int32, gone []int32) muster.Resources {
	m, g, count := e.members[i], e.question.Candidates[i].Gang, 0
	for _, j := range gone {
		if e.question.Candidates[j].Gang == g {
			count++
		}
	}
	if !e.leavesWhole(g, count) {
		return e.held(m)
	}
	whole := e.wholeGang(g, gone)
	return whole[slices.IndexFunc(whole, func(o quota.Eviction) bool { return o.Quota == m.Class.Quota })].Held
}
