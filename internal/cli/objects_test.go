package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster/internal/sources"

	"github.com/muster-sched/muster/internal/playable"
)

// twoNodes are two nodes of eight devices.
const twoNodes = `{apiVersion: v1, kind: Node, metadata: {name: n1}, status: {allocatable: {nvidia.com/gpu: 8, pods: 9}}}
---
{apiVersion: v1, kind: Node, metadata: {name: n2}, status: {allocatable: {nvidia.com/gpu: 8, pods: 9}}}
`

// podOf is a pod that asks for so many devices, with more of its metadata, spec and status.
func podOf(name string, devices int64, meta, spec string) string {
	return fmt.Sprintf("---\n{apiVersion: v1, kind: Pod, metadata: {name: %s, %s}, spec: {%s containers: [{name: c, resources: {requests: {nvidia.com/gpu: %d}}}]}}\n", name, meta, spec, devices)
}

// gangOf are a PodGroup and its two pods, each of a whole node.
func gangOf(name, meta string) string {
	text := fmt.Sprintf("---\n{apiVersion: scheduling.x-k8s.io/v1alpha1, kind: PodGroup, metadata: {name: %s, %s}, spec: {minMember: 2}}\n", name, meta)
	for i := range 2 {
		text += podOf(fmt.Sprint(name, "-", i), 8, "labels: {scheduling.x-k8s.io/pod-group: "+name+"}", "")
	}
	return text
}

// objectsIn is a file with objects.
func objectsIn(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "in.yaml")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// The gangs of files come when they were made, run as long as they say, and start by priority; what runs ends when it is expected to, and those that say no time come with the
// first. Only where nobody passes wide do all wait for it; slow says that it runs for an hour, and would keep it off.
func TestSimulateObjects(t *testing.T) {
	text := twoNodes +
		podOf("runs", 8, `annotations: {muster.dev/expected-end: "2026-03-02T08:10:00Z"}`, "nodeName: n1,") +
		gangOf("wide", `creationTimestamp: "2026-03-02T08:00:00Z", annotations: {muster.dev/duration: 1h}`) +
		podOf("slow", 8, `creationTimestamp: "2026-03-02T08:05:00Z", annotations: {muster.dev/duration: "60", muster.dev/expected-duration: 1h}`, "") +
		podOf("quick", 8, `creationTimestamp: "2026-03-02T08:06:00Z", annotations: {muster.dev/duration: 1m}`, "") +
		podOf("undated", 4, `annotations: {muster.dev/duration: 1m}`, "priority: 9,")
	path := objectsIn(t, text)
	const head = "cluster of the files: 2 nodes; 4 gangs of them, and 1 that run already, 0 of these without an end\n"
	require.Equal(t, head+`placer muster, checkpoint 1800

    discipline  moves  reached  used  mean  p50   p95  longest  moved  lost
        strict  false   1020.8  86.2  2085  607  3900     3900      0     0
next-that-fits  false   1020.8  87.5   150    0   600      600      0     0
          easy  false   1020.8  86.2  1125    0  3900     3900      0     0
`, simulated(t, "-sweep", "discipline=strict,next-that-fits,easy", "-sweep", "moves=false", path))
}

// Where no gang says when it comes all come at the newest start of what runs; and what is nominated for one that comes later is held for nobody.
func TestSimulateObjectsBegin(t *testing.T) {
	running := "---\n{apiVersion: v1, kind: Pod, metadata: {name: %s}, spec: {nodeName: %s, activeDeadlineSeconds: 600, containers: [{name: c, resources: {requests: {nvidia.com/gpu: 8}}}]}, status: {phase: Running, startTime: \"2026-03-02T%s:00Z\"}}\n"
	undated := twoNodes + fmt.Sprintf(running, "a", "n1", "08:00") + fmt.Sprintf(running, "b", "n2", "08:05") + gangOf("g", "annotations: {muster.dev/duration: 1h}")
	require.Contains(t, simulated(t, objectsIn(t, undated)), "\nall                1       600 ", "from 08:05 to 08:15")
	later := podOf("later", 8, `creationTimestamp: "2026-03-02T09:00:00Z", annotations: {muster.dev/duration: 1m}`, "")
	later = strings.TrimSuffix(later, "}\n") + ", status: {nominatedNodeName: n1}}\n"
	first := gangOf("first", `creationTimestamp: "2026-03-02T08:00:00Z", annotations: {muster.dev/duration: 1m}`)
	require.Contains(t, simulated(t, objectsIn(t, twoNodes+first+later)), "\nall                2         0 ")
}

