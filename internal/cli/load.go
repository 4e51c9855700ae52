package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/internal/printed"
	"github.com/muster-sched/muster/placement/manifest"
)

// load finds the named files, which are read later. All that are not there are reported.
func load(names []string, stdin io.Reader, stderr io.Writer) ([]manifest.File, error) {
	var files []manifest.File
	var defects []error
	for _, name := range names {
		expanded, err := expand(name, stderr)
		if err != nil {
			defects = append(defects, err)
			continue
		}
		for _, path := range expanded {
			files = append(files, manifest.File{Name: path, Open: func() (io.ReadCloser, error) {
				if path == "-" {
					return watch(io.NopCloser(stdin), path, 0, stderr), nil
				}
				f, in, err := open(path)
				if err != nil {
					return nil, err
				}
				var size int64
				if stat, err := f.Stat(); err == nil {
					size = stat.Size()
				}
				return watch(in, path, size, stderr), nil
			}})
		}
	}
	return files, errors.Join(defects...)
}

// extensions are those of the files that a directory stands for, also with .gz behind them.
var extensions = []string{".yaml", ".yml", ".json"}

// expand turns a directory into its files, in natural order; sub-directories are not entered, and of what is no file it is told.
func expand(name string, stderr io.Writer) ([]string, error) {
	if name == "-" {
		return []string{name}, nil
	}
	stat, err := os.Stat(name)
	if err != nil || !stat.IsDir() {
		return []string{name}, err
	}
	entries, err := os.ReadDir(name)
	if err != nil {
		return nil, err
	}
	var found []string
	for _, e := range entries {
		if slices.Contains(extensions, filepath.Ext(strings.TrimSuffix(e.Name(), ".gz"))) && isReadIn(name, e.Name(), stderr) {
			found = append(found, filepath.Join(name, e.Name()))
		}
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("%s: no *.yaml, *.yml or *.json file in this directory", printed.Text(name))
	}
	slices.SortFunc(found, muster.CompareNatural)
	return found, nil
}

// onlyName is the name of the topology of -fabric, which is that of gangs that name none; empty: there is none, or more than one.
func onlyName(trees []cluster.NamedTree) string {
	if len(trees) != 1 {
		return ""
	}
	return trees[0].Name
}

// withoutStrangers says of a topology of which no node is in the cluster just that, with an example of both, in place of each of its nodes.
func withoutStrangers(notices []string, trees []cluster.NamedTree, nodes []cluster.Node) []string {
	for _, t := range trees {
		known := slices.ContainsFunc(nodes, func(n cluster.Node) bool { _, is := t.Tree.Node(n.Name); return is })
		if known || t.Tree.NumNodes() == 0 || len(nodes) == 0 {
			continue
		}
		first := slices.MinFunc(nodes, func(a, b cluster.Node) int { return muster.CompareNatural(a.Name, b.Name) })
		each := fmt.Sprintf(" of topology %q is not in the cluster", t.Name)
		notices = slices.DeleteFunc(notices, func(text string) bool { return strings.HasSuffix(text, each) })
		notices = append(notices, fmt.Sprintf("-fabric: no node of topology %s is in the cluster: there they have names like %s, here like %s",
			t.Name, t.Tree.NodeName(0), first.Name))
	}
	return notices
}
