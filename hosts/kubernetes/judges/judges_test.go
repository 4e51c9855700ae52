package judges

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
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

// TestKubernetesScenarios runs scenarios of topology-aware scheduling: those of gangs and basic groups without composite ones, or all where MUSTER_JUDGES is set. Those that end otherwise are listed in testdata/differs.txt, each with why; one
// that ends well and is listed is a failure as well.
func TestKubernetesScenarios(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds and starts an API server for each of some 80 scenarios")
	}
	etcd, err := localcluster.StartEtcd(t.TempDir())
	require.NoError(t, err)
	defer etcd.Stop()
	run := cmp.Or(os.Getenv("MUSTER_JUDGE_RUN"), "CPG:_false") // a pattern of scenarios
	if os.Getenv("MUSTER_JUDGES") != "" {
		run = ""
	}
	binary := filepath.Join(t.TempDir(), "scenarios.test")
	build := exec.Command("go", "test", "-vet=off", "-c", "-o", binary, "-overlay", overlay(t), "./"+folder)
	text, err := build.CombinedOutput()
	require.NoError(t, err, "%s", text)
	r := &runner{binary: binary, env: append(os.Environ(), "KUBE_INTEGRATION_ETCD_URL="+etcd.URL), passed: map[string]bool{}}
	known := differs(t)
	r.all(t, run, known)
	if name := os.Getenv("MUSTER_JUDGE_OUTPUT"); name != "" {
		require.NoError(t, os.WriteFile(name, r.out.Bytes(), 0o600))
	}
	var failed []string
	for name, passed := range r.passed {
		if !passed {
			failed = append(failed, name)
		}
	}
	slices.Sort(failed)
	t.Logf("%d scenarios end as Kubernetes says, %d do not", len(r.passed)-len(failed), len(failed))
	if run == "" {
		require.Len(t, r.passed, 83, "scenarios of Kubernetes 1.37.2")
	}
	require.NotEmpty(t, r.passed)
	known = slices.DeleteFunc(known, func(name string) bool {
		_, ran := r.passed[name]
		return !ran
	})
	require.Equal(t, known, failed)
}

// runner runs tests of a binary, and notes which scenarios passed.
type runner struct {
	binary string
	env    []string

	mu     sync.Mutex
	out    bytes.Buffer
	passed map[string]bool // by scenario
	ended  map[string]bool // by test
}

// all runs all tests, as many at once as there are cores. What did not end, or ended otherwise than is known, gets a second try alone: a machine that
// is busy lets API servers come too late.
func (r *runner) all(t *testing.T, run string, known []string) {
	list := exec.Command(r.binary, "-test.list=.")
	list.Env = r.env
	names, err := list.Output()
	require.NoError(t, err)
	r.ended = map[string]bool{}
	next := make(chan string)
	var all sync.WaitGroup
	for range runtime.NumCPU() {
		all.Go(func() {
			for name := range next {
				r.run("^" + name + "$/" + run)
			}
		})
	}
	tests := strings.Fields(string(names))
	for _, name := range tests {
		next <- name
	}
	close(next)
	all.Wait()
	for _, name := range tests {
		if !r.ended[name] {
			r.run("^" + name + "$/" + run)
		}
	}
	for name, passed := range maps.Clone(r.passed) {
		if !passed && !slices.Contains(known, name) {
			parts := strings.Split(name, "/")
			for i, part := range parts {
				parts[i] = "^" + regexp.QuoteMeta(part) + "$"
			}
			r.run(strings.Join(parts, "/"))
		}
	}
}

var verdict = regexp.MustCompile(`^ *--- (PASS|FAIL): (\S+) \(`)

// run runs what matches a pattern, in a process of its own.
func (r *runner) run(pattern string) {
	cmd := exec.Command(r.binary, "-test.v", "-test.timeout=30m", "-test.run="+pattern)
	cmd.Dir, cmd.Env = filepath.Dir(r.binary), r.env
	out, _ := cmd.CombinedOutput() // what failed is in the output
	r.mu.Lock()
	defer r.mu.Unlock()
	r.out.Write(out)
	for line := range bytes.Lines(out) {
		switch parts := verdict.FindSubmatch(line); {
		case parts == nil:
		case bytes.Contains(parts[2], []byte("/")):
			r.passed[string(parts[2])] = string(parts[1]) == "PASS"
		default:
			r.ended[string(parts[2])] = true
		}
	}
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
