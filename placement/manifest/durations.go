// How long does a gang run, for whoever plays it?

package manifest

import (
	"github.com/muster-sched/muster/placement/manifest/internal/durations"
	"github.com/muster-sched/muster/placement/manifest/internal/member"
	"github.com/muster-sched/muster/placement/manifest/internal/object"
)

// readDurations reads how long a gang runs whose members wait: its own object counts first, then its job, then what is above these.
func (d *draft) readDurations(members []*member.Member) {
	objects := append([]*object.Object{d.obj, d.jobObject()}, d.owners...)
	g := &d.result
	g.Runs, _ = durations.Of(durations.Runs, objects, members)
	g.Expected, _ = durations.Of(durations.Expected, objects, members)
	g.Checkpoint, g.Checkpoints = durations.Of(durations.Checkpoint, objects, members)
}
