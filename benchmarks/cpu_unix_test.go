//go:build unix

package benchmarks_test

import (
	"syscall"
	"time"
)

// used is how long processors worked for this program, in all its threads.
func used() time.Duration {
	var of syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &of) != nil {
		return 0
	}
	return time.Duration(of.Utime.Nano() + of.Stime.Nano())
}
