package known

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// The distance is the one of the definition by recursion.
func TestEditDistanceIsThatOfTheDefinition(t *testing.T) {
	var slow func(a, b string) int
	slow = func(a, b string) int {
		switch {
		case a == "" || b == "":
			return len(a) + len(b)
		case a[0] == b[0]:
			return slow(a[1:], b[1:])
		}
		return 1 + min(slow(a[1:], b), slow(a, b[1:]), slow(a[1:], b[1:]))
	}
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringMatching(`[abc]{0,6}`)
		a, b := word.Draw(t, "a"), word.Draw(t, "b")
		require.Equal(t, slow(a, b), editDistance(a, b))
	})
}

func TestNearest(t *testing.T) {
	require.Equal(t, "gatherStrategy", Nearest("gatherstrategies", []string{"parallelModel", "gatherStrategy"}))
	require.Equal(t, "a2", Nearest("ax", []string{"a10", "a2", "a3"}), "ties in natural order")
	require.Empty(t, Nearest("x", nil))
}

func TestObjections(t *testing.T) {
	for _, c := range []struct {
		key  string
		in   Map
		at   Place
		want string
	}{
		{"volcano.sh/preemtable", Annotation, OnPod, "unknown annotation, did you mean volcano.sh/preemptable?"},
		{"volcano.sh/preemptable", Label, OnPod, ""},
		{"quota.scheduling.koordinator.sh/preemptible", Annotation, OnPod, "is read from labels"},
		{"gang.scheduling.koordinator.sh/groups", Label, OnObject, "is read from annotations"},
		{"quota.scheduling.koordinator.sh/custom-cpu-limit", Annotation, OnObject, ""},
		{"kueue.x-k8s.io/podset-required-topology", Annotation, OnTemplate, ""},
		{"kueue.x-k8s.io/podset-required-topology", Annotation, OnObject, "is read from the pod template"},
		{"kai.scheduler/topology", Annotation, OnTemplate, "is read from the owner itself"},
		{"example.com/anything", Label, OnPod, ""},
		{"pod-group.scheduling.sigs.k8s.io", Label, OnPod, ""},
	} {
		require.Equal(t, c.want, Objection(c.key, c.in, c.at), c.key)
	}
}

// Every key of the tables is accepted where it is known, and none is listed twice.
func TestTablesHaveEachKeyOnce(t *testing.T) {
	for domain, p := range prefixes {
		seen := map[string]bool{}
		for name := range strings.FieldsSeq(strings.Join([]string{p.labels, p.annotations, p.both, p.harmless}, " ")) {
			require.False(t, seen[name], "%s/%s", domain, name)
			seen[name] = true
		}
	}
}
