package priorities

import (
	"strconv"

	"github.com/muster-sched/muster/placement/manifest/internal/object"
)

// Verdict is what an object says of being evicted. Of several the first that says something counts.
type Verdict int8

// The verdicts.
const (
	Unsaid Verdict = iota
	MayLeave
	MustStay
)

// Preemptable reads Volcano's word in the metadata of an object or template.
func Preemptable(meta object.Field) Verdict {
	f := object.Stated(meta, "volcano.sh/preemptable")
	if f.Text() == "" {
		return Unsaid
	}
	switch yes, err := strconv.ParseBool(f.Text()); {
	case err != nil:
		f.Fail("must be true or false")
		return Unsaid
	case yes:
		return MayLeave
	}
	return MustStay
}

// Preemptibility reads KAI's word.
func Preemptibility(f object.Field) Verdict {
	return object.Word(f, map[string]Verdict{"preemptible": MayLeave, "non-preemptible": MustStay}, "preemptible or non-preemptible")
}
