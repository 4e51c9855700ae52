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