// What of the files cannot be played is told with its place, and left out with -keep-going; of a gang that runs in part the rest is left out in any case.
func TestSimulateObjectsLeavesOut(t *testing.T) {
	text := twoNodes +
		podOf("good", 8, "annotations: {muster.dev/duration: 1h}", "") +
		gangOf("silent", `annotations: {muster.dev/expected-duration: 1h}`) +
		podOf("negative", 8, "annotations: {muster.dev/duration: -1h}", "") +
		podOf("huge", 80, "annotations: {muster.dev/duration: 1h}", "") +
		podOf("half-1", 1, "labels: {scheduling.x-k8s.io/pod-group: half}", "nodeName: n1,") +
		podOf("half-2", 1, "labels: {scheduling.x-k8s.io/pod-group: half}", "") +
		"---\n{apiVersion: scheduling.x-k8s.io/v1alpha1, kind: PodGroup, metadata: {name: half}, spec: {minMember: 1}}\n" +
		"---\n{apiVersion: scheduling.x-k8s.io/v1alpha1, kind: PodGroup, metadata: {name: few, annotations: {muster.dev/duration: 1h}}, spec: {minMember: 9}}\n" +
		podOf("few-1", 1, "labels: {scheduling.x-k8s.io/pod-group: few}", "") +
		podOf("twin", 1, `labels: {scheduling.x-k8s.io/pod-group: twin}, annotations: {gang.scheduling.koordinator.sh/groups: '["default/twin","default/absent"]', muster.dev/duration: 1h}`, "")
	path := objectsIn(t, text)
	status, out, said := called(t, "", "simulate", path)
	require.Equal(t, failed, status)
	require.Empty(t, out)
	negative := path + `: document 7, line 13: Pod/negative: metadata.annotations[muster.dev/duration] "-1h": not from 1 to 31536000 seconds` + "\n"
	silent := path + ": document 4, line 7: PodGroup/silent: metadata.annotations[muster.dev/duration]: missing: neither the object nor a pod says how long the gang runs\n"
	require.Equal(t, silent+negative+"-keep-going plays the rest\n", said)

	status, out, said = called(t, "", "simulate", "-keep-going", path)
	require.Equal(t, ok, status)
	require.Contains(t, out, "cluster of the files: 2 nodes; 3 gangs of them, and 1 that run already, 1 of these without an end\n")
	require.Contains(t, out, "gangs 3, ended 1, never fit 2, wait for ever 0")
	for _, line := range []string{
		silent, negative, "default/half has members that run: those that wait are left out\n",
		"default/twin: unschedulable: together with default/absent",
	} {
		require.Equal(t, 1, strings.Count(said, line), "%s\n%s", line, said)
	}
}

// Gangs that are to start together start one by one, which is told.
func TestSimulateObjectsApart(t *testing.T) {
	pair := func(name string) string {
		const together = `gang.scheduling.koordinator.sh/groups: '["default/a","default/b"]'`
		return fmt.Sprintf("---\n{apiVersion: scheduling.x-k8s.io/v1alpha1, kind: PodGroup, metadata: {name: %s, annotations: {%s, muster.dev/duration: 1h}}, spec: {minMember: 1}}\n", name, together) +
			podOf(name+"-0", 8, "labels: {scheduling.x-k8s.io/pod-group: "+name+"}", "")
	}
	status, out, said := called(t, "", "simulate", objectsIn(t, twoNodes+podOf("runs", 8, "annotations: {}", "nodeName: n1,")+pair("a")+pair("b")))
	require.Equal(t, ok, status, said)
	require.Contains(t, out, "gangs 2, ended 2, never fit 0")
	require.Contains(t, said, "default/a starts by itself: gangs that start together are not held together here")
	require.Contains(t, said, "default/b")
}

