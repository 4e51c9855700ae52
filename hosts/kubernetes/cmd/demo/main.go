// Command demo shows Muster in kube-scheduler: etcd, an API server and the scheduler in this process, 200 nodes in three tiers, and a stream of gangs with
// a preemption, a node that fails and a restart while half of a gang is bound; and the same stream under the scheduler's own plugins.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"text/tabwriter"
	"time"

	"github.com/go-logr/logr"
	"golang.org/x/sys/unix"
	"k8s.io/klog/v2"

	"github.com/muster-sched/muster/hosts/kubernetes/config"
	"github.com/muster-sched/muster/hosts/kubernetes/internal/trial"
)

func main() {
	seeds := flag.Int("seeds", 1, "how many streams are played")
	gangs := flag.Int("gangs", 30, "how many gangs a stream has")
	keys := flag.String("keys", "zone", "what gangs ask for: `zone`, or the `tightest` layer that could hold them")
	faults := flag.Bool("faults", true, "lose a node and restart the scheduler on the way")
	verbose := flag.Bool("v", false, "print what the servers log")
	flag.Parse()
	errs := os.Stderr
	if !*verbose {
		klog.SetLogger(logr.Discard())
		errs = quiet()
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Stdout, *seeds, trial.Run{Gangs: *gangs, Keys: trial.Keys(*keys), Faults: *faults, Longest: 3 * time.Minute}); err != nil {
		fmt.Fprintln(errs, "demo:", err)
		stop()
		os.Exit(1)
	}
}

// quiet lets what the servers write to standard error go nowhere (clients of etcd have a log of their own), and returns another way there.
func quiet() *os.File {
	kept, err := unix.Dup(unix.Stderr)
	if err != nil {
		return os.Stderr
	}
	nowhere, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err == nil {
		_ = unix.Dup3(int(nowhere.Fd()), unix.Stderr, 0)
	}
	return os.NewFile(uintptr(kept), "stderr")
}

// fabric has two zones of five blocks of four racks of five nodes with eight devices.
var fabric = trial.Fabric{Zones: 2, Blocks: 5, Racks: 4, Nodes: 5, GPUs: 8}

func run(ctx context.Context, w io.Writer, seeds int, of trial.Run) error {
	if err := trial.Gates(); err != nil {
		return err
	}
	of.Fabric = fabric
	table := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	defer func() { _ = table.Flush() }()
	sums := map[string]*trial.Outcome{}
	fmt.Fprintln(table, "seed\tscheduler\tplaced\tin a rack\ta block\ta zone\tracks\thurt\twaiting p50\tp90\tmax\tplan p50\tp90\tsync p50\trefused\tcompared\tdiffering\ttook")
	for seed := range seeds {
		of.Seed = uint64(seed + 1)
		for _, name := range []string{"tree", "muster"} {
			if of.Config = nil; name == "muster" {
				of.Config = trial.Checked(config.Scheduler)
			}
			out, err := alone(ctx, of)
			row(table, of.Seed, name, out)
			if err != nil {
				return fmt.Errorf("seed %d, %s: %w", of.Seed, name, err)
			}
			if sums[name] == nil {
				sums[name] = &trial.Outcome{Measures: &trial.Measures{}}
			}
			sums[name].Add(out)
		}
	}
	for _, name := range []string{"tree", "muster"} {
		if seeds > 1 {
			row(table, 0, name, *sums[name])
		}
	}
	return nil
}

// alone plays a stream on a cluster of its own.
func alone(ctx context.Context, of trial.Run) (trial.Outcome, error) {
	c, err := trial.Start(ctx)
	if err != nil {
		return trial.Outcome{}, err
	}
	defer c.Stop()
	ctx, stop := context.WithCancel(ctx)
	defer stop() // before the server, which waits for its clients
	if err := c.AddNodes(ctx, of.Fabric); err != nil {
		return trial.Outcome{}, err
	}
	if err := c.Kubelet(ctx, 500*time.Millisecond); err != nil {
		return trial.Outcome{}, err
	}
	return of.Play(ctx, c)
}

func row(w io.Writer, seed uint64, name string, out trial.Outcome) {
	q := func(of []time.Duration, percent int, unit time.Duration) string {
		if len(of) == 0 {
			return "-"
		}
		return trial.Quantile(of, percent).Round(unit).String()
	}
	m := out.Measures
	if m == nil {
		m = &trial.Measures{}
	}
	number := "all"
	if seed > 0 {
		number = fmt.Sprint(seed)
	}
	fmt.Fprintf(w, "%s\t%s\t%d of %d\t%d\t%d\t%d\t%d\t%d\t%s\t%s\t%s\t%s\t%s\t%s\t%d\t%d\t%d\t%s\n", number, name, out.Placed, out.Gangs,
		out.Layers[trial.Rack], out.Layers[trial.Block], out.Layers[trial.Zone], out.Racks, out.Hurt,
		q(out.Waiting, 50, time.Millisecond), q(out.Waiting, 90, time.Millisecond), q(out.Waiting, 100, time.Millisecond),
		q(m.Plan, 50, time.Microsecond), q(m.Plan, 90, time.Microsecond), q(m.Sync, 50, time.Microsecond), m.Refused, m.Compared, len(m.Differences), out.Took.Round(100*time.Millisecond))
}
