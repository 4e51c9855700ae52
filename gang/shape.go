package gang

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/numa"
)

// nodeName is the only key of [NodeTerm.Fields].
const nodeName = "metadata.name"

// checkShape reports what is wrong with a shape. Weights are bounded as in Kubernetes, where they are 32 bits wide, so
// that sums of them over a gang cannot overflow.
func checkShape(d *defects, field string, s *Shape) {
	if s.Resources.Validate(field) != nil { // in no order and without allocations, for all shapes that are right
		checkResources(d, field, s.Resources)
	}
	if _, ok := s.Selector[""]; ok {
		d.add(field+".Selector", "", "a label has no key")
	}
	for i, t := range s.Affinity { // fields are named only where something is wrong: lists may be long
		checkTerm(d, func() string { return fmt.Sprintf("%s.Affinity[%d]", field, i) }, t)
	}
	for i, p := range s.Preferred {
		at := func() string { return fmt.Sprintf("%s.Preferred[%d]", field, i) }
		if p.Weight < 0 || p.Weight > math.MaxInt32 {
			d.add(at()+".Weight", p.Weight, "out of the range from 0 to 2^31-1")
		}
		checkTerm(d, func() string { return at() + ".Nodes" }, p.Nodes)
	}
	for i, t := range s.Tolerations {
		if t.Key == "" && !t.Exists {
			d.add(fmt.Sprintf("%s.Tolerations[%d].Key", field, i), "", "an empty key needs Exists")
		}
		if t.Compare != "" && t.Compare != Gt && t.Compare != Lt {
			d.add(fmt.Sprintf("%s.Tolerations[%d].Compare", field, i), t.Compare, "must be Gt or Lt")
		}
		switch t.Effect {
		case "", NoSchedule, PreferNoSchedule, NoExecute:
		default:
			d.add(fmt.Sprintf("%s.Tolerations[%d].Effect", field, i), t.Effect, "unknown effect")
		}
	}
	if s.NUMA != (NUMA{}) {
		checkNUMA(d, field+".NUMA", s.NUMA)
	}
}

// ZoneMember is what a member of the shape asks of the zones of a node. If it has a policy of its own and does not say how
// exclusive it is, it is so by default; without a policy the default is not for it.
// A nil shape asks for nothing. The resources are those of the shape, not a copy. O(1).
func (s *Shape) ZoneMember(exclusive numa.Exclusive) numa.Member {
	if s == nil {
		return numa.Member{}
	}
	n := s.NUMA
	if n.Policy != "" {
		n.Exclusive = cmp.Or(n.Exclusive, exclusive)
	}
	return numa.Member{Resources: s.Resources, Policy: n.Policy, Exclusive: n.Exclusive, CPUs: n.CPUs, ThreadsPerCore: n.ThreadsPerCore}
}

// checkNUMA reports names that package numa does not know, and threads out of range.
func checkNUMA(d *defects, field string, n NUMA) {
	if !n.Policy.Known() {
		d.add(field+".Policy", n.Policy, "unknown policy")
	}
	if !n.Exclusive.Known() {
		d.add(field+".Exclusive", n.Exclusive, "unknown exclusivity")
	}
	if !n.CPUs.Known() {
		d.add(field+".CPUs", n.CPUs, "unknown granularity")
	}
	if n.ThreadsPerCore < 0 || n.ThreadsPerCore > numa.MaxThreads {
		d.add(field+".ThreadsPerCore", n.ThreadsPerCore, fmt.Sprintf("out of the range from 0 to %d", numa.MaxThreads))
	}
}

// checkResources reports every bad amount, in natural order of the names.
func checkResources(d *defects, field string, r muster.Resources) {
	for _, name := range r.Names() {
		if name == "" {
			d.add(field+".Resources", "", "a resource has no name")
		} else if r[name] < 0 {
			d.add(field+".Resources."+name, r[name], "negative amount")
		}
	}
}

// checkTerm reports what is wrong with the expressions of a term. A term without any is right, it matches nothing.
func checkTerm(d *defects, field func() string, t NodeTerm) {
	for i, e := range t.Labels {
		checkExpression(d, func() string { return fmt.Sprintf("%s.Labels[%d]", field(), i) }, e)
	}
	for i, e := range t.Fields {
		at := func() string { return fmt.Sprintf("%s.Fields[%d]", field(), i) }
		if e.Key != nodeName && e.Key != "" { // the empty key is reported below
			d.add(at()+".Key", e.Key, "unknown field, only "+nodeName+" is known")
		}
		checkExpression(d, at, e)
	}
}