// Files without what is needed are refused.
func TestSimulateObjectsRefuses(t *testing.T) {
	for text, want := range map[string]string{
		podOf("p", 1, "annotations: {muster.dev/duration: 1h}", ""): "the files have no Node, so nothing can be played: give the file with the nodes too\n",
		twoNodes:                     "the files have no gang that waits and can be played\n",
		"submit_s,gpus,duration_s\n": "IN: document 1, line 1: not an object\n-keep-going plays the rest\n",
		twoNodes + podOf("p", 1, "annotations: {muster.dev/duration: 1h, gang.scheduling.koordinator.sh/network-topology-spec: '{\"gatherStrategy\": [{\"layer\": \"rack\", \"strategy\": \"MustGather\"}]}'}", ""): "-keep-going plays the rest\n",
		twoNodes + podOf("p", 1<<60-1, "annotations: {muster.dev/duration: 1h}", ""): "default/p: all gangs together ask for more than 1152921504606846976 seconds of nvidia.com/gpu\n",
	} {
		path := objectsIn(t, text)
		status, out, said := called(t, "", "simulate", path)
		require.Equal(t, failed, status, text)
		require.Empty(t, out)
		require.True(t, strings.HasSuffix(strings.ReplaceAll(said, path, "IN"), want), said)
	}
	status, _, said := called(t, "", "simulate", "none.yaml", "none.json")
	require.Equal(t, failed, status)
	require.Equal(t, 2, strings.Count(said, "no such file"))
}

// Flags that nothing comes of beside objects are refused.
func TestSimulateObjectsMisuse(t *testing.T) {
	for args, want := range map[string]string{
		"-fabric 2x2 a.yaml":               "-fabric is for what is made or stands in a table, and there are objects: a.yaml",
		"-gangs 9 a.yaml b.yaml":           "-gangs is for what is made or stands in a table, and there are objects: a.yaml",
		"-sweep load=8,9 a.json":           "-load is for what is made or stands in a table, and there are objects: a.json",
		"-sweep longer=1,2 -- - a.json":    "-longer is for what is made or stands in a table, and there are objects: -",
		"-copies 2 a.yaml":                 "-copies is for what is made or stands in a table, and there are objects: a.yaml",
		"-largest 2 a.yaml":                "-largest is for what is made or stands in a table, and there are objects: a.yaml",
		"-runs 2 a.yaml":                   "-runs is for what is made or stands in a table, and there are objects: a.yaml",
		"-pause 2 a.yaml":                  "-pause is for gangs that move: -moves, or -sweep moves=false,true",
		"-paired a.yaml":                   "-paired compares streams of several seeds: -sweep seed=1,2,3 is missing",
		"a.yaml jobs.CSV":                  `"jobs.CSV": a table is played by itself, without other files`,
		"-seed 2 a.yaml":                   "-seed: the cluster and the gangs of files are the same for all seeds, and so is what comes of them; -placer random alone draws by it",
		"-sweep seed=1,2 a.yaml":           "-seed: the cluster and the gangs of files are the same for all seeds, and so is what comes of them; -placer random alone draws by it",
		"-seed 2 -sweep moves=true a.yaml": "-seed: the cluster and the gangs of files are the same for all seeds, and so is what comes of them; -placer random alone draws by it",
	} {
		requireMisuse(t, args, want)
	}
}

// A checkpoint of the flag is for gangs that say none: the moves of an exact half cost what the gangs say.
func TestSimulateObjectsCheckpoints(t *testing.T) {
	said := func(notes string) string { return "annotations: {muster.dev/duration: 1h" + notes + "}" }
	path := objectsIn(t, twoNodes+podOf("p", 8, said(""), "")+podOf("q", 8, said(`, muster.dev/checkpoint: "7"`), ""))
	require.Contains(t, simulated(t, "-checkpoint", "9", path), "checkpoint 9\n")
	in, err := new(simulateSettings).objectsOf(t, path)
	require.NoError(t, err)
	var got []string
	for j, err := range in.Stream(sources.Play{Checkpoint: 9}) {
		require.NoError(t, err)
		got = append(got, fmt.Sprint(j.Request.Name, " ", j.Checkpoint))
	}
	require.Equal(t, []string{"default/p 9", "default/q 7"}, got)
	all := objectsIn(t, twoNodes+podOf("q", 8, said(", muster.dev/checkpoint: 7s"), ""))
	require.NotContains(t, simulated(t, all), "checkpoint")
	for _, args := range [][]string{{"-checkpoint", "9", all}, {"-sweep", "checkpoint=9,8", all}} {
		status, _, text := called(t, "", append([]string{"simulate"}, args...)...)
		require.Equal(t, failed, status)
		require.Equal(t, "-checkpoint: all gangs of the files say it themselves, by the annotation muster.dev/checkpoint\n", text)
	}
}

