package manifest

import "github.com/muster-sched/muster/placement/manifest/internal/amounts"

// Quantity is a Kubernetes quantity, exact to its milli and to its whole units, both rounded up. The zero Quantity has no
// amount: [Quantity.Amount] fails.
type Quantity struct{ of amounts.Quantity }

// Amount is the quantity in the unit that a resource is counted in: milli-CPU for cpu, else bytes or pieces, rounded
// up as Kubernetes does. It fails if the amount does not fit into 63 bits.
func (q Quantity) Amount(resource string) (int64, error) { return q.of.Amount(resource) }

// ParseQuantity reads a Kubernetes quantity such as `4`, `1500m`, `0.5`, `1Gi` or `1e3`, without floating point.
// Negative ones are refused; one that is too large is refused here or, if only its milli units are, by
// [Quantity.Amount]. O(len(s)).
func ParseQuantity(s string) (Quantity, error) {
	q, err := amounts.Parse(s)
	return Quantity{q}, err
}
