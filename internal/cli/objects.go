package cli

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/playable"
	"github.com/muster-sched/muster/placement/manifest"
	"github.com/muster-sched/muster/placement/render"
)

// isTable says whether a file is a table of jobs, by its name.
func isTable(name string) bool { return strings.EqualFold(filepath.Ext(name), ".csv") }

// areObjects says whether files are played that have objects; the standard input by itself is a table.
func areObjects(files []string) bool {
	return len(files) > 1 || len(files) == 1 && files[0] != "-" && !isTable(files[0])
}

// checkObjects looks at which flags are given, or swept, beside files with objects.
func checkObjects(files []string, given func(flag string) bool) error {
	for _, name := range files {
		if isTable(name) {
			return fmt.Errorf("%q: a table is played by itself, without other files", name)
		}
	}
	for _, name := range []string{"fabric", "gangs", "load", "largest", "runs", "longer", "copies", "lone", "urgent", "devices", "stay"} {
		if given(name) {
			return fmt.Errorf("-%s is for what is made or stands in a table, and there are objects: %s", name, files[0])
		}
	}
	return nil
}

// What flags say of objects that nothing comes of.
var (
	errSeedOfObjects       = errors.New("-seed: the cluster and the gangs of files are the same for all seeds, and so is what comes of them; -placer random alone draws by it")
	errCheckpointOfObjects = errors.New("-checkpoint: all gangs of the files say it themselves, by the annotation muster.dev/checkpoint")
	errPlaysTheRest        = errors.New("-keep-going plays the rest")
)

// fitRows looks at what is played of objects: a seed changes nothing where nobody draws by it, and equal rows are not played.
func (set *simulateSettings) fitRows(rows []played, given map[string]bool) error {
	set.checkpoints = given["checkpoint"] || set.sweeps.has("checkpoint")
	draws := slices.ContainsFunc(rows, func(p played) bool { return p.placer == byRandom })
	if areObjects(set.files) && (given["seed"] || set.sweeps.has("seed")) && !draws {
		return errSeedOfObjects
	}
	return nil
}

// enterObjects reads the files that are named, for all rows.
func (set *simulateSettings) enterObjects(rows []played, stdin io.Reader, stderr io.Writer) error {
	gangs, err := set.readObjects(stdin, stderr)
	switch {
	case err != nil:
		return err
	case set.checkpoints && !gangs.LacksCheckpoint():
		return errCheckpointOfObjects
	}
	for i := range rows {
		rows[i].enter(gangs)
	}
	return nil
}

// readObjects reads the files that muster plan reads, and says what of them is not played.
func (set *simulateSettings) readObjects(stdin io.Reader, stderr io.Writer) (*playable.Gangs, error) {
	files, err := load(set.files, stdin, stderr)
	if err != nil {
		return nil, err
	}
	in, err := manifest.Read(files, manifest.Options{KeepGoing: set.keepGoing, Durations: true})
	if err != nil {
		return nil, errors.Join(err, errPlaysTheRest)
	}
	gangs, errs, err := playable.Of(in, nowOf(in, ""))
	if err != nil {
		return nil, err
	}
	p := &Planned{Input: in}
	for i := range in.Gangs {
		g := &in.Gangs[i]
		p.Outcomes = append(p.Outcomes, render.Outcome{Gang: g.Request.Name, Ignored: g.Ignored, Err: errs[i]})
	}
	report(stderr, p, set.keepGoing)
	if err := errors.Join(errs...); err != nil && !set.keepGoing {
		return nil, errors.Join(err, errPlaysTheRest)
	}
	return gangs, gangs.Check()
}

// enter lets the row play gangs of files. No load was asked for, and how long gangs say that they run is theirs.
func (p *played) enter(gangs *playable.Gangs) {
	largest, runs := gangs.Sizes()
	p.source, p.objects, p.gangs, p.largest, p.runs, p.load, p.longer = gangs, gangs, int64(len(gangs.Jobs)), int64(largest), runs, 0, 0
}

// wholeNode is the member of which the largest gang is looked for that fits as time goes by; nil: none is.
func (p *played) wholeNode(m made) *gang.Shape {
	if p.objects != nil {
		return p.objects.Fit
	}
	shape := m.shape()
	return &shape
}

// says whether a column tells something of the row, and is not the same whatever its flag is.
func (p *played) says(column string) bool {
	switch {
	case p.stay:
		return slices.Contains(stayedKeys, column)
	case p.objects != nil:
		return column != "load" && column != "longer" && (column != "seed" || p.placer == byRandom) && (column != "checkpoint" || p.objects.LacksCheckpoint())
	case column == "load":
		return p.loaded()
	}
	return true
}

// says is that of any row.
func (t *told) says(column string) bool {
	return slices.ContainsFunc(t.results, func(r result) bool { return r.says(column) })
}
