package cover

import (
	"math/bits"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// draw draws a problem whose places have two kinds of members, which give back so much each; a unit needs several.
func draw(t *rapid.T) *Problem {
	p := &Problem{Units: rapid.Int64Range(1, 5).Draw(t, "units"), Below: 1 << 30, Steps: 100_000}
	for range rapid.IntRange(1, 4).Draw(t, "gangs") {
		p.Gangs = append(p.Gangs, Gang{
			Surplus: rapid.IntRange(0, 2).Draw(t, "surplus"), Whole: rapid.IntRange(0, 3).Draw(t, "whole") > 0, End: rapid.Int64Range(0, 60).Draw(t, "end"),
		})
	}
	for range rapid.IntRange(1, 4).Draw(t, "places") {
		free, need := rapid.Int64Range(0, 4).Draw(t, "free"), rapid.Int64Range(1, 4).Draw(t, "need")
		var place Place
		var gives []int64
		for range 2 {
			var kind []int32
			for range rapid.IntRange(0, 2).Draw(t, "members") {
				kind = append(kind, int32(len(p.Members)))
				p.Members = append(p.Members, Member{
					Gang: int32(rapid.IntRange(0, len(p.Gangs)-1).Draw(t, "gang")), Cost: rapid.Int64Range(0, 9).Draw(t, "cost"),
				})
			}
			gives = append(gives, rapid.Int64Range(1, 4).Draw(t, "gives"))
			place.Kinds, place.Sizes = append(place.Kinds, kind), append(place.Sizes, rapid.Int64Range(1, 9).Draw(t, "size"))
		}
		for a := range int32(len(place.Kinds[0]) + 1) {
			for b := range int32(len(place.Kinds[1]) + 1) {
				units := (free + int64(a)*gives[0] + int64(b)*gives[1]) / need
				place.Options = append(place.Options, Option{Units: units, Count: []int32{a, b}})
			}
		}
		p.Places = append(p.Places, place)
	}
	return p
}

// cheapest tries all sets. Members beyond the surplus leave only with all of their gang.
func cheapest(p *Problem) int64 {
	best := p.Below
	for set := range uint(1) << len(p.Members) {
		if cost, ok := costOf(p, set); ok {
			best = min(best, cost)
		}
	}
	return best
}

func costOf(p *Problem, set uint) (cost int64, ok bool) {
	for g, of := range p.Gangs {
		gone, all := 0, 0
		for m, member := range p.Members {
			if int(member.Gang) == g {
				all++
				gone += int(set >> m & 1)
			}
		}
		switch {
		case gone <= of.Surplus:
		case of.Whole && gone == all:
			cost += of.End
		default:
			return 0, false
		}
	}
	units := int64(0)
	for _, place := range p.Places {
		here := int64(0)
		for _, o := range place.Options {
			enough := true
			for k, kind := range place.Kinds {
				in := uint(0)
				for _, m := range kind {
					in |= 1 << m
				}
				enough = enough && bits.OnesCount(set&in) >= int(o.Count[k])
			}
			if enough {
				here = max(here, o.Units)
			}
		}
		units += here
	}
	for m, member := range p.Members {
		cost += member.Cost * int64(set>>m&1)
	}
	return cost, units >= p.Units
}

// Bounds hold, sets are sets and cost what they are said to, and where the steps suffice nothing is cheaper.
func TestSolveEqualsAllSets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := draw(t)
		want := cheapest(p)
		for _, steps := range []int{1, 20, p.Steps} {
			p.Steps = steps
			got := Solve(p)
			require.LessOrEqual(t, got.Bound, want)
			require.GreaterOrEqual(t, got.Cost, want)
			if got.Gone != nil {
				set := uint(0)
				for _, m := range got.Gone {
					set |= 1 << m
				}
				cost, ok := costOf(p, set)
				require.True(t, ok, "legal, and makes room")
				require.Equal(t, got.Cost, cost)
			}
			if steps > 20 {
				require.Equal(t, want, got.Cost)
				require.Equal(t, want, got.Bound)
			}
		}
	})
}