// checkExpression reports an operator that is unknown, or has other values than it can compare.
func checkExpression(d *defects, field func() string, e Expression) {
	if e.Key == "" {
		d.add(field()+".Key", "", "an expression has no key")
	}
	switch e.Operator {
	case In, NotIn:
		if len(e.Values) == 0 {
			d.add(field()+".Values", "", string(e.Operator)+" needs a value")
		}
	case Exists, DoesNotExist:
		if len(e.Values) > 0 {
			d.add(field()+".Values", e.Values[0], string(e.Operator)+" takes no value")
		}
	case Gt, Lt:
		if len(e.Values) != 1 {
			d.add(field()+".Values", "", string(e.Operator)+" needs one value")
		} else if _, err := strconv.ParseInt(e.Values[0], 10, 64); err != nil {
			d.add(field()+".Values", e.Values[0], string(e.Operator)+" needs an integer")
		}
	default:
		d.add(field()+".Operator", e.Operator, "unknown operator")
	}
}

// Matches says whether a node with this name and these labels fulfils every expression. An empty term matches nothing,
// an invalid expression (see [Request.Validate]) neither. O(expressions and their values).
func (t NodeTerm) Matches(node string, labels map[string]string) bool {
	if len(t.Labels) == 0 && len(t.Fields) == 0 {
		return false
	}
	_, missed := t.misses(node, labels)
	return !missed
}

// misses is the key of the first expression that a node does not fulfil.
func (t NodeTerm) misses(node string, labels map[string]string) (key string, ok bool) {
	for _, e := range t.Labels {
		value, carried := labels[e.Key]
		if !e.holds(value, carried) {
			return e.Key, true
		}
	}
	for _, e := range t.Fields {
		if e.Key != nodeName || !e.holds(node, true) {
			return e.Key, true
		}
	}
	return "", false
}

// holds compares the value of a label that the node carries or not. As in Kubernetes NotIn holds where the label is missing, and
// Gt and Lt do not where either side is no integer.
func (e Expression) holds(value string, carried bool) bool {
	switch e.Operator {
	case In:
		return carried && slices.Contains(e.Values, value)
	case NotIn:
		return !carried || !slices.Contains(e.Values, value)
	case Exists:
		return carried
	case DoesNotExist:
		return !carried
	case Gt, Lt:
		if !carried || len(e.Values) != 1 {
			return false
		}
		has, err1 := strconv.ParseInt(value, 10, 64)
		bound, err2 := strconv.ParseInt(e.Values[0], 10, 64)
		if err1 != nil || err2 != nil {
			return false
		}
		return e.Operator == Gt && has > bound || e.Operator == Lt && has < bound
	}
	return false
}

// Selects says whether the selector and the affinity of the shape admit a node with this name and these labels. A nil
// shape admits every node. O(selector + affinity).
func (s *Shape) Selects(node string, labels map[string]string) bool {
	if s == nil {
		return true
	}
	for key, want := range s.Selector {
		if value, ok := labels[key]; !ok || value != want {
			return false
		}
	}
	if len(s.Affinity) == 0 {
		return true
	}
	return slices.ContainsFunc(s.Affinity, func(t NodeTerm) bool { return t.Matches(node, labels) })
}

// Misses is the key for which a node with this name and these labels is not admitted, see [Shape.Selects]: the first of the
// selector in natural order, else the first in the first term of the affinity. Empty if the node is admitted, or the term has none.
// O(selector * log selector + affinity).
func (s *Shape) Misses(node string, labels map[string]string) string {
	if s.Selects(node, labels) {
		return ""
	}
	for _, key := range slices.SortedFunc(maps.Keys(s.Selector), muster.CompareNatural) {
		if value, ok := labels[key]; !ok || value != s.Selector[key] {
			return key
		}
	}
	key, _ := s.Affinity[0].misses(node, labels)
	return key
}

// PreferenceScore sums the weights of the preferences that a node with this name and these labels matches; higher is
// better. O(preferences).
func (s *Shape) PreferenceScore(node string, labels map[string]string) int64 {
	if s == nil {
		return 0
	}
	score := int64(0)
	for _, p := range s.Preferred {
		if p.Nodes.Matches(node, labels) {
			score += p.Weight
		}
	}
	return score
}

