package cases

import "testing"

func TestGangCases(t *testing.T) {
	const (
		pair   = `"kind": "lifecycle", "gangs": [{"name": "ns/a", "minMember": 2, "members": ["a-0", "a-1"]}], "events": `
		first  = `{"t": 0, "event": "reserved", "pod": "a-0", "want": {"wait": ["a-0"]}, "state": {"ns/a": {"waiting": ["a-0"]}}}`
		second = `{"t": 1, "event": "reserved", "pod": "a-1", `
		queue  = `"kind": "queue", "gangs": [{"name": "ns/a", "uid": "g", "created": 1, "lastFailure": 3}], "queue": [
			{"pod": "a-1", "priority": 5, "gang": "ns/a"}, {"pod": "a-0", "priority": 7, "gang": "ns/a"}, {"pod": "p", "priority": 5, "created": 2, "uid": "u"}], "order": `
	)
	requireJudged(t, map[string]bool{
		pair + `[` + first + `]`: true,
		pair + `[` + first + `, ` + second + `"want": {"allow": ["a-0", "a-1"]}, "state": {"ns/a": {"allowed": ["a-0", "a-1"]}}}]`: true,
		pair + `[` + first + `, ` + second + `"want": {"allow": ["a-1"]}, "state": {"ns/a": {"allowed": ["a-0", "a-1"]}}}]`:        false,
		pair + `[` + first + `, ` + second + `"want": {"wait": ["a-0", "a-1"]}, "state": {"ns/a": {"waiting": ["a-0", "a-1"]}}}]`:  false,
		pair + `[` + first + `, ` + second + `"want": {"allow": ["a-0", "a-1"]}, "state": {"ns/a": {"allowed": ["a-0"]}}}]`:        false,
		pair + `[{"t": -1, "event": "reserved", "pod": "a-0", "want": {}, "state": {"ns/a": {}}}]`:                                 false,
		pair + `[{"t": 1, "event": "jumped", "pod": "a-0", "want": {}, "state": {"ns/a": {}}}]`:                                    false,
		pair + `7`: false,
		`"kind": "lifecycle", "gangs": [{"name": "ns/a", "minMember": -2}], "events": []`: false,
		`"kind": "lifecycle", "gangs": [{"name": "ns/a", "members": [""]}], "events": []`: false,
		queue + `["p", "a-0", "a-1"]`: true,
		queue + `["a-0", "p", "a-1"]`: false,
		`"kind": "queue", "gangs": [{"name": "ns/a", "created": -1}], "queue": [], "order": []`: false,
	})
}
