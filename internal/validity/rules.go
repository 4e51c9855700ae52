package validity

import (
	"slices"
	"strconv"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
)

// Refusal names the first rule that keeps members of this shape off the node whatever is free there: `cordoned`,
// `not-ready`, `taint`, `selector`, `eligible`; a node that is excluded, or not inside the domain asked for, counts as not eligible. Empty:
// none does.
func Refusal(spec *cluster.Spec, req *gang.Request, shape *gang.Shape, node *cluster.Node) string {
	switch {
	case node.Cordoned:
		return "cordoned"
	case node.NotReady:
		return "not-ready"
	case !tolerated(node.Taints, shape.Tolerations):
		return "taint"
	case !selected(shape, node):
		return "selector"
	case slices.Contains(req.Exclude, node.Name) || !IsInside(spec, req, node.Name) || req.Eligible != nil && !req.Eligible(node.Name):
		return "eligible"
	}
	return ""
}

// IsInside says whether a node lies in the domain in which new members must be, or is the node that is named in place of one.
func IsInside(spec *cluster.Spec, req *gang.Request, node string) bool {
	if len(req.Inside) == 0 {
		return true
	}
	named, ok := PickTree(spec, req)
	if !ok || named.Tree == nil {
		return false
	}
	id, ok := named.Tree.Node(node)
	if !ok {
		return false
	}
	path := append(named.Tree.Path(named.Tree.Leaf(id)), node)
	return len(path) >= len(req.Inside) && slices.Equal(path[:len(req.Inside)], req.Inside)
}

// ShapeOf is the member's own shape or the request's.
func ShapeOf(req *gang.Request, m *gang.Member) *gang.Shape {
	if m.Shape != nil {
		return m.Shape
	}
	return &req.Shape
}

// MeantForOthers says whether a node is meant for others than members of shapes that come to a node together: it has devices for
// which none of them asks, a soft taint that one does not tolerate, or fails a preference of the highest weight of one.
func MeantForOthers(shapes []*gang.Shape, node *cluster.Node) bool {
	for name, amount := range node.Allocatable {
		asked := int64(0)
		for _, shape := range shapes {
			asked += shape.Resources[name]
		}
		if amount > 0 && asked == 0 && muster.IsDevice(name) {
			return true
		}
	}
	return slices.ContainsFunc(shapes, func(shape *gang.Shape) bool { return repels(shape, node) })
}

// repels says whether a node has a soft taint that a shape does not tolerate, or fails its weightiest preferences.
func repels(shape *gang.Shape, node *cluster.Node) bool {
	for _, taint := range node.Taints {
		by := func(t gang.Toleration) bool { return tolerates(t, taint) }
		if taint.Effect == gang.PreferNoSchedule && !slices.ContainsFunc(shape.Tolerations, by) {
			return true
		}
	}
	highest := int64(1)
	for _, p := range shape.Preferred {
		highest = max(highest, p.Weight)
	}
	return slices.ContainsFunc(shape.Preferred, func(p gang.Preference) bool { return p.Weight == highest && !matches(p.Nodes, node) })
}

// HostScore is the node's score for one member of the shape: the host's and the weights of preferences it matches.
func HostScore(req *gang.Request, shape *gang.Shape, node *cluster.Node) int64 {
	var score int64
	if req.Score != nil {
		score = req.Score(node.Name)
	}
	for _, p := range shape.Preferred {
		if matches(p.Nodes, node) {
			score += p.Weight
		}
	}
	return score
}

// Free is what the node has left of one resource with the given members on it, negative if over-committed. The second
// result is false for `pods` on a node that does not name it: there is no bound.
func Free(node *cluster.Node, resource string, on []cluster.Running) (int64, bool) {
	free, named := node.Allocatable[resource]
	if !named && resource == muster.Pods {
		return 0, false
	}
	for i := range on {
		free -= on[i].Resources[resource]
	}
	return free, true
}

func tolerated(taints []gang.Taint, tolerations []gang.Toleration) bool {
	for _, taint := range taints {
		if taint.Effect == gang.PreferNoSchedule {
			continue
		}
		if !slices.ContainsFunc(tolerations, func(t gang.Toleration) bool { return tolerates(t, taint) }) {
			return false
		}
	}
	return true
}

func tolerates(t gang.Toleration, taint gang.Taint) bool {
	if t.Effect != "" && t.Effect != taint.Effect {
		return false
	}
	if t.Key == "" {
		return t.Exists
	}
	if t.Key != taint.Key || t.Exists || t.Compare == "" {
		return t.Key == taint.Key && (t.Exists || t.Value == taint.Value)
	}
	has, err := strconv.ParseInt(taint.Value, 10, 64)
	bound, err2 := strconv.ParseInt(t.Value, 10, 64)
	return err == nil && err2 == nil && (t.Compare == gang.Gt && has > bound || t.Compare == gang.Lt && has < bound)
}

func selected(shape *gang.Shape, node *cluster.Node) bool {
	for key, want := range shape.Selector {
		if have, ok := node.Labels[key]; !ok || have != want {
			return false
		}
	}
	return len(shape.Affinity) == 0 ||
		slices.ContainsFunc(shape.Affinity, func(t gang.NodeTerm) bool { return matches(t, node) })
}

// matches holds if the node fulfils every expression; an empty term matches nothing.
func matches(term gang.NodeTerm, node *cluster.Node) bool {
	if len(term.Labels) == 0 && len(term.Fields) == 0 {
		return false
	}
	for _, e := range term.Labels {
		value, ok := node.Labels[e.Key]
		if !fulfils(e, value, ok) {
			return false
		}
	}
	for _, e := range term.Fields {
		if e.Key != "metadata.name" || !fulfils(e, node.Name, true) {
			return false
		}
	}
	return true
}

func fulfils(e gang.Expression, value string, present bool) bool {
	switch e.Operator {
	case gang.In:
		return present && slices.Contains(e.Values, value)
	case gang.NotIn:
		return !present || !slices.Contains(e.Values, value)
	case gang.Exists:
		return present
	case gang.DoesNotExist:
		return !present
	case gang.Gt, gang.Lt:
		return present && len(e.Values) == 1 && beyond(e.Operator, value, e.Values[0])
	}
	return false
}

// beyond compares two integers in text; anything else compares as false.
func beyond(op gang.Operator, value, bound string) bool {
	v, err1 := strconv.ParseInt(value, 10, 64)
	b, err2 := strconv.ParseInt(bound, 10, 64)
	if err1 != nil || err2 != nil {
		return false
	}
	return op == gang.Gt && v > b || op == gang.Lt && v < b
}
