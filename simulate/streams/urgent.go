package streams

import (
	"math/rand/v2"

	"github.com/muster-sched/muster/simulate"
)

// Urgent is a stream in which some gangs, so many of a hundred in the mean, have a priority higher by one: which ones is drawn for each by itself.
func Urgent(of simulate.Stream, percent int64, seed uint64) simulate.Stream {
	return func(yield func(simulate.Job, error) bool) {
		r := rand.NewPCG(seed, 2)
		for job, err := range of {
			if int64(below(r, 100)) < percent {
				job.Request.Priority++
			}
			if !yield(job, err) {
				return
			}
		}
	}
}
