// Package match answers: does a node suit a shape, where many nodes are asked, and the shape names many values, terms or tolerations? What
// a shape lists is brought into maps once, so that each question costs what the node lists, and not the product of both.
//
// It says what [gang.Shape] says by itself, for every shape and node. Nothing here is safe for concurrent use.
package match

import (
	"iter"
	"slices"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/labels"
)

// few is how much a shape may list that is simply gone through for each node.
const few = 32

// Many says whether a shape lists so much that a [Judge] pays. O(few).
func Many(s *gang.Shape) bool {
	if s == nil {
		return false
	}
	listed := max(len(s.Tolerations), len(s.Selector))
	for i := range s.Affinity {
		if listed += size(s.Affinity[i]); listed > few {
			return true
		}
	}
	for i := range s.Preferred {
		if listed += size(s.Preferred[i].Nodes); listed > few {
			return true
		}
	}
	return listed > few
}

// Listed is how much a shape lists, where a [Judge] pays; else 0. O(terms and their expressions).
func Listed(s *gang.Shape) int {
	if !Many(s) {
		return 0
	}
	n := len(s.Tolerations) + len(s.Selector) + len(s.Affinity) + len(s.Preferred)
	for _, t := range slices.Concat(s.Affinity, preferredNodes(s)) {
		for _, e := range slices.Concat(t.Labels, t.Fields) {
			n += 1 + len(e.Values)
		}
	}
	return n
}

// size is how many expressions and values a term has, itself included; more than few are not counted.
func size(t gang.NodeTerm) int {
	n := 1
	for _, list := range [...][]gang.Expression{t.Labels, t.Fields} {
		for i := range list {
			if n += 1 + len(list[i].Values); n > few {
				return n
			}
		}
	}
	return n
}

// ManyTaints says whether taints are so many that what is said about them is kept.
func ManyTaints(taints []gang.Taint) bool { return len(taints) > few }

// Judge says which nodes suit a shape.
type Judge struct {
	shape       *gang.Shape
	keys        []string // of the selector, in natural order; nil: not asked for yet
	affinity    labels.Terms
	first       *labels.Term // of the affinity, which tells what a node misses; nil: there is none
	preferred   labels.Terms
	highest     *labels.Term // all preferences of the highest weight as one; nil: there are none
	nothing     bool         // one of these matches no node
	tolerations tolerations
}

// New is the judge of a shape. O(what the shape lists).
func New(s *gang.Shape) *Judge {
	j := &Judge{shape: s, affinity: labels.Of(s.Affinity), tolerations: newTolerations(s.Tolerations)}
	if len(s.Affinity) > 0 {
		j.first = j.affinity.First()
	}
	var highest int64
	for i := range s.Preferred {
		highest = max(highest, s.Preferred[i].Weight)
	}
	nodes := preferredNodes(s)
	j.preferred = labels.Of(nodes)
	var favorite []gang.NodeTerm
	for i := range s.Preferred {
		if s.Preferred[i].Weight == highest && highest > 0 {
			j.nothing = j.nothing || len(nodes[i].Labels)+len(nodes[i].Fields) == 0
			favorite = append(favorite, nodes[i])
		}
	}
	if favorite != nil {
		j.highest = labels.Selector(nil, favorite...)
	}
	return j
}

// Selects is [gang.Shape.Selects]. O(labels + terms that could match).
func (j *Judge) Selects(node string, has map[string]string) bool {
	for key, want := range j.shape.Selector {
		if value, ok := has[key]; !ok || value != want {
			return false
		}
	}
	return len(j.shape.Affinity) == 0 || j.matchesAffinity(node, has)
}

// matchesAffinity says whether a node matches some term of the affinity.
func (j *Judge) matchesAffinity(node string, has map[string]string) bool {
	for range j.affinity.Matching(node, has) {
		return true
	}
	return false
}

// Misses goes through what a node misses: the keys of the selector, in natural order, then what the first term of the affinity tells.
// The first of them is that of [gang.Shape.Misses]. It may be empty.
func (j *Judge) Misses(node string, has map[string]string) iter.Seq[string] {
	return func(yield func(string) bool) {
		if j.Selects(node, has) {
			return
		}
		if j.keys == nil {
			for key := range j.shape.Selector {
				j.keys = append(j.keys, key)
			}
			slices.SortFunc(j.keys, muster.CompareNatural)
		}
		for _, key := range j.keys {
			if value, ok := has[key]; (!ok || value != j.shape.Selector[key]) && !yield(key) {
				return
			}
		}
		if len(j.shape.Affinity) > 0 && !j.matchesAffinity(node, has) {
			yield(j.first.Misses(node, has))
		}
	}
}

// PreferenceScore is [gang.Shape.PreferenceScore].
func (j *Judge) PreferenceScore(node string, has map[string]string) (score int64) {
	for i := range j.preferred.Matching(node, has) {
		score += j.shape.Preferred[i].Weight
	}
	return score
}

// MissesPreference is [gang.Shape.MissesPreference].
func (j *Judge) MissesPreference(node string, has map[string]string) bool {
	return j.nothing || j.highest != nil && !j.highest.Matches(node, has)
}

// Tolerates is [gang.Tolerates] for the tolerations of the shape. O(taints), for the same list of many O(1) from the second time on.
func (j *Judge) Tolerates(taints []gang.Taint) bool { return j.tolerations.tolerates(taints) }

// ToleratesAll is [gang.ToleratesAll] for the tolerations of the shape.
func (j *Judge) ToleratesAll(taints []gang.Taint) bool {
	return !slices.ContainsFunc(taints, func(t gang.Taint) bool { return !j.tolerations.matches(t) })
}
