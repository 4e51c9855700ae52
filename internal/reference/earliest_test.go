package reference

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/draws"
	"github.com/muster-sched/muster/internal/validity"
	"github.com/muster-sched/muster/placement"
)

// The earliest start of a gang is the first instant, of all at which running gangs end, at which it has a place without victims; there it has the plan of the
// cluster without those that have ended, and all that it waits for, and nobody else, must have ended.
func TestEarliestIsTheFirstInstant(t *testing.T) {
	for name, draw := range map[string]func(*rapid.T) Input{
		"quotas": drawWithQuotas, "parts": drawParts, "roles": drawRoles, "coupled": drawCoupled, "uncoupled": drawUncoupled, "many quotas": drawLent,
	} {
		t.Run(name, func(t *testing.T) {
			holdsFor(t, func(t *rapid.T) Input { return drawEnds(t, mixed(draw)) }, earliestAgrees)
		})
	}
}

// drawLent draws a crowd whose gangs lend each other what their quotas have.
func drawLent(t *rapid.T) Input {
	in := crowd(t)
	drawCoupledQuotas(t, &in)
	boundCandidates(&in)
	return in
}

// drawEnds draws a cluster that is full but for what leaves room at the end, mostly one that would have a place for the gang if nobody ran; when members end, soon
// mostly; and at times what is held, from when on and until when.
func drawEnds(t *rapid.T, draw func(*rapid.T) Input) Input {
	in := draw(t)
	for range 4 {
		empty := in
		empty.Spec.Running = slices.Clone(validity.Own(&in.Spec, &in.Request))
		if _, err := plan(empty, &empty.Request); err == nil {
			break
		}
		in = draw(t)
	}
	in.Spec.Running = slices.Clone(in.Spec.Running)
	if old := len(in.Spec.Running); old < 24 {
		for i := range in.Spec.Nodes {
			if n := &in.Spec.Nodes[i]; draws.Chance(t, 90, "filled") && (n.NUMA == nil || len(n.NUMA.Zones) == 0) {
				fillNode(t, &in.Spec, n, 100)
			}
		}
		for i := range in.Spec.Running[old:] {
			r := &in.Spec.Running[old+i]
			r.Gang, r.Member = fmt.Sprintf("ns/more-%d", rapid.IntRange(1, 3).Draw(t, "gang")), fmt.Sprintf("more-%d", i)
		}
	}
	gangs := map[string]int64{} // from when on their members end
	for i := range in.Spec.Running {
		r := &in.Spec.Running[i]
		from, ok := gangs[r.Gang]
		if !ok {
			from = rapid.Int64Range(0, 6).Draw(t, "end of the gang")
			gangs[r.Gang] = from
		}
		if r.End = from + rapid.Int64Range(0, 2).Draw(t, "end"); from == 0 {
			r.End /= 2 // never, or soon
		}
	}
	in.Request.End = max(0, rapid.Int64Range(-4, 9).Draw(t, "own end"))
	if draws.Chance(t, 30, "with holds") {
		drawHolds(t, &in)
		for i := range in.Spec.Holds {
			h := &in.Spec.Holds[i]
			if h.From = rapid.Int64Range(0, 6).Draw(t, "held from"); draws.Chance(t, 70, "ends") {
				h.End = h.From + rapid.Int64Range(1, 3).Draw(t, "held to")
			}
		}
	}
	return in
}

func earliestAgrees(in Input) (kinds []string, err error) {
	now := int64(len(in.Spec.Running) % 4)
	opts := []placement.EarliestOptions{{Now: now}}
	if layers := draws.Layers(&in.Spec); len(layers) > 0 && len(in.Spec.Trees) > 0 {
		opts = append(opts, placement.EarliestOptions{Now: now, Tier: strconv.Itoa(layers[0].Tier)})
	}
	for _, opt := range opts {
		kind, err := startAgrees(in, opt)
		if err != nil {
			return nil, fmt.Errorf("%+v: %w", opt, err)
		}
		kinds = append(kinds, kind)
	}
	return kinds, nil
}

