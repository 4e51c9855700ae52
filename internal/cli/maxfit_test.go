package cli

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Of each shape that somebody asks for, how large a gang fits in each layer before anybody is placed.
func TestMaxFitFlag(t *testing.T) {
	const cluster, story = "../../examples/stories/cluster.yaml", "../../examples/stories/story-3.yaml"
	var out, errs strings.Builder
	require.Equal(t, ok, Run([]string{"-max-fit", cluster, story}, nil, &out, &errs), errs.String())
	require.Contains(t, out.String(), `
largest gang in one domain, of members that ask for nvidia.com/gpu 8, pods 1 (default/pod-3)
              now  once leaving members are gone  with victims  domain
  node        1    1                              1             spine0/leaf1/unit2/node-8
  unitLayer   4    4                              4             spine0/leaf1/unit2
  leafLayer   4    4                              8             spine0/leaf1
  spineLayer  4    4                              12            spine0
  all         4    4                              12
`)
	out.Reset()
	require.Equal(t, ok, Run([]string{"-max-fit", "-o", "json", cluster, story}, nil, &out, &errs), errs.String())
	require.Contains(t, out.String(), `{"tier":2,"layer":"leafLayer","now":{"members":4,"domain":"spine0/leaf1"},"later":{"members":4,"domain":"spine0/leaf1"},"evicting":{"members":8,"domain":"spine0/leaf1"}}`)
	out.Reset()
	require.Equal(t, ok, Run([]string{"-max-fit", cluster}, nil, &out, &errs))
	require.Contains(t, out.String(), "no gang waits for a node, so no shape is asked for\n")
	require.Equal(t, misuse, Run([]string{"-max-fit", "-o", "svg", cluster}, nil, &out, &errs))
}
