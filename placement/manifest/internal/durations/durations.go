// Package durations answers: how long does a gang run, how long does it say so, and how much of what it did is safe? As the objects that make it, or its members, say.
package durations

import (
	"fmt"
	"strconv"
	"time"

	"github.com/muster-sched/muster/placement/manifest/internal/member"
	"github.com/muster-sched/muster/placement/manifest/internal/object"
)

// The annotations of a gang that say it.
const (
	Runs       = "muster.dev/duration"
	Expected   = "muster.dev/expected-duration"
	Checkpoint = "muster.dev/checkpoint"
)

// Longest bounds each of them, in seconds: a year.
const Longest = 365 * 24 * 3600

// Of is what an annotation says of a gang, in seconds: the first of the objects that has it, else the most that one of the members says, or the template of one that is promised;
// false: nobody says anything. O(objects + members).
func Of(key string, objects []*object.Object, members []*member.Member) (seconds int64, said bool) {
	for _, o := range objects {
		if o == nil {
			continue
		}
		if f := o.Annotation(key); f.Text() != "" {
			return read(key, f), true
		}
	}
	var last *member.Spec // that of many promised members
	for _, m := range members {
		if m.Spec == last || m.Said(key) == "" {
			continue
		}
		last = m.Spec
		seconds, said = max(seconds, read(key, object.Stated(m.Spec.Template.Get("metadata"), key))), true
	}
	return seconds, said
}

// read reads seconds, or a duration as Go writes it.
func read(key string, f object.Field) int64 {
	text, least := f.Text(), int64(1)
	if key == Checkpoint { // 0: nothing is safe
		least = 0
	}
	seconds, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		d, err := time.ParseDuration(text)
		if err != nil || d%time.Second != 0 {
			f.Fail("neither a duration of whole seconds such as 90m nor a number of seconds")
			return 0
		}
		seconds = int64(d / time.Second)
	}
	if seconds < least || seconds > Longest {
		f.Fail(fmt.Sprintf("not from %d to %d seconds", least, Longest))
		return 0
	}
	return seconds
}
