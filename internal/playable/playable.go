// Package playable answers: which gangs of files with objects can be played, and on which cluster? They come and run as their objects say.
package playable

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/phrases"
	"github.com/muster-sched/muster/internal/printed"
	"github.com/muster-sched/muster/internal/sources"
	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/placement/manifest"
	"github.com/muster-sched/muster/simulate"
	"github.com/muster-sched/muster/simulate/streams"
)

// Gangs are a cluster and the gangs that are played on it. They are read only.
type Gangs struct {
	Cluster *placement.Cluster
	// Jobs are the gangs, in the order of the input.
	Jobs []simulate.Job
	// Fit is a member that takes a whole node, of which the largest gang may be looked for that fits; nil: there is none.
	Fit *gang.Shape

	own              sources.Own
	stream           simulate.Stream
	silent           map[string]bool // gangs that do not say after how much running what they did is safe
	running, endless int             // gangs that run at first, and those of them that never end
}

// Of takes the gangs of an input that can be played. errs say of each of in.Gangs why it cannot, and what is left out all the same is among in.Notices. Where no gang says when it
// comes all come now, in seconds since 1970. The error is what is wrong with the cluster. It costs a plan for each gang.
func Of(in *manifest.Input, now int64) (g *Gangs, errs []error, err error) {
	if len(in.Spec.Nodes) == 0 {
		return nil, nil, errors.New("the files have no Node, so nothing can be played: give the file with the nodes too")
	}
	in.Spec.Holds, in.Spec.Demand = nil, nil // nobody has left for anybody, and who waits is still to come
	g = &Gangs{silent: map[string]bool{}}
	if g.Cluster, err = placement.NewCluster(in.Spec); err != nil {
		return nil, nil, err
	}
	in.Notices = append(in.Notices, g.Cluster.Notices()...)
	g.Fit, g.own = wholeNode(g.Cluster), ownOf(g.Cluster)
	ends := endsOf(in)
	for _, end := range ends {
		if g.running++; end == 0 {
			g.endless++
		}
	}
	errs = make([]error, len(in.Gangs))
	for i := range in.Gangs {
		waits := &in.Gangs[i]
		if _, runs := ends[waits.Request.Name]; runs {
			in.Notices = append(in.Notices, printed.Text(waits.Request.Name)+" has members that run: those that wait are left out")
			continue
		}
		if errs[i] = g.take(waits); errs[i] == nil && waits.Request.Together != "" {
			in.Notices = append(in.Notices, printed.Text(waits.Request.Name)+" starts by itself: gangs that start together are not held together here")
		}
	}
	g.stream = streams.Listed{Jobs: g.Jobs, From: now}.Stream()
	return g, errs, nil
}

// ownOf is a cluster as it is told. O(nodes).
func ownOf(c *placement.Cluster) (own sources.Own) {
	for n := range c.Nodes() {
		own.Nodes++
		for name, amount := range n.Allocatable {
			if muster.IsDevice(name) {
				own.Devices += min(amount, math.MaxInt64-own.Devices)
			}
		}
	}
	own.Said = "cluster of the files: " + phrases.Count(own.Nodes, "node")
	own.Cluster = func(sources.Play) (*placement.Cluster, error) { return c, nil }
	return own
}

// endsOf is when each gang ends that runs and does not leave; 0: never.
func endsOf(in *manifest.Input) map[string]int64 {
	ends := map[string]int64{}
	for i := range in.Spec.Running {
		r := &in.Spec.Running[i]
		if was, known := ends[r.Gang]; !r.Leaving && (!known || was != 0 && (r.End == 0 || r.End > was)) {
			ends[r.Gang] = r.End
		}
	}
	return ends
}

// take takes a gang, or says why it cannot be played. One that never has a place can.
func (g *Gangs) take(waits *manifest.Gang) error {
	name := printed.Text(waits.Request.Name)
	switch u := (*placement.Unschedulable)(nil); {
	case errors.As(waits.Err, &u): // which plans tell as an answer
		return fmt.Errorf("%s: %s", name, u.Error())
	case waits.Err != nil:
		return waits.Err
	}
	if _, err := placement.Plan(g.Cluster, &waits.Request); err != nil && !errors.Is(err, placement.ErrUnschedulable) {
		return fmt.Errorf("%s: %w", name, err)
	}
	g.silent[waits.Request.Name] = !waits.Checkpoints
	g.Jobs = append(g.Jobs, simulate.Job{
		Request: waits.Request, Arrives: waits.Entry().Created, Runs: waits.Runs, Expected: waits.Expected, Checkpoint: waits.Checkpoint,
	})
	return nil
}

