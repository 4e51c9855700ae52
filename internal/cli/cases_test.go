package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// Whatever objects the cases of other systems are made of, all that can be asked beside the plans has an answer, in text and as JSON.
func TestEverythingIsAskedOfCases(t *testing.T) {
	paths, err := filepath.Glob("../../../shared/cases/*.json")
	require.NoError(t, err)
	if len(paths) == 0 {
		t.Skip("no ../shared/cases")
	}
	asked := 0
	for _, path := range paths {
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		var cases []struct{ Objects []any }
		require.NoError(t, json.Unmarshal(data, &cases), path)
		for i, c := range cases {
			if len(c.Objects) == 0 {
				continue
			}
			list, err := json.Marshal(map[string]any{"apiVersion": "v1", "kind": "List", "items": c.Objects})
			require.NoError(t, err)
			for _, output := range []string{"text", "json"} {
				status, out, told := command(t, string(list), "-keep-going", "-running", "-moves", "-places", "-max-fit", "-quotas", "-explain", "-explain-plans", "30", "-o", output, "-")
				if status == failed { // the input cannot be used at all
					require.NotEmpty(t, told, "%s %d", path, i)
					continue
				}
				asked++
				require.Zero(t, status, "%s %d: %s", path, i, told)
				if output == "json" {
					require.True(t, json.Valid([]byte(out)), "%s %d", path, i)
				}
			}
		}
	}
	require.Positive(t, asked)
}
