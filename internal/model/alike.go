// Which parts of a gang can change places? Those with equal rules, equal requests and equal parts in them.

package model

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/muster-sched/muster/internal/front"
)

// Signatures has, by part, a text that is equal for parts that can change places, whatever names and ranks they have. Parts
// without new members have the empty one. Running members make it unique by their first rank. A gang without parts has
// nothing to be compared, and none. places are those of Places. Parts may be told apart also by the limits that count them as groups, and by the order of roles by
// rank where they may be placed partly. O(parts * members).
func (m *Model) Signatures(places []int32, limits, order bool) map[*Part]string {
	if len(m.Gang.Parts) == 0 {
		return nil
	}
	s := signer{m: m, places: places, order: order, of: map[*Part]string{}, text: make([]byte, 0, 256)}
	if limits {
		s.findLimits()
	}
	if m.Running.Len() > 0 {
		s.positions = m.PositionsByRank()
	}
	if s.roles = 1; len(m.RoleOf) > 0 {
		s.roles += slices.Max(m.RoleOf)
	}
	s.sign(m.Gang)
	return s.of
}

// signer writes signatures.
type signer struct {
	m         *Model
	roles     int32
	places    []int32 // by rank: index in pending; -1: it runs
	positions []int32 // by rank: position while it runs; nil: nobody runs
	limitedBy map[*Part][]int
	order     bool
	of        map[*Part]string
	text      []byte // memory of the last one
}

// findLimits finds which limits count which parts as groups, by their place among all limits.
func (s *signer) findLimits() {
	n := 0
	s.m.Gang.Each(func(a *Part) {
		for _, l := range a.Limits {
			if n++; l.Depth == 0 {
				continue // roles tell its members apart
			}
			if s.limitedBy == nil {
				s.limitedBy = map[*Part][]int{}
			}
			for _, b := range a.Counted(l) {
				s.limitedBy[b] = append(s.limitedBy[b], n)
			}
		}
	})
}

// sign writes the signatures of a part and of all in it.
func (s *signer) sign(a *Part) string {
	own := make(front.Vector, s.roles)
	inner := make([]string, 0, len(a.Parts))
	for _, rank := range a.Ranks {
		if i := s.places[rank]; i >= 0 {
			own[s.m.Role(int(i))]++
		}
	}
	for _, o := range a.Parts {
		inner = append(inner, s.sign(o))
	}
	slices.Sort(inner)
	all := strings.Join(inner, "")
	if own.Total() == 0 && all == "" {
		s.of[a] = ""
		return ""
	}
	text := numbers(append(s.text[:0], '('), bit(a.Gather.Hard), bit(a.Bundle), a.Level, int(a.Gather.Must), a.Least, a.LeastParts)
	text = numbers(numbers(numbers(text, a.Gather.Worths...), own...), s.limitedBy[a]...)
	if len(a.Multiples) > 0 {
		text = fmt.Append(text, " of ", a.Multiples)
	}
	if s.order && a.Least > 0 {
		text = append(text, " as "...)
		for _, rank := range a.Ranks {
			if i := s.places[rank]; i >= 0 {
				text = numbers(text, s.m.Role(int(i)))
			}
		}
	}
	if a.OtherTree != nil {
		text = strconv.AppendQuote(append(text, " in "...), a.OtherTree.Name)
	}
	if s.positions != nil && s.m.View.LowestOf(a.All(), s.positions) >= 0 {
		text = numbers(append(text, " beside running members "...), a.First())
	}
	s.text = append(append(text, all...), ')')
	s.of[a] = string(s.text)
	return s.of[a]
}

// numbers adds a list of numbers to a text.
func numbers[T int | int32](text []byte, list ...T) []byte {
	for _, n := range list {
		text = append(strconv.AppendInt(text, int64(n), 10), ' ')
	}
	return append(text, ';')
}

// bit is 1 for true.
func bit(is bool) int {
	if is {
		return 1
	}
	return 0
}
