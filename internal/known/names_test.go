package known

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Who asks for a name means its namespace, unless the very name is in another one.
func TestNearestName(t *testing.T) {
	names := []string{"a/train-1", "a/eval", "b/trainer", "b/train", "c/x", "n1"}
	for name, want := range map[string]string{
		"a/trainer-2": "a/train-1", // b/trainer is nearer
		"a/trainer":   "b/trainer",
		"b/trian":     "b/train",
		"c/trainer-2": "c/x",
		"d/trainer-2": "b/trainer",
		"n2":          "n1",
	} {
		require.Equal(t, want, NearestName(name, names), name)
	}
}
