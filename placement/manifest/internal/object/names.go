package object

import (
	"maps"
	"slices"
)

// Names are what a reading asks for by name, and what it has: objects as `Kind/namespace/name`, gangs as `namespace/name`. Two
// readings of which neither has what the other asks for, or has too, find the same apart and together. Nil keeps nothing.
type Names struct{ asked, had map[string]bool }

// NewNames keeps names.
func NewNames() *Names { return &Names{asked: map[string]bool{}, had: map[string]bool{}} }

// Ask notes that somebody asks for a name.
func (n *Names) Ask(name string) {
	if n != nil {
		n.asked[name] = true
	}
}

// Have notes that there is something of a name.
func (n *Names) Have(name string) {
	if n != nil {
		n.had[name] = true
	}
}

// Asked are the names that are asked for and not had, in order.
func (n *Names) Asked() []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(n.asked)), func(name string) bool { return n.had[name] })
}

// Had are the names that are had, in order.
func (n *Names) Had() []string { return slices.Sorted(maps.Keys(n.had)) }

// NodeName is the name of a node among other names.
func NodeName(name string) string { return "Node//" + name }

// ResourceName is the name of a resource, which some node may report, among other names.
func ResourceName(name string) string { return "Resource//" + name }

// ClassName is the name of a PriorityClass, empty: of the default, among other names.
func ClassName(name string) string { return "PriorityClass//" + name }

// WorkloadClassName is the name of a WorkloadPriorityClass among other names.
func WorkloadClassName(name string) string { return "WorkloadPriorityClass//" + name }

// LayerHint is the name of what tells gangs without a topology which labels look like layers, among other names.
const LayerHint = "LayerHint//"

// HostName is the label of a node with its host among other names.
func HostName(name string) string { return "Host//" + name }
