package cli

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/gang/queue"
	"github.com/muster-sched/muster/numa"
	"github.com/muster-sched/muster/quota"
)

// settings are the flags.
type settings struct {
	output            string
	policy            gang.Policy
	exclusive         numa.Exclusive
	limit             quota.Limit
	discipline        queue.Discipline
	strict, keepGoing bool
	quotas            bool
	maxFit            bool
	running           bool
	when              bool
	now               string
	moves             bool
	places            bool
	failUnplaced      bool
	summary           bool
	topology          string
	fabric            string
	layers            []string
	explain           explaining
	without           without
	returned          returned
	added             repeated
	files             []string
	given             *Given // nil: files are planned
}

// The values of flags of which few are known, and what they mean.
var (
	policies   = []meaning[gang.Policy]{{"bestfit", gang.BestFit}, {"spread", gang.Spread}, {"balanced", gang.Balanced}, {"byscore", gang.ByScore}}
	exclusives = []meaning[numa.Exclusive]{{"required", numa.Required}, {"preferred", numa.Preferred}}
	limits     = []meaning[quota.Limit]{{"fair", quota.Fair}, {"borrow", quota.Borrow}, {"greedy", quota.Greedy}} // none: the passes of a queue
	// Of those behind a gang that waits none may start, or whoever fits, or who does not delay the first one or anybody that waits.
	disciplines = []meaning[queue.Discipline]{{"strict", queue.Strict}, {"next-that-fits", queue.NextThatFits}, {"easy", queue.EASY}, {"conservative", queue.Conservative}}
	outputs     = words("text", "json", "svg")
)

// parse reads the command line; it has told the user what is wrong with it.
func parse(args []string, stdout, stderr io.Writer) (settings, error) {
	var set settings
	flags := flag.NewFlagSet("plan", flag.ContinueOnError)
	check := set.define(flags)
	err := parseFiles(flags, joinExplain(args), usage, stdout, &set.files)
	if err == nil {
		err = check()
	}
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		tellMisuse(stderr, "plan", err)
	}
	return set, err
}

// define says which flags there are; check says, once they are read, what is wrong with their values.
func (set *settings) define(flags *flag.FlagSet) (check func() error) {
	policy := choose(flags, "policy", "bestfit", policies, "among equally tight places: %s")
	exclusive := choose(flags, "numa-exclusive", "required", exclusives, "members of one NUMA zone and members that span zones keep apart: %s")
	limit := choose(flags, "quota-limit", "", limits, "plan once, up to this limit of the quotas: %s (default: fair, then borrow for who was refused, then fair with victims below the quota that refuses)")
	discipline := choose(flags, "discipline", "next-that-fits", disciplines, "who may start behind a gang that waits: %s (nobody; whoever fits; who does not delay the first one that waits; who delays nobody)")
	output := choose(flags, "o", "text", outputs, "output: %s (a picture)")
	flags.BoolVar(&set.maxFit, "max-fit", false, "print, for each shape that waiting gangs ask for, how large a gang fits in one domain of each layer before the first plan")
	flags.BoolVar(&set.running, "running", false, "print the gangs that run before the first plan, worst first: where each lies, and where it could lie if it were planned again")
	flags.BoolVar(&set.when, "when", false, "print, for each gang that has no place after the plans, when it has one at the latest, and whose end that takes: as pods and their owners say by the annotation muster.dev/expected-end or activeDeadlineSeconds")
	flags.StringVar(&set.now, "now", "", "what `TIME` it is for -when and -discipline, such as 2026-01-31T12:00:00Z (default: the newest time at which something of the input was made or started)")
	flags.BoolVar(&set.moves, "moves", false, "print, for each gang that has no place after the plans, which gangs that run have to move where and in which order, so that it has one, at the least cost: work that is lost (as pods and their owners say by the annotation muster.dev/lost-work, in seconds), members, gangs")
	flags.BoolVar(&set.places, "places", false, "print, for each placed gang, the rank, node, group and domain of every member, in place of who goes where; in JSON also all domains, and labels and environment for its launcher")
	flags.BoolVar(&set.quotas, "quotas", false, "print the quotas after the plans: what they use, may use and must")
	flags.BoolVar(&set.strict, "strict", false, "refuse pods with hard rules that are not modelled")
	flags.BoolVar(&set.keepGoing, "keep-going", false, "plan the rest although some of the input cannot be used")
	flags.BoolVar(&set.summary, "summary", false, "print a line for each gang and the summary, without trees")
	flags.BoolVar(&set.failUnplaced, "fail-unplaced", false, "exit with status 3 if some gang has no place")
	flags.StringVar(&set.fabric, "fabric", "", "plan on the topology of this `FILE` too: of a fabric manager, Slurm, topograph, a table of cables (see muster topology); FORMAT:FILE says which format it is in")
	layers := flags.String("layers", "", "where the files have no topology, make one of these labels of nodes: their `keys`, or the ends of them, widest first, with commas between (zone,rack)")
	flags.StringVar(&set.topology, "topology", "", "the topology of gangs that name none (default: the only one, or that called default)")
	set.explain.define(flags)
	flags.Var(&set.without, "without", "plan as if the files had no `node/NAME`, no node of domain/PATH, or nothing of gang/NS/NAME; names may be patterns (node/gpu-*); may be given again")
	flags.Var(&set.returned, "return", "plan as if `node/NAME` were back: uncordoned, ready, without the taints of the node controller; may be a pattern, and be given again")
	flags.Var(&set.added, "add", "read this `FILE` too, or directory: its objects stand in place of those of the same kind and name, a Node without status.allocatable changes what it says of that one; may be given again")
	return func() error {
		if err := checkChoices(flags); err != nil {
			return err
		}
		set.policy, set.exclusive, set.limit, set.discipline, set.output = policy(), exclusive(), limit(), discipline(), output()
		if *layers != "" {
			set.layers = strings.Split(*layers, ",")
		}
		switch {
		case slices.Contains(set.layers, ""):
			return fmt.Errorf("-layers %q: a key is missing", *layers)
		case set.now != "" && timeOf(set.now).IsZero():
			return fmt.Errorf("-now %q: not a time such as 2026-01-31T12:00:00Z", set.now)
		case set.when && set.moves:
			return errors.New("-when waits for the end of gangs, -moves moves them: only one can be asked for")
		case set.output == "svg" && (set.when || set.moves || set.quotas || set.summary || set.maxFit || set.running || set.places || set.explain.all || len(set.explain.gangs) > 0):
			return errors.New("-o svg draws plans: -quotas, -summary, -max-fit, -running, -when, -moves, -places and -explain are for text")
		case len(set.files) == 0:
			return errors.New("no files given")
		}
		return nil
	}
}
