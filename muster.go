// Package muster answers: what do all packages of the module mean by an amount of resources, by the order of names, and by
// input that cannot be used? These are [Resources], [CompareNatural] and [InvalidError].
//
// The module answers: given this cluster and this gang, which node does each member go to, how tight is the network domain
// they share, and who must leave? Package placement makes that answer.
//
// Amounts are integers and not negative ([Resources.Validate]); a missing name is an amount of 0. The order of names is
// total: only equal names compare as 0. Everything here is plain data without locks: any number of goroutines may read a
// value, as long as none changes it.
package muster

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/muster-sched/muster/internal/printed"
)

// Names of resources with a unit of their own. Every other resource is counted in whole pieces (devices).
const (
	// CPU is counted in milli-CPU.
	CPU = "cpu"
	// Memory is counted in bytes.
	Memory = "memory"
	// Pods is counted in pods. A node that does not name it takes any number of them; every other resource that a
	// node does not name is absent, that is 0.
	Pods = "pods"
)

// Resources is an amount for each named resource: milli-CPU, bytes, counts. A missing name is 0.
type Resources map[string]int64

// Names lists the resources in natural order. O(k log k).
func (r Resources) Names() []string {
	return slices.SortedFunc(maps.Keys(r), CompareNatural)
}

// CompareResources orders names of resources by how dear they are: devices first, in natural order, then cpu, memory, and the
// others that every machine has ([IsDevice]), in natural order. O(len(a)+len(b)).
func CompareResources(a, b string) int {
	return cmp.Or(cmp.Compare(dearness(a), dearness(b)), CompareNatural(a, b))
}

// IsDevice says whether a resource is what only some machines have, such as GPUs. Cpu, memory, pods, ephemeral-storage, hugepages,
// attachable volumes, and what Kubernetes and its colocation name in `kubernetes.io/` (batch-cpu) are no devices. O(len(resource)).
func IsDevice(resource string) bool { return dearness(resource) == 0 }

func dearness(resource string) int {
	switch {
	case resource == CPU:
		return 1
	case resource == Memory:
		return 2
	case resource == Pods, resource == "storage", resource == "ephemeral-storage":
		return 3
	case strings.HasPrefix(resource, "hugepages-"), strings.HasPrefix(resource, "attachable-volumes-"), strings.HasPrefix(resource, "kubernetes.io/"):
		return 3
	}
	return 0
}

// Add adds amounts to r, which is not nil where there is something to add. A sum that would overflow stops at the largest
// amount; negative amounts, which are not valid, add nothing. O(k).
func (r Resources) Add(more Resources) {
	for name, amount := range more {
		amount = max(amount, 0)
		r[name] = min(r[name], math.MaxInt64-amount) + amount
	}
}

// Validate refuses negative amounts and empty names; field is the path that the error names. O(k), O(k log k) for an error.
func (r Resources) Validate(field string) error {
	if !r.bad() {
		return nil
	}
	for _, name := range r.Names() {
		if name == "" {
			return &InvalidError{Field: field, Reason: "a resource has no name"}
		}
		if r[name] < 0 {
			return &InvalidError{Field: field + "." + name, Value: fmt.Sprint(r[name]), Reason: "negative amount"}
		}
	}
	return nil
}

// bad says whether anything is wrong, in no order.
func (r Resources) bad() bool {
	for name, amount := range r {
		if name == "" || amount < 0 {
			return true
		}
	}
	return false
}

// ErrNotSupported is matched (errors.Is) by errors about input that is in order but asks for what Muster cannot do yet.
var ErrNotSupported = errors.New("not supported")

// InvalidError says which field of the input cannot be used, and why. Builders and planners return it, alone or
// joined with others (errors.Join), and never panic instead.
type InvalidError struct {
	// Field is the path of the field, such as `request.Groups[0].Size`.
	Field string
	// Value is what stood there, as text; empty if the field is missing.
	Value string
	// Reason says what is wrong with it, or what is not supported.
	Reason string
	// Unsupported is true where nothing is wrong: the error matches [ErrNotSupported].
	Unsupported bool
}

// Invalid is an [InvalidError] about a value, which stands there as fmt prints it.
func Invalid(field string, value any, reason string) error {
	return &InvalidError{Field: field, Value: fmt.Sprint(value), Reason: reason}
}

// Unsupported is an [InvalidError] about input that is in order but asks for what Muster cannot do yet.
func Unsupported(field, value, feature string) error {
	return &InvalidError{Field: field, Value: value, Reason: feature, Unsupported: true}
}

// Error reads `field "value": reason`, or `field "value": not supported: reason`; a nil error is the empty text.
// O(length of the text).
func (e *InvalidError) Error() string {
	if e == nil {
		return ""
	}
	text := e.Field
	if e.Value != "" {
		text += fmt.Sprintf(" %q", e.Value)
	}
	if e.Unsupported {
		text += ": " + ErrNotSupported.Error()
	}
	return printed.Text(text + ": " + e.Reason)
}

// Is matches [ErrNotSupported] where the input is in order. O(1).
func (e *InvalidError) Is(target error) bool {
	return e != nil && e.Unsupported && target == ErrNotSupported
}
