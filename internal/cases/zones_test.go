package cases

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestZoneCases(t *testing.T) {
	const node = `"zones": [{"id": 0, "free": {"cpu": "8"}}, {"id": 3, "free": {"cpu": "4"}, "allocatable": {"cpu": "8"}, "hosts": "single"}],
		"member": {"cpu": "4"}, "policy": "SingleNUMANode"`
	const hints = `"kind": "hints", "zones": 2, "policy": "Restricted", "hints": [[{"mask": [0], "preferred": true}], null]`
	requireJudged(t, map[string]bool{
		`"kind": "slots", ` + node + `, "want": {"slots": 3}`:                              true,
		`"kind": "slots", ` + node + `, "want": {"slots": 2}`:                              false,
		`"kind": "slots", ` + node + `, "totals": {"cpu": "7500m"}, "want": {"slots": 1}`:  true,
		`"kind": "fit", ` + node + `, "want": {"fits": true, "mask": [3], "score": 100}`:   true,
		`"kind": "fit", ` + node + `, "want": {"fits": true, "mask": [0]}`:                 false,
		`"kind": "fit", ` + node + `, "want": {"score": 99}`:                               false,
		`"kind": "fit", ` + node + `, "want": {"fits": false}`:                             false,
		`"kind": "fit", ` + node + `, "want": {"color": 1}`:                                false,
		`"kind": "fit", ` + node + `, "want": {"invalid": "policy"}`:                       false,
		`"kind": "fit", "zones": [], "policy": "Always", "want": {"invalid": "member"}`:    true,
		`"kind": "fit", "zones": [], "policy": "Always", "want": {"invalid": "mem"}`:       false,
		`"kind": "fit", "zones": [], "policy": "Always", "want": {"fits": false}`:          false,
		`"kind": "fit", "zones": [{"free": {"cpu": "x"}}], "want": {}`:                     false,
		hints + `, "want": {"admit": true, "preferred": true, "mask": [0]}`:                true,
		hints + `, "want": {"mask": null}`:                                                 false,
		`"kind": "hints", "zones": [4, 2], "hints": [], "want": {"mask": null}`:            true,
		`"kind": "hints", "zones": [4, 2], "hints": [], "want": {"mask": [4, 2]}`:          true,
		`"kind": "hints", "zones": 1, "hints": [[{"mask": [1]}]], "want": {"admit": true}`: false,
	})
}

// requireJudged judges cases by their fields: whether each holds is given.
func requireJudged(t *testing.T, texts map[string]bool) {
	t.Helper()
	for text, holds := range texts {
		var c Case
		require.NoError(t, json.Unmarshal([]byte("{"+text+"}"), &c))
		v := Judge(&c)
		require.Equal(t, holds, v.Holds, "%s: %s", text, v.Why)
		require.Equal(t, holds, v.Why == "", text)
		require.Empty(t, v.WaitsFor)
	}
}
