package manifest

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/gang"
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
	var sources []*object
	if d.obj != nil && d.isPodGroup() {
		sources = []*object{d.obj}
	} else if d.obj == nil && !d.plain {
		sources = podsOf(d.pods)
	}
	t := &d.terms
	t.WaitTime = cmp.Or(agreedOn(sources, waitTime), t.WaitTime)
	t.Mode = agreedOn(sources, func(o *object) (gang.Mode, field) {
		f := o.annotation(koordinatorPrefix + "mode")
		return word(f, modes, "Strict or NonStrict"), f
	})
	t.Match = agreedOn(sources, func(o *object) (gang.MatchPolicy, field) {
		f := o.annotation(koordinatorPrefix + "match-policy")
		if !f.present() {
			f = o.annotation("pod-group.scheduling.sigs.k8s.io/match-policy")
		}
		return word(f, matchPolicies, "once-satisfied, only-waiting or waiting-and-running"), f
	})
	if d.obj != nil && d.isPodGroup() {
		d.total = agreed(sources, d.total, koordinatorPrefix+"total-number")
	}
	t.Group = slices.SortedFunc(slices.Values(d.tie.names), muster.CompareNatural)
	if d.total > 0 && d.total < d.min && len(sources) > 0 {
		at := sources[0].annotation(koordinatorPrefix + "total-number")
		at.fail("below the minimum of the gang")
	}
}

// statesTerms says whether the files state one of the terms.
func (d *draft) statesTerms() bool {
	return d.total > 0 || d.terms.WaitTime > 0 || d.terms.Mode != "" || d.terms.Match != "" || len(d.terms.Group) > 0
}

// agreedOn is what the objects say that say something; one that says otherwise than the first has a defect.
func agreedOn[T comparable](objects []*object, read func(o *object) (T, field)) (out T) {
	var nothing T
	for _, o := range objects {
		switch said, f := read(o); {
		case said == nothing || said == out:
		case out == nothing:
			out = said
		default:
			f.fail("another pod of the gang says otherwise")
		}
	}
	return out
}

// seconds reads a number of seconds, 0 if there is none.
func seconds(f field) (int64, field) {
	n, ok := f.number64()
	if ok && n < 0 {
		f.fail("must be at least 0")
		return 0, f
	}
	return n, f
}

// waitTime is how many seconds members wait, 0 if it is not stated.
func waitTime(o *object) (int64, field) {
	if f := o.root.sub("spec").get("scheduleTimeoutSeconds"); o.kind == "PodGroup" {
		if n, f := seconds(f); n > 0 {
			return n, f
		}
	}
	f := o.annotation(koordinatorPrefix + "waiting-time")
	if f.str() == "" {
		return 0, f
	}
	switch waits, err := time.ParseDuration(f.str()); {
	case err != nil:
		f.fail("must be a duration such as 90s")
	case waits < 0:
		f.fail("must be at least 0")
	default:
		return int64(math.Ceil(waits.Seconds())), f
	}
	return 0, f
}
