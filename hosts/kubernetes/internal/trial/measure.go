package trial

import (
	"slices"
	"sync"
	"time"

	"github.com/muster-sched/muster/placement"
)

// Measures notes what the cycles of a plugin took. Its zero value is ready.
type Measures struct {
	mu          sync.Mutex
	Sync, Plan  []time.Duration
	Refused     int      // plans that found no place
	Compared    int      // nodes whose free amounts were compared with those of the scheduler
	Differences []string // of these
}

// Planned notes a plan.
func (m *Measures) Planned(_ string, sync, plan time.Duration, _ *placement.Result, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.Sync, m.Plan = append(m.Sync, sync), append(m.Plan, plan)
	if err != nil {
		m.Refused++
	}
}

// Mirrored notes a comparison.
func (m *Measures) Mirrored(nodes int, differences []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.Compared += nodes
	m.Differences = append(m.Differences, differences...)
}

// Quantile is the smallest value that at least so many in a hundred do not exceed; 0 of none.
func Quantile(of []time.Duration, percent int) time.Duration {
	if len(of) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(of))
	return sorted[(len(sorted)*percent+99)/100-1]
}

// Summary is what became of a stream.
type Summary struct {
	Gangs, Placed int
	Racks         int            // in sum, of the places that gangs got first
	Layers        map[string]int // gangs by the tightest layer that held them
	Hurt          int            // gangs of which some was preempted
	Waiting       []time.Duration
}

// Sum is the summary of stories.
func Sum(stories []Story) Summary {
	out := Summary{Gangs: len(stories), Layers: map[string]int{}}
	for _, s := range stories {
		if s.Hurt {
			out.Hurt++
		}
		if s.Bound.IsZero() {
			continue
		}
		out.Placed++
		out.Racks += s.Racks
		out.Layers[s.Layer]++
		out.Waiting = append(out.Waiting, s.Bound.Sub(s.Created))
	}
	return out
}
