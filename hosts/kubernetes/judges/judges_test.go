package judges

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster/hosts/kubernetes/internal/localcluster"
)

const scenarios = "k8s.io/kubernetes/test/integration/scheduler/podgroup/topology_aware_scheduling"

const folder = "scenarios"

// TestKubernetesScenarios runs all scenarios of topology-aware scheduling. Those that end otherwise are listed in testdata/differs.txt, each with why; one
// that ends well and is listed is a failure as well.
func TestKubernetesScenarios(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds and starts an API server for each of some 80 scenarios")
	}
	etcd, err := localcluster.StartEtcd(t.TempDir())
	require.NoError(t, err)
	defer etcd.Stop()
	run := os.Getenv("MUSTER_JUDGE_RUN") // a pattern, for people who look at one
	binary := filepath.Join(t.TempDir(), "scenarios.test")
	build := exec.Command("go", "test", "-vet=off", "-c", "-o", binary, "-overlay", overlay(t), "./"+folder)
	text, err := build.CombinedOutput()
	require.NoError(t, err, "%s", text)
	out := runAll(t, binary, run, "KUBE_INTEGRATION_ETCD_URL="+etcd.URL)
	if name := os.Getenv("MUSTER_JUDGE_OUTPUT"); name != "" {
		require.NoError(t, os.WriteFile(name, out, 0o600))
	}
	passed, failed := results(t, bytes.NewReader(out))
	require.NotEmpty(t, append(passed, failed...), "nothing ran")
	t.Logf("%d scenarios end as Kubernetes says, %d do not", len(passed), len(failed))
	if run != "" {
		return
	}
	require.Equal(t, differs(t), failed)
}

// runAll runs the tests of a binary, each in a process of its own, twice as many at once as there are cores.
func runAll(t *testing.T, binary, run, env string) []byte {
	named := exec.Command(binary, "-test.list=.")
	named.Env = append(os.Environ(), env)
	list, err := named.Output()
	require.NoError(t, err)
	tests := strings.Fields(string(list))
	outs := make([]bytes.Buffer, len(tests))
	next := make(chan int)
	var all sync.WaitGroup
	for range 2 * runtime.NumCPU() { // most of the time they wait
		all.Go(func() {
			for i := range next {
				cmd := exec.Command(binary, "-test.v", "-test.timeout=30m", "-test.run=^"+tests[i]+"$/"+run)
				cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = filepath.Dir(binary), append(os.Environ(), env), &outs[i], &outs[i]
				_ = cmd.Run() // what failed is in the output
			}
		})
	}
	for i := range tests {
		next <- i
	}
	close(next)
	all.Wait()
	var out []byte
	for i := range outs {
		out = append(out, outs[i].Bytes()...)
	}
	return out
}

// overlay writes patched copies of the scenarios, and says that they stand in a folder beside this one, which is not there.
func overlay(t *testing.T) string {
	dir, err := exec.Command("go", "list", "-f", "{{.Dir}}", "-find", scenarios).Output()
	require.NoError(t, err)
	sources, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(dir)), "*_test.go"))
	require.NoError(t, err)
	here, err := filepath.Abs(folder)
	require.NoError(t, err)
	placed, patched := map[string]string{}, 0
	for _, source := range sources {
		text, err := os.ReadFile(source)
		require.NoError(t, err)
		const before = "scheduler.WithPodInitialBackoffSeconds(0))"
		if bytes.Contains(text, []byte(before)) {
			patched++
			text = bytes.Replace(text, []byte(before), []byte("scheduler.WithPodInitialBackoffSeconds(0), judges.Registry(), judges.Profiles())"), 1)
			text = bytes.Replace(text, []byte("\t\"testing\"\n"), []byte("\t\"testing\"\n\t\"github.com/muster-sched/muster/hosts/kubernetes/judges\"\n"), 1)
		}
		file := filepath.Join(t.TempDir(), filepath.Base(source))
		require.NoError(t, os.WriteFile(file, text, 0o600))
		placed[filepath.Join(here, filepath.Base(source))] = file
	}
	require.Equal(t, 2, patched, "the files of scenarios that start a scheduler")
	data, err := json.Marshal(map[string]any{"Replace": placed})
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "overlay.json")
	require.NoError(t, os.WriteFile(file, data, 0o600))
	return file
}

var ended = regexp.MustCompile(`^ +--- (PASS|FAIL): (\S+) \(`)

// results are the names of the scenarios that passed and that failed, in order.
func results(t *testing.T, out io.Reader) (passed, failed []string) {
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<26)
	for lines.Scan() {
		switch parts := ended.FindStringSubmatch(lines.Text()); {
		case parts == nil:
		case parts[1] == "PASS":
			passed = append(passed, parts[2])
		default:
			failed = append(failed, parts[2])
		}
	}
	require.NoError(t, lines.Err())
	slices.Sort(passed)
	slices.Sort(failed)
	return passed, failed
}

var reason = regexp.MustCompile(`^(\S+) \S`)

// differs are the scenarios that are known to end otherwise: a name, and why.
func differs(t *testing.T) (names []string) {
	text, err := os.ReadFile("testdata/differs.txt")
	require.NoError(t, err)
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		parts := reason.FindStringSubmatch(line)
		require.NotNil(t, parts, "a name without a reason: %s", line)
		names = append(names, parts[1])
	}
	slices.Sort(names)
	return names
}
