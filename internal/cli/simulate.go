package cli

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"

	"github.com/muster-sched/muster/internal/sources"
	"github.com/muster-sched/muster/simulate/streams"
)

const simulateUsage = `usage: muster simulate [flags] [TABLE | FILE...]

Plays a stream of gangs on a cluster, both made, and says how long gangs wait and how much of the cluster is used: by another
discipline, load or placer too. Members take whole nodes of 8 devices. Sizes are log-uniform, so that half of the gangs are smaller
than the square root of the largest; arrivals and durations are exponential. A gang must gather in one domain of the lowest layer
whose domains have as many nodes; one for which there is none may lie anywhere. With -lone so many of the gangs, drawn from the seed,
are a single pod of 1 to 4 devices, each as often; the others are those of the stream without it, but come at other times.

-fabric nvl72 has 4 units (su) of 8 racks of 18 nodes of 4 devices, a rack being one NVLink domain; rails has 4 pods of 4 units of 32
nodes, where a unit has a leaf switch for each device of a node, so that it is the smallest domain; clos has 2 cores of 4 spines of 4
leaves of 32 nodes. Other sizes stand behind a colon: nvl72:16x8x18, rails:4x32.

With a TABLE its jobs are played in place of made ones: lines with commas, whose first one names the columns submit_s, gpus and
duration_s, and perhaps vc, of which each has a clock of its own. - is the standard input. A job of up to 8 devices is one member,
a larger one takes whole nodes (of -devices). -copies plays it so many times at once, each copy but the first from an instant on that
-seed draws.

With -sizes and -durations jobs are drawn from distributions: lines with the columns cluster, gpus, jobs_cum_pct and
gpu_time_cum_pct, and cluster, type, seconds and jobs_cum_pct, of which those of -of are used, and of types only all. A job runs for a
second of a step that is drawn, times a number of its size: so each size has its part of jobs and of the time of all devices.

With -nodes the cluster is a list of nodes (columns sn, cpu_milli, memory_mib, gpu, model) without a network, and the TABLE is one of
pods, each a gang of one: name, cpu_milli, memory_mib, num_gpu, gpu_milli, and creation_time, deletion_time and scheduled_time; gpu_spec
names the models that it may have, with | between them. Pods that share a device, and those that never ran, are left out and counted.

-stay asks how full a cluster gets: gangs come one by one, nobody leaves, and who finds no place is out, until 130 % of the devices are
asked for, or until the stream ends; what is told is which part of the devices is allocated then. Pods of a table come in an order that
-seed draws, which also draws which of equal nodes is taken, and are drawn again where there are too few; they need no times.

With FILEs that are no tables (their names do not end in .csv; a directory stands for its files) the gangs of their objects are played
on the nodes of these, with topologies, quotas and what runs there, as muster plan reads them. How long a gang runs its object says, or its
pods, in the annotation muster.dev/duration (90m, or seconds), how long it says so muster.dev/expected-duration, and after how much running
what it did is safe muster.dev/checkpoint, else -checkpoint. It comes at its creationTimestamp, and without one when the first one does.
What runs ends as muster plan -when tells it, or never. Nobody leaves for a gang unless -victims is given. Its quota gives it what is idle
beyond what is guaranteed to others that wait. - by itself is a table; /dev/stdin may be objects.

-sweep plays all combinations of some values, on all cores, and prints a line for each, in the order in which they are given, the
last -sweep varying fastest. Its columns: load is what gangs ask for, and reached what they did until the last one came, in percent
of the devices of all nodes; used is what is in use until the last one ends, so that a short stream uses less; mean, p50, p95 and
longest are how long gangs wait, in seconds, p50 and p95 rounded up by at most a 64th; moved counts members, and lost is work that
was lost by moves and victims, in seconds of a device. -o json says also how long gangs of each size wait.
-o html is a page of its own: what waits and which gangs would fit as time goes by, how long gangs of each size wait, how many lie
wider than they would if nobody else were there, and how many members moved; of several seeds it says how far apart they are.

With a -sweep of placers there are six more columns, of how they do beside a plan of Muster on the same cluster, each time that one is
asked: refused, though there is a plan; wider, of those that both have placed: in a higher domain; placed, these; unasked, because it has
no word for what the gang asks for; units, in how many lowest domains those are that both have placed, and by plan, in how many they would
be by plans.

-paired makes one line of the streams of all seeds: the mean waiting, and what the mean, p95 and the longest waiting, and the mean one
of the largest gangs, are of those of the first way (discipline, moves, placer, victims) to play the same stream: the mean of the ratios
of all seeds, and their standard deviation. What is less than two of these away from 1 is no difference, and stands in brackets.

With -urgent there is a column of how long urgent gangs wait in the mean; with -victims one evicted, of members that left for them; with
-slowdown one slowed, how much of what is used went into running longer, in seconds of a device; and with either took, how long gangs
took from their arrival until their end, in the mean. With -paired those of means are compared with the first way, too.

Equal arguments give equal bytes, on any number of cores.

Examples:
  muster simulate                                             plays 1000 gangs on 1024 nodes
  muster simulate -discipline easy -longer 3                  holds room for the first one that waits, by guesses of ends
  muster simulate -sweep placer=muster,first-fit              says what it costs that gangs gather
  muster simulate -lone 90 -sweep placer=muster,muster-fgd    compares policies where most pods take parts of nodes
  muster simulate -gangs 200 -sweep moves=false,true -o csv   says what moves bring, for a spreadsheet
  muster simulate -sweep discipline=strict,easy -o html > page.html  shows it in a browser
  muster simulate -slowdown 20 -sweep placer=muster,pod-by-pod   says so where gangs that lie wider run longer
  muster simulate -urgent 20 -sweep victims=false,true        says what it changes that urgent gangs evict others
  muster simulate -fabric nvl72 -sweep seed=1,2,3             plays on racks of 18 nodes
  muster simulate -fabric 8x16x64 -largest 512                plays larger gangs on a larger cluster
  muster simulate -copies 3 philly_jobs.csv                   plays the jobs of a table, three times at once
  muster simulate -sweep discipline=strict,easy examples/simulate
                                                              plays the gangs of objects on their cluster
  muster simulate -sizes gpu_count_cdf.csv -durations duration_cdf.csv -of kalos
                                                              draws jobs as a published cluster had them
  muster simulate -nodes openb_node_list_gpu_node.csv openb_pod_list_default.csv
                                                              plays pods of a published cluster on its nodes
  muster simulate -stay -sweep seed=42,43,44 -nodes openb_node_list_gpu_node.csv openb_pod_list_default.csv
                                                              fills that cluster
  muster simulate -sweep seed=1,2,3,4,5 -sweep discipline=next-that-fits,easy -paired
                                                              says what holding room for the first one changes

Exit status: 0 the streams were played; 1 they cannot be; 2 the command line cannot be used.

Flags:
`

