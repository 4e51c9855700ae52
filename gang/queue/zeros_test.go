package queue_test

import (
	"testing"

	"github.com/muster-sched/muster/gang/queue"
	"github.com/muster-sched/muster/internal/zeros"
)

func TestZeroValuesDoNoHarm(t *testing.T) {
	zeros.Package(t, new(queue.Queue), queue.Compare, queue.CompareMembers, queue.ComparePods, queue.Discipline(""))
}
