//go:build invariants

package features

import "sync/atomic"

// Trial changes for a test what problems are said to have and which shortcuts there are, and counts who was taken. It is for tests that run alone.
var Trial struct {
	Extra atomic.Uint64        // features that all problems have beside their own
	Off   atomic.Uint64        // a bit for each shortcut that is never taken
	Taken [Count]atomic.Uint64 // how often each was taken
}

func extra() Set { return Set(Trial.Extra.Load()) }

// allowed is asked where the features are understood.
func allowed(s Shortcut) bool {
	if Trial.Off.Load()&(1<<s) != 0 {
		return false
	}
	Trial.Taken[s].Add(1)
	return true
}
