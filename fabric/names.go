package fabric

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/muster-sched/muster/topology"
)

// uniqueNames are names of domains that no two have: their own where it is allowed as it is, or in small letters, else their paths with
// what is not allowed replaced.
func uniqueNames(t *topology.Tree, allowed func(r rune) bool, most int) []string {
	count, lower := map[string]int{}, map[string]int{}
	for d := range t.All() {
		count[t.Name(d)]++
		lower[strings.ToLower(t.Name(d))]++
	}
	spell := func(s string) string {
		return strings.Trim(strings.Map(func(r rune) rune {
			small := unicode.ToLower(r)
			switch {
			case allowed(r):
				return r
			case allowed(small):
				return small
			}
			return '-'
		}, s), "-.")
	}
	names, taken := make([]string, t.Len()), map[string]bool{}
	var others []topology.DomainID
	for d := range t.All() {
		name := t.Name(d)
		if d == topology.Root {
			continue
		}
		spelt := spell(name)
		whole := spelt == name && count[name] == 1 || spelt == strings.ToLower(name) && lower[spelt] == 1
		if whole && name != "" && len(name) <= most {
			names[d], taken[spelt] = spelt, true
		} else {
			others = append(others, d)
		}
	}
	slices.Sort(others)
	for _, d := range others {
		base := spell(strings.Join(t.Path(d), "."))
		if len(base) > most-8 {
			base = base[:most-8]
		}
		name := cmp.Or(base, "domain")
		for n := 2; taken[name]; n++ {
			name = fmt.Sprintf("%s-%d", cmp.Or(base, "domain"), n)
		}
		names[d], taken[name] = name, true
	}
	return names
}

func isDNS(r rune) bool { return r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-' || r == '.' }

func isWord(r rune) bool {
	return isDNS(r) || r >= 'A' && r <= 'Z' || r == '_'
}
