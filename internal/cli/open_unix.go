//go:build unix

package cli

import "syscall"

// nonBlocking is the flag with which a pipe is opened although nobody has it open for writing.
const nonBlocking = syscall.O_NONBLOCK
