package streams

import (
	"math/rand/v2"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/simulate"
)

// Staying is a stream whose gangs come one by one, a second apart, and never end. It ends in front of the first gang with which more than a number would be asked for of a resource.
func Staying(of simulate.Stream, resource string, most int64) simulate.Stream {
	return func(yield func(simulate.Job, error) bool) {
		at, asked := int64(0), int64(0)
		for j, err := range of {
			if err == nil {
				if asked += asks(&j.Request, resource); asked > most {
					return
				}
				j.Arrives, j.Runs, j.Expected = at, simulate.Forever, 0
				at++
			}
			if !yield(j, err) {
				return
			}
		}
	}
}

// asks is what all members of a gang ask for of a resource.
func asks(req *gang.Request, resource string) (sum int64) {
	for i := range req.Members {
		shape := &req.Shape
		if own := req.Members[i].Shape; own != nil {
			shape = own
		}
		sum += shape.Resources[resource]
	}
	return sum
}

// Shuffled yields all pods in an order that the seed draws, and then pods that it draws again and again: 1,048,576 at most. They come at 0 and run for a second: it is for [Staying].
func (p Pods) Shuffled() simulate.Stream {
	return func(yield func(simulate.Job, error) bool) {
		if len(p.Pods) == 0 {
			yield(simulate.Job{}, muster.Invalid("pods.Pods", 0, "none"))
			return
		}
		r := rand.NewPCG(p.Seed, 4)
		order := Permutation(r, len(p.Pods))
		for i := range mostRows {
			at := i
			if i >= len(order) {
				at = int(below(r, uint64(len(order))))
			}
			j := p.job(i, &p.Pods[order[at]])
			if j.Runs = 1; !yield(j, nil) {
				return
			}
		}
	}
}

// Permutation draws an order of the numbers below n.
func Permutation(r *rand.PCG, n int) []int {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	for i := n - 1; i > 0; i-- {
		k := below(r, uint64(i+1))
		order[i], order[k] = order[k], order[i]
	}
	return order
}