// A year: no duration is longer, so that no sum of what gangs take overflows.
const longestRuns = 365 * 24 * 3600

// simulateSettings are the flags of the simulate command.
type simulateSettings struct {
	played
	made    made
	curves  sources.Curves
	pods    sources.Pods
	sweeps  sweeps
	devices int64
	paired  bool
	output  string
	files   []string

	keepGoing   bool
	checkpoints bool // -checkpoint is given, or swept
}

// Simulate runs the simulate command with the arguments after its name and returns the exit status.
func Simulate(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	set, rows, err := parseSimulate(args, stdout, stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return ok
	case err != nil:
		return misuse
	}
	if err := set.read(rows, stdin, stderr); err != nil {
		say(stderr, err)
		return failed
	}
	if err := set.run(rows, stdout, stderr); err != nil {
		say(stderr, err)
		return failed
	}
	return ok
}

// isRead says that gangs are read from files.
func (set *simulateSettings) isRead() bool { return len(set.files) > 0 || set.curves.Given() }

// read reads the files that rows are played from.
func (set *simulateSettings) read(rows []played, stdin io.Reader, stderr io.Writer) error {
	var plays []sources.Play
	for i := range rows {
		plays = append(plays, rows[i].asked(set.made))
	}
	source, err := sources.Source(nil), error(nil)
	switch {
	case set.curves.Given():
		source, err = set.curves.Read(set.reader(stdin, stderr), plays)
	case set.pods.Given():
		source, err = set.pods.Read(set.reader(stdin, stderr), set.files[0], madeDevice, set.stay)
	case areObjects(set.files):
		return set.enterObjects(rows, stdin, stderr)
	case len(set.files) > 0:
		if err := set.readTable(stdin, stderr); err != nil {
			return err
		}
		for i := range rows {
			rows[i].table, rows[i].gangs = set.table, int64(len(set.table))*rows[i].copies
		}
	}
	if source == nil || err != nil {
		return err
	}
	for i := range rows {
		rows[i].source, rows[i].gangs = source, source.Gangs(plays[i])
	}
	return nil
}

