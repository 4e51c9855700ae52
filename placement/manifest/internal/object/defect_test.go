package object

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster/internal/document"
)

// A defect is noted once, however many there are; of many each is looked up, those that were noted elsewhere included.
func TestDefectsAreNotedOnce(t *testing.T) {
	const many = 1000
	o := &Object{Kind: "Pod", Name: "p"}
	for range 3 {
		for i := range many {
			o.Note(&Defect{Field: fmt.Sprint("f", i%500), Value: fmt.Sprint(i % 2), Reason: fmt.Sprint(i)})
		}
		require.Len(t, o.Errors, many)
	}
	o.Errors = append(o.Errors, &Defect{Field: "other"})
	o.Note(&Defect{Field: "other"})
	require.Len(t, o.Errors, many+1)
	require.Len(t, o.noted, many+1, "each was entered once, none compared with all")
	few := &Object{Kind: "Pod", Name: "p"}
	for range 2 {
		few.Note(&Defect{Field: "f"})
		few.Note(&Defect{Field: "f", Value: "v"})
	}
	require.Len(t, few.Errors, 2)
	require.Nil(t, few.noted)
}

// A copy has the defects of the object, and notes others by itself.
func TestCopiesNoteByThemselves(t *testing.T) {
	all := NewSet(func(_, _ string) bool { return true }, &Notices{})
	o := &Object{Kind: "Pod", Name: "p", Root: Field{Value: &document.Value{}}}
	for i := range 100 {
		o.Note(&Defect{Reason: fmt.Sprint(i)})
	}
	all.List = append(all.List, o)
	copied, _ := all.Copy()
	copied.List[0].Note(&Defect{Reason: "new"})
	copied.List[0].Note(&Defect{Reason: "newer"})
	o.Note(&Defect{Reason: "new"})
	require.Len(t, o.Errors, 101)
	require.Len(t, copied.List[0].Errors, 102)
}
