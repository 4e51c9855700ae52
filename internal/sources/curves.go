package sources

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/internal/known"
	"github.com/muster-sched/muster/simulate"
	"github.com/muster-sched/muster/simulate/streams"
)

// Curves are the files that sizes and durations are drawn from, and of which cluster.
type Curves struct{ sizes, durations, of string }

// Define says which flags there are.
func (c *Curves) Define(flags *flag.FlagSet) {
	flags.StringVar(&c.sizes, "sizes", "", "draw the sizes of gangs, in devices, from the distribution in this `FILE`; with -durations and -of")
	flags.StringVar(&c.durations, "durations", "", "draw how long they run from the one in this `FILE`")
	flags.StringVar(&c.of, "of", "", "draw from the distributions of this `cluster` in these files")
}

// Given says whether gangs are drawn.
func (c *Curves) Given() bool { return c.sizes != "" || c.durations != "" || c.of != "" }

// Check says what is wrong with the flags, beside others that are given, and files.
func (c *Curves) Check(given map[string]bool, files []string) error {
	switch {
	case c.sizes == "" || c.durations == "" || c.of == "":
		return errors.New("-sizes, -durations and -of are for each other: all are needed")
	case c.sizes == "-" && c.durations == "-":
		return errors.New("-sizes and -durations: the standard input is one file")
	case len(files) > 0:
		return fmt.Errorf("%q: there is no table where gangs are drawn from -sizes", files[0])
	}
	for _, name := range []string{"largest", "runs", "copies"} {
		if given[name] {
			return fmt.Errorf("-%s is for gangs that are not drawn from -sizes", name)
		}
	}
	return nil
}

// Read reads both files, and looks whether gangs can be drawn from them.
func (c *Curves) Read(reader Reader, plays []Play) (Source, error) {
	sizes, err := readOf(reader, c.sizes, c.of, streams.ReadSizes)
	if err != nil {
		return nil, err
	}
	durations, err := readOf(reader, c.durations, c.of, streams.ReadDurations)
	if err != nil {
		return nil, err
	}
	d := &drawn{c.of, sizes, durations}
	if err := begins(d, plays); err != nil {
		return nil, fmt.Errorf("%s and %s: %w", c.sizes, c.durations, err)
	}
	return d, nil
}

// readOf reads the distribution of a cluster from a file.
func readOf[T any](reader Reader, file, of string, read func(io.Reader, func(int, error) error) (map[string][]T, error)) (steps []T, err error) {
	err = reader(file, func(in io.Reader, bad func(int, error) error) error {
		all, err := read(in, bad)
		if err == nil {
			steps, err = ofCluster(all, of)
		}
		return err
	})
	return steps, err
}

// ofCluster is the distribution of a cluster.
func ofCluster[T any](all map[string][]T, of string) ([]T, error) {
	names := slices.SortedFunc(maps.Keys(all), muster.CompareNatural)
	steps, is := all[of]
	switch {
	case len(names) == 0:
		return nil, errors.New("no distributions")
	case !is:
		return nil, fmt.Errorf("-of %q: not one of %s; the nearest one is %s", of, strings.Join(names, ", "), known.Nearest(of, names))
	}
	return steps, nil
}

// drawn are gangs that are drawn from the distributions of a cluster.
type drawn struct {
	of        string
	sizes     []streams.Size
	durations []streams.Duration
}

// Stream implements [Source].
func (d *drawn) Stream(p Play) simulate.Stream {
	return streams.Drawn{
		Seed: uint64(p.Seed), Jobs: int(p.Gangs), Sizes: d.sizes, Durations: d.durations, Load: p.Load * 10, Devices: p.Nodes * p.PerNode,
		Device: p.Device, PerNode: p.PerNode, Longer: p.Longer, Checkpoint: p.Checkpoint, Gather: p.Gather,
	}.Stream()
}

// Said implements [Source].
func (d *drawn) Said(p Play) string {
	return fmt.Sprintf("%d gangs of the sizes and durations of %s", p.Gangs, d.of)
}

// Gangs implements [Source].
func (d *drawn) Gangs(p Play) int64 { return p.Gangs }

// Loaded implements [Source].
func (d *drawn) Loaded() bool { return true }

// Own implements [Source].
func (d *drawn) Own() *Own { return nil }
