package selectors

import (
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/placement/manifest/internal/object"
)

// Labels chooses objects that carry all labels and fulfil all expressions. One that says nothing chooses everything.
type Labels struct{ shape gang.Shape }

// ReadLabels reads a selector of Kubernetes; its operators are In, NotIn, Exists and DoesNotExist.
func ReadLabels(f object.Field) Labels {
	s := Labels{gang.Shape{Selector: f.Get("matchLabels").TextMap()}}
	var term gang.NodeTerm
	for e := range f.Get("matchExpressions").All() {
		e = e.Mapping()
		x := readExpression(e)
		switch values := e.Get("values"); x.Operator {
		case gang.In, gang.NotIn:
			if len(x.Values) == 0 {
				values.Fail("missing: " + string(x.Operator) + " needs a value")
			}
		case gang.Exists, gang.DoesNotExist:
			if len(x.Values) > 0 {
				values.Fail(string(x.Operator) + " takes no value")
			}
		case "":
		default:
			e.Get("operator").Fail("unknown operator")
		}
		term.Labels = append(term.Labels, x)
	}
	if len(term.Labels) > 0 {
		s.shape.Affinity = []gang.NodeTerm{term}
	}
	return s
}

// readExpression reads an expression without judging it.
func readExpression(e object.Field) gang.Expression {
	return gang.Expression{
		Key: e.Get("key").Required(), Operator: gang.Operator(e.Get("operator").Required()), Values: e.Get("values").Texts(),
	}
}

// Equal are the labels, with their values, that each has who is chosen. The map is the selector's.
func (s *Labels) Equal() map[string]string { return s.shape.Selector }

// Matches says whether an object with these labels is chosen.
func (s *Labels) Matches(labels map[string]string) bool { return s.shape.Selects("", labels) }
