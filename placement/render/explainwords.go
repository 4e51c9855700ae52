package render

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/muster-sched/muster"
)

// mostNames is how many names a sentence has.
const mostNames = 4

// named lists the first names: `a, b and 3 more`.
func named(names []string) string {
	if n := len(names); n > mostNames {
		names = append(slices.Clone(names[:mostNames-1]), fmt.Sprintf("%d more", n-mostNames+1))
	}
	return list(names)
}

// list reads `a`, `a and b`, `a, b and c`.
func list(parts []string) string {
	if len(parts) < 2 {
		return strings.Join(parts, "")
	}
	last := len(parts) - 1
	return strings.Join(parts[:last], ", ") + " and " + parts[last]
}

// membersOf counts members by their gangs, in natural order: `2 members of ns/a`, `3 members: 2 of ns/a and 1 of ns/b`.
func membersOf(gangs []string) string {
	counts := map[string]int{}
	for _, name := range gangs {
		counts[name]++
	}
	var parts []string
	for _, name := range slices.SortedFunc(maps.Keys(counts), muster.CompareNatural) {
		parts = append(parts, fmt.Sprintf("%d of %s", counts[name], name))
	}
	text := count(len(gangs), "member")
	if len(parts) == 1 {
		return text + " of " + gangs[0]
	}
	return text + ": " + named(parts)
}

// is, was and has put the verb behind a subject that counts n.
func is(subject string, n int) string {
	return subject + map[bool]string{true: " is", false: " are"}[n == 1]
}

func was(subject string, n int) string {
	return subject + map[bool]string{true: " was", false: " were"}[n == 1]
}

func has(subject string, n int) string {
	return subject + map[bool]string{true: " has", false: " have"}[n == 1]
}

// numberOr is a number behind a word, for 0 another word.
func numberOr(n int, none, before string) string {
	if n == 0 {
		return none
	}
	return fmt.Sprint(before, n)
}

// count64 is count for slots.
func count64(n int64, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}

// inPlace reads `in leaf s0/l1`, of the root `somewhere in the cluster`.
func inPlace(layer string, tier int, domain []string) string {
	if len(domain) == 0 {
		return "somewhere in the cluster"
	}
	return fmt.Sprintf("in %s %s", layerOrTier(layer, tier), strings.Join(domain, "/"))
}
