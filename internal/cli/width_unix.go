//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package cli

import (
	"syscall"
	"unsafe"
)

// terminalWidth is how many columns a terminal has, 0 if it does not say.
func terminalWidth(file uintptr) int {
	var size struct{ rows, columns, width, height uint16 }
	if _, _, failed := syscall.Syscall(syscall.SYS_IOCTL, file, syscall.TIOCGWINSZ, uintptr(unsafe.Pointer(&size))); failed != 0 {
		return 0
	}
	return int(size.columns)
}
