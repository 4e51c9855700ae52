package perf

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.etcd.io/etcd/server/v3/etcdmain"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
	schedulerperf "k8s.io/kubernetes/test/integration/scheduler_perf"

	"github.com/muster-sched/muster/hosts/kubernetes/config"
	"github.com/muster-sched/muster/hosts/kubernetes/plugin"
)

const module = "k8s.io/kubernetes/test/integration/scheduler_perf"

var (
	all  = flag.Bool("measured", false, "the workloads that Kubernetes measures, with up to 5,000 nodes, in place of one of each case with 100")
	only = flag.String("only", "", "a pattern of case/workload/plugins")
	keep = flag.String("keep", "", "a folder for logs, results and profiles")

	file    = flag.String("file", "", "for the benchmark: a file of scheduler_perf")
	timeout = flag.Duration("pods-timeout", 0, "for the benchmark: how long pods may wait")
)

// TestMain lets this binary be etcd as well: scheduler_perf starts one that it finds by its name.
func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == "etcd" {
		endWithParent()
		etcdmain.Main(os.Args)
		return
	}
	if err := schedulerperf.InitTests(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if *file != "" {
		endWithParent()
	}
	os.Exit(m.Run())
}

// endWithParent ends this process when the one that started it has ended, however that did.
func endWithParent() {
	parent := os.Getppid()
	go func() {
		for os.Getppid() == parent {
			time.Sleep(time.Second)
		}
		os.Exit(1)
	}()
}

// BenchmarkPerfScheduling runs one file, in the folder of its templates.
func BenchmarkPerfScheduling(b *testing.B) {
	if *file == "" {
		b.Skip("the test runs it, in a process for each workload")
	}
	schedulerperf.RunBenchmarkPerfScheduling(b, *file, "muster", frameworkruntime.Registry{plugin.Name: plugin.New}, schedulerperf.WithPodsSchedulingTimeout(*timeout))
}

// TestWorkloads runs the workloads and logs a table. What takes how long fails nothing; what does not complete with Muster does.
func TestWorkloads(t *testing.T) {
	if testing.Short() || !*all && *only == "" && os.Getenv("MUSTER_JUDGES") == "" {
		t.Skip("it starts an API server for each workload and each of two sets of plugins: MUSTER_JUDGES=1 asks for it")
	}
	pattern, err := regexp.Compile(*only)
	require.NoError(t, err)
	folder := t.TempDir()
	if *keep != "" {
		folder, err = filepath.Abs(*keep)
		require.NoError(t, err)
	}
	r := &runner{folder: folder, env: withEtcd(t), config: filepath.Join(folder, "scheduler.yaml")}
	require.NoError(t, os.MkdirAll(folder, 0o700))
	require.NoError(t, os.WriteFile(r.config, config.Scheduler, 0o600))
	var rows []Row
	for _, topic := range Topics {
		workloads := read(t, topic)
		if r.dir = filepath.Join(perfDir(t), topic); *all {
			workloads = Measured(workloads)
		} else {
			workloads = Small(workloads)
		}
		for i := range workloads {
			for _, plugins := range []string{Tree, Muster} {
				if w := &workloads[i]; pattern.MatchString(w.String() + "/" + plugins) {
					rows = append(rows, r.run(t, w, plugins))
				}
			}
		}
	}
	require.NotEmpty(t, rows)
	var table bytes.Buffer
	require.NoError(t, Table(&table, rows))
	t.Logf("\n%s", table.String())
}

// perfDir is where the module of Kubernetes has scheduler_perf.
func perfDir(t *testing.T) string {
	dir, err := exec.Command("go", "list", "-f", "{{.Dir}}", "-find", module).Output()
	require.NoError(t, err)
	return strings.TrimSpace(string(dir))
}

// read reads all workloads of a topic.
func read(t *testing.T, topic string) []Workload {
	text, err := os.ReadFile(filepath.Join(perfDir(t), topic, "performance-config.yaml"))
	require.NoError(t, err)
	workloads, err := Workloads(topic, text)
	require.NoError(t, err)
	return workloads
}

// withEtcd is the environment with a folder first in which programs are looked for, that has this binary as etcd. Its data are not synced to the disk: what is
// measured is the scheduler.
func withEtcd(t *testing.T) []string {
	self, err := os.Executable()
	require.NoError(t, err)
	bin := t.TempDir()
	require.NoError(t, os.Symlink(self, filepath.Join(bin, "etcd")))
	return append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"), "ETCD_UNSAFE_NO_FSYNC=true")
}

// runner runs workloads, each in a process of its own: none has the heap and the metrics of the one before.
type runner struct {
	dir    string // of the topic
	folder string // for what is kept
	config string
	env    []string
}

func (r *runner) run(t *testing.T, w *Workload, plugins string) Row {
	row := Row{Workload: w.String(), Plugins: plugins}
	t.Run(w.String()+"/"+plugins, func(t *testing.T) {
		out := filepath.Join(r.folder, strings.ReplaceAll(w.String(), "/", "-")+"-"+plugins)
		require.NoError(t, os.RemoveAll(out))
		require.NoError(t, os.Mkdir(out, 0o700))
		config := ""
		if plugins == Muster {
			config = r.config
		}
		text, err := w.File(config)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(out, "workload.yaml"), text, 0o600))
		log, used, err := r.start(out)
		if err == nil {
			row.Figures, err = Read(out)
			require.NoError(t, err)
		}
		row.Figures.CPU = used
		if !row.Figures.Completed {
			t.Logf("%v\n%s", err, last(log))
		}
		require.True(t, row.Figures.Completed || plugins == Tree, "it did not complete")
	})
	return row
}

// start runs the benchmark in a process with its results in a folder. Flags of scheduler_perf, such as those for profiles, go on to it.
func (r *runner) start(out string) (log []byte, used time.Duration, err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, 0, err
	}
	wait := 5 * time.Minute
	if *all {
		wait = 20 * time.Minute
	}
	args := []string{
		"-test.run=^$", "-test.bench=^BenchmarkPerfScheduling$", "-test.benchtime=1x", "-test.timeout=1h", "-pods-timeout=" + wait.String(),
		"-file=" + filepath.Join(out, "workload.yaml"), "-data-items-dir=" + out,
	}
	flag.Visit(func(f *flag.Flag) {
		if strings.HasPrefix(f.Name, "perf-") {
			args = append(args, "-"+f.Name+"="+f.Value.String())
		}
	})
	cmd := exec.Command(self, args...)
	cmd.Dir, cmd.Env = r.dir, r.env
	log, err = cmd.CombinedOutput()
	if cmd.ProcessState != nil {
		used = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	}
	return log, used, errors.Join(err, os.WriteFile(filepath.Join(out, "log"), log, 0o600))
}

var info = regexp.MustCompile(`^ *[IW][0-9]{4} `)

// last are the last lines of a log that say more than what goes on as it should.
func last(log []byte) string {
	var lines []string
	for line := range strings.Lines(string(log)) {
		if !info.MatchString(line) {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines[max(0, len(lines)-40):], "")
}
