package cluster

import (
	"fmt"
	"strings"

	"github.com/muster-sched/muster/internal/printed"
)

// ConflictError refuses a change that the snapshot does not allow.
type ConflictError struct {
	// Node or Gang and Member say where; those that do not matter are empty.
	Node, Gang, Member string
	// Resource is the one that would be over-committed, By how much.
	Resource string
	By       int64
	Reason   string
}

// Error names the place, the resource and the reason; a nil error is the empty text.
func (e *ConflictError) Error() string {
	if e == nil {
		return ""
	}
	var place []string
	if e.Node != "" {
		place = append(place, "node "+e.Node)
	}
	switch {
	case e.Gang != "" && e.Member == "":
		place = append(place, "gang "+e.Gang)
	case e.Gang != "":
		place = append(place, "member "+e.Gang+" "+e.Member)
	}
	text := "conflict: " + strings.Join(place, ", ") + ": " + e.Reason
	if e.Resource != "" {
		text += fmt.Sprintf(" (%s by %d)", e.Resource, e.By)
	}
	return printed.Text(text)
}
