package topology

import (
	"errors"

	"github.com/muster-sched/muster"
)

// defects collects everything that is wrong with an input, so that a user sees it at once.
type defects []error

func (d *defects) add(field, value, reason string) {
	*d = append(*d, &muster.InvalidError{Field: field, Value: value, Reason: reason})
}

func (d defects) err() error { return errors.Join(d...) }