// mostWork bounds what all gangs of files ask for, in seconds of an amount of one resource, so that no sum of it overflows.
const mostWork = 1 << 60

// Check says what is wrong with them together: that there are none, or that they ask for more than can be summed.
func (g *Gangs) Check() error {
	if len(g.Jobs) == 0 {
		return errors.New("the files have no gang that waits and can be played")
	}
	sums := map[string]uint64{}
	for i := range g.Jobs {
		j := &g.Jobs[i]
		for k := range j.Request.Members {
			asks := amountsOf(&j.Request, k)
			for _, name := range asks.Names() {
				if !muster.IsDevice(name) && name != muster.CPU { // nobody measures it
					continue
				}
				hi, work := bits.Mul64(uint64(asks[name]), uint64(j.Runs))
				if sums[name] += work; hi > 0 || work > mostWork || sums[name] > mostWork {
					return fmt.Errorf("%s: all gangs together ask for more than %d seconds of %s", printed.Text(j.Request.Name), int64(mostWork), printed.Text(name))
				}
			}
		}
	}
	return nil
}

// amountsOf is what a member asks for.
func amountsOf(req *gang.Request, member int) muster.Resources {
	if own := req.Members[member].Shape; own != nil {
		return own.Resources
	}
	return req.Shape.Resources
}

// wholeNode is a member that takes all devices of a node, as most nodes have them that have any, of the device of which there is most; nil: there are no devices, or no topology in
// which it could be looked for.
func wholeNode(c *placement.Cluster) *gang.Shape {
	sums, nodes := muster.Resources{}, map[string]map[int64]int{}
	for n := range c.Nodes() {
		for name, amount := range n.Allocatable {
			if !muster.IsDevice(name) || amount == 0 {
				continue
			}
			if nodes[name] == nil {
				nodes[name] = map[int64]int{}
			}
			nodes[name][amount]++
			sums[name] += amount
		}
	}
	most := ""
	for _, name := range sums.Names() { // the first of equal ones
		if most == "" || sums[name] > sums[most] {
			most = name
		}
	}
	if most == "" {
		return nil
	}
	var amounts []int64
	for amount := range nodes[most] {
		amounts = append(amounts, amount)
	}
	slices.SortFunc(amounts, func(a, b int64) int { return cmp.Or(nodes[most][b]-nodes[most][a], cmp.Compare(b, a)) })
	shape := &gang.Shape{Resources: muster.Resources{most: amounts[0]}}
	if _, err := placement.MaxFit(c, placement.FitQuestion{Shape: *shape, NeverPreempts: true}); err != nil {
		return nil // several topologies, none of which is the usual one
	}
	return shape
}

// Said says which gangs are played.
func (g *Gangs) Said(sources.Play) string {
	said := phrases.Count(len(g.Jobs), "gang") + " of them"
	if g.running > 0 {
		said += fmt.Sprintf(", and %d that run already, %d of these without an end", g.running, g.endless)
	}
	return said
}

// Gangs is how many there are.
func (g *Gangs) Gangs(sources.Play) int64 { return int64(len(g.Jobs)) }

// Loaded is false: how much gangs ask for the files say.
func (g *Gangs) Loaded() bool { return false }

// Own is the cluster of the files.
func (g *Gangs) Own() *sources.Own { return &g.own }

// Stream are the gangs as they come; of those that do not say after how much running what they did is safe it is the checkpoint of the play.
func (g *Gangs) Stream(p sources.Play) simulate.Stream {
	return func(yield func(simulate.Job, error) bool) {
		for job, err := range g.stream {
			if g.silent[job.Request.Name] {
				job.Checkpoint = p.Checkpoint
			}
			if !yield(job, err) {
				return
			}
		}
	}
}

// LacksCheckpoint says whether some gang does not say it.
func (g *Gangs) LacksCheckpoint() bool {
	return slices.ContainsFunc(g.Jobs, func(j simulate.Job) bool { return g.silent[j.Request.Name] })
}

// Sizes are the members of the largest gang, and how long gangs run in the mean.
func (g *Gangs) Sizes() (largest int, runs int64) {
	for i := range g.Jobs {
		largest = max(largest, len(g.Jobs[i].Request.Members))
		runs += g.Jobs[i].Runs
	}
	return largest, runs / int64(max(1, len(g.Jobs)))
}
