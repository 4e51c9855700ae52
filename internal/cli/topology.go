package cli

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/fabric"
	"github.com/muster-sched/muster/internal/document"
	"github.com/muster-sched/muster/internal/keyends"
	"github.com/muster-sched/muster/internal/printed"
	"github.com/muster-sched/muster/placement/manifest"
	"github.com/muster-sched/muster/topology"
)

const topologyUsage = `usage: muster topology [-from FORMAT] [-to FORMAT | -draw | -check | -diff] [flags] FILE...

Reads what fabric managers, switches, workload managers and clouds know of a network and draws the trees that it makes, writes
them in another format, checks them, or tells what changed. A directory stands for all its *.yaml, *.yml and *.json files; - is
standard input. Flags may also stand after files; -- ends them.

What is odd about a network (a leaf of one host, a link seen from one side only) refuses it; with -keep-going it is told on
standard error, and what is usable is used.

Examples:
  muster topology ib.txt                                draws the tree of an InfiniBand network
  muster topology -from ufm -to slurm ports.json        writes Slurm's topology.conf
  muster topology -from lldp -check tables/             says what is odd, a file for each device
  muster topology -from slurm -diff old.conf new.conf   tells what changed

Exit status: 0 the files were read; with -check and -diff: nothing is odd, nothing changed; 1 they cannot be used, something is odd,
something changed; 2 the command line cannot be used.

Flags:
`

// objects is the format of Kubernetes-style objects: HyperNodes, Topologies and the nodes that they are about.
const objects = "objects"

// topologySettings are the flags of the topology command.
type topologySettings struct {
	from, to    string
	check, diff bool
	topology    string
	options     fabric.Options
	files       []string
}

// errOdd says that something is odd or changed, which was told.
var errOdd = errors.New("not as it should be")

// Topology runs the topology command with the arguments after its name and returns the exit status.
func Topology(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	set, err := parseTopology(args, stdout, stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return ok
	case err != nil:
		return misuse
	}
	switch err := set.run(stdin, stdout, stderr); {
	case errors.Is(err, errOdd):
		return failed
	case err != nil:
		say(stderr, err)
		return failed
	}
	return ok
}

func (set *topologySettings) run(stdin io.Reader, stdout, stderr io.Writer) error {
	if set.diff {
		return set.compare(stdin, stdout, stderr)
	}
	if set.check {
		set.options.KeepGoing = true
	}
	got, err := set.read(set.files, stdin, stderr)
	if err != nil {
		return err
	}
	if set.check {
		for _, f := range got.Findings {
			printed.Fprintln(stdout, f)
		}
		printed.Fprintf(stdout, "%d odd, in %s\n", len(got.Findings), sizes(got.Trees))
		if len(got.Findings) > 0 {
			return errOdd
		}
		return nil
	}
	for _, f := range got.Findings {
		printed.Fprintln(stderr, f)
	}
	text, err := fabric.Write(fabric.Format(set.to), got.Trees)
	if err != nil {
		return err
	}
	_, err = stdout.Write(text)
	return err
}

// sizes says how large trees are.
func sizes(trees []cluster.NamedTree) string {
	var all []string
	for _, t := range trees {
		all = append(all, printed.Sprintf("%s (%d nodes, %d domains)", t.Name, t.Tree.NumNodes(), t.Tree.Len()-1))
	}
	return cmp.Or(strings.Join(all, ", "), "no topology")
}

// read reads the trees of some files, or the one of them that is chosen.
func (set *topologySettings) read(names []string, stdin io.Reader, stderr io.Writer) (*fabric.Fabric, error) {
	files, err := load(names, stdin, stderr)
	if err != nil {
		return nil, err
	}
	got, err := readTrees(set.from, files, set.options)
	if err != nil || set.topology == "" {
		return got, err
	}
	for _, t := range got.Trees {
		if t.Name == set.topology {
			got.Trees = []cluster.NamedTree{t}
			return got, nil
		}
	}
	return nil, fmt.Errorf("-topology %q: none of %s", set.topology, sizes(got.Trees))
}

// readTrees reads trees in a format; empty: in that of the first file.
func readTrees(format string, files []manifest.File, opt fabric.Options) (*fabric.Fabric, error) {
	if format == objects {
		return treesOfObjects(files, opt.KeepGoing)
	}
	read := make([]fabric.File, len(files))
	for i, f := range files {
		data, err := whole(f)
		if err != nil {
			return nil, err
		}
		read[i] = fabric.File{Name: f.Name, Data: data}
	}
	if err := holdNothing(read); err != nil {
		return nil, err
	}
	if format == "" && len(read) > 0 {
		var err error
		if format, err = detect(read); err != nil {
			return nil, err
		}
	}
	got, err := fabric.Read(fabric.Format(format), read, opt)
	if err == nil && len(got.Trees)+len(got.Findings) == 0 {
		return nil, noTopology(read)
	}
	return got, err
}

