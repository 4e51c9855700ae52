// Which gangs in parts are gangs in equal groups? Then package gather says where they go.

package problem

import (
	"cmp"
	"slices"

	"github.com/muster-sched/muster/internal/model"
)

// inGroups is the problem of all members of a gang in equal groups, where these are what its parts are. Its plans are told of the parts. Nil: its
// parts are no equal groups, or something else is asked that slots of groups do not tell. O(members + parts).
//
// order: parts.12
func inGroups(p *Problem) *Problem {
	m := &p.Model
	if len(p.Request.Parts) == 0 || p.Team != nil || p.Parts.State != nil || m.RoleOf != nil || m.Running.Len() > 0 || m.Multiple != nil || m.Limits != nil ||
		len(m.Gang.Ranks)+len(m.Gang.Limits)+len(m.Multiples) > 0 {
		return nil
	}
	levels := equalLevels(m.Gang.Parts, len(m.Pending))
	if levels == nil {
		return nil
	}
	least := max(1, m.Gang.Least, m.Gang.LeastParts*int(levels[0].Size))
	if least > len(m.Pending) { // more must run than are known
		return nil
	}
	told := p.withGang(m.Gang)
	told.Model.Doubt = nil // to search by groups leaves nothing out
	next := inLevels(p, m.Gather, levels, told)
	next.Model.Least = least
	return next
}

// equalLevels are the levels of equal groups that some parts beside each other are, of so many members together; nil: they are none.
func equalLevels(parts []*model.Part, members int) (levels []model.Level) {
	for len(parts) > 0 {
		size := members / len(parts)
		if members%len(parts) != 0 || size == 0 || len(levels) > 0 && int64(size) == levels[len(levels)-1].Size || !isLevel(parts, size) {
			return nil
		}
		levels = append(levels, model.Level{Size: int64(size), Gather: parts[0].Gather})
		var inner []*model.Part
		for _, a := range parts {
			if len(a.Parts) == 0 != (len(parts[0].Parts) == 0) || len(a.Parts) > 0 && len(a.Ranks) > 0 {
				return nil
			}
			inner = append(inner, a.Parts...)
		}
		parts = inner
	}
	return levels
}

// isLevel says whether parts are a level of groups of this size: of consecutive members, under the same rules, each placed whole or not at all.
func isLevel(parts []*model.Part, size int) bool {
	type run struct{ first, last int }
	runs := make([]run, len(parts))
	for i, a := range parts {
		whole := (a.Least == 0 || a.Least == size) && a.LeastParts == len(a.Parts)
		if !a.InTree() || !whole || len(a.Limits)+len(a.Multiples) > 0 || !sameRules(&a.Gather, &parts[0].Gather) {
			return false
		}
		ranks := a.All()
		if len(ranks) != size {
			return false
		}
		runs[i] = run{slices.Min(ranks), slices.Max(ranks)}
	}
	slices.SortFunc(runs, func(a, b run) int { return cmp.Compare(a.first, b.first) })
	for i, r := range runs {
		if r.first != i*size || r.last != (i+1)*size-1 {
			return false
		}
	}
	return true
}

// sameRules says whether two groups may lie in the same domains, and prefer the same ones.
func sameRules(a, b *model.Gather) bool {
	return a.Must == b.Must && a.Hard == b.Hard && a.Finest == b.Finest && slices.Equal(a.Worths, b.Worths)
}
