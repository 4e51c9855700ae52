//go:build invariants

package invariant

import "fmt"

// On says whether invariants are checked.
const On = true

// Hold panics if what must hold whatever the input is does not.
func Hold(holds bool, format string, args ...any) {
	if !holds {
		panic("invariant: " + fmt.Sprintf(format, args...))
	}
}
