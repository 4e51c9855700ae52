package picks

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/bounds"
	"github.com/muster-sched/muster/internal/front"
	"github.com/muster-sched/muster/internal/model"
	"github.com/muster-sched/muster/internal/problem"
	"github.com/muster-sched/muster/internal/snapshot"
)

// drawPicks draws an elastic gang whose members ask for different amounts, some of them in a bundle with a minimum.
func drawPicks(t *rapid.T) (*Picks, *problem.Problem) {
	c, err := snapshot.New(cluster.Spec{Nodes: []cluster.Node{{Name: "node", Allocatable: muster.Resources{"gpu": 1}}}})
	require.NoError(t, err)
	req := &gang.Request{Name: "gang"}
	for i := range rapid.IntRange(2, 7).Draw(t, "members") {
		asks := rapid.Int64Range(1, 3).Draw(t, "asks")
		req.Members = append(req.Members, gang.Member{Name: fmt.Sprint("m-", i), Shape: &gang.Shape{Resources: muster.Resources{"gpu": asks}}})
	}
	of := req.Members
	for i := range rapid.IntRange(0, 2).Draw(t, "bundles") {
		p := gang.Part{Name: fmt.Sprint("part-", i), NoGroup: true}
		n := rapid.IntRange(0, len(of)).Draw(t, "in a bundle")
		for _, m := range of[:n] {
			p.Members = append(p.Members, m.Name)
		}
		p.MinMember, of = rapid.IntRange(1, n+1).Draw(t, "minimum of the bundle"), of[n:]
		req.Parts = append(req.Parts, p)
	}
	req.MinParts = rapid.IntRange(0, len(req.Parts)).Draw(t, "bundles that are needed")
	req.MinMember = rapid.IntRange(1, len(req.Members)).Draw(t, "minimum")
	p, err := problem.New(c, req, nil, bounds.Search{})
	require.NoError(t, err)
	if p.Model.Gang == nil || Of(&p.Model, nil, 1<<10) == nil {
		t.Skip("no members that may be left out differ")
	}
	return Of(&p.Model, nil, 1<<10), p
}

// sizeOf is what the members of a set ask for.
func sizeOf(p *problem.Problem, in model.Selection) (sum int64) {
	for i, is := range in {
		if is {
			sum += p.Room.Shapes[p.Model.Role(i)].Resources["gpu"]
		}
	}
	return sum
}

// fulfils says whether a set fulfils the minima: as many members as the gang needs, as many bundles, and of each that is there its own.
func fulfils(p *problem.Problem, in model.Selection) bool {
	bundles := 0
	for _, part := range p.Request.Parts {
		n := 0
		for i, is := range in {
			if is && slices.Contains(part.Members, p.NameOf(p.Model.Pending[i])) {
				n++
			}
		}
		if n > 0 && n < part.MinMember {
			return false
		}
		if n > 0 {
			bundles++
		}
	}
	return in.Size() >= p.Request.MinMember && bundles >= cmp.Or(p.Request.MinParts, len(p.Request.Parts))
}

// bestBy is the first of all sets that fulfil the minima and fit, by size in one direction, then by ranks; nil: there is none.
func bestBy(p *problem.Problem, room int64, direction int) (best model.Selection) {
	for bits := range 1 << len(p.Model.Pending) {
		in := make(model.Selection, len(p.Model.Pending))
		for i := range in {
			in[i] = bits>>i&1 == 1
		}
		if !fulfils(p, in) || sizeOf(p, in) > room {
			continue
		}
		if best == nil || cmp.Or(direction*cmp.Compare(in.Size(), best.Size()), in.CompareRanks(best)) < 0 {
			best = in
		}
	}
	return best
}

// The largest set and the one of the fewest members that fit are those that enumeration finds, whatever the minima are.
func TestPicksEqualEnumeration(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k, p := drawPicks(t)
		defer p.Done()
		room := rapid.Int64Range(0, 12).Draw(t, "room")
		fit := Fit{Tries: 1 << 20, Takes: func(in model.Selection) bool { return sizeOf(p, in) <= room }}
		largest, sure := k.Largest(fit)
		require.True(t, sure)
		require.Equal(t, bestBy(p, room, -1), largest)
		least, sure := k.Least(fit)
		require.True(t, sure)
		require.Equal(t, bestBy(p, room, 1), least)
	})
}

// everybody is what a quota with room for all says.
func everybody(model.Selection) bool { return true }

// Where questions run out nothing is sure, and what is found fits all the same.
func TestPicksThatEndEarlyAreNotSure(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k, p := drawPicks(t)
		defer p.Done()
		room := rapid.Int64Range(0, 12).Draw(t, "room")
		fit := Fit{Tries: rapid.IntRange(0, 3).Draw(t, "tries"), Takes: func(in model.Selection) bool { return sizeOf(p, in) <= room }}
		best := bestBy(p, room, -1)
		found, sure := k.Largest(fit)
		if sure {
			require.Equal(t, best, found)
		}
		if found != nil {
			require.LessOrEqual(t, sizeOf(p, found), room)
			require.True(t, fulfils(p, found))
		}
	})
}

// By vectors of roles the sets are the same as by asking.
func TestSetsWithinVectors(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k, p := drawPicks(t)
		defer p.Done()
		of := make([]int32, len(p.Room.Shapes)) // as fronts, vectors have no more of a role than there are
		for i := range p.Model.Pending {
			of[p.Model.Role(i)]++
		}
		var room []front.Vector
		for range rapid.IntRange(1, 3).Draw(t, "vectors") {
			v := make(front.Vector, len(p.Room.Shapes))
			for r := range v {
				v[r] = rapid.Int32Range(0, of[r]).Draw(t, "of a role")
			}
			room = append(room, v)
		}
		least, _ := k.Least(k.Within(room, everybody))
		require.Equal(t, least, k.LeastIn(room, everybody))
		if len(p.Model.Gang.Parts) == 0 {
			largest, sure := k.Largest(k.Within(room, everybody))
			require.True(t, sure)
			require.Equal(t, largest, k.LargestIn(room))
		}
		require.True(t, least == nil || fulfils(p, least))
	})
}