// holdNothing says it of each file where no file has content.
func holdNothing(files []fabric.File) error {
	errs := make([]error, len(files))
	for i, f := range files {
		if !document.IsEmpty(f.Data) {
			return nil
		}
		errs[i] = fmt.Errorf("%s: holds nothing", printed.Text(f.Name))
	}
	return errors.Join(errs...)
}

// noTopology says that files that can be read make no tree: who asks a command for one has given another file than was meant.
func noTopology(files []fabric.File) error {
	switch len(files) {
	case 0:
		return errors.New("no file that could hold a topology")
	case 1:
		return fmt.Errorf("%s: holds no topology", printed.Text(files[0].Name))
	}
	return fmt.Errorf("%s: holds no topology, and none of the other files does", printed.Text(files[0].Name))
}

// whole reads a file at once, unpacked.
func whole(f manifest.File) ([]byte, error) {
	in, err := f.Open()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", printed.Text(f.Name), err)
	}
	data, err := document.Whole(in)
	_ = in.Close()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", printed.Text(f.Name), err)
	}
	return data, nil
}

// detect is the format of the first file that holds anything; one does.
func detect(files []fabric.File) (string, error) {
	at := slices.IndexFunc(files, func(f fabric.File) bool { return !document.IsEmpty(f.Data) })
	format := string(fabric.Detect(files[at]))
	if format == "" {
		return "", fmt.Errorf("%s: in no format that is known by its beginning: say which (-from FORMAT, -fabric FORMAT:FILE)", printed.Text(files[at].Name))
	}
	return format, nil
}

// treesOfObjects reads the topologies of Kubernetes-style objects. What is wrong with gangs does not matter; nodes that topologies name
// need no objects of their own.
func treesOfObjects(files []manifest.File, keepGoing bool) (*fabric.Fabric, error) {
	read := slices.Clone(files)
	for i, f := range files {
		if stat, err := os.Stat(f.Name); err == nil && stat.Mode().IsRegular() {
			continue // which can be read twice
		}
		data, err := whole(f)
		if err != nil {
			return nil, err
		}
		read[i] = manifest.File{Name: f.Name, Data: data}
	}
	in, err := manifest.Read(read, manifest.Options{KeepGoing: true})
	if err != nil {
		return nil, err
	}
	var nodes strings.Builder
	for _, t := range in.Spec.Trees {
		for _, name := range t.Tree.Absent() {
			fmt.Fprintf(&nodes, "---\n{apiVersion: v1, kind: Node, metadata: {name: %q}}\n", name)
		}
	}
	if nodes.Len() > 0 {
		read = append(read, manifest.File{Name: "nodes that topologies name", Data: []byte(nodes.String())})
		if in, err = manifest.Read(read, manifest.Options{KeepGoing: true}); err != nil {
			return nil, err
		}
	}
	if len(in.Defects) > 0 && (!keepGoing || len(in.Spec.Trees) == 0) {
		return nil, errors.Join(in.Defects...)
	}
	if len(in.Spec.Trees) == 0 {
		return nil, fmt.Errorf("%s: holds no topology", printed.Text(files[0].Name))
	}
	return &fabric.Fabric{Trees: in.Spec.Trees}, nil
}

// trees reads the topologies of -fabric.
func (set *settings) trees(stdin io.Reader, stderr io.Writer) ([]cluster.NamedTree, error) {
	if set.fabric == "" {
		return nil, nil
	}
	format, name, is := strings.Cut(set.fabric, ":")
	if !is || !slices.Contains(fabric.Formats(), format) {
		format, name = "", set.fabric
	}
	files, err := load([]string{name}, stdin, stderr)
	if err != nil {
		return nil, err
	}
	got, err := readTrees(format, files, fabric.Options{KeepGoing: set.keepGoing})
	if err != nil {
		return nil, err
	}
	for _, f := range got.Findings {
		printed.Fprintln(stderr, f)
	}
	return got.Trees, nil
}

