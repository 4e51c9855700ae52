package fabric_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/fabric"
	"github.com/muster-sched/muster/topology"
)

// filesOf cuts an input at lines such as `-- ports.json --`.
func filesOf(text string) (files []fabric.File) {
	for line := range strings.Lines(text) {
		name, is := strings.CutPrefix(strings.TrimSpace(line), "-- ")
		if name, ends := strings.CutSuffix(name, " --"); is && ends {
			files = append(files, fabric.File{Name: name})
			continue
		}
		last := &files[len(files)-1]
		last.Data = append(last.Data, line...)
	}
	return files
}

// draw draws a tree: a domain a line, with its tier, and its nodes.
func draw(t cluster.NamedTree) string {
	var b strings.Builder
	fmt.Fprintf(&b, "tree %s", t.Name)
	for _, l := range t.Tree.Layers() {
		if l.Name != "" {
			fmt.Fprintf(&b, " %d=%s", l.Tier, l.Name)
		}
	}
	b.WriteString("\n")
	var walk func(d topology.DomainID, indent string)
	walk = func(d topology.DomainID, indent string) {
		first, last := t.Tree.Children(d)
		for c := first; c < last; c++ {
			fmt.Fprintf(&b, "%s%s (%d)", indent, t.Tree.Name(c), t.Tree.Tier(c))
			if from, to := t.Tree.Children(c); from == to {
				b.WriteString(":")
				from, to := t.Tree.Nodes(c)
				for n := from; n < to; n++ {
					b.WriteString(" " + t.Tree.NodeName(n))
				}
			}
			b.WriteString("\n")
			walk(c, indent+"  ")
		}
	}
	walk(topology.Root, "  ")
	return b.String()
}

// TestText reads the files in testdata, and prints what they make; write=FORMAT writes that instead.
func TestText(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.txt") // and not what failures of random tests leave below it
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
				var format, planes, name, write string
				d.ScanArgs(t, "format", &format)
				d.MaybeScanArgs(t, "planes", &planes)
				d.MaybeScanArgs(t, "name", &name)
				d.MaybeScanArgs(t, "write", &write)
				opt := fabric.Options{KeepGoing: d.HasArg("keep-going"), Planes: fabric.Planes(planes), Name: name}
				got, err := fabric.Read(fabric.Format(format), filesOf(d.Input), opt)
				if err != nil {
					requireTyped(t, err)
					return err.Error() + "\n"
				}
				if write != "" {
					text, err := fabric.Write(fabric.Format(write), got.Trees)
					if err != nil {
						return err.Error() + "\n"
					}
					return string(text)
				}
				var b strings.Builder
				for _, tree := range got.Trees {
					b.WriteString(draw(tree))
				}
				for _, f := range got.Findings {
					fmt.Fprintln(&b, f)
				}
				if b.Len() == 0 {
					return "nothing\n"
				}
				return b.String()
			})
		})
	}
}

// requireTyped checks that every defect is an Error with a reason.
func requireTyped(t *testing.T, err error) {
	t.Helper()
	all := []error{err}
	var joined interface{ Unwrap() []error }
	if errors.As(err, &joined) {
		all = joined.Unwrap()
	}
	for _, e := range all {
		var typed *fabric.Error
		require.ErrorAs(t, e, &typed)
		require.NotEmpty(t, typed.Reason)
	}
}

// Every kind of finding is shown by a scenario.
func TestEveryFindingHasAScenario(t *testing.T) {
	source, err := os.ReadFile("fabric.go")
	require.NoError(t, err)
	paths, err := filepath.Glob("testdata/*.txt")
	require.NoError(t, err)
	var all strings.Builder
	for _, path := range paths {
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		all.Write(data)
	}
	kinds := 0
	for line := range strings.Lines(string(source)) {
		if _, rest, is := strings.Cut(line, `Kind = "`); is {
			kind, _, _ := strings.Cut(rest, `"`)
			require.Contains(t, all.String(), "\n"+kind+": ", kind)
			kinds++
		}
	}
	require.Greater(t, kinds, 10)
}

func sorted(list []string) []string {
	list = slices.Clone(list)
	slices.Sort(list)
	return list
}
