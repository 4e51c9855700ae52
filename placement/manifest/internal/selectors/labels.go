package selectors

import (
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/labels"
	"github.com/muster-sched/muster/placement/manifest/internal/object"
)

// Labels is a selector of labels, prepared for many objects.
type Labels = labels.Term

// ReadLabels reads a selector of Kubernetes; its operators are In, NotIn, Exists and DoesNotExist.
// It chooses objects that carry all labels and fulfil all expressions; one that says nothing chooses everything.
func ReadLabels(f object.Field) *Labels {
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
	return labels.Selector(f.Get("matchLabels").TextMap(), term)
}

// readExpression reads an expression without judging it.
func readExpression(e object.Field) gang.Expression {
	return gang.Expression{
		Key: e.Get("key").Required(), Operator: gang.Operator(e.Get("operator").Required()), Values: e.Get("values").Texts(),
	}
}
