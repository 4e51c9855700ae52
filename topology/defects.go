package topology

import (
	"cmp"
	"errors"
	"slices"

	"github.com/muster-sched/muster"
)

// defects collects everything that is wrong with an input, so that a user sees it at once.
type defects []*muster.InvalidError

func (d *defects) add(field, value, reason string) {
	*d = append(*d, &muster.InvalidError{Field: field, Value: value, Reason: reason})
}

// err joins the defects in natural order of fields, each once: the order of the input must not show. Nil if there are
// none.
func (d defects) err() error {
	slices.SortFunc(d, func(a, b *muster.InvalidError) int {
		return cmp.Or(muster.CompareNatural(a.Field, b.Field), muster.CompareNatural(a.Value, b.Value),
			muster.CompareNatural(a.Reason, b.Reason))
	})
	d = slices.CompactFunc(d, func(a, b *muster.InvalidError) bool { return *a == *b })
	joined := make([]error, len(d))
	for i, e := range d {
		joined[i] = e
	}
	return errors.Join(joined...)
}
