// Package selectors answers: which nodes, or pods, does a selector choose? It reads tolerations, node affinity and label selectors.
package selectors

import (
	"slices"

	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/labels"
	"github.com/muster-sched/muster/placement/manifest/internal/nodes"
	"github.com/muster-sched/muster/placement/manifest/internal/object"
)

// ReadToleration reads a toleration of a pod.
func ReadToleration(f object.Field) gang.Toleration {
	t := gang.Toleration{Key: f.Get("key").Text(), Value: f.Get("value").Text(), Effect: gang.Effect(f.Get("effect").Text())}
	nodes.CheckEffect(f.Get("effect"), t.Effect)
	switch operator := f.Get("operator"); operator.Text() {
	case "Exists":
		t.Exists = true
	case "Gt", "Lt":
		t.Compare = gang.Operator(operator.Text())
	case "Equal", "":
		if t.Key == "" && len(f.Of.Errors) == 0 {
			operator.Fail("must be Exists where the key is empty")
		}
	default:
		operator.Fail("must be Equal, Exists, Gt or Lt")
	}
	return t
}

// ReadNodeAffinity reads which nodes a pod needs, and which it prefers.
func ReadNodeAffinity(f object.Field, shape *gang.Shape) {
	required := f.Sub("requiredDuringSchedulingIgnoredDuringExecution")
	for t := range required.Get("nodeSelectorTerms").All() {
		shape.Affinity = append(shape.Affinity, readTerm(t.Mapping()))
	}
	if required.Present() && len(shape.Affinity) == 0 {
		required.Get("nodeSelectorTerms").Fail("no terms")
	}
	if labels.TooMany(shape.Affinity) {
		required.Get("nodeSelectorTerms").Fail(labels.WhyTooMany)
	}
	var preferred []gang.NodeTerm
	for p := range f.Get("preferredDuringSchedulingIgnoredDuringExecution").All() {
		p = p.Mapping()
		weight, _ := p.Get("weight").Number()
		preferred = append(preferred, readTerm(p.Sub("preference")))
		shape.Preferred = append(shape.Preferred, gang.Preference{Weight: weight, Nodes: preferred[len(preferred)-1]})
	}
	if labels.TooMany(preferred) {
		f.Get("preferredDuringSchedulingIgnoredDuringExecution").Fail(labels.WhyTooMany)
	}
}

func readTerm(f object.Field) gang.NodeTerm {
	return gang.NodeTerm{Labels: readExpressions(f.Get("matchExpressions")), Fields: readExpressions(f.Get("matchFields"))}
}

var operators = []gang.Operator{gang.In, gang.NotIn, gang.Exists, gang.DoesNotExist, gang.Gt, gang.Lt}

func readExpressions(f object.Field) []gang.Expression {
	var out []gang.Expression
	for e := range f.All() {
		e = e.Mapping()
		x := readExpression(e)
		if x.Operator != "" && !slices.Contains(operators, x.Operator) {
			e.Get("operator").Fail("unknown operator")
		}
		out = append(out, x)
	}
	return out
}
