package cases

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// errorDiffers compares a refusal: it must name the object, one of them where a list is given, and be about the defect.
func (a *answer) errorDiffers(want json.RawMessage) string {
	var refusal struct {
		Object         json.RawMessage
		About          string
		Field, Nearest string
	}
	if err := json.Unmarshal(want, &refusal); err != nil {
		return "error: " + err.Error()
	}
	var objects []string
	if json.Unmarshal(refusal.Object, &objects) != nil {
		objects = make([]string, 1)
		if err := json.Unmarshal(refusal.Object, &objects[0]); err != nil {
			return "error: " + err.Error()
		}
	}
	if a.err == nil {
		return fmt.Sprintf("accepted, want an error about %s", strings.Join(objects, " or "))
	}
	text := a.err.Error()
	if !slices.ContainsFunc(objects, func(object string) bool { return mentions(text, object) }) {
		return fmt.Sprintf("the error does not name %s: %s", strings.Join(objects, " or "), text)
	}
	if !isAbout(text, refusal.About) {
		return fmt.Sprintf("the error is not about %q: %s", refusal.About, text)
	}
	if refusal.Field == "" && refusal.Nearest == "" {
		return ""
	}
	for line := range strings.Lines(text) {
		if placed.MatchString(line) && slices.ContainsFunc(objects, func(object string) bool { return mentions(line, object) }) &&
			strings.Contains(line, refusal.Field) && strings.Contains(line, refusal.Nearest) {
			return ""
		}
	}
	return fmt.Sprintf("no line has object, place, %q and %q: %s", refusal.Field, refusal.Nearest, text)
}

// placed is where an error stands in a file.
var placed = regexp.MustCompile(`document \d+, line \d+`)

// mentions says whether a text names an object, written `kind/name` or `namespace/name`, as a whole word.
func mentions(text, object string) bool {
	first, name, found := strings.Cut(object, "/")
	if !found {
		return hasWord(text, object)
	}
	return hasWord(text, first) && hasWord(text, name)
}

func hasWord(text, word string) bool {
	words := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" /:,\"'()[]\n", r) })
	return slices.Contains(words, word)
}

// isAbout says whether all words of a class of defects stand in a text.
func isAbout(text, class string) bool {
	text = strings.ToLower(text)
	for word := range strings.FieldsSeq(strings.ToLower(class)) {
		if !strings.Contains(text, word) {
			return false
		}
	}
	return true
}
