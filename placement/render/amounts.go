package render

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/muster-sched/muster"
)

// unlimited is the amount of what has no limit.
const unlimited = math.MaxInt64

// amountText writes an amount as people do, and exactly: CPUs, binary multiples of bytes, counts.
func amountText(resource string, n int64) string {
	bytes := resource == "memory" || resource == "ephemeral-storage" || strings.HasPrefix(resource, "hugepages-")
	switch {
	case n == unlimited:
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

// amountOf reads `160 CPU`, `1440Gi memory`, `8 nvidia.com/gpu`.
func amountOf(resource string, n int64) string {
	return amountText(resource, n) + " " + resourceWord(resource)
}

// resourceWord is what a resource is called behind an amount of it.
func resourceWord(resource string) string {
	if resource == muster.CPU {
		return "CPU"
	}
	return resource
}

// amountsOf reads them in the order of resources: devices first.
func amountsOf(r muster.Resources) (out []string) {
	for _, name := range slices.SortedFunc(slices.Values(r.Names()), muster.CompareResources) {
		out = append(out, amountOf(name, r[name]))
	}
	return out
}

// amountJSON is an amount, null where there is no limit.
func amountJSON(n int64) any {
	if n == unlimited {
		return nil
	}
	return n
}

// amountsObject has resources in natural order.
func amountsObject(r muster.Resources) object {
	out := object{}
	for _, name := range r.Names() {
		out = append(out, field{name, amountJSON(r[name])})
	}
	return out
}
