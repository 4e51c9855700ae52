package cases

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// root is the repository, seen from this package.
const root = "../.."

// TestCases runs every case of every file, with its objects in both directions. A case that waits for nothing and does not hold fails.
func TestCases(t *testing.T) {
	files, err := Files(Folder(root))
	require.NoError(t, err)
	if len(files) == 0 {
		t.Skipf("no case files in %s; MUSTER_CASES names another folder", Folder(root))
	}
	for _, path := range files {
		list, err := Load(path)
		require.NoError(t, err)
		file, holding := filepath.Base(path), 0
		waiting := map[string]int{}
		var failing, others []string
		for i := range list {
			turned := list[i]
			turned.Objects = slices.Clone(turned.Objects)
			slices.Reverse(turned.Objects)
			switch v := Judge(&list[i]); {
			case v.Holds && !Judge(&turned).Holds:
				failing = append(failing, fmt.Sprintf("does not hold with its objects the other way round: %s: %s", list[i].Name, Judge(&turned).Why))
			case v.Holds:
				holding++
			case v.WaitsFor != "":
				waiting[v.WaitsFor]++
				others = append(others, fmt.Sprintf("waits for %s: %s (%s)", v.WaitsFor, list[i].Name, oneLine(v.Why)))
			default:
				failing = append(failing, fmt.Sprintf("does not hold: %s: %s", list[i].Name, v.Why))
			}
		}
		t.Logf("cases %s: %d of %d hold", file, holding, len(list))
		if len(waiting) > 0 {
			t.Logf("cases %s, waiting: %s", file, counts(waiting))
		}
		for _, line := range others {
			t.Logf("cases %s, %s", file, line)
		}
		for _, line := range failing {
			t.Errorf("cases %s, %s", file, line)
		}
	}
}

// A case is superseded only where its file wants something else; so one that is corrected there leaves the list.
func TestSupersededCasesWantSomethingElse(t *testing.T) {
	files, err := Files(Folder(root))
	require.NoError(t, err)
	if len(files) == 0 {
		t.Skipf("no case files in %s; MUSTER_CASES names another folder", Folder(root))
	}
	left := maps.Clone(superseded)
	for _, path := range files {
		list, err := Load(path)
		require.NoError(t, err)
		for i := range list {
			if want, is := superseded[list[i].Name]; is {
				require.NotEqual(t, jsonOf(t, string(list[i].Want)), jsonOf(t, want), list[i].Name)
				delete(left, list[i].Name)
			}
		}
	}
	require.Empty(t, left, "no file has these cases")
}

func jsonOf(t *testing.T, text string) (v any) {
	t.Helper()
	require.NoError(t, json.Unmarshal([]byte(text), &v))
	return v
}

func counts(waiting map[string]int) string {
	var parts []string
	for _, what := range slices.Sorted(maps.Keys(waiting)) {
		parts = append(parts, fmt.Sprintf("%d for %s", waiting[what], what))
	}
	return strings.Join(parts, ", ")
}

func oneLine(text string) string { return strings.ReplaceAll(text, "\n", "; ") }
