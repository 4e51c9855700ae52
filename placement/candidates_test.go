package placement_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/validity"
	"github.com/muster-sched/muster/placement"
)

// Candidates begins with the plan that Plan makes, shows every domain once, in the order of tiers, and every candidate
// is a plan in its own right.
func TestCandidates(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spec, req := drawInput(t)
		if rapid.Bool().Draw(t, "compare tiers") {
			wantAllNow(&spec, req)
		}
		c := newCluster(t, spec)
		want := plan(c, req)
		plain := !slices.ContainsFunc(allRules(req), func(r gang.Rule) bool { return r.Strength == gang.PreferGather })
		seen := map[string]bool{}
		var last []int
		for res, err := range placement.Candidates(c, req) {
			if len(seen) == 0 {
				require.Equal(t, want, answerOf(res, err), "the first is the plan")
			}
			if err != nil {
				seen["an error"] = true
				continue
			}
			domain := fmt.Sprint(res.Tier, res.Domain)
			require.False(t, seen[domain], "domain %s twice", domain)
			seen[domain] = true
			require.NoError(t, validity.Check(spec, req, res))
			require.Len(t, res.Assignments, len(want.Result.Assignments))
			if now := tiers(&spec, req, res); plain {
				require.LessOrEqual(t, slices.Compare(last, now), 0, "%v after %v", now, last)
				last = now
			}
		}
		require.NotEmpty(t, seen)
		require.True(t, !seen["an error"] || len(seen) == 1, "the error comes alone")
	})
}

func allRules(req *gang.Request) []gang.Rule {
	rules := slices.Clone(req.Gather)
	for _, g := range req.Groups {
		rules = append(rules, g.Gather...)
	}
	return rules
}

// A host that takes one candidate is asked for no more.
func TestCandidatesStopsWhenAsked(t *testing.T) {
	c := newCluster(t, board(t))
	for range placement.Candidates(c, job(1)) {
		break
	}
}

// Without the nodes of the domain that was chosen the gang goes to another one, or nowhere.
func TestExcludedDomainIsLeft(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spec, req := drawInput(t)
		c := newCluster(t, spec)
		first, err := placement.Plan(c, req)
		if err != nil {
			return
		}
		net, _ := validity.NewNetwork(&spec, req)
		domain := strings.Join(first.Domain, "/")
		other := *req
		other.Exclude = append(slices.Clone(req.Exclude), "no such node")
		for _, n := range spec.Nodes {
			if place := net.Maximal(n.Name, first.Tier); strings.Join(place.Path, "/") == domain || first.Tier == net.RootTier() {
				other.Exclude = append(other.Exclude, n.Name)
			}
		}
		second, err := placement.Plan(c, &other)
		if err != nil {
			require.ErrorIs(t, err, placement.ErrUnschedulable)
			return
		}
		for _, a := range second.Assignments {
			require.NotContains(t, other.Exclude, a.Node)
		}
		require.NoError(t, validity.Check(spec, &other, second))
	})
}
