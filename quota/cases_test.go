package quota_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster/internal/cases"
)

// casesFile is where the cases are: in MUSTER_CASES, relative to the repository, or ../shared/cases beside it.
func casesFile() string {
	folder := os.Getenv("MUSTER_CASES")
	if folder == "" {
		folder = "../shared/cases"
	}
	if !filepath.IsAbs(folder) {
		folder = filepath.Join("..", folder)
	}
	return filepath.Join(folder, "quota.json")
}

// TestCases judges every case that needs no cluster; those of whole queues are judged with all other plans.
func TestCases(t *testing.T) {
	list, err := cases.Load(casesFile())
	if errors.Is(err, os.ErrNotExist) {
		t.Skipf("no file %s; MUSTER_CASES names another folder", casesFile())
	}
	require.NoError(t, err)
	for i := range list {
		if list[i].Kind != "cli" {
			t.Run(list[i].Name, func(t *testing.T) { require.Empty(t, cases.Judge(&list[i]).Why) })
		}
	}
}
