// Package invariant answers: does what must always hold, hold? Checks that cost more than what they check run with the
// build tag `invariants` alone.
package invariant
