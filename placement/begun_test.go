package placement_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/draws"
	"github.com/muster-sched/muster/internal/reference"
	"github.com/muster-sched/muster/internal/validity"
	"github.com/muster-sched/muster/placement"
)

// Plans that complete begun groups, among new ones and a short one, nested and outside the tree, are valid.
func TestBegunGroups(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spec := draws.Cluster(t, draws.Small)
		req := drawBegun(t, &spec)
		in := reference.Input{Spec: spec, Request: *req}
		defer func() {
			if r := recover(); r != nil {
				t.Fatalf("%v\n%s", r, in.Text())
			}
		}()
		if res, err := placement.Plan(newCluster(t, spec), req); err == nil {
			require.NoError(t, validity.Check(spec, req, res), in.Text())
		}
	})
}

// drawBegun draws a gang of which many members run, with ranks on both sides of those that are new.
func drawBegun(t *rapid.T, spec *cluster.Spec) *gang.Request {
	req := &gang.Request{Name: "ns/job", Shape: gang.Shape{Resources: gpus(1)}}
	own := 0
	for i := range spec.Running {
		r := &spec.Running[i]
		r.Leaving = false
		if r.Gang == req.Name || rapid.IntRange(0, 3).Draw(t, "own") == 3 {
			r.Gang, r.Member = req.Name, fmt.Sprint("own-", i)
			own++
		}
	}
	members := rapid.IntRange(1, 6).Draw(t, "new")
	for i := range members {
		name := rapid.SampledFrom([]string{"a", "p", "own"}).Draw(t, "name")
		req.Members = append(req.Members, gang.Member{Name: fmt.Sprint(name, i)})
	}
	total := members + own
	size := rapid.IntRange(1, min(4, total)).Draw(t, "size")
	req.Groups = []gang.Groups{{Size: size}}
	if total%(2*size) == 0 && rapid.Bool().Draw(t, "nested") {
		req.Groups = []gang.Groups{{Size: 2 * size}, {Size: size}}
	}
	return req
}
