package document

import (
	"bytes"
	"slices"
)

// nothings are the texts that say nothing, as YAML and JSON write them.
var nothings = []string{"", "null", "~", "{}", "[]"}

// IsEmpty says whether a file holds nothing, in whatever format: no more than white space, comments behind #, separators of documents, bytes
// of zero, or one of the values that say nothing. O(len(data)) where it does not begin with content.
func IsEmpty(data []byte) bool { return slices.Contains(nothings, content(data)) }

// IsEmptyList says whether a file holds a list without entries, and nothing else: in some formats that says something.
func IsEmptyList(data []byte) bool { return content(data) == "[]" }

// content is what a file holds without that which says nothing, or the beginning of it.
func content(data []byte) string {
	var rest []byte
	for line := range bytes.Lines(bytes.TrimPrefix(data, []byte(mark))) {
		line = bytes.Trim(line, " \t\r\n\f\v\x00")
		if len(line) > 0 && line[0] != '#' && string(line) != "---" && string(line) != "..." {
			rest = append(rest, bytes.Join(bytes.Fields(line), nil)...)
		}
		if len(rest) > len("null") {
			break
		}
	}
	return string(rest)
}

// HoldNothing says whether documents say nothing, and nothing is wrong with them.
func HoldNothing(docs []Document) bool {
	return !slices.ContainsFunc(docs, func(d Document) bool {
		return d.Err != nil || d.Root != nil && !d.Root.IsNothing() && !(d.Root.Kind == List && len(d.Root.Items) == 0)
	})
}
