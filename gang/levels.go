package gang

import (
	"errors"
	"fmt"
	"slices"

	"github.com/muster-sched/muster"
)

// Levels resolves the groups of a gang of total members, those that run included: Groups as they are, or the one level
// that PP and DP stand for, outermost first; none if the request has no groups. A single level may leave a remainder,
// the short last group. A group larger than the gang is one group of all members.
//
// It returns an [muster.InvalidError] if DP is not ceil(total/PP), several levels do not divide the total (not supported),
// the groups are invalid by themselves (see [Request.Validate]), or the request is nil. O(levels); the slice is the
// caller's, the rules in it belong to the request.
func (r *Request) Levels(total int) ([]Groups, error) {
	if r == nil {
		return nil, missing()
	}
	var d defects
	r.checkGroups(&d)
	if total < 1 {
		d.add("request.Members", total, "a gang has at least one member")
	}
	if err := errors.Join(d...); err != nil {
		return nil, err
	}
	switch {
	case r.PP > 0 && r.DP > 0 && r.DP != ceil(total, r.PP):
		return nil, invalid("request.DP", r.DP, fmt.Sprintf("%d members in pipelines of %d are %d groups", total, r.PP, ceil(total, r.PP)))
	case r.PP > 0:
		return []Groups{{Size: min(r.PP, total)}}, nil
	case r.DP > 0:
		return []Groups{{Size: ceil(total, r.DP)}}, nil
	case len(r.Groups) == 0:
		return nil, nil
	}
	levels, outer := slices.Clone(r.Groups), total
	for i := range levels {
		g := &levels[i]
		if g.Size = min(g.Size, outer); len(levels) > 1 && outer%g.Size != 0 { // equal sizes divide each other
			return nil, &muster.InvalidError{
				Field: fmt.Sprintf("request.Groups[%d].Size", i), Value: fmt.Sprint(g.Size), Unsupported: true,
				Reason: fmt.Sprintf("unequal nested groups, as in a gang of %d", total),
			}
		}
		outer = g.Size
	}
	return levels, nil
}

// ceil is a/b rounded up, for positive numbers, without overflow.
func ceil(a, b int) int { return (a-1)/b + 1 }

// invalid is an error about a number.
func invalid(field string, value int, reason string) error {
	return &muster.InvalidError{Field: field, Value: fmt.Sprint(value), Reason: reason}
}
