package cases

import (
	"errors"
	"slices"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/placement/manifest"
)

// missingPackage names what the kinds of cases belong to that are not plans of files.
func missingPackage(c *Case) string {
	if c.Objects == nil && !isDiscovery(c) && !slices.Contains(slices.Concat(zoneKinds, quotaKinds, gangKinds), c.Kind) {
		return "cases of kind " + c.Kind
	}
	return ""
}

// missingFeature says what a gang asks for that is not supported, without the names of objects. Empty: the error is
// about something else.
func missingFeature(err error) string {
	var unread *manifest.Error
	var invalid *muster.InvalidError
	switch {
	case !errors.Is(err, muster.ErrNotSupported):
		return ""
	case errors.As(err, &unread):
		return unread.Reason
	case errors.As(err, &invalid):
		return invalid.Reason
	}
	return err.Error()
}
