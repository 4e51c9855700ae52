package manifest

import "github.com/muster-sched/muster/gang"

// labelSelector chooses objects that carry all labels and fulfil all expressions. One that says nothing chooses everything.
type labelSelector struct{ shape gang.Shape }

// readLabelSelector reads a selector of Kubernetes; its operators are In, NotIn, Exists and DoesNotExist.
func readLabelSelector(f field) labelSelector {
	s := labelSelector{gang.Shape{Selector: f.get("matchLabels").textMap()}}
	var term gang.NodeTerm
	for e := range f.get("matchExpressions").all() {
		e = e.object()
		x := readExpression(e)
		switch values := e.get("values"); x.Operator {
		case gang.In, gang.NotIn:
			if len(x.Values) == 0 {
				values.fail("missing: " + string(x.Operator) + " needs a value")
			}
		case gang.Exists, gang.DoesNotExist:
			if len(x.Values) > 0 {
				values.fail(string(x.Operator) + " takes no value")
			}
		case "":
		default:
			e.get("operator").fail("unknown operator")
		}
		term.Labels = append(term.Labels, x)
	}
	if len(term.Labels) > 0 {
		s.shape.Affinity = []gang.NodeTerm{term}
	}
	return s
}

// readExpression reads an expression without judging it.
func readExpression(e field) gang.Expression {
	return gang.Expression{
		Key: e.get("key").required(), Operator: gang.Operator(e.get("operator").required()), Values: e.get("values").texts(),
	}
}

func (s *labelSelector) matches(labels map[string]string) bool { return s.shape.Selects("", labels) }