// compare tells what changed from one file, or directory, to another one.
func (set *topologySettings) compare(stdin io.Reader, stdout, stderr io.Writer) error {
	before, err := set.read(set.files[:1], stdin, stderr)
	if err != nil {
		return err
	}
	after, err := set.read(set.files[1:], stdin, stderr)
	if err != nil {
		return err
	}
	changed := false
	names := map[string][2]*topology.Tree{}
	for i, trees := range [][]cluster.NamedTree{before.Trees, after.Trees} {
		for _, t := range trees {
			pair := names[t.Name]
			pair[i] = t.Tree
			names[t.Name] = pair
		}
	}
	for _, name := range slices.SortedFunc(maps.Keys(names), muster.CompareNatural) {
		d := topology.Diff(names[name][0], names[name][1])
		changed = changed || !d.IsEmpty()
		tellDifference(stdout, name, &d, names[name])
	}
	if changed {
		return errOdd
	}
	return nil
}

// tellDifference writes a line for each change between two trees.
func tellDifference(w io.Writer, name string, d *topology.Difference, of [2]*topology.Tree) {
	path := func(p []string) string { return cmp.Or(strings.Join(p, "/"), "outside") }
	was, is := keyends.Tiers(of[0]), keyends.Tiers(of[1])
	if d.Layers {
		printed.Fprintf(w, "%s: layers are %s, were %s\n", name, layersOf(of[1]), layersOf(of[0]))
	}
	for _, p := range d.Removed {
		printed.Fprintf(w, "%s: removed %s (%s)\n", name, path(p.Path), was(p.Tier))
	}
	for _, p := range d.Added {
		printed.Fprintf(w, "%s: added %s (%s)\n", name, path(p.Path), is(p.Tier))
	}
	for _, r := range d.Renamed {
		printed.Fprintf(w, "%s: %s is %s\n", name, path(r.Old), path(r.New))
	}
	for _, m := range d.Moved {
		printed.Fprintf(w, "%s: node %s moved from %s to %s\n", name, m.Node, path(m.From), path(m.To))
	}
	for _, n := range d.RemovedNodes {
		printed.Fprintf(w, "%s: node %s removed\n", name, n)
	}
	for _, n := range d.AddedNodes {
		printed.Fprintf(w, "%s: node %s added\n", name, n)
	}
}

// layersOf lists the layers of a tree, widest first, with their tiers.
func layersOf(t *topology.Tree) string {
	var all []string
	for _, l := range slices.Backward(t.Layers()) {
		all = append(all, fmt.Sprintf("%s (tier %d)", cmp.Or(l.Name, "one without a name"), l.Tier))
	}
	return cmp.Or(strings.Join(all, ", "), "none")
}

// parseTopology reads the command line; it has told the user what is wrong with it.
func parseTopology(args []string, stdout, stderr io.Writer) (set topologySettings, err error) {
	flags := flag.NewFlagSet("topology", flag.ContinueOnError)
	check := set.define(flags)
	err = parseFiles(flags, args, topologyUsage, stdout, &set.files)
	if err == nil {
		err = check()
	}
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		tellMisuse(stderr, "topology", err)
	}
	return set, err
}

// define says which flags there are; check says, once they are read, what is wrong with their values.
func (set *topologySettings) define(flags *flag.FlagSet) (check func() error) {
	from := choose(flags, "from", "", words(append(fabric.Formats(), objects)...), "format of the files (default: what their beginning tells): %s")
	to := choose(flags, "to", "text", words(fabric.Written()...), "format to write: %s")
	draw := flags.Bool("draw", false, "draw the trees, as -to text does; so it is without -to")
	flags.BoolVar(&set.check, "check", false, "say what is odd, and nothing else")
	flags.BoolVar(&set.diff, "diff", false, "tell what changed from the first file to the second")
	flags.BoolVar(&set.options.KeepGoing, "keep-going", false, "use what is usable although something is odd")
	planes := choose(flags, "planes", "", words(string(fabric.EachPlane), string(fabric.OnePlane)), "of hosts on several networks of switches: a tree for each of them, or one for all: %s")
	flags.StringVar(&set.options.Name, "name", "", "`name` of a topology that the files do not name")
	flags.StringVar(&set.topology, "topology", "", "the topology that is meant, where there are several, by its `name`")
	return func() error {
		if err := checkChoices(flags); err != nil {
			return err
		}
		if set.from, set.to, set.options.Planes = from(), to(), fabric.Planes(planes()); *draw {
			set.to = "text"
		}
		switch {
		case len(set.files) == 0:
			return errors.New("no files given")
		case set.diff && len(set.files) != 2:
			return errors.New("-diff compares two files or directories")
		}
		return nil
	}
}
