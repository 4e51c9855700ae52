package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/placement/manifest"
)

// load reads the named files. All that cannot be read are reported.
func load(names []string, stdin io.Reader) ([]manifest.File, error) {
	var files []manifest.File
	var defects []error
	for _, name := range names {
		expanded, err := expand(name)
		if err != nil {
			defects = append(defects, err)
			continue
		}
		for _, path := range expanded {
			data, err := read(path, stdin)
			if err != nil {
				defects = append(defects, err)
				continue
			}
			files = append(files, manifest.File{Name: path, Data: data})
		}
	}
	return files, errors.Join(defects...)
}

func read(path string, stdin io.Reader) ([]byte, error) {
	if path == "-" {
		return io.ReadAll(stdin)
	}
	return os.ReadFile(path)
}

// extensions are those of the files that a directory stands for.
var extensions = []string{".yaml", ".yml", ".json"}

// expand turns a directory into its files, in natural order; sub-directories are not entered.
func expand(name string) ([]string, error) {
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
		if !e.IsDir() && slices.Contains(extensions, filepath.Ext(e.Name())) {
			found = append(found, filepath.Join(name, e.Name()))
		}
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("%s: no *.yaml, *.yml or *.json file in this directory", name)
	}
	slices.SortFunc(found, muster.CompareNatural)
	return found, nil
}
