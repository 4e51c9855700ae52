package known

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// The distance is the one of the definition by recursion, and so is the bounded one below its bound.
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
	rapid.Check(t, func(t *rapid.T) {
		word, bound := rapid.StringMatching(`[ab]{0,12}`), rapid.IntRange(1, 4).Draw(t, "bound")
		a, b := word.Draw(t, "a"), word.Draw(t, "b")
		require.Equal(t, min(editDistance(a, b), bound), distanceBelow(a, b, bound), "%q %q %d", a, b, bound)
	})
}

func TestNearest(t *testing.T) {
	require.Equal(t, "gatherStrategy", Nearest("gatherstrategies", []string{"parallelModel", "gatherStrategy"}))
	require.Equal(t, "a2", Nearest("ax", []string{"a10", "a2", "a3"}), "ties in natural order")
	require.Empty(t, Nearest("x", nil))
}

func TestJudge(t *testing.T) {
	for _, c := range []struct {
		key  string
		in   Side
		at   Place
		want Verdict
	}{
		{"volcano.sh/preemtable", Annotations, OnPod, Verdict{Objection: "unknown annotation, did you mean volcano.sh/preemptable?", Near: true}},
		{"volcano.sh/Pre_emptable", Labels, OnPod, Verdict{Objection: "unknown label, did you mean volcano.sh/preemptable?", Near: true}},
		{"volcano.sh/preemptable", Labels, OnPod, Verdict{}},
		{"quota.scheduling.koordinator.sh/preemptible", Annotations, OnPod, Verdict{Objection: "is read from labels", WrongSide: true}},
		{"gang.scheduling.koordinator.sh/groups", Labels, OnObject, Verdict{}},
		{"gang.scheduling.koordinator.sh/name", Labels, OnPod, Verdict{Objection: "is read from annotations", WrongSide: true}},
		{"quota.scheduling.koordinator.sh/custom-cpu-limit", Annotations, OnObject, Verdict{}},
		{"kueue.x-k8s.io/podset-required-topology", Annotations, OnTemplate, Verdict{}},
		{"kueue.x-k8s.io/podset-required-topology", Annotations, OnObject, Verdict{Objection: "is read from the pod template"}},
		{"kueue.x-k8s.io/podset-required-topology", Annotations, OnCopy, Verdict{}},
		{"kai.scheduler/segment-size", Labels, OnCopy, Verdict{}},
		{"kai.scheduler/topology", Annotations, OnTemplate, Verdict{Objection: "is read from the owner itself"}},
		{"kueue.x-k8s.io/a-new-word", Annotations, OnPod, Verdict{Unknown: true}},
		{"kueue.x-k8io/queue-name", Labels, OnPod, Verdict{Objection: "unknown label, did you mean kueue.x-k8s.io/queue-name?", Near: true}},
		{"volcano.sh/vgpu-of-tomorrow", Annotations, OnPod, Verdict{}},
		{"ray.io/anything", Labels, OnPod, Verdict{}},
		{"ray.io/groups", Labels, OnPod, Verdict{Objection: "unknown label, did you mean ray.io/group?", Near: true}},
		{"example.com/anything", Labels, OnPod, Verdict{}},
		{"jobname", Labels, OnPod, Verdict{}},
		{"pod-group.scheduling.sigs.k8s.io", Labels, OnPod, Verdict{}},
	} {
		require.Equal(t, c.want, Judge(c.key, c.in, c.at), c.key)
	}
}

// No key stands twice in the tables, each says who writes it, and none that is known is taken for another one.
func TestTablesHaveEachKeyOnce(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range Systems() {
		for _, k := range s.Keys {
			require.False(t, seen[k.Name], k.Name)
			seen[k.Name] = true
			require.NotEmpty(t, k.By, k.Name)
			for _, in := range []Side{Labels, Annotations} {
				require.False(t, Judge(k.Name, in, OnPod).Near, k.Name)
			}
		}
	}
	for _, rule := range HardRules {
		require.Equal(t, rule, all.keys[rule].Name)
		require.Equal(t, Layer, all.keys[rule].Use, rule)
	}
}

// A key that is forgotten is unknown, until it is put back.
func TestForget(t *testing.T) {
	const key = "kai.scheduler/batch-min-member"
	restore := Forget(key)
	require.Equal(t, Nowhere, SideOf(key))
	require.Equal(t, Verdict{Unknown: true}, Judge(key, Annotations, OnObject))
	restore()
	require.Equal(t, Annotations, SideOf(key))
}
