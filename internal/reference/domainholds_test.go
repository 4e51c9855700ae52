package reference

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/validity"
	"github.com/muster-sched/muster/placement"
)

// Room that is held in domains is kept by every plan that it binds, and no plan is refused, or worse, that would keep it: compared are the plans beside each way in
// which members may be given room on nodes.
func TestHoldsInDomains(t *testing.T) {
	for name, draw := range map[string]func(*rapid.T) Input{
		"quotas": drawWithQuotas, "parts": drawParts, "roles": drawRoles, "victims": drawCoupled, "uneven": drawUneven,
	} {
		t.Run(name, func(t *testing.T) {
			holdsFor(t, func(t *rapid.T) Input {
				in := drawEnds(t, mixed(draw))
				drawDomainHolds(t, &in)
				return in
			}, func(in Input) ([]string, error) {
				kinds, err := domainHoldsAgree(in)
				if err != nil {
					err = fmt.Errorf("%w\nheld in domains %+v\nheld %+v\nends at %d", err, in.Spec.DomainHolds, in.Spec.Holds, in.Request.End)
				}
				return kinds, err
			})
		})
	}
}

// drawDomainHolds holds room in some domains, at once and later, for members that ask for a little, or for nodes as a whole.
func drawDomainHolds(t *rapid.T, in *Input) {
	paths := validity.DomainPaths(&in.Spec, &in.Request)
	for i := range rapid.IntRange(1, 2).Draw(t, "domain holds") {
		h := cluster.DomainHold{
			Gang: rapid.SampledFrom([]string{"ns/held", "ns/held", in.Request.Name}).Draw(t, "for") + fmt.Sprint(i%2), Tree: in.Request.Tree,
			Domain: rapid.SampledFrom(paths).Draw(t, "domain"), Count: rapid.IntRange(1, 3).Draw(t, "count"),
			Priority: in.Request.Priority + rapid.SampledFrom([]int64{-1, 0, 0, 1}).Draw(t, "priority"),
			From:     rapid.SampledFrom([]int64{0, 0, 3, 5}).Draw(t, "from"),
		}
		if h.From > 0 {
			h.End = rapid.SampledFrom([]int64{0, 4, 9}).Draw(t, "until")
			if h.End <= h.From {
				h.End = 0
			}
		}
		if rapid.IntRange(0, 3).Draw(t, "whole") > 0 {
			node := &in.Spec.Nodes[rapid.IntRange(0, len(in.Spec.Nodes)-1).Draw(t, "like")]
			h.Resources = muster.Resources{}
			for _, name := range node.Allocatable.Names() {
				if name != muster.Pods && node.Allocatable[name] > 0 {
					h.Resources[name] = rapid.Int64Range(1, node.Allocatable[name]).Draw(t, "each")
				}
			}
			if len(h.Resources) == 0 {
				h.Resources = nil
			}
		}
		in.Spec.DomainHolds = append(in.Spec.DomainHolds, h)
	}
}

// mostWays bounds the ways that are compared.
const mostWays = 300

func domainHoldsAgree(in Input) ([]string, error) {
	got, err := plan(in, &in.Request)
	var refused *placement.Unschedulable
	if err != nil && !errors.As(err, &refused) {
		return nil, err
	}
	placed := err == nil
	if placed {
		if err := validity.Check(in.Spec, &in.Request, got); err != nil {
			return nil, fmt.Errorf("%w, in %s", err, resultText(got, nil))
		}
		if err := carriedOut(in, got); err != nil {
			return nil, err
		}
	}
	list := validity.BindingHolds(&in.Spec, &in.Request)
	if len(list) == 0 {
		return []string{"none binds"}, nil
	}
	loose := in
	loose.Spec.DomainHolds = nil
	free, _ := plan(loose, &in.Request)
	switch {
	case free == nil && placed:
		return nil, errors.New("a plan only beside what is held")
	case free == nil:
		return []string{"refused anyway"}, nil
	case placed && resultText(got, nil) == resultText(free, nil):
		return []string{"nothing in the way"}, nil
	}
	best, kinds := bestWay(in, list)
	switch {
	case best == nil && placed:
		return append(kinds, "other than in any way"), nil // valid, as was checked
	case best == nil:
		return append(kinds, "refused", provenText(refused.Proven)), nil
	case !placed && refused.Proven:
		return nil, fmt.Errorf("%w, with a plan %s\nbest %s\nholds %+v", err, resultText(best, nil), resultText(free, nil), list)
	case !placed:
		return append(kinds, "refused, not proven, with a plan"), nil
	}
	if isBetter(&in, best, got) && !prefersMore(&in.Request) {
		text := fmt.Errorf("a better plan %s\nthan %s\nholds %+v", resultText(best, nil), resultText(got, nil), list)
		if got.Proven {
			return nil, text
		}
		return append(kinds, "worse, not proven"), nil
	}
	return append(kinds, "placed", provenText(got.Proven)), nil
}

