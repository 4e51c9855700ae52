// Package terms answers: under which terms are the members of a gang let go, by an object's own words?
package terms

import (
	"math"
	"time"

	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/placement/manifest/internal/object"
)

// prefix is that of Koordinator's keys.
const prefix = "gang.scheduling.koordinator.sh/"

// Koordinator's words, see [gang.Terms].
var (
	modes         = map[string]gang.Mode{"Strict": gang.Strict, "NonStrict": gang.NonStrict}
	matchPolicies = map[string]gang.MatchPolicy{
		"once-satisfied": gang.OnceSatisfied, "only-waiting": gang.OnlyWaiting, "waiting-and-running": gang.WaitingAndRunning,
	}
)

// Mode says what becomes of the members that are placed where others are not, and where that stands.
func Mode(o *object.Object) (gang.Mode, object.Field) {
	f := o.Annotation(prefix + "mode")
	return object.Word(f, modes, "Strict or NonStrict"), f
}

// Match says whom the minimum counts, and where that stands.
func Match(o *object.Object) (gang.MatchPolicy, object.Field) {
	f := o.Annotation(prefix + "match-policy")
	if !f.Present() {
		f = o.Annotation("pod-group.scheduling.sigs.k8s.io/match-policy")
	}
	return object.Word(f, matchPolicies, "once-satisfied, only-waiting or waiting-and-running"), f
}

// Seconds reads a number of seconds, 0 if there is none.
func Seconds(f object.Field) (int64, object.Field) {
	n, ok := f.Number()
	if ok && n < 0 {
		f.Fail("must be at least 0")
		return 0, f
	}
	return n, f
}

// WaitTime is how many seconds members wait, 0 if it is not stated, and where that stands. The PodGroup's own time wins over that of its annotation.
func WaitTime(o *object.Object) (int64, object.Field) {
	if f := o.Root.Sub("spec").Get("scheduleTimeoutSeconds"); o.Kind == "PodGroup" {
		if n, f := Seconds(f); n > 0 {
			return n, f
		}
	}
	f := o.Annotation(prefix + "waiting-time")
	if f.Text() == "" {
		return 0, f
	}
	switch waits, err := time.ParseDuration(f.Text()); {
	case err != nil:
		f.Fail("must be a duration such as 90s")
	case waits < 0:
		f.Fail("must be at least 0")
	default:
		return int64(math.Ceil(waits.Seconds())), f
	}
	return 0, f
}
