package object

import (
	"fmt"
	"slices"

	"github.com/muster-sched/muster/internal/document"
)

// completed is a Node that is added, whole: one without status.allocatable is a part, which changes what it says of the Node of its name that
// the files have. Any other object is whole already. Of the old one all is on the line of the part, in whose file it stands now.
func (all *Set) completed(kind, version string, v *document.Value) (whole *document.Value, isPart bool) {
	if !all.replacing || kind != "Node" || version != "v1" || v.Get("status").Get("allocatable") != nil {
		return v, false
	}
	name := v.Get("metadata").Get("name")
	if name == nil || name.Kind != document.Text {
		return v, false
	}
	old := all.Seen[(&Object{Kind: kind, Name: name.Text}).id()]
	if old == nil || old.added {
		return v, false
	}
	before := old.Root.Value.Clone()
	before.SetLines(v.Line)
	return merged(before, v), true
}

// merged is a value with what a merge patch of JSON (RFC 7396) changes: mappings by their keys, null takes a key away, and anything else stands
// in place of what was there.
func merged(before, patch *document.Value) *document.Value {
	if before == nil || before.Kind != document.Mapping || patch.Kind != document.Mapping {
		return patch
	}
	out := *before
	out.Keys, out.Items = slices.Clone(before.Keys), slices.Clone(before.Items)
	for i, key := range patch.Keys {
		at := slices.Index(out.Keys, key)
		switch next := patch.Items[i]; {
		case at >= 0 && next.Kind == document.Null:
			out.Keys, out.Items = slices.Delete(out.Keys, at, at+1), slices.Delete(out.Items, at, at+1)
		case at >= 0:
			out.Items[at] = merged(out.Items[at], next)
		default:
			out.Keys, out.Items = append(out.Keys, key), append(out.Items, next)
		}
	}
	return &out
}

// replaces says what stands in place of what.
func (o *Object) replaces(first *Object) string {
	if o.part {
		return fmt.Sprintf("part of %s of %s by that of %s", o.Title(), first.File, o.File)
	}
	return fmt.Sprintf("%s of %s by that of %s", o.Title(), first.File, o.File)
}