// objectsOf reads files as the command does.
func (set *simulateSettings) objectsOf(t *testing.T, files ...string) (*playable.Gangs, error) {
	t.Helper()
	set.files = files
	return set.readObjects(strings.NewReader(""), &strings.Builder{})
}

// All placers play objects without topology and with a quota, in every output, with equal bytes on any number of cores; for the random one a seed is no misuse.
func TestSimulateObjectsEverywhere(t *testing.T) {
	text := twoNodes + podOf("p", 8, "annotations: {muster.dev/duration: 1h}", "") + gangOf("g", "annotations: {muster.dev/duration: 1h}") +
		podOf("of-team", 8, "labels: {quota.scheduling.koordinator.sh/name: team}, annotations: {muster.dev/duration: 1h}", "") +
		"---\n{apiVersion: scheduling.sigs.k8s.io/v1alpha1, kind: ElasticQuota, metadata: {name: team, labels: {quota.scheduling.koordinator.sh/parent: koordinator-root-quota}}, spec: {min: {nvidia.com/gpu: 8}, max: {nvidia.com/gpu: 16}}}\n"
	path := objectsIn(t, text)
	args := []string{"-sweep", "placer=" + strings.Join(placerWords(), ","), "-sweep", "seed=1,2", path}
	first := map[string]string{}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, processes := range []int{1, 8} {
		runtime.GOMAXPROCS(processes)
		for _, output := range []string{"text", "json", "csv", "html"} {
			out := simulated(t, append([]string{"-o", output}, args...)...)
			require.NotEmpty(t, out)
			if first[output] == "" {
				first[output] = out
			}
			require.True(t, first[output] == out, output) //nolint:testifylint // a page is too long to be shown
		}
	}
	for _, row := range tableOf(t, first["csv"]) {
		require.Equal(t, "0", row["load"], "nothing is asked for")
		knowsQuotas := strings.HasPrefix(row["placer"], byMuster) || row["placer"] == byFirstFit
		require.Equal(t, !knowsQuotas, row["unasked"] != "0", row)
	}
	require.True(t, strings.HasPrefix(first["json"], `{"version":1,"fabric":"","nodes":2,"devices":16,"gangs":3,"largest":2,"runs":3600,`), first["json"][:99])
	require.True(t, strings.Contains(first["html"], `<p class="soft">cluster of the files: 2 nodes; 3 gangs of them</p>`)) //nolint:testifylint // likewise
}

// Whatever names hold, what is said of objects has no character that cannot be seen, and as many lines as for harmless names.
func TestSimulateHostileNames(t *testing.T) {
	files := []string{"../../examples/simulate/cluster.yaml", "../../examples/simulate/gangs.yaml"}
	bad, good := objectsIn(t, renamed(t, hostile, files...)), objectsIn(t, renamed(t, harmless, files...))
	for _, args := range []string{"", "-o json", "-o csv", "-o html", "-keep-going", "-sweep moves=false,true"} {
		_, out, said := called(t, "", append([]string{"simulate", bad}, strings.Fields(args)...)...)
		_, wantOut, wantSaid := called(t, "", append([]string{"simulate", good}, strings.Fields(args)...)...)
		requireSeen(t, args, strings.ReplaceAll(out, "\t", ""))
		requireSeen(t, args, said)
		require.Equal(t, strings.Count(wantOut, "\n"), strings.Count(out, "\n"), "%s\n%s\n%s", args, wantOut, out)
		require.Equal(t, strings.Count(wantSaid, "\n"), strings.Count(said, "\n"), "%s\n%s\n%s", args, wantSaid, said)
	}
}
