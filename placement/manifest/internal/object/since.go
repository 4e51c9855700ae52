package object

import (
	"time"

	"github.com/muster-sched/muster/internal/document"
)

// Since is when a pod has started, in seconds since 1970, 0: unknown; not ok: it is over, or its status has a defect. No more of the status is read.
func Since(pod *document.Value) (at int64, ok bool) {
	status := pod.Get("status")
	if status == nil {
		return 0, true
	}
	phase, start := status.Get("phase"), status.Get("startTime")
	if status.Kind != document.Mapping || phase != nil && (phase.Kind != document.Text || phase.Text == "Succeeded" || phase.Text == "Failed") {
		return 0, false
	}
	if start == nil || start.Kind == document.Text && start.Text == "" {
		return 0, true
	}
	if start.Kind != document.Text {
		return 0, false
	}
	t, err := time.Parse(time.RFC3339Nano, start.Text)
	if t.IsZero() {
		return 0, err == nil
	}
	return t.Unix(), err == nil
}
