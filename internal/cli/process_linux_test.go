package cli

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// processTells is set for a process that is a command, to the file where it writes how much memory it had at most.
const processTells = "MUSTER_PROCESS_TELLS"

// TestMain is the command itself in a process that [process] starts.
func TestMain(m *testing.M) {
	file := os.Getenv(processTells)
	if file == "" {
		os.Exit(m.Run())
	}
	status := Muster(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	text, err := os.ReadFile("/proc/self/status")
	if err == nil {
		err = os.WriteFile(file, text, 0o600)
	}
	if err != nil {
		panic(err)
	}
	os.Exit(status)
}

// Memory that the garbage collector keeps below, and that a process may have of whatever file.
const (
	memoryLimit = "150MiB"
	mostMemory  = 200 << 10 // KiB
)

// process runs a command as a process of its own, and fails for too much memory. Nothing depends on how fast the machine is, but that it ends.
func process(t *testing.T, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	tells := filepath.Join(t.TempDir(), "status")
	ends, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	var out, said strings.Builder
	cmd := exec.CommandContext(ends, os.Args[0], args...)
	cmd.Env = append(os.Environ(), processTells+"="+tells, "GOMEMLIMIT="+memoryLimit)
	cmd.Stdout, cmd.Stderr = &out, &said
	_ = cmd.Run()
	require.NoError(t, ends.Err(), "%v does not end", args)
	text, err := os.ReadFile(tells)
	require.NoError(t, err, "%v: %.1000s", args, said.String())
	_, peak, _ := strings.Cut(string(text), "VmHWM:")
	var kib int
	_, err = fmt.Sscan(peak, &kib)
	require.NoError(t, err)
	t.Logf("%v: %d MiB at most", args, kib>>10)
	require.Less(t, kib, mostMemory, "KiB of memory for %v", args)
	return cmd.ProcessState.ExitCode(), out.String(), said.String()
}

// squeezedFile writes what gzip makes of a text and then another one, again and again up to some bytes. Its pieces are packed apart, each by
// itself, so that a gibibyte is written at once.
func squeezedFile(t *testing.T, name, begin, again string, unpacked int) string {
	t.Helper()
	pack := func(text string) []byte {
		var b bytes.Buffer
		w, err := gzip.NewWriterLevel(&b, gzip.BestSpeed)
		require.NoError(t, err)
		_, err = w.Write([]byte(text))
		require.NoError(t, err)
		require.NoError(t, w.Close())
		return b.Bytes()
	}
	path := filepath.Join(t.TempDir(), name)
	file, err := os.Create(path)
	require.NoError(t, err)
	defer func() { require.NoError(t, file.Close()) }()
	_, err = file.Write(pack(begin))
	require.NoError(t, err)
	text := strings.Repeat(again, 1+(1<<20)/len(again))
	part := pack(text)
	for n := 0; n < unpacked; n += len(text) {
		_, err := file.Write(part)
		require.NoError(t, err)
	}
	return path
}

// A small file that unpacks to 1.5 GB is refused by its name, and takes no memory: by each command, whatever fills it.
func TestPackedFilesTakeNoMemory(t *testing.T) {
	const node = `{"apiVersion":"v1","kind":"Node","metadata":{"name":"n"}}`
	for _, c := range []struct {
		file, begin, again string
		slow               bool
		want               string // what plan says
	}{
		{"zeros.json.gz", "", "\x00", false, "not text"},
		{"zeros.yaml.gz", "", "\x00", false, "not text"},
		{"spaces.json.gz", "{", " ", false, "more than 16777216 bytes in one piece"},
		{"spaces.yaml.gz", "a:", " ", true, "at most 67108864 are read"},
		{"text.json.gz", `{"a":"`, "x", false, "more than 16777216 bytes in one piece"},
		{"text.yaml.gz", `a: "`, "x", true, "at most 67108864 are read"},
		{"brackets.json.gz", "", "[", false, "nested more than 200 deep"},
		{"brackets.yaml.gz", "", "[", true, "at most 67108864 are read"},
		{"numbers.json.gz", "[1", ",1", false, "bytes of memory for each byte"},
		{"values.json.gz", "", "{}\n", false, "bytes of memory for each byte"},
		{"nodes.json.gz", "", node + "\n", false, "bytes of memory for each byte"},
		{"nodes.yaml.gz", "", "--- " + node + "\n", true, "bytes of memory for each byte"},
		{"documents.yaml.gz", "", "---\n", false, "bytes of memory for each byte"},
		{"broken.yaml.gz", "", "--- *a\n", true, "unknown anchor"},
		{"lines.yaml.gz", "a:\n", "- x\n", true, "at most 67108864 are read"},
	} {
		t.Run(c.file, func(t *testing.T) {
			if c.slow && testing.Short() {
				t.Skip("takes seconds")
			}
			path := squeezedFile(t, c.file, c.begin, c.again, 1_500_000_000)
			stat, err := os.Stat(path)
			require.NoError(t, err)
			require.Less(t, stat.Size(), int64(10<<20))
			status, _, said := process(t, "plan", path)
			require.Equal(t, failed, status, "%.1000s", said)
			require.Contains(t, said, path+": ")
			require.Contains(t, said, c.want, "%.1000s", said)
			others := [][]string{{"plan", "-fabric", "slurm:" + path, "../../examples/stories/cluster.yaml"}, {"topology", path}, {"topology", "-from", "labels", path}}
			if testing.Short() {
				others = nil // a process each
			}
			for _, args := range others {
				status, _, said := process(t, args...)
				require.Equal(t, failed, status, "%v: %.1000s", args, said)
				require.Contains(t, said, path+": ")
			}
		})
	}
}

// One document of YAML, of as many lines as are parsed, takes memory by what the file is.
func TestPackedLinesTakeNoMemory(t *testing.T) {
	path := squeezedFile(t, "lines.yaml.gz", "a:\n", "- x\n", 7_000_000)
	status, _, said := process(t, "plan", path)
	require.Equal(t, failed, status, "%.1000s", said)
	require.Contains(t, said, path+": document 1, line 1: more than 1024 bytes of memory for each byte of the packed files")
}

// So it is where the file never ends: a device, a link to one, a pipe that nobody writes to.
func TestEndlessFilesOfAProcess(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	require.NoError(t, os.Symlink("/dev/zero", at("zero.yaml")))
	require.NoError(t, os.Symlink("/dev/urandom", at("random.json.gz")))
	require.NoError(t, syscall.Mkfifo(at("pipe.yaml"), 0o600))
	for path, want := range map[string]string{
		"/dev/zero": "a device", "/dev/urandom": "a device", at("zero.yaml"): "a device", at("random.json.gz"): "a device", at("pipe.yaml"): "nobody writes to this pipe",
	} {
		for _, args := range [][]string{{"plan", path}, {"topology", path}} {
			status, _, said := process(t, args...)
			require.Equal(t, failed, status, "%v: %.1000s", args, said)
			require.Contains(t, said, path+": ")
			require.Contains(t, said, want, "%v", args)
		}
	}
	require.NoError(t, os.WriteFile(at("node.yaml"), []byte(aNode), 0o600))
	status, out, said := process(t, "plan", dir)
	require.Equal(t, ok, status, said)
	require.Contains(t, out, "1 node")
	for _, name := range []string{"zero.yaml", "random.json.gz", "pipe.yaml"} {
		require.Contains(t, said, at(name)+": not a regular file, skipped\n")
	}
}
