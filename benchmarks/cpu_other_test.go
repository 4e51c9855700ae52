//go:build !unix

package benchmarks_test

import "time"

// used is how long processors worked for this program; 0: it is not known here.
func used() time.Duration { return 0 }
