package render

import (
	"fmt"
	"maps"
	"slices"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/internal/phrases"
)

// membersOf counts members by their gangs, in natural order, and names those that are gangs by themselves: `ns/a`, `2 members of ns/b`, `3
// members: ns/a and 2 of ns/b`.
func membersOf(refs []cluster.MemberRef) string {
	counts, alone := map[string]int{}, map[string]bool{}
	for _, m := range refs {
		counts[m.Gang]++
		alone[m.Gang] = counts[m.Gang] == 1 && PodName(m) == m.Gang
	}
	var parts []string
	counted := false
	for _, name := range slices.SortedFunc(maps.Keys(counts), muster.CompareNatural) {
		part := name
		if !alone[name] {
			part, counted = fmt.Sprintf("%d of %s", counts[name], name), true
		}
		parts = append(parts, part)
	}
	all := phrases.Count(len(refs), "member")
	switch {
	case !counted && len(parts) <= phrases.MostNames:
		return phrases.List(parts)
	case len(parts) == 1:
		return all + " of " + refs[0].Gang
	}
	return all + ": " + phrases.Named(parts)
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
	return "in " + domainWords(layer, tier, domain)
}
