package cli

import (
	"flag"
	"fmt"
	"strconv"
)

// number is the value of a flag: a whole number between two bounds.
type number struct {
	value       *int64
	least, most int64
}

// String is the value.
func (n *number) String() string {
	if n.value == nil { // of no flag
		return ""
	}
	return strconv.FormatInt(*n.value, 10)
}

// Set takes a number within the bounds.
func (n *number) Set(text string) error {
	value, err := strconv.ParseInt(text, 10, 64)
	if err != nil || value < n.least || value > n.most {
		return fmt.Errorf("not a whole number from %d to %d", n.least, n.most)
	}
	*n.value = value
	return nil
}

// bounded defines a flag that is a whole number between two bounds.
func bounded(flags *flag.FlagSet, value *int64, name string, usual, least, most int64, usage string) {
	*value = usual
	flags.Var(&number{value, least, most}, name, usage)
}
