//go:build unix

package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const aNode = "apiVersion: v1\nkind: Node\nmetadata: {name: n}\n"

// Of what is named, each that is no file and would never end is refused by its name.
func TestDevicesAreRefused(t *testing.T) {
	for _, path := range []string{"/dev/zero", "/dev/urandom"} {
		for what, run := range commands {
			status, _, said := run(t, path)
			require.Equal(t, failed, status, what)
			require.Contains(t, said, path)
			require.Contains(t, said, "a device: only files and pipes are read")
		}
	}
}

// commands run with one file.
var commands = map[string]func(t *testing.T, path string) (status int, stdout, stderr string){
	"plan": func(t *testing.T, path string) (int, string, string) { return command(t, "", path) },
	"plan -fabric": func(t *testing.T, path string) (int, string, string) {
		return command(t, "", "-fabric", "slurm:"+path, "../../examples/stories/cluster.yaml")
	},
	"topology": func(t *testing.T, path string) (int, string, string) {
		var out, err strings.Builder
		status := Topology([]string{"-from", "labels", path}, strings.NewReader(""), &out, &err)
		return status, out.String(), err.String()
	},
	"topology of objects": func(t *testing.T, path string) (int, string, string) {
		var out, err strings.Builder
		status := Topology([]string{"-from", "objects", path}, strings.NewReader(""), &out, &err)
		return status, out.String(), err.String()
	},
}

func TestPipeWithoutWriter(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe.yaml")
	require.NoError(t, syscall.Mkfifo(path, 0o600))
	for what, run := range commands {
		done := make(chan string)
		go func() {
			status, _, said := run(t, path)
			if status != failed {
				said = "read"
			}
			done <- said
		}()
		select {
		case said := <-done:
			require.Contains(t, said, path+": ", what)
			require.Contains(t, said, "nobody writes to this pipe", what)
		case <-time.After(time.Minute):
			t.Fatal(what, ": waits for ever")
		}
	}
}

// A pipe is read however slowly somebody writes to it, once it is open.
func TestPipeWithSlowWriter(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe.yaml")
	require.NoError(t, syscall.Mkfifo(path, 0o600))
	go func() {
		w, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return
		}
		time.Sleep(pipePatience * 3 / 2)
		_, _ = w.WriteString(aNode)
		time.Sleep(pipePatience / 2)
		_, _ = w.WriteString("---\n" + strings.Replace(aNode, "name: n", "name: m", 1))
		_ = w.Close()
	}()
	status, out, said := commandWhole(t, path)
	require.Equal(t, ok, status, said)
	require.Contains(t, out, "2 nodes")
}

// commandWhole is command with the summary.
func commandWhole(t *testing.T, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	var out, err strings.Builder
	status = Run(args, strings.NewReader(""), &out, &err)
	return status, out.String(), err.String()
}

// What a shell names for `<(command)` is a pipe whose writer may be gone before it is read, or was there and says nothing yet.
func TestPipesOfAShell(t *testing.T) {
	if _, err := os.Stat("/dev/fd"); err != nil {
		t.Skip("no files for descriptors")
	}
	for _, wait := range []time.Duration{0, pipePatience * 3 / 2} {
		r, w, err := os.Pipe()
		require.NoError(t, err)
		write := func() {
			time.Sleep(wait)
			_, _ = w.WriteString(aNode)
			_ = w.Close()
		}
		if wait == 0 {
			write()
		} else {
			go write()
		}
		status, out, said := commandWhole(t, fmt.Sprint("/dev/fd/", r.Fd()))
		require.Equal(t, ok, status, said)
		require.Contains(t, out, "1 node")
		require.NoError(t, r.Close())
	}
}

// Of a directory regular files are read, and links to them.
func TestOnlyFilesOfADirectory(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	require.NoError(t, os.WriteFile(at("a.yaml"), []byte(aNode), 0o600))
	require.NoError(t, os.WriteFile(at("kept"), []byte(strings.Replace(aNode, "name: n", "name: m", 1)), 0o600))
	require.NoError(t, os.Symlink("kept", at("b.yaml")))
	require.NoError(t, os.Symlink("/dev/zero", at("c.yaml")))
	require.NoError(t, os.Symlink("/dev/urandom", at("d.json.gz")))
	require.NoError(t, syscall.Mkfifo(at("e.yaml"), 0o600))
	require.NoError(t, os.Mkdir(at("f.yaml"), 0o700))
	status, out, said := commandWhole(t, dir)
	require.Equal(t, ok, status, said)
	require.Contains(t, out, "2 nodes")
	for _, name := range []string{"c.yaml", "d.json.gz", "e.yaml"} {
		require.Contains(t, said, at(name)+": not a regular file, skipped\n")
	}
	require.Equal(t, 3, strings.Count(said, "\n"))
}
