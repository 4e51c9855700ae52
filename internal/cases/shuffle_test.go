package cases

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/placement/manifest"
)

// partner is which of several objects of one name another one contradicts.
var partner = regexp.MustCompile(` is in \S+, document \d+, too`)

// contents are what files describe, in an order that is not theirs.
func contents(t *testing.T, files []manifest.File) string {
	t.Helper()
	sorted := func(errs string) string {
		lines := strings.Split(partner.ReplaceAllString(errs, ""), "\n")
		slices.SortFunc(lines, muster.CompareNatural)
		return strings.Join(slices.Compact(lines), "\n")
	}
	in, err := manifest.Read(files, manifest.Options{KeepGoing: true})
	if err != nil {
		return sorted(err.Error())
	}
	var b strings.Builder
	slices.SortFunc(in.Spec.Nodes, func(a, b cluster.Node) int { return muster.CompareNatural(a.Name, b.Name) })
	for i := range in.Spec.Nodes {
		in.Spec.Nodes[i].NUMA = nil // is shared, and its text would be an address
	}
	for i := range in.Spec.Running {
		in.Spec.Running[i].NUMA = nil
	}
	fmt.Fprintf(&b, "%+v\n%+v\n%+v\n", in.Spec.Nodes, in.Spec.Running, in.Spec.Budgets)
	for i := range in.Gangs {
		g := &in.Gangs[i]
		q := g.Request
		members := q.Members
		q.Members = nil
		fmt.Fprintf(&b, "%+v %v %+v %d\n", q, g.Ignored, g.Terms, g.Total)
		for _, m := range members {
			shape := m.Shape
			if m.Shape = nil; shape == nil {
				shape = &q.Shape
			}
			fmt.Fprintf(&b, "%+v %+v\n", m, *shape)
		}
		if g.Err != nil {
			b.WriteString(sorted(g.Err.Error()) + "\n")
		}
	}
	var defects []string
	for _, d := range in.Defects {
		defects = append(defects, d.Error())
	}
	b.WriteString(sorted(strings.Join(defects, "\n")))
	fmt.Fprintf(&b, "\n%q %v", in.Notices, in.Skipped)
	return b.String()
}

// The order of files changes nothing, also where two objects contradict each other.
func TestOrderOfFilesChangesNothing(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for at, objects := range inputs(t) {
		if testing.Short() && at%10 > 0 {
			continue
		}
		var files []manifest.File
		add := func(o any) {
			data, err := json.Marshal(o)
			require.NoError(t, err)
			files = append(files, manifest.File{Name: fmt.Sprintf("o%d.json", len(files)), Data: data})
		}
		for _, o := range objects {
			add(o)
		}
		if twin, is := objects[r.IntN(len(objects))].(map[string]any); is && r.IntN(2) == 0 {
			meta, _ := twin["metadata"].(map[string]any)
			if meta != nil && meta["name"] != nil {
				meta["uid"] = "another"
				add(twin)
			}
		}
		want := contents(t, files)
		for range 2 {
			r.Shuffle(len(files), func(i, j int) { files[i], files[j] = files[j], files[i] })
			require.Equal(t, want, contents(t, files))
		}
	}
}

// Objects say the same in memory, as a stream, packed, indented, and as a List.
func TestFormOfFilesChangesNothing(t *testing.T) {
	for at, objects := range inputs(t) {
		if at%5 > 0 || testing.Short() && at%50 > 0 {
			continue
		}
		list := func(indent string) []byte {
			data, err := json.MarshalIndent(map[string]any{"items": objects, "apiVersion": "v1", "kind": "List"}, "", indent)
			require.NoError(t, err)
			return bytes.ReplaceAll(data, []byte("\n"), nil) // places name lines
		}
		opened := func(data []byte) []manifest.File {
			return []manifest.File{{Name: "in.json", Open: func() (io.ReadCloser, error) { return io.NopCloser(iotest.HalfReader(bytes.NewReader(data))), nil }}}
		}
		var packed bytes.Buffer
		w := gzip.NewWriter(&packed)
		_, err := w.Write(list(""))
		require.NoError(t, err)
		require.NoError(t, w.Close())

		want := contents(t, []manifest.File{{Name: "in.json", Data: list("")}})
		require.Equal(t, want, contents(t, opened(list("    "))))
		require.Equal(t, want, contents(t, opened(packed.Bytes())))
		require.Equal(t, want, contents(t, []manifest.File{{Name: "in.json", Data: packed.Bytes()}}))
	}
}
