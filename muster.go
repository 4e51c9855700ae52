// Package muster holds the words that every other package of the module shares: amounts of resources, the natural
// order of names, and the error for input that cannot be used.
//
// Muster answers one question: given this cluster and this gang, which node does each member go to, how tight is the
// network domain they share, and who must leave? The answer is made by package placement.
package muster

import (
	"fmt"
	"maps"
	"slices"
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

// Validate refuses negative amounts and empty names; field is the path that the error names. O(k log k).
func (r Resources) Validate(field string) error {
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

// InvalidError says which field of the input cannot be used, and why. Builders and planners return it, alone or
// joined with others (errors.Join), and never panic instead.
type InvalidError struct {
	// Field is the path of the field, such as `request.Groups[0].Size`.
	Field string
	// Value is what stood there, as text; empty if the field is missing.
	Value string
	// Reason says what is wrong with it.
	Reason string
}

// Error reads `field "value": reason`.
func (e *InvalidError) Error() string {
	if e.Value == "" {
		return e.Field + ": " + e.Reason
	}
	return fmt.Sprintf("%s %q: %s", e.Field, e.Value, e.Reason)
}
