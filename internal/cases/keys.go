package cases

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"

	"github.com/muster-sched/muster"
)

// holds compares by the keys that are given, in objects and in those of lists.
func holds(key string, want json.RawMessage, got any) string {
	text, err := json.Marshal(got)
	if err != nil {
		return err.Error()
	}
	var x, y any
	if json.Unmarshal(want, &x) == nil && json.Unmarshal(text, &y) == nil && hasKeys(x, y) {
		return ""
	}
	return fmt.Sprintf("%s: want %s, got %s", key, want, text)
}

// hasKeys says whether what is wanted is there: of an object the keys that are given, of a list as many.
func hasKeys(want, got any) bool {
	switch x := want.(type) {
	case map[string]any:
		y, is := got.(map[string]any)
		for key, value := range x {
			if _, there := y[key]; !there || !hasKeys(value, y[key]) {
				return false
			}
		}
		return is
	case []any:
		y, is := got.([]any)
		return is && slices.EqualFunc(x, y, hasKeys)
	}
	return reflect.DeepEqual(want, got)
}

// explanationDiffers compares the keys that are given; of a list each given element must be there, in that order, among others.
func explanationDiffers(want json.RawMessage, p *plan) string {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(want, &fields); err != nil {
		return "explanation: " + err.Error()
	}
	keys := make([]string, 0, len(fields))
	for key := range fields {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, muster.CompareNatural)
	for _, key := range keys {
		var wanted, got []any
		if json.Unmarshal(fields[key], &wanted) != nil || json.Unmarshal(p.Explanation[key], &got) != nil {
			if why := holds("explanation."+key, fields[key], p.Explanation[key]); why != "" {
				return why
			}
			continue
		}
		for _, one := range wanted {
			at := slices.IndexFunc(got, func(g any) bool { return hasKeys(one, g) })
			if at < 0 {
				return fmt.Sprintf("explanation.%s: want %s in this order, got %s", key, fields[key], p.Explanation[key])
			}
			got = got[at+1:]
		}
	}
	return ""
}
