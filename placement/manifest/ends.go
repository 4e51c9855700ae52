// When are members expected to end, and what is lost if they stop before? As their pods, or the objects that make them, say.

package manifest

import (
	"time"

	"github.com/muster-sched/muster/placement/manifest/internal/member"
	"github.com/muster-sched/muster/placement/manifest/internal/object"
)

// expectedEnd is the annotation that says when a pod, or what an object makes, is expected to end.
const expectedEnd = "muster.dev/expected-end"

// lostWork is the annotation that says how many seconds of work are lost if a pod, or what an object makes, stops now: those since its last checkpoint.
const lostWork = "muster.dev/lost-work"

// readEnd reads when a pod is expected to end: the instant itself, or how long it may run once it has started; and what is lost if it does not run on.
func readEnd(m *member.Member, o *object.Object) {
	m.End, m.Lost = seconds(o.Annotation(expectedEnd).Time()), lostOf(o)
	if f := o.Root.Sub("spec").Get("activeDeadlineSeconds"); f.Present() {
		n, _ := f.Whole(1)
		m.Deadline = int64(n)
	}
}

// seconds is an instant as a cluster counts it; 0: unknown.
func seconds(at time.Time) int64 {
	if at.IsZero() {
		return 0
	}
	return at.Unix()
}

// endOf is when a member is expected to end: as its annotation says, else that of its gang's objects; else once a deadline has passed, its own or
// that of its Job, the sooner one. 0: unknown.
func (d *draft) endOf(m *member.Member) int64 {
	if d.expected == nil {
		d.expected = d.readEnds()
	}
	switch {
	case m.End != 0:
		return m.End
	case d.expected.at != 0:
		return d.expected.at
	case m.Started > 0 && m.Deadline > 0 && (d.expected.deadline == 0 || m.Started+m.Deadline < d.expected.deadline):
		return m.Started + m.Deadline
	}
	return d.expected.deadline
}

// lastEnd is when the last of the members that wait ends, 0: unknown of one.
func (d *draft) lastEnd(members []*member.Member) (last int64) {
	for _, m := range members {
		if m.Node != "" {
			continue
		}
		end := d.endOf(m)
		if end == 0 {
			return 0
		}
		last = max(last, end)
	}
	return last
}

// lostWork is what is lost once any of the members moves: the most that one of them, or an object of the gang, says.
func (d *draft) lostWork(members []*member.Member) int64 {
	if d.expected == nil {
		d.expected = d.readEnds()
	}
	most := d.expected.lost
	for _, m := range members {
		if m.Node != "" {
			most = max(most, m.Lost)
		}
	}
	return most
}

// lostOf is the work that an object says is lost, in seconds.
func lostOf(o *object.Object) int64 {
	f := o.Annotation(lostWork)
	if !f.Present() {
		return 0
	}
	n, _ := f.Count(f.Text(), 0)
	return int64(n)
}

// ends are what the objects of a gang say for all its members; 0: nothing.
type ends struct{ at, deadline, lost int64 }

// readEnds reads the objects that make a gang.
func (d *draft) readEnds() *ends {
	var e ends
	for _, o := range append([]*object.Object{d.obj, d.jobObject()}, d.owners...) {
		if o == nil {
			continue
		}
		if e.at == 0 {
			e.at = seconds(o.Annotation(expectedEnd).Time())
		}
		e.lost = max(e.lost, lostOf(o))
		if at := deadlineOf(o); e.deadline == 0 || at > 0 && at < e.deadline {
			e.deadline = at
		}
	}
	return &e
}

// deadlineOf is when the time of a Job is over; 0: it has none, or has not started.
func deadlineOf(o *object.Object) int64 {
	if o.Kind != "Job" || o.Group != "batch" {
		return 0
	}
	f, start := o.Root.Sub("spec").Get("activeDeadlineSeconds"), seconds(o.Root.Sub("status").Get("startTime").Time())
	if !f.Present() || start == 0 {
		return 0
	}
	n, _ := f.Whole(1)
	return start + int64(n)
}