// instants are now and all later ends, in order.
func instants(in *Input, now int64) (out []int64) {
	out = []int64{now}
	for _, r := range in.Spec.Running {
		out = append(out, max(now, r.End))
	}
	for _, h := range in.Spec.Holds {
		out = append(out, max(now, h.End))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// endOf is when a gang ends, 0: never.
func endOf(running []cluster.Running, name string) (last int64) {
	for _, r := range running {
		switch {
		case r.Gang != name || r.Leaving:
		case r.End == 0:
			return 0
		default:
			last = max(last, r.End)
		}
	}
	return last
}

// allEnd is when a gang has ended with all that is held for it, 0: never.
func allEnd(in *Input, gang string) (last int64) {
	for _, h := range in.Spec.Holds {
		switch {
		case h.Gang != gang:
		case h.End == 0:
			return 0
		default:
			last = max(last, h.End)
		}
	}
	stays := slices.ContainsFunc(in.Spec.Running, func(r cluster.Running) bool { return r.Gang == gang && !r.Leaving })
	if end := endOf(in.Spec.Running, gang); stays {
		if last = max(last, end); end == 0 {
			return 0
		}
	}
	return last
}

// after is the input at an instant: without the gangs, but for its own, that have ended, and with a request that evicts nobody, and ends as much later as it
// starts, a second after that at least.
func after(in Input, opt placement.EarliestOptions, at int64) Input {
	before := in
	ended := func(gang string) bool {
		end := allEnd(&before, gang)
		return gang != in.Request.Name && end != 0 && end <= at
	}
	in.Spec.Running = slices.DeleteFunc(slices.Clone(before.Spec.Running), func(r cluster.Running) bool { return ended(r.Gang) })
	in.Spec.Holds = slices.DeleteFunc(slices.Clone(before.Spec.Holds), func(h cluster.Hold) bool { return ended(h.Gang) })
	in.Request.NeverPreempts = true
	if in.Request.End != 0 {
		in.Request.End = max(in.Request.End, opt.Now+1) + at - opt.Now
	}
	net, ok := validity.NewNetwork(&in.Spec, &in.Request)
	anyway := func(r gang.Rule) bool {
		tier, is := net.TierOf(r.Layer)
		return is && r.Strength == gang.MustGather && strconv.Itoa(tier) == opt.Tier
	}
	if opt.Tier != "" && (!ok || !slices.ContainsFunc(in.Request.Gather, anyway)) {
		in.Request.Gather = append(slices.Clone(in.Request.Gather), gang.Rule{Layer: opt.Tier, Strength: gang.MustGather})
	}
	return in
}

func startAgrees(in Input, opt placement.EarliestOptions) (kind string, err error) {
	c, err := placement.NewCluster(in.Spec)
	if err != nil {
		return "", err
	}
	start, refusal := placement.Earliest(c, &in.Request, opt)
	if refusal != nil && !errors.Is(refusal, placement.ErrUnschedulable) {
		return "not supported", nil // which other tests look at
	}
	proven := true
	for i, at := range instants(&in, opt.Now) {
		then := after(in, opt, at)
		res, no := plan(then, &then.Request)
		if no == nil {
			if HasParts(&in) || len(in.Spec.Holds) > 0 { // which the reference of one gang does not know
				err = startDiffers(start, refusal, at, res)
			} else if err = startDiffers(start, refusal, at, res); err == nil {
				err = fits(then)
			}
			if err == nil {
				err = waitsRightly(c, then, start)
			}
			return fmt.Sprintf("at instant %d", min(i, 3)), err
		}
		var why *placement.Unschedulable
		if !errors.As(no, &why) {
			return "", no
		}
		if proven = why.Proven; start != nil && start.At == at {
			return "", fmt.Errorf("starts at %d, where %w", at, no)
		}
	}
	if start != nil {
		return "", fmt.Errorf("starts at %d and has no place at any time", start.At)
	}
	return fmt.Sprintf("never, proven %t", proven), nil
}

// startDiffers says what is otherwise than the first instant and the plan there.
func startDiffers(start *placement.Start, refusal error, at int64, res *placement.Result) error {
	switch {
	case start == nil:
		return fmt.Errorf("refused (%w), and fits at %d", refusal, at)
	case start.At != at && (start.Proven || start.At < at):
		return fmt.Errorf("starts at %d (proven %t) and not at %d", start.At, start.Proven, at)
	case start.At != at:
		return nil
	}
	if a, b := resultText(start.Plan, nil), resultText(res, nil); a != b {
		return fmt.Errorf("plan %sat the instant: %s", a, b)
	}
	return nil
}

// fits says whether the reference finds a place as well, and the plan is valid.
func fits(then Input) error {
	want, err := Solve(then)
	if err != nil {
		return err
	}
	if !want.Placed {
		return fmt.Errorf("the reference finds no place: %s", want.Text())
	}
	return nil
}

// waitsRightly says whether the plan can be carried out without the gangs that it waits for, and needs the end of each of them.
func waitsRightly(c *placement.Cluster, then Input, start *placement.Start) error {
	if err := validity.Check(then.Spec, &then.Request, start.Plan); err != nil {
		return fmt.Errorf("not valid: %w", err)
	}
	without := func(gone []placement.Ending) error {
		names, ended := []string{}, map[string][]cluster.Hold{}
		for _, e := range gone {
			if of, held := strings.CutPrefix(e.Gang, "hold for "); held {
				ended[of] = nil
			} else {
				names = append(names, e.Gang)
			}
		}
		for _, w := range start.Plan.WaitsFor {
			if err := leave(&c, w, names); err != nil {
				return err
			}
		}
		next, err := c.Update(cluster.Delta{RemoveGangs: names, Holds: ended})
		if err == nil {
			_, err = next.Apply(withoutWaits(start.Plan))
		}
		return err
	}
	if err := without(start.WaitsFor); err != nil {
		return fmt.Errorf("waits for %v, and then: %w", start.WaitsFor, err)
	}
	for i, e := range start.WaitsFor {
		if without(slices.Delete(slices.Clone(start.WaitsFor), i, i+1)) == nil {
			return fmt.Errorf("waits for %v, of which %v need not have ended", start.WaitsFor, e)
		}
		if e.At > start.At {
			return fmt.Errorf("at %d waits for %v", start.At, e)
		}
	}
	return nil
}

// leave takes a leaving member away whom the plan waits for, if it is there.
func leave(c **placement.Cluster, w placement.Waited, gone []string) error {
	if slices.Contains(gone, w.Gang) {
		return nil
	}
	if !slices.ContainsFunc((*c).RunningOn(w.Node), func(r cluster.Running) bool { return r.Gang == w.Gang && r.Member == w.Member }) {
		return nil
	}
	next, err := (*c).Release(w.Gang, w.Member)
	if err == nil {
		*c = next
	}
	return err
}

// withoutWaits is a plan whose leaving members are gone.
func withoutWaits(r *placement.Result) *placement.Result {
	next := *r
	next.WaitsFor = nil
	return &next
}
