// How does a queue use all cores? Turns that are refused leave the snapshot as it is, so that the turns after them may be
// planned on it at the same time.

package placement

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/muster-sched/muster/gang"
)

// mostAtOnce bounds the turns that are handed out for one snapshot at a time.
const mostAtOnce = 4096

// worthSharing is the least number of turns that are shared between goroutines: to wait for these takes some microseconds,
// which is what one or two refusals cost.
const worthSharing = 16

// sideBySide plans turns of a queue in the first pass, each on the snapshot that the ones before it left. The answers are
// those of one turn after the other; why, is said at round.
type sideBySide struct {
	turns []turn // that are left
	cores int
	width int // turns of the next round, at most
}

// newSideBySide prepares a queue for the cores that the program may use.
func newSideBySide(turns []turn) *sideBySide {
	return &sideBySide{turns: turns, cores: runtime.GOMAXPROCS(0), width: 1}
}

// plan plans all turns, and returns the snapshot after the last one. No goroutine is left behind.
func (s *sideBySide) plan(ctx context.Context, c *Cluster) *Cluster {
	for len(s.turns) > 0 {
		answers := s.round(ctx, c)
		for k := range answers {
			c = s.turns[k].settle(c, &answers[k])
		}
		s.turns = s.turns[len(answers):]
	}
	return c
}

// round plans the next turns on one snapshot, and returns the answers of the first ones, up to the first that has a plan.
//
// A plan is a function of its snapshot and its turn. The turns before the first that has a plan are refused, and a
// refusal changes nothing: so each of them, and the plan, is made on the very snapshot that it would be made on alone.
// What was found for turns behind the plan is dropped, and they are planned again.
//
// So a round gains by refusals, which come in rows where a cluster is full, and only loses by plans: the next one has a
// single turn after a plan, and twice as many after a round without one.
//
// Functions of the host are called by the goroutine of the caller alone: a turn with some is a round of its own.
func (s *sideBySide) round(ctx context.Context, c *Cluster) []answer {
	round := s.turns[:min(len(s.turns), s.width)]
	if n := slices.IndexFunc(round, turn.asksHost); n >= 0 {
		round = round[:max(1, n)]
	}
	answers := make([]answer, len(round))
	var next, planned atomic.Int64 // the turn to take next; the first that is known to have a plan
	planned.Store(int64(len(round)))
	work := func() {
		for i := next.Add(1) - 1; i < planned.Load(); i = next.Add(1) - 1 {
			if answers[i] = round[i].decide(ctx, c, round[i].leaveFirst()); answers[i].err != nil {
				continue
			}
			for first := planned.Load(); i < first && !planned.CompareAndSwap(first, i); first = planned.Load() {
			}
		}
	}
	var all sync.WaitGroup
	for range min(s.cores, len(round)/worthSharing+1) - 1 {
		all.Go(work)
	}
	work()
	all.Wait()
	s.width = min(2*s.width, mostAtOnce)
	if first := int(planned.Load()); first < len(round) {
		s.width, answers = 1, answers[:first+1]
	}
	return answers
}

// asksHost says whether a plan of the turn calls functions of the host.
func (t turn) asksHost() bool { return slices.ContainsFunc(t.requests, asksHost) }

// asksHost says whether a plan of a request calls functions of the host.
func asksHost(r *gang.Request) bool {
	return r != nil && (r.Eligible != nil || r.Score != nil || r.Slots != nil)
}
