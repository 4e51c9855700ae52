package placement_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/placement"
)

// One snapshot serves many goroutines that plan on it and derive others from it; each sees only its own changes. The
// race detector sees the rest.
func TestSnapshotsAreConcurrent(t *testing.T) {
	c := newCluster(t, board(t))
	before := stateOf(c)
	want := plan(c, job(3))
	var all sync.WaitGroup
	for g := range 8 {
		all.Go(func() {
			at := c
			for i := range 50 {
				req := job(2)
				req.Name = fmt.Sprint("job-", g, "-", i)
				res, err := placement.Plan(at, req)
				if !assert.NoError(t, err) {
					return
				}
				next, err := at.Apply(res)
				if !assert.NoError(t, err) {
					return
				}
				next, err = next.Update(cluster.Delta{
					Leaving:  []cluster.MemberRef{ref("x", "x-0")},
					SetNodes: []cluster.Node{{Name: "n9", Allocatable: gpus(int64(i))}},
				})
				assert.NoError(t, err)
				last := ""
				for r := range next.Running() {
					last = r.Gang
				}
				assert.Equal(t, "x", last)
				if at, err = next.Release(req.Name); !assert.NoError(t, err) {
					return
				}
				assert.Equal(t, want, plan(c, job(3)))
				if i%10 == 0 {
					at = c
				}
				for range placement.Candidates(at, job(1)) {
				}
			}
		})
	}
	all.Wait()
	assert.Equal(t, before, stateOf(c))
}
