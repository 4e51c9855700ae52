package assumed_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster/internal/document"
	"github.com/muster-sched/muster/placement/manifest/internal/assumed"
)

// pod is one as its object says; empty values are left out.
func pod(t *testing.T, uid, node string) *document.Value {
	t.Helper()
	meta, spec := map[string]any{"name": "p"}, map[string]any{"schedulerName": "s"}
	if uid != "" {
		meta["uid"] = uid
	}
	if node != "" {
		spec["nodeName"] = node
	}
	v, err := document.FromPlain(map[string]any{"metadata": meta, "spec": spec})
	require.NoError(t, err)
	return v
}

func TestPods(t *testing.T) {
	waits, p := pod(t, "a", ""), assumed.Pods{}
	require.False(t, p.Has("p"))
	require.Same(t, waits, p.Read("p", waits), "nothing is assumed")
	require.True(t, pod(t, "a", "n").Equal(p.Add("p", waits, "n")))
	require.True(t, pod(t, "a", "").Equal(waits), "the object stays as it is")
	require.True(t, p.Has("p"))

	// Older objects name no node.
	require.True(t, pod(t, "a", "n").Equal(p.Read("p", waits)))
	require.True(t, pod(t, "a", "m").Equal(p.Add("p", p.Read("p", waits), "m")), "a host may think again")

	// One that names a node, or another pod, ends it.
	there := pod(t, "a", "other")
	require.Same(t, there, p.Read("p", there))
	require.False(t, p.Has("p"))
	p.Add("p", waits, "n")
	another := pod(t, "b", "")
	require.Same(t, another, p.Read("p", another))
	require.Same(t, waits, p.Read("p", waits))

	// So does whoever forgets.
	said := p.Add("p", waits, "n")
	forgotten, was := p.Forget("p", said)
	require.True(t, was)
	require.True(t, waits.Equal(forgotten))
	same, was := p.Forget("p", said)
	require.False(t, was)
	require.Same(t, said, same)

	// Of pods without UIDs names are all there is.
	nameless := pod(t, "", "")
	p.Add("p", nameless, "n")
	require.True(t, pod(t, "", "n").Equal(p.Read("p", nameless)))
}
