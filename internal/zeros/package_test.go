package zeros

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPackageMissesWhatIsNotWalked(t *testing.T) {
	require.Equal(t, []string{"Package", "Walk"}, missing(t, ".", nil))
	require.Equal(t, []string{"Package"}, missing(t, ".", []any{Walk, harmless{}}))
	require.Empty(t, missing(t, ".", []any{Walk, Package}))
	queue := missing(t, "../../gang/queue", nil)
	require.Contains(t, queue, "Queue", "a type is there by its methods")
	require.Contains(t, queue, "Compare")
	require.NotContains(t, queue, "Entry", "data alone does no harm")
}
