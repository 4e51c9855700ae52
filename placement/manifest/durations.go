// How long does a gang run, for whoever plays it?

package manifest

import (
	"github.com/muster-sched/muster/placement/manifest/internal/durations"
	"github.com/muster-sched/muster/placement/manifest/internal/member"
	"github.com/muster-sched/muster/placement/manifest/internal/object"
)

// noDuration is that nobody says how long a gang runs.
func noDuration() *object.Defect {
	return &object.Defect{Field: "metadata.annotations[" + durations.Runs + "]", Reason: "missing: neither the object nor a pod says how long the gang runs"}
}

// readDurations reads how long a gang runs whose members wait: its own object counts first, then its job, then what is above these.
func (d *draft) readDurations(members []*member.Member) {
	objects := append([]*object.Object{d.obj, d.jobObject()}, d.owners...)
	g := &d.result
	g.Runs, _ = durations.Of(durations.Runs, objects, members)
	g.Expected, _ = durations.Of(durations.Expected, objects, members)
	g.Checkpoint, g.Checkpoints = durations.Of(durations.Checkpoint, objects, members)
}
