package manifest_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster/internal/zeros"
	"github.com/muster-sched/muster/placement/manifest"
)

// Nothing that is asked of nil and zero values does harm, and files without content describe nothing.
func TestZeroValuesDoNoHarm(t *testing.T) {
	zeros.Walk(t, (*manifest.Error)(nil), &manifest.Error{}, manifest.Quantity{})
	zeros.Walk(t, manifest.Read, manifest.ParseQuantity)
	for _, files := range [][]manifest.File{nil, {}, {{}}} {
		input, err := manifest.Read(files, manifest.Options{})
		require.NoError(t, err)
		require.Zero(t, *input)
	}
	_, err := manifest.Quantity{}.Amount("cpu")
	require.Error(t, err)
}
