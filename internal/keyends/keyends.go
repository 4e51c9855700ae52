// Package keyends answers: how are layers called whose names are long keys, such as topology.kubernetes.io/zone? By the shortest end that no
// other one has.
package keyends

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/muster-sched/muster/topology"
)

// Of are the short names of those keys that have one: `zone` of `topology.kubernetes.io/zone`. Keys are cut behind `/` and `.`; what would read
// as a tier, or as the layer of nodes, is not short for a key. O(keys^2).
func Of(keys []string) map[string]string {
	keys = slices.Compact(slices.Sorted(slices.Values(append(slices.Clone(keys), "node"))))
	names := map[string]string{}
	for _, key := range keys {
		if short := shortest(key, keys); short != key {
			names[key] = short
		}
	}
	return names
}

// shortest is the shortest end of a key, of those behind a mark, that is the end of no other one.
func shortest(key string, keys []string) string {
	for at := len(key) - 1; at > 0; at-- {
		end := key[at:]
		if before := key[at-1]; before != '/' && before != '.' || strings.Trim(end, "0123456789") == "" {
			continue
		}
		others := func(k string) bool {
			rest, has := strings.CutSuffix(k, end)
			return k != key && has && (rest == "" || strings.HasSuffix(rest, "/") || strings.HasSuffix(rest, "."))
		}
		if !slices.ContainsFunc(keys, others) {
			return end
		}
	}
	return key
}

// Tiers says what the layer of a tier of a tree is called, `tier 2` where it has no name. O(layers) a call.
func Tiers(t *topology.Tree) func(tier int) string {
	var keys []string
	for _, l := range t.Layers() {
		keys = append(keys, l.Name)
	}
	short := Of(keys)
	return func(tier int) string {
		name := t.LayerName(tier)
		return cmp.Or(short[name], name, fmt.Sprintf("tier %d", tier))
	}
}