// MissesPreference says whether a node with this name and these labels fails one of the preferences of the highest weight. A shape
// without weights above 0 misses nothing. O(preferences).
func (s *Shape) MissesPreference(node string, labels map[string]string) bool {
	if s == nil {
		return false
	}
	highest := int64(0)
	for i := range s.Preferred {
		highest = max(highest, s.Preferred[i].Weight)
	}
	return highest > 0 && slices.ContainsFunc(s.Preferred, func(p Preference) bool {
		return p.Weight == highest && !p.Nodes.Matches(node, labels)
	})
}

// ToleratesAll says whether a toleration matches each of the taints, of whatever effect. O(taints * tolerations).
func ToleratesAll(taints []Taint, tolerations []Toleration) bool {
	return !slices.ContainsFunc(taints, func(taint Taint) bool {
		return !slices.ContainsFunc(tolerations, func(t Toleration) bool { return t.matches(taint) })
	})
}

// Tolerates says whether no taint of a node keeps away a member with these tolerations. A NoSchedule or NoExecute taint
// that no toleration matches keeps it away, a PreferNoSchedule taint never does. O(taints * tolerations).
func Tolerates(taints []Taint, tolerations []Toleration) bool {
	for _, taint := range taints {
		if taint.Effect != NoSchedule && taint.Effect != NoExecute {
			continue
		}
		if !slices.ContainsFunc(tolerations, func(t Toleration) bool { return t.matches(taint) }) {
			return false
		}
	}
	return true
}

// matches is the rule of Kubernetes: what the toleration leaves empty it does not ask about, except a value, which is
// compared unless Exists is set.
func (t Toleration) matches(taint Taint) bool {
	return (t.Effect == "" || t.Effect == taint.Effect) &&
		(t.Key == "" || t.Key == taint.Key) &&
		(t.Exists || t.comparesWith(taint.Value))
}

// comparesWith says whether the value of a taint is what the toleration wants.
func (t Toleration) comparesWith(value string) bool {
	if t.Compare == "" {
		return t.Value == value
	}
	has, err := strconv.ParseInt(value, 10, 64)
	bound, err2 := strconv.ParseInt(t.Value, 10, 64)
	return err == nil && err2 == nil && (t.Compare == Gt && has > bound || t.Compare == Lt && has < bound)
}

// Equal says whether members of the two shapes are interchangeable: they ask for the same amounts (0 is not asked for)
// and admit, prefer and tolerate the same things, whatever the order in which they are listed. Nil and empty are the
// same. It compares what is written, so it may miss that two different expressions mean one thing. O(n log n) for what
// the shapes hold.
func (s *Shape) Equal(other *Shape) bool {
	if s == other {
		return true
	}
	if s == nil { // as good as one that asks for nothing
		s = &Shape{}
	}
	if other == nil {
		other = &Shape{}
	}
	// Cheap comparisons first: keys are made only for shapes that agree so far.
	return covers(s.Resources, other.Resources) && covers(other.Resources, s.Resources) &&
		maps.Equal(s.Selector, other.Selector) &&
		sameList(s.Affinity, other.Affinity, NodeTerm.key) &&
		sameList(s.Preferred, other.Preferred, Preference.key) &&
		sameList(s.Tolerations, other.Tolerations, Toleration.key) &&
		s.NUMA == other.NUMA
}

// covers says that b has what a asks for, in the same amounts.
func covers(a, b muster.Resources) bool {
	for name, amount := range a {
		if b[name] != amount {
			return false
		}
	}
	return true
}

// sameList compares lists whose order means nothing by the keys of their elements. Repeats count: weights add up.
func sameList[T any](a, b []T, key func(T) string) bool {
	return len(a) == len(b) && slices.Equal(sortedKeys(a, key), sortedKeys(b, key))
}

// sortedKeys are the keys of a list in order of bytes.
func sortedKeys[T any](list []T, key func(T) string) []string {
	keys := make([]string, len(list))
	for i, x := range list {
		keys[i] = key(x)
	}
	slices.Sort(keys)
	return keys
}

// Keys quote every string, so that no two different values share one.

func (e Expression) key() string {
	return fmt.Sprintf("%q %q %q", e.Key, e.Operator, slices.Sorted(slices.Values(e.Values)))
}

func (t NodeTerm) key() string {
	return fmt.Sprintf("%q %q", sortedKeys(t.Labels, Expression.key), sortedKeys(t.Fields, Expression.key))
}

func (p Preference) key() string { return fmt.Sprintf("%d %s", p.Weight, p.Nodes.key()) }

func (t Toleration) key() string {
	if t.Exists { // the value is ignored
		return fmt.Sprintf("%q exists %q", t.Key, t.Effect)
	}
	return fmt.Sprintf("%q =%s %q %q", t.Key, t.Compare, t.Value, t.Effect)
}
