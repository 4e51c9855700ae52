package benchmarks_test

import (
	"bytes"
	"encoding/csv"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// table reads a file with one line of names above the rows.
func table(tb testing.TB, file string) (names []string, rows [][]string) {
	tb.Helper()
	data, err := os.ReadFile(file)
	if os.IsNotExist(err) {
		tb.Skipf("%s is not here", strings.TrimPrefix(file, "../"))
	}
	require.NoError(tb, err)
	rows, err = csv.NewReader(bytes.NewReader(data)).ReadAll()
	require.NoError(tb, err)
	return rows[0], rows[1:]
}

// whole is a number of a table.
func whole(text string) int64 {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		panic(err)
	}
	return n
}
