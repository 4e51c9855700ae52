package trees

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/placement/manifest/internal/object"
	"github.com/muster-sched/muster/topology"
)

// labels are those of nodes, counted, and what is told of those that look like layers.
type labels struct {
	nodes        int
	values       map[string]*values // by key
	known        bool               // what is told is up to date:
	notice, hint string
}

// values are those of one key.
type values struct {
	nodes   int            // that have the key
	labeled int            // of these with a value that is not empty
	of      map[string]int // these, by value
}

func labelsOf(nodes []topology.LabeledNode) *labels {
	all := &labels{values: map[string]*values{}}
	for _, n := range nodes {
		all.count(n.Labels, 1)
	}
	return all
}

// count enters a node by its labels, or takes it out.
func (all *labels) count(of map[string]string, by int) {
	all.nodes, all.known = all.nodes+by, false
	for key, value := range of {
		v := all.values[key]
		if v == nil {
			v = &values{of: map[string]int{}}
			all.values[key] = v
		}
		if v.nodes += by; v.nodes == 0 {
			delete(all.values, key)
		}
		if value == "" {
			continue
		}
		v.labeled += by
		if v.of[value] += by; v.of[value] == 0 {
			delete(v.of, value)
		}
	}
}

// Count counts a node by its labels, or no longer.
func (in *Trees) Count(labels map[string]string, by int) {
	if in.labels != nil {
		in.labels.count(labels, by)
	}
}

// Counted takes over how labels were counted, of the same nodes.
func (in *Trees) Counted(before *Trees) { in.labels = before.labels }

// Hint tells those who lack a topology which labels of nodes look like layers. O(nodes * labels) once, O(keys) where nodes have changed.
func (in *Trees) Hint() string {
	if in.hasTopology() || len(in.layers) > 0 { // labels may be counted all the same, from before
		return ""
	}
	if in.labels == nil {
		in.labels = labelsOf(in.nodes())
	}
	if !in.labels.known {
		in.labels.tell()
	}
	return in.labels.hint
}

// Notices tell of what was built, and of labels that look like layers.
func (in *Trees) Notices() []string {
	if in.Hint() == "" {
		return in.told
	}
	return append(slices.Clip(in.told), in.labels.notice)
}

// tell names label keys that look like layers, widest first, with the number of their values.
func (all *labels) tell() {
	all.known, all.notice, all.hint = true, "", ""
	var found []string
	for key, v := range all.values {
		if looksLikeLayer(key) && len(v.of) > 1 && len(v.of) < v.labeled && 2*v.labeled >= all.nodes {
			found = append(found, key)
		}
	}
	if len(found) == 0 {
		return
	}
	slices.SortFunc(found, func(a, b string) int {
		return cmp.Or(cmp.Compare(len(all.values[a].of), len(all.values[b].of)), muster.CompareNatural(a, b))
	})
	found = found[:min(len(found), topology.MaxLayers)]
	keys := object.SortedKeys(all.values)
	told, names := make([]string, len(found)), make([]string, len(found))
	for i, key := range found {
		told[i] = fmt.Sprintf("%s (%d values)", key, len(all.values[key].of))
		if names[i] = endOf(key); func() bool { k, _ := keyCalled(names[i], keys); return k != key }() {
			names[i] = key
		}
	}
	all.notice = fmt.Sprintf("the input has no topology; labels that look like layers, widest first: %s; -layers %s (Options.Layers) makes one of them",
		strings.Join(told, ", "), strings.Join(names, ","))
	all.hint = "; -layers " + strings.Join(names, ",") + " (Options.Layers) makes one of labels"
}
