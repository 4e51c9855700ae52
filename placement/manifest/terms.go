package manifest

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/placement/manifest/internal/member"
	"github.com/muster-sched/muster/placement/manifest/internal/object"
)

// Koordinator's words for the terms of a gang, see [gang.Terms].
var (
	modes         = map[string]gang.Mode{"Strict": gang.Strict, "NonStrict": gang.NonStrict}
	matchPolicies = map[string]gang.MatchPolicy{
		"once-satisfied": gang.OnceSatisfied, "only-waiting": gang.OnlyWaiting, "waiting-and-running": gang.WaitingAndRunning,
	}
)

// readTerms reads under which terms the members of a gang are let go: from the annotations of its PodGroup, else from
// those of its pods, which must agree. The PodGroup's own time wins over that of its annotation.
func (d *draft) readTerms() {
	var sources []*object.Object
	if d.isGroup() {
		sources = []*object.Object{d.obj}
	} else if d.obj == nil && !d.plain {
		sources = member.PodsOf(d.pods)
	}
	t := &d.terms
	t.WaitTime = cmp.Or(object.AgreedOn(sources, waitTime), t.WaitTime)
	t.Mode = object.AgreedOn(sources, func(o *object.Object) (gang.Mode, object.Field) {
		f := o.Annotation(koordinatorPrefix + "mode")
		return object.Word(f, modes, "Strict or NonStrict"), f
	})
	t.Match = object.AgreedOn(sources, matchPolicy)
	if d.isGroup() {
		d.total = object.Agreed(sources, d.total, koordinatorPrefix+"total-number")
	}
	t.Group = slices.SortedFunc(slices.Values(d.tie.names), muster.CompareNatural)
	if d.total > 0 && d.total < d.min && len(sources) > 0 {
		at := sources[0].Annotation(koordinatorPrefix + "total-number")
		at.Fail("below the minimum of the gang")
	}
}

// matchPolicy is what an object says of whom the minimum counts.
func matchPolicy(o *object.Object) (gang.MatchPolicy, object.Field) {
	f := o.Annotation(koordinatorPrefix + "match-policy")
	if !f.Present() {
		f = o.Annotation("pod-group.scheduling.sigs.k8s.io/match-policy")
	}
	return object.Word(f, matchPolicies, "once-satisfied, only-waiting or waiting-and-running"), f
}

// statesTerms says whether the files state one of the terms.
func (d *draft) statesTerms() bool {
	return d.total > 0 || d.terms.WaitTime > 0 || d.terms.Mode != "" || d.terms.Match != "" || len(d.terms.Group) > 0
}

// seconds reads a number of seconds, 0 if there is none.
func seconds(f object.Field) (int64, object.Field) {
	n, ok := f.Number()
	if ok && n < 0 {
		f.Fail("must be at least 0")
		return 0, f
	}
	return n, f
}

// waitTime is how many seconds members wait, 0 if it is not stated.
func waitTime(o *object.Object) (int64, object.Field) {
	if f := o.Root.Sub("spec").Get("scheduleTimeoutSeconds"); o.Kind == "PodGroup" {
		if n, f := seconds(f); n > 0 {
			return n, f
		}
	}
	f := o.Annotation(koordinatorPrefix + "waiting-time")
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