func provenText(proven bool) string {
	return map[bool]string{true: "proven", false: "not proven"}[proven]
}

func prefersMore(req *gang.Request) bool {
	return len(req.Parts) > 0 || len(req.Gather) > 1 || slices.ContainsFunc(req.Limits, func(l gang.Limit) bool { return l.Preferred })
}

func stageOf(r *placement.Result) int { return 2*min(1, len(r.Victims)) + min(1, len(r.WaitsFor)) }

// isBetter says whether one plan is better than another: on free room before waiting before victims, then by members, their ranks, those outside the topology, and by tiers.
func isBetter(in *Input, a, b *placement.Result) bool {
	outside := func(r *placement.Result) (n int) {
		named, _ := validity.PickTree(&in.Spec, &in.Request)
		for _, x := range r.Assignments {
			if _, inside := named.Tree.Node(x.Node); !inside {
				n++
			}
		}
		return n
	}
	if c := cmp.Or(cmp.Compare(stageOf(a), stageOf(b)), cmp.Compare(len(b.Assignments), len(a.Assignments))); c != 0 {
		return c < 0
	}
	if named, _ := validity.PickTree(&in.Spec, &in.Request); named.Tree == nil || len(a.Victims) > 0 { // what these cost comes first
		return false
	}
	byRank := func(x, y placement.Assignment) int { return cmp.Compare(x.Rank, y.Rank) }
	return cmp.Or(slices.CompareFunc(a.Assignments, b.Assignments, byRank), cmp.Compare(outside(a), outside(b)), cmp.Compare(a.Tier, b.Tier)) < 0
}

// carriedOut applies a plan on free room; what is held is kept.
func carriedOut(in Input, r *placement.Result) error {
	if stageOf(r) > 0 {
		return nil
	}
	c, err := placement.NewCluster(in.Spec)
	if err != nil {
		return err
	}
	_, err = c.Apply(r)
	if err != nil {
		return fmt.Errorf("%s cannot be applied: %w", resultText(r, nil), err)
	}
	return nil
}

// bestWay is the best plan beside members who are given room on nodes, of all ways in which they may be; nil: there is none. Where nobody is leaving these are all plans.
func bestWay(in Input, list []cluster.DomainHold) (best *placement.Result, kinds []string) {
	need := slices.MaxFunc(validity.RoomFor(&in.Spec, list, unseen), slices.Compare)
	var ways []map[int][]int
	var walk func(node int, way map[int][]int, left []int)
	walk = func(node int, way map[int][]int, left []int) {
		if len(ways) > mostWays {
			return
		}
		if node == len(in.Spec.Nodes) {
			if !slices.ContainsFunc(left, func(n int) bool { return n > 0 }) {
				ways = append(ways, maps.Clone(way))
			}
			return
		}
		for _, counts := range validity.WaysOn(&in.Spec, &in.Spec.Nodes[node], list, unseen) {
			rest := slices.Clone(left)
			over := false
			for k := range counts {
				rest[k] -= counts[k]
				over = over || rest[k] < 0
			}
			if !over {
				way[node] = counts
				walk(node+1, way, rest)
				delete(way, node)
			}
		}
	}
	walk(0, map[int][]int{}, need)
	if len(ways) > mostWays {
		return nil, []string{"too many ways"}
	}
	for _, way := range ways {
		r, err := plan(given(in, list, way), &in.Request)
		if err != nil || validity.Check(in.Spec, &in.Request, r) != nil {
			continue
		}
		if best == nil || isBetter(&in, r, best) {
			best = r
		}
	}
	return best, nil
}

func unseen(*cluster.Hold) bool { return false }

// given is a cluster in which members have room on nodes, in place of domains: what they would lack otherwise is taken by somebody who stays.
func given(in Input, list []cluster.DomainHold, way map[int][]int) Input {
	in.Spec.DomainHolds = nil
	in.Spec.Running = slices.Clone(in.Spec.Running)
	for i, counts := range way {
		n := &in.Spec.Nodes[i]
		taken := validity.Lacks(&in.Spec, n, list, counts, in.Request.End)
		if len(taken) == 0 {
			continue
		}
		in.Spec.Running = append(in.Spec.Running, cluster.Running{
			Gang: "given", Member: n.Name, Node: n.Name, Resources: taken, Unevictable: true, MinMember: -1, Tolerated: true, Priority: in.Request.Priority,
		})
	}
	return in
}
