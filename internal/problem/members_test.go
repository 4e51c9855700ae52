// Which members are new, which run, in which order, and where do those that run pull the gang to?

package problem_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/bounds"
	"github.com/muster-sched/muster/internal/draws"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/problem"
	"github.com/muster-sched/muster/internal/snapshot"
	"github.com/muster-sched/muster/internal/validity"
)

// drawGang draws members with names in any order, some of which run, and some of which have an index.
func drawGang(t *rapid.T) (cluster.Spec, *gang.Request) {
	spec := draws.Cluster(t, draws.Tiny)
	req := &gang.Request{Name: draws.GangName, Shape: gang.Shape{Resources: muster.Resources{draws.Device: 1}}, IgnoreLeaving: draws.Chance(t, 20, "ignores who is leaving")}
	req.AffinityKey = rapid.SampledFrom([]string{draws.AffinityKey, ""}).Draw(t, "key")
	indexes := rapid.Permutation([]int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}).Draw(t, "indexes")
	twice := draws.Chance(t, 10, "an index stands twice")
	index := func(i int) (int, bool) {
		if twice {
			i /= 2
		}
		return indexes[i%len(indexes)], rapid.IntRange(0, 2).Draw(t, "has an index") > 0
	}
	n := 0
	for i := range spec.Running {
		if r := &spec.Running[i]; rapid.Bool().Draw(t, "own") && n < 6 {
			r.Gang, r.Member = draws.GangName, fmt.Sprint("job-", draws.HostileRank(n))
			if r.Index, r.Indexed = index(n); !r.Indexed {
				r.Index = 0
			}
			n++
		} else {
			r.Gang = "ns/other"
			r.Member = fmt.Sprint("other-", i)
		}
	}
	for range rapid.IntRange(1, 12).Draw(t, "members") {
		m := gang.Member{Name: fmt.Sprint("job-", draws.HostileRank(n))}
		if m.Index, m.Indexed = index(n); !m.Indexed {
			m.Index = 0
		}
		req.Members = append(req.Members, m)
		n++
	}
	req.Members = rapid.Permutation(req.Members).Draw(t, "order")
	if draws.Chance(t, 40, "in groups") {
		req.Groups = []gang.Groups{{Size: rapid.IntRange(1, 3).Draw(t, "size")}}
	}
	if draws.Chance(t, 40, "with a minimum") {
		req.MinMember = rapid.IntRange(1, len(req.Members)).Draw(t, "least")
	}
	return spec, req
}

// Members have the ranks of the definition, and those that run are where they run.
func TestRanks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spec, req := drawGang(t)
		p := drawn(t, spec, req)
		own := validity.Own(&spec, req)
		want := validity.Ranks(req, own)
		require.Len(t, namesOf(p), len(want))
		for rank, name := range namesOf(p) {
			require.Equal(t, want[name], rank, name)
		}
		require.Equal(t, len(want), p.Model.Ranks)
		var pending []int
		for _, m := range req.Members {
			pending = append(pending, want[m.Name])
		}
		slices.Sort(pending)
		require.Equal(t, pending, p.Model.Pending)
		running := map[int]int32{}
		for m := range p.Model.Running.All() {
			running[m.Rank] = m.Pos
		}
		require.Len(t, running, len(own))
		for _, r := range own {
			require.Equal(t, at(p, r.Node), running[want[r.Member]], r.Member)
		}
		least := len(req.Members)
		if req.MinMember > 0 {
			least = max(1, req.MinMember-len(own))
		}
		require.Equal(t, least, p.Model.Least)
	})
}

func drawn(t require.TestingT, spec cluster.Spec, req *gang.Request) *problem.Problem {
	c, err := snapshot.New(spec)
	require.NoError(t, err)
	p, err := problem.New(c, req, nil, bounds.Search{})
	require.NoError(t, err)
	p.Model.Admitted = len(p.Model.Pending)
	p.Ready()
	return p
}

// Running members of the gang, and of its affinity key, are counted below each vertex.
func TestAnchors(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spec, req := drawGang(t)
		p := drawn(t, spec, req)
		v := p.Model.View
		for x := range layout.Vertex(v.NumDomains()) + v.Nodes {
			var siblings, friends int64
			for _, r := range spec.Running {
				if !v.Contains(x, v.NodeVertex(at(p, r.Node))) || r.Leaving && !req.IgnoreLeaving {
					continue
				}
				if r.Gang == req.Name {
					siblings++
				}
				if req.AffinityKey != "" && r.AffinityKey == req.AffinityKey {
					friends++
				}
			}
			require.Equal(t, siblings, p.Model.Siblings.At(x))
			require.Equal(t, friends, p.Model.Friends.At(x))
			if p.Model.Running.Len() == 0 {
				require.Negative(t, p.Model.LCA)
				continue
			}
			all := siblings == int64(p.Model.Running.Len())
			require.Equal(t, all, v.Contains(x, p.Model.LCA), "the lowest vertex above all that run")
		}
	})
}

// Positions by rank are those of new members and of running ones; a rank that is neither has none.
func TestPositionsByRank(t *testing.T) {
	p := ready(t, request(3, nil), runs("g", "m1a", "c1"))
	require.Equal(t, []string{"m0", "m1", "m1a", "m2"}, namesOf(p))
	require.Equal(t, []int32{0, 1, -1, 2}, p.Model.Places())
	require.Equal(t, []int32{-1, -1, at(p, "c1"), -1}, p.Model.PositionsByRank())
}

// Indexes that stand twice order the members, and are no ranks.
func TestIndexesThatAreNoRanks(t *testing.T) {
	for _, indexes := range [][2]int{{0, 0}, {2, 2}, {1, 7}, {0, 2}} {
		req := request(4, func(req *gang.Request) {
			req.Groups = []gang.Groups{{Size: 2}}
			for i, index := range indexes {
				m := &req.Members[i+2]
				m.Index, m.Indexed = index, true
			}
		})
		want := validity.Ranks(req, nil)
		for rank, name := range namesOf(ready(t, req)) {
			require.Equal(t, want[name], rank, "indexes %v, member %s", indexes, name)
		}
	}
}

// A member that runs cannot be new as well, unless it is leaving.
func TestMembersRunOnce(t *testing.T) {
	leaving := runs("g", "m1", "a1")
	leaving.Leaving = true
	spec := hall(t)
	for _, r := range []cluster.Running{runs("g", "m1", "a1"), leaving} {
		for _, ignore := range []bool{false, true} {
			spec.Running = []cluster.Running{r}
			p, err := ask(t, spec, request(2, func(req *gang.Request) { req.IgnoreLeaving = ignore }), nil)
			if r.Leaving && !ignore {
				require.NoError(t, err)
				require.Zero(t, p.Model.Running.Len(), "it does not run any more")
				continue
			}
			var invalid *muster.InvalidError
			require.ErrorAs(t, err, &invalid)
			require.Equal(t, "request.Members[1].Name", invalid.Field)
		}
	}
}

// namesOf are the names of all members by rank.
func namesOf(p *problem.Problem) []string {
	out := make([]string, p.Model.Ranks)
	for rank := range out {
		out[rank] = p.NameOf(rank)
	}
	return out
}
