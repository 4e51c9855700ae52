//go:build !unix

package cli

// nonBlocking is no flag where pipes are no files.
const nonBlocking = 0