// reader opens files, or the standard input, and lets them be read; with -keep-going what is wrong with lines is only told.
func (set *simulateSettings) reader(stdin io.Reader, stderr io.Writer) sources.Reader {
	return func(name string, read func(in io.Reader, bad func(line int, err error) error) error) error {
		in := io.NopCloser(stdin)
		if name != "-" {
			var err error
			if _, in, err = open(name); err != nil {
				return err
			}
		}
		defer func() { _ = in.Close() }()
		err := read(in, func(line int, err error) error {
			if err = fmt.Errorf("line %d: %w", line, err); set.keepGoing {
				say(stderr, fmt.Errorf("%s: %w", name, err))
				return nil
			}
			return err
		})
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		return nil
	}
}

// readTable reads the jobs of the file that is named.
func (set *simulateSettings) readTable(stdin io.Reader, stderr io.Writer) error {
	return set.reader(stdin, stderr)(set.files[0], func(in io.Reader, bad func(int, error) error) (err error) {
		if set.table, err = streams.Read(in, bad); err == nil && len(set.table) == 0 {
			err = errors.New("no jobs")
		}
		return err
	})
}

// run plays all rows and prints what came of them.
func (set *simulateSettings) run(rows []played, stdout, stderr io.Writer) error {
	if set.output == "html" {
		noteDrawn(set.sweeps, rows)
	}
	results, err := playAll(set.made, rows, stderr)
	if err != nil {
		return err
	}
	t := told{set.made, set.sweeps, results, set.paired}
	switch {
	case set.output == "json" || set.output == "jsonl":
		return t.json(stdout, set.output == "jsonl")
	case set.output == "html":
		return t.html(stdout)
	case set.output == "csv":
		return t.csv(stdout)
	case len(set.sweeps) > 0:
		return t.table(stdout)
	}
	return t.report(stdout)
}

// parseSimulate reads the command line, and which streams it asks for; it has told the user what is wrong with it.
func parseSimulate(args []string, stdout, stderr io.Writer) (set simulateSettings, rows []played, err error) {
	flags := flag.NewFlagSet("simulate", flag.ContinueOnError)
	check := set.define(flags)
	if err = parseFiles(flags, args, simulateUsage, stdout, &set.files); err == nil {
		given := map[string]bool{}
		flags.Visit(func(f *flag.Flag) { given[f.Name] = true })
		if err = set.fit(given); err == nil {
			rows, err = set.sweeps.rows(flags, given, func() (played, error) { err := check(); return set.played, err })
		}
		if err == nil {
			err = set.fitRows(rows, given)
		}
	}
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		tellMisuse(stderr, "simulate", err)
	}
	return set, rows, err
}

// define says which flags there are; check says, once they are read, what is wrong with their values.
func (set *simulateSettings) define(flags *flag.FlagSet) (check func() error) {
	set.made = usualMade()
	bounded(flags, &set.seed, "seed", 1, 0, 1<<62, "the stream with this `number`: another one has other gangs")
	bounded(flags, &set.gangs, "gangs", 1000, 1, 1_000_000, "how `many` gangs come")
	bounded(flags, &set.load, "load", 85, 1, 1000, "how much gangs ask for, in `percent` of the cluster")
	bounded(flags, &set.largest, "largest", 128, 1, mostNodes, "`members` of the largest gang; the usual one is no larger than the cluster")
	bounded(flags, &set.lone, "lone", 0, 0, 100, "how many `percent` of the gangs are a single pod of 1 to 4 devices")
	bounded(flags, &set.runs, "runs", 7200, 1, longestRuns, "how many `seconds` gangs run in the mean")
	bounded(flags, &set.longer, "longer", 1, 1, 1024, "gangs say that they run up to so many `times` as long as they do")
	bounded(flags, &set.checkpoint, "checkpoint", 1800, 0, longestRuns, "what a gang has done is safe each time that it has run so many `seconds`: a gang that moves loses the rest; 0: never")
	bounded(flags, &set.pause, "pause", 60, 0, longestRuns, "with -moves: for how many `seconds` a gang stands still that moves")
	bounded(flags, &set.urgent, "urgent", 0, 0, 100, "so many gangs in a `hundred` come before the others: their priority is higher")
	bounded(flags, &set.slowdown, "slowdown", 0, 0, 10_000, "gangs run so many `percent` longer for each tier by which they lie wider than they would if nobody else were there")
	bounded(flags, &set.copies, "copies", 1, 1, 1000, "how many `times` the jobs of a table are played at once")
	set.curves.Define(flags)
	set.pods.Define(flags)
	flags.BoolVar(&set.keepGoing, "keep-going", false, "lines of files that cannot be used are told, and left out; so is what of objects cannot be played")
	flags.BoolVar(&set.stay, "stay", false, "gangs come one by one and never end, until 130 % of the devices are asked for; who finds no place is out")
	flags.BoolVar(&set.moves, "moves", false, "running gangs move for the first one that waits, if it has a place then and they have one; by first-fit a gang waits only where too few nodes are free, so nobody moves")
	flags.BoolVar(&set.victims, "victims", false, "gangs evict others of a lower priority, which wait again with what they have lost, where they have no place else")
	flags.Var(&set.made, "fabric", "the cluster, as `numbers` such as 2x4x4x32: 2 domains of the widest layer, 4 in each of them, 4 in each of these, of 32 nodes; or nvl72, rails, clos, or one of these with numbers, such as nvl72:2x8x18")
	bounded(flags, &set.devices, "devices", madeDevices, 1, 1024, "`devices` of each node of a cluster that is made; of nvl72 the usual ones are 4")
	flags.Var(&set.sweeps, "sweep", "play once for each of these values, as `KEY=V1,V2`, where the key is "+strings.Join(swept, ", ")+"; may be given again for another key")
	flags.BoolVar(&set.paired, "paired", false, "with -sweep of seeds: compare ways to play streams on the same ones, seed by seed, with the first way")
	discipline := choose(flags, "discipline", "next-that-fits", disciplines, "who may start behind a gang that waits: %s (nobody; whoever fits; who does not delay the first one that waits; who delays nobody)")
	placer := choose(flags, "placer", byMuster, words(placerWords()...), "who says where gangs go: %s (first-fit: the first nodes that are free, whatever the rules; muster-...: plans by another policy, or with that of others as scores of nodes; the others are the rules of other schedulers)")
	output := choose(flags, "o", "text", words("text", "json", "jsonl", "csv", "html"), "output: %s (jsonl: a line of what is the same for all, then one for each stream; html: a page with plots, for a browser)")
	return func() error {
		if err := checkChoices(flags); err != nil {
			return err
		}
		if set.discipline, set.placer, set.output = discipline(), placer(), output(); set.stay && set.output == "html" {
			return errors.New("-o html draws what waits as time goes by, and where gangs never end nobody does: -stay")
		}
		if set.isRead() { // not yet
			return nil
		}
		return set.check(set.made)
	}
}

