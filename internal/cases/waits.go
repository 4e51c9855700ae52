package cases

import (
	"errors"
	"slices"
	"strings"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/placement/manifest"
)

// missingPackage names what the kinds of cases belong to that are not plans of files.
func missingPackage(c *Case) string {
	switch {
	case c.Raw["config"] != nil || c.Raw["ports"] != nil:
		return "discovery"
	case c.Objects == nil && !slices.Contains(slices.Concat(zoneKinds, quotaKinds, gangKinds), c.Kind):
		return "cases of kind " + c.Kind
	}
	return ""
}

// waitsFor says what a case needs that is not there yet, by what its gangs ask for, never by its name. Empty: the case should hold.
func waitsFor(got answer) string {
	if slices.ContainsFunc(laterFeatures, func(f string) bool { return strings.Contains(got.unsupported, f) }) {
		return got.unsupported
	}
	return ""
}

// laterFeatures are words for what gangs may ask for and wait for. A case that is refused because of anything else
// fails.
var laterFeatures = []string{"roles", "groups that differ"}

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
