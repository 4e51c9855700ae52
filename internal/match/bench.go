package match

import (
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/labels"
)

// Bench has the judges of some shapes, each made when it is first asked for. Nil has none: shapes are asked themselves. A shape may be nil,
// where a shape itself may be.
type Bench struct{ of map[*gang.Shape]*Judge }

// ForRequest is the bench for the shapes of a request: nil if none lists much, nor nodes have many taints. It refuses shapes whose terms
// are too many. O(members), and for shapes that list much O(what they list).
func ForRequest(req *gang.Request, manyTaints bool) (*Bench, error) {
	many := manyTaints
	if Many(&req.Shape) {
		many = true
		if err := check(&req.Shape, "request.Shape"); err != nil {
			return nil, err
		}
	}
	var last *gang.Shape // mostly that of all
	for i := range req.Members {
		s := req.Members[i].Shape
		if s != last && Many(s) {
			many = true
			if err := check(s, fmt.Sprintf("request.Members[%d].Shape", i)); err != nil {
				return nil, err
			}
		}
		last = s
	}
	if !many {
		return nil, nil
	}
	return &Bench{map[*gang.Shape]*Judge{}}, nil
}

// Fresh is a bench for the same shapes, of which nobody else reads; nil stays nil.
func (b *Bench) Fresh() *Bench {
	if b == nil {
		return nil
	}
	return &Bench{map[*gang.Shape]*Judge{}}
}

// judge is that of a shape, nil if the shape is to be asked itself. O(what the shape lists), the first time.
func (b *Bench) judge(s *gang.Shape) *Judge {
	if b == nil || s == nil {
		return nil
	}
	j := b.of[s]
	if j == nil {
		j = New(s)
		b.of[s] = j
	}
	return j
}

// Selects is [gang.Shape.Selects].
func (b *Bench) Selects(s *gang.Shape, node string, has map[string]string) bool {
	if j := b.judge(s); j != nil {
		return j.Selects(node, has)
	}
	return s.Selects(node, has)
}

// Misses is [Judge.Misses].
func (b *Bench) Misses(s *gang.Shape, node string, has map[string]string) iter.Seq[string] {
	if j := b.judge(s); j != nil {
		return j.Misses(node, has)
	}
	return func(yield func(string) bool) {
		for _, key := range slices.SortedFunc(maps.Keys(s.Selector), muster.CompareNatural) {
			if value, ok := has[key]; (!ok || value != s.Selector[key]) && !yield(key) {
				return
			}
		}
		if affinity := (&gang.Shape{Affinity: s.Affinity}); !affinity.Selects(node, has) {
			yield(affinity.Misses(node, has))
		}
	}
}

// PreferenceScore is [gang.Shape.PreferenceScore].
func (b *Bench) PreferenceScore(s *gang.Shape, node string, has map[string]string) int64 {
	if j := b.judge(s); j != nil {
		return j.PreferenceScore(node, has)
	}
	return s.PreferenceScore(node, has)
}

// MissesPreference is [gang.Shape.MissesPreference].
func (b *Bench) MissesPreference(s *gang.Shape, node string, has map[string]string) bool {
	if j := b.judge(s); j != nil {
		return j.MissesPreference(node, has)
	}
	return s.MissesPreference(node, has)
}

// Tolerates is [gang.Tolerates] for the tolerations of a shape. The taints must not change as long as the bench is asked.
func (b *Bench) Tolerates(s *gang.Shape, taints []gang.Taint) bool {
	if j := b.judge(s); j != nil {
		return j.Tolerates(taints)
	}
	return gang.Tolerates(taints, s.Tolerations)
}

// ToleratesAll is [gang.ToleratesAll] for the tolerations of a shape.
func (b *Bench) ToleratesAll(s *gang.Shape, taints []gang.Taint) bool {
	if j := b.judge(s); j != nil {
		return j.ToleratesAll(taints)
	}
	return gang.ToleratesAll(taints, s.Tolerations)
}

// check refuses a shape whose terms are too many that no label tells apart. field is that of the shape.
func check(s *gang.Shape, field string) error {
	if labels.TooMany(s.Affinity) {
		return muster.Invalid(field+".Affinity", len(s.Affinity), labels.WhyTooMany)
	}
	if labels.TooMany(preferredNodes(s)) {
		return muster.Invalid(field+".Preferred", len(s.Preferred), labels.WhyTooMany)
	}
	return nil
}

// preferredNodes are those of the preferences of a shape.
func preferredNodes(s *gang.Shape) []gang.NodeTerm {
	nodes := make([]gang.NodeTerm, len(s.Preferred))
	for i := range nodes {
		nodes[i] = s.Preferred[i].Nodes
	}
	return nodes
}
