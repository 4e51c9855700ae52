package problem

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Only derive copies a problem: what a copy by hand forgets to reset is found by nobody.
func TestProblemsAreNotCopiedByHand(t *testing.T) {
	byHand := regexp.MustCompile(`[:=]= \*(\w+\.)*([pP]|All|Unbundled|problem)\b *(//.*)?$`)
	for _, folder := range []string{".", "../gather", "../parts", "../search", "../victims", "../../placement"} {
		sources, err := filepath.Glob(filepath.Join(folder, "*.go"))
		require.NoError(t, err)
		require.NotEmpty(t, sources)
		for _, source := range sources {
			text, err := os.ReadFile(source)
			require.NoError(t, err)
			for line := range strings.Lines(string(text)) {
				allowed := strings.HasSuffix(source, "_test.go") || source == "derive.go"
				require.True(t, allowed || !byHand.MatchString(strings.TrimSpace(line)), "%s: %s", source, line)
			}
		}
	}
}
