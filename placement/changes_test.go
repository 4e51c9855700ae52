package placement_test

import (
	"fmt"
	"maps"
	"slices"

	"github.com/muster-sched/muster/cluster"
	"pgregory.net/rapid"
)

// drawDelta draws a change that can often be applied: of members that run or do not, of nodes that are there, have a
// place in a tree, or are new, of resources that are known or not.
func drawDelta(t *rapid.T, m model, names []string) cluster.Delta {
	some := func(what string, percent int) int {
		return max(0, rapid.IntRange(0, 99).Draw(t, what)-99+percent) * 4 / max(percent, 1)
	}
	node := func() string { return rapid.SampledFrom(names).Draw(t, "node") }
	running := slices.SortedFunc(maps.Keys(m.running), compareRefs)
	member := func() cluster.MemberRef {
		if len(running) == 0 || rapid.IntRange(0, 19).Draw(t, "unknown") == 19 {
			return cluster.MemberRef{Gang: "ns/other", Member: "nobody"}
		}
		return rapid.SampledFrom(running).Draw(t, "member")
	}
	var d cluster.Delta
	for range some("removed", 40) {
		d.Remove = append(d.Remove, member())
	}
	for range some("leaving", 30) {
		d.Leaving = append(d.Leaving, member())
	}
	gang := func() string {
		return rapid.SampledFrom([]string{"ns/other", "ns/job", "ns/z", "nobody"}).Draw(t, "gang")
	}
	for range some("gangs removed", 15) {
		d.RemoveGangs = append(d.RemoveGangs, gang())
	}
	for range some("gangs leaving", 15) {
		d.LeavingGangs = append(d.LeavingGangs, gang())
	}
	for range some("minima", 30) {
		if d.Minima == nil {
			d.Minima = map[string]int{}
		}
		d.Minima[member().Gang] = rapid.IntRange(-1, 4).Draw(t, "minimum")
	}
	if rapid.IntRange(0, 3).Draw(t, "nodes removed") == 3 && len(m.nodes) > 2 {
		if i := slices.IndexFunc(names, func(name string) bool { return m.nodes[name].Name != "" && len(m.on(name)) == 0 }); i >= 0 {
			d.RemoveNodes = append(d.RemoveNodes, names[i])
		}
		if rapid.IntRange(0, 9).Draw(t, "any node") == 9 {
			d.RemoveNodes = append(d.RemoveNodes, node())
		}
	}
	if len(m.trees) > 0 && rapid.IntRange(0, 3).Draw(t, "trees") == 0 {
		old := rapid.SampledFrom(m.trees).Draw(t, "tree")
		d.Trees = append(d.Trees, cluster.NamedTree{Name: old.Name, Tree: drawMoved(t, old.Tree, node)})
	}
	for range some("nodes set", 30) {
		d.SetNodes = append(d.SetNodes, drawNode(t, node()))
	}
	for i := range some("placed", 50) {
		r := cluster.Running{Gang: rapid.SampledFrom([]string{"ns/other", "ns/job", "ns/z"}).Draw(t, "gang"), Node: node()}
		r.Member = rapid.SampledFrom([]string{fmt.Sprint("new-", i), "new-10", "other-1", "a"}).Draw(t, "name")
		r.Resources = drawAmounts(t, 1)
		r.Leaving = rapid.IntRange(0, 4).Draw(t, "leaves") == 4
		r.Index, r.Indexed = i, rapid.Bool().Draw(t, "indexed")
		r.AffinityKey = rapid.SampledFrom([]string{"", "key"}).Draw(t, "key")
		r.NUMA = drawShares(t)
		d.Place = append(d.Place, r)
	}
	return d
}
