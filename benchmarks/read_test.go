package benchmarks_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster/benchmarks"
	"github.com/muster-sched/muster/internal/document"
	"github.com/muster-sched/muster/placement/manifest"
)

// jsonPods writes a List of waiting pods in gangs of 64.
func jsonPods(pods int) []byte {
	var b strings.Builder
	b.WriteString(`{"apiVersion":"v1","kind":"List","items":[`)
	for i := range pods {
		if i > 0 {
			b.WriteString(",\n")
		}
		fmt.Fprintf(&b, `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"pod-%d","namespace":"team",`+
			`"labels":{"pod-group.scheduling.sigs.k8s.io":"gang-%d"}},"spec":{"containers":[{"name":"main",`+
			`"resources":{"requests":{"cpu":"1500m","memory":"1Gi","nvidia.com/gpu":"8"}}}]}}`, i, i/64)
	}
	b.WriteString("]}")
	return []byte(b.String())
}

// BenchmarkRead reads files: small objects in memory, and a dump of a cluster as a stream, in a process of its own whose most
// memory is measured.
func BenchmarkRead(b *testing.B) {
	forget()
	for _, f := range []struct {
		name string
		data []byte
	}{
		{"form=yaml/nodes=1000/pods=1000", benchmarks.YAML(1000, 1000)}, {"form=json/pods=100000", jsonPods(100_000)},
	} {
		b.Run(f.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, err := manifest.Read([]manifest.File{{Name: "cluster", Data: f.data}}, manifest.Options{})
				require.NoError(b, err)
			}
			b.ReportMetric(float64(len(f.data))/1e6/(b.Elapsed().Seconds()/float64(b.N)), "MB/s")
		})
	}
	b.Run("form=dump/nodes=200/pods=1000/state=memory", besideLibrary)
	for _, size := range []benchmarks.Dump{{Nodes: 500, Pods: 2000}, {Nodes: 5000, Pods: 20_000}} {
		b.Run(fmt.Sprintf("form=dump/nodes=%d/pods=%d/state=process", size.Nodes, size.Pods), func(b *testing.B) {
			var peak, bytesRead float64
			for b.Loop() {
				var n float64
				otherProcess(b, fmt.Sprintf("%s=%d %d", processReads, size.Nodes, size.Pods), &peak, &n)
				bytesRead += n
			}
			b.ReportMetric(bytesRead/1e6/b.Elapsed().Seconds(), "MB/s")
			b.ReportMetric(bytesRead/1e6/float64(b.N), "MB")
			if peak > 0 {
				b.ReportMetric(peak/(1<<20), "peak-MiB")
			}
		})
	}
}

// besideLibrary reads a dump in turn with what encoding/json makes of it. The fastest of each are compared, as somebody else may use the machine.
func besideLibrary(b *testing.B) {
	data, err := io.ReadAll(&benchmarks.Dump{Nodes: 200, Pods: 1000})
	require.NoError(b, err)
	library, parsed, read := time.Hour, time.Hour, time.Hour
	fastest := func(of *time.Duration, run func()) {
		at := time.Now()
		run()
		*of = min(*of, time.Since(at))
	}
	b.ReportAllocs()
	for b.Loop() {
		b.StopTimer()
		fastest(&library, func() {
			var plain map[string]any
			require.NoError(b, json.Unmarshal(data, &plain))
		})
		fastest(&parsed, func() {
			docs := document.Read("dump.json", bytes.NewReader(data), &document.Budget{})
			require.Nil(b, docs[0].Err)
		})
		b.StartTimer()
		fastest(&read, func() {
			open := func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil }
			_, err := manifest.Read([]manifest.File{{Name: "dump.json", Open: open}}, manifest.Options{})
			require.NoError(b, err)
		})
	}
	b.ReportMetric(float64(len(data))/1e6/read.Seconds(), "MB/s")
	b.ReportMetric(library.Seconds()/read.Seconds(), "x-json")
	b.ReportMetric(library.Seconds()/parsed.Seconds(), "x-json-parsed")
	b.ReportMetric(4, "x-json-parsed-goal")
}

// processReads is set for a process that [TestMain] lets read a dump, to the numbers of its nodes and pods.
const processReads = "MUSTER_PROCESS_READS"

// runReads is what the other process does: it prints its highest memory and what it has read, in bytes.
func runReads(size string) error {
	var dump benchmarks.Dump
	if _, err := fmt.Sscan(size, &dump.Nodes, &dump.Pods); err != nil {
		return err
	}
	counted := &counter{Reader: &dump}
	in, err := manifest.Read([]manifest.File{{Name: "dump.json", Open: func() (io.ReadCloser, error) { return io.NopCloser(counted), nil }}}, manifest.Options{})
	if err != nil {
		return err
	}
	if len(in.Spec.Nodes) != dump.Nodes || len(in.Spec.Running) != dump.Pods {
		return fmt.Errorf("read %d nodes and %d running pods", len(in.Spec.Nodes), len(in.Spec.Running))
	}
	peak, err := peakMemory()
	fmt.Println(peak, counted.bytes)
	return err
}

// counter counts what is read.
type counter struct {
	io.Reader
	bytes int
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.bytes += n
	return n, err
}
