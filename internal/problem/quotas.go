// What do members take of their quota?

package problem

import (
	"math"
	"slices"
	"sort"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/quota"
)

// Asks is the amounts that the first n units of a gang take of its quota; those of members that are not preemptible
// count in Pinned too. O(n + shapes * resources).
func (p *Problem) Asks(n int) quota.Ask {
	members := p
	if p.Unbundled != nil {
		members, n = p.Unbundled, n*p.Room.Size()
	}
	of, pinned := make([]int64, len(p.Room.Shapes)), make([]int64, len(p.Room.Shapes))
	for i, rank := range members.Model.Pending[:n] {
		at := i % len(p.Room.Shapes)
		if p.Model.RoleOf != nil {
			at = int(p.Model.RoleOf[i])
		}
		of[at]++
		if len(p.Pinned) > 0 && p.Pinned[members.NameOf(rank)] {
			pinned[at]++
		}
	}
	a := quota.Ask{Quota: p.Request.Quota, Request: muster.Resources{}, Pinned: muster.Resources{}}
	for at, shape := range p.Room.Shapes {
		addTimes(a.Request, shape.Resources, of[at])
		addTimes(a.Pinned, shape.Resources, pinned[at])
	}
	return a
}

// PinnedPending says of each pending member whether it is not preemptible, and so counts for more where a quota is asked; nil: none is
// that runs or is to be placed.
func (p *Problem) PinnedPending() []bool {
	if len(p.Pinned) == 0 {
		return nil
	}
	pinned := make([]bool, len(p.Model.Pending))
	for i, rank := range p.Model.Pending {
		pinned[i] = p.Pinned[p.NameOf(rank)]
	}
	return pinned
}

// addTimes adds amounts so many times, as far as there is room for that.
func addTimes(sum, amounts muster.Resources, n int64) {
	if n == 0 {
		return
	}
	for name, amount := range amounts {
		amount = max(amount, 0)
		if amount > (math.MaxInt64-sum[name])/n {
			sum[name] = math.MaxInt64
			continue
		}
		sum[name] += amount * n
	}
}

// Demand is the amounts that all new members take of the gang's quota, also for a problem of some of them.
func (p *Problem) Demand() quota.Ask {
	switch {
	case p.Parts.All != nil:
		p = p.Parts.All
	case p.wants != nil:
		return *p.wants
	}
	return p.Asks(len(p.Model.Pending))
}

// RefusedTogether is the state of the quotas that refuses all new members at once; nil if they are admitted together,
// or if the gang has no quota. All of them count as demand in that state. Admitted is all units until the engine
// asks the state for fewer.
//
// order: howmany.3
func RefusedTogether(p *Problem) (*quota.State, error) {
	p.Model.Admitted = len(p.Model.Pending)
	if err := p.Snapshot.CheckQuota("request.Quota", p.Request.Quota); err != nil || p.Request.Quota == "" {
		return nil, err
	}
	whole := p.Asks(len(p.Model.Pending))
	state, err := p.Snapshot.Quotas.Wanting(whole)
	if err != nil {
		return nil, err
	}
	refusal, err := state.Admit(whole, p.Request.QuotaLimit)
	if err == nil && refusal != nil && leaveOut(p, state) {
		p.wants = &whole
		refusal, err = state.Admit(p.Asks(len(p.Model.Pending)), p.Request.QuotaLimit)
	}
	if err != nil || refusal == nil {
		return nil, err
	}
	return state, nil
}

// leaveOut leaves out the members that are not preemptible and that the quota does not guarantee, of a gang of one shape without groups,
// if such are among the first that must be placed. Where too few stay, which the quota refuses then, as many of them come last. False if
// nobody is left out. O(log members) questions to the quota.
//
// order: howmany.4
func leaveOut(p *Problem, state *quota.State) bool {
	if len(p.Pinned) == 0 || p.InParts() || p.together || len(p.Model.Levels) > 0 {
		return false
	}
	counts := p.Model.Wholes(max(1, p.Model.Least), len(p.Model.Pending))
	if len(counts) == 0 || counts[0] == len(p.Model.Pending) {
		return false
	}
	var pinned, others []int
	first := 0 // of the pinned ones, among the first that must be placed
	for i, rank := range p.Model.Pending {
		if !p.Pinned[p.NameOf(rank)] {
			others = append(others, rank)
			continue
		}
		pinned = append(pinned, rank)
		if i < counts[0] {
			first++
		}
	}
	kept := guaranteed(p, state, first)
	if kept >= first {
		return false
	}
	p.Model.Pending = slices.Concat(pinned[:kept], others)
	slices.Sort(p.Model.Pending)
	p.Model.Pending = append(p.Model.Pending, pinned[kept:max(kept, counts[0]-len(others))]...)
	return true
}

// guaranteed is how many members that are not preemptible the quota guarantees, of at most so many.
func guaranteed(p *Problem, state *quota.State, most int) int {
	return sort.Search(most, func(n int) bool {
		amounts := muster.Resources{}
		addTimes(amounts, p.Room.ShapeOf(0).Resources, int64(n)+1)
		refusals, err := state.Refusals(quota.Ask{Quota: p.Request.Quota, Request: amounts, Pinned: amounts}, p.Request.QuotaLimit)
		return err != nil || slices.ContainsFunc(refusals, func(r quota.Refusal) bool { return r.Rule == quota.RuleMin })
	})
}
