package manifest

import (
	"strings"

	"github.com/muster-sched/muster/placement/manifest/internal/object"
)

// Pods of one gang often differ by nothing but what they are called. What one of them has and asks for when it is read alone, the others have and ask for
// with their own titles, so they are not read alone as well: that costs more than to read them with their gang.

// namesLike gives an item the names of one that was read alone, if both are pods that say the same otherwise. It is false where these names hang on
// what the pods are called, as those of pods in no gang do.
func (it *item) namesLike(first *item) bool {
	if first == nil || !isPod(it.header) || !isPod(first.header) || it.header.Namespace != first.header.Namespace ||
		!it.value.Get("status").Equal(first.value.Get("status")) || !saysSame(it.value, first.value, nil, "name", "uid", "creationTimestamp") {
		return false
	}
	had, ok := renamed(first.had, first.header, it.header)
	if !ok {
		return false
	}
	asked, ok := renamed(first.asked, first.header, it.header)
	if ok {
		it.had, it.asked = had, asked
	}
	return ok
}

// renamed are names with the title of another pod, and what lists the pod by it, in place of those of the first. It is false where other names
// hold what one of the two is called.
func renamed(names []string, first, other object.Header) ([]string, bool) {
	out := make([]string, len(names))
	for i, name := range names {
		kind, is := strings.CutSuffix(name, first.Namespace+"/"+first.Name)
		switch {
		case is && (kind == "Pod/" || kind == podReference):
			out[i] = kind + other.Namespace + "/" + other.Name
		case strings.Contains(name, first.Name) || strings.Contains(name, other.Name):
			return nil, false
		default:
			out[i] = name
		}
	}
	return out, true
}

func isPod(h object.Header) bool { return h.Group == "" && h.Kind == "Pod" }