// fit looks at which flags are given: what the others say follows from these.
func (set *simulateSettings) fit(given map[string]bool) error {
	if given["devices"] {
		set.made.devices = set.devices
	}
	if err := errors.Join(set.fitStay(given), set.fitWays(given)); err != nil {
		return err
	}
	switch {
	case set.curves.Given():
		set.largest, set.runs = 0, 0
		return set.curves.Check(given, set.files)
	case set.pods.Given():
		if err := set.pods.Check(given, set.files); err != nil {
			return err
		}
		set.largest, set.runs = 0, 0
	case areObjects(set.files):
		return checkObjects(set.files, func(flag string) bool { return given[flag] || set.sweeps.has(flag) })
	case len(set.files) == 1:
		for _, name := range []string{"gangs", "load", "largest", "runs", "lone"} {
			if given[name] || set.sweeps.has(name) {
				return fmt.Errorf("-%s is for gangs that are made, and there is a table: %s", name, set.files[0])
			}
		}
	case given["copies"] || set.keepGoing:
		return errors.New("-copies and -keep-going are for the jobs of a table, or for objects")
	case !given["largest"]:
		set.largest = min(set.largest, int64(set.made.nodes()))
	}
	return nil
}

// hasVictims says whether gangs evict others.
func (set *simulateSettings) hasVictims() bool { return set.victims || set.sweeps.has("victims") }

var errNobodyUrgent = errors.New("-victims leave for gangs of a higher priority, and there are none: -urgent 20")

// fitWays looks at those that say how streams are compared and played, whatever they are.
func (set *simulateSettings) fitWays(given map[string]bool) error {
	switch {
	case set.hasVictims() && set.urgent == 0 && !set.sweeps.has("urgent") && !areObjects(set.files):
		return errNobodyUrgent
	case set.paired && set.sweeps.checkPaired() != nil:
		return set.sweeps.checkPaired()
	case given["pause"] && !set.moves && !set.sweeps.has("moves"):
		return errors.New("-pause is for gangs that move: -moves, or -sweep moves=false,true")
	}
	return nil
}

// fitStay says which flags have no meaning where gangs never end.
func (set *simulateSettings) fitStay(given map[string]bool) error {
	if !set.stay {
		return nil
	}
	for _, name := range []string{"discipline", "moves", "pause", "load", "longer", "checkpoint", "paired", "victims", "urgent", "slowdown"} {
		if given[name] || set.sweeps.has(name) {
			return fmt.Errorf("-%s says nothing of gangs that never end: -stay", name)
		}
	}
	return nil
}
