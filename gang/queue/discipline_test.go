package queue_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster/gang/queue"
)

// What a host asks of each discipline; one that nobody knows is taken for the default.
func TestDisciplines(t *testing.T) {
	for d, want := range map[queue.Discipline]struct{ known, passesBy, first, second bool }{
		"":                 {true, true, false, false},
		queue.NextThatFits: {true, true, false, false},
		queue.Strict:       {true, false, false, false},
		queue.EASY:         {true, true, true, false},
		queue.Conservative: {true, true, true, true},
		"fifo":             {false, true, false, false},
	} {
		require.Equal(t, want.known, d.Known(), d)
		require.Equal(t, want.passesBy, d.PassesBy(), d)
		require.Equal(t, []bool{want.first, want.first, want.second}, []bool{d.Holds(-1), d.Holds(0), d.Holds(1)}, d)
	}
}
