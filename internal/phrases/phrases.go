// Package phrases answers: how do counts, lists, layers and amounts read in a sentence?
package phrases

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/muster-sched/muster"
)

// Count reads `1 node`, `2 nodes`.
func Count(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}

// MostNames is how many names a sentence has.
const MostNames = 4

// Named lists the first names: `a, b and 3 more`.
func Named(names []string) string {
	if n := len(names); n > MostNames {
		names = append(slices.Clone(names[:MostNames-1]), fmt.Sprintf("%d more", n-MostNames+1))
	}
	return List(names)
}

// List reads `a`, `a and b`, `a, b and c`.
func List(parts []string) string {
	if len(parts) < 2 {
		return strings.Join(parts, "")
	}
	last := len(parts) - 1
	return strings.Join(parts[:last], ", ") + " and " + parts[last]
}

// Layer is the name of a layer, of one without a name `domain of tier 2`.
func Layer(layer string) string {
	if bare := strings.TrimPrefix(layer, "tier "); IsNumber(bare) {
		return "domain of tier " + bare
	}
	return layer
}

// IsNumber says whether a text is digits alone, as the layer of a tier without a name.
func IsNumber(text string) bool { return text != "" && strings.Trim(text, "0123456789") == "" }

// Unlimited is the amount of what has no limit.
const Unlimited = math.MaxInt64

// Amount writes an amount as people do, and exactly: CPUs, binary multiples of bytes, counts.
func Amount(resource string, n int64) string {
	bytes := resource == "memory" || resource == "ephemeral-storage" || strings.HasPrefix(resource, "hugepages-")
	switch {
	case n == Unlimited:
		return "all"
	case resource == muster.CPU && n%1000 == 0:
		return fmt.Sprint(n / 1000)
	case resource == muster.CPU:
		return fmt.Sprintf("%dm", n)
	case bytes && n > 0:
		unit := 0
		units := []string{"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"}
		for n%1024 == 0 {
			n, unit = n/1024, unit+1
		}
		return fmt.Sprint(n) + units[unit]
	}
	return fmt.Sprint(n)
}

// AmountOf reads `160 CPU`, `1440Gi memory`, `8 nvidia.com/gpu`.
func AmountOf(resource string, n int64) string { return Amount(resource, n) + " " + Resource(resource) }

// Resource is what a resource is called behind an amount of it.
func Resource(resource string) string {
	if resource == muster.CPU {
		return "CPU"
	}
	return resource
}

// Amounts reads them in the order of resources: devices first.
func Amounts(r muster.Resources) (out []string) {
	for _, name := range slices.SortedFunc(slices.Values(r.Names()), muster.CompareResources) {
		out = append(out, AmountOf(name, r[name]))
	}
	return out
}
