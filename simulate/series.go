// What waits and what runs, as time goes by?

package simulate

import (
	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/placement"
)

// manySamples is how many instants there are at most if nothing else is said.
const manySamples = 512

// SeriesOptions say what is noted as time goes by.
type SeriesOptions struct {
	// Samples bounds the instants, from 2 on; 0: 512. They are a second apart at first; whenever there are too many every other one is forgotten, and they are twice as far
	// apart from then on. So what is kept does not grow with the stream, and more than half of the bound is used once the stream is that long.
	Samples int
	// Fit is what each member of a gang asks for of which the largest is looked for that fits, at each instant; nil: none is.
	Fit *gang.Shape
	// Tree names the topology in whose layers it is looked for, as in [gang.Request].
	Tree string
}

// check is the defect of the options; nil: there is none.
func (o *SeriesOptions) check() error {
	if o != nil && (o.Samples < 0 || o.Samples == 1) {
		return muster.Invalid("options.Series.Samples", o.Samples, "neither 0 nor above 1")
	}
	return nil
}

// Series is what waits and what runs at some instants, once all has happened that happens then: From, the first arrival, and every Step seconds behind it, as long as something
// happens. All lists are of the same length.
type Series struct {
	From, Step int64
	// Gangs is how many wait, Asked what they ask for, and Used what those have that run, both in amounts of Report.Resource. Gangs that ran at first do not count, as
	// in Report.Used.
	Gangs       []int
	Asked, Used []int64
	// Fits are the layers of the topology, nodes first, the nameless root last; none if no Fit was given.
	Fits []LayerSeries
}

// LayerSeries is how large a gang would fit in one domain of a layer, without anybody leaving for it. Tier and Layer are as in [placement.LayerFit].
type LayerSeries struct {
	Tier    int
	Layer   string
	Members []int
}

// noting is a series that grows.
type noting struct {
	SeriesOptions
	out  Series
	next int64 // the next instant
}

// newNoting begins a series; nil: none is wanted.
func newNoting(opt *SeriesOptions) *noting {
	if opt == nil {
		return nil
	}
	n := &noting{SeriesOptions: *opt, out: Series{Step: 1}}
	if n.Samples == 0 {
		n.Samples = manySamples
	}
	return n
}

// note notes how it is at all instants before a time at which something happens next. O(Samples * log(time)) over a whole stream, with a MaxFit for each.
func (l *loop) note(until int64) error {
	n := l.noting
	if n == nil || l.report.From < 0 { // nobody has come
		return nil
	}
	if len(n.out.Gangs) == 0 {
		n.out.From, n.next = l.report.From, l.report.From
	}
	if n.next >= until {
		return nil
	}
	var fits []placement.LayerFit
	if n.Fit != nil {
		var err error
		if fits, err = placement.MaxFit(l.c, placement.FitQuestion{Shape: *n.Fit, Tree: n.Tree, NeverPreempts: true}); err != nil {
			return err
		}
	}
	for n.next < until {
		n.add(l.waiting.n, l.waiting.asks, l.used, fits)
	}
	return nil
}

// add notes one instant, and forgets every other one if there are too many.
func (n *noting) add(gangs int, asks, used int64, fits []placement.LayerFit) {
	out := &n.out
	if len(out.Gangs) == n.Samples {
		out.Gangs, out.Asked, out.Used = everyOther(out.Gangs), everyOther(out.Asked), everyOther(out.Used)
		for i := range out.Fits {
			out.Fits[i].Members = everyOther(out.Fits[i].Members)
		}
		out.Step *= 2
		n.next = out.From + int64(len(out.Gangs))*out.Step
		return // the next instant may be one at which something has happened by then
	}
	out.Gangs, out.Asked, out.Used = append(out.Gangs, gangs), append(out.Asked, asks), append(out.Used, used)
	for i := range fits {
		if i == len(out.Fits) {
			out.Fits = append(out.Fits, LayerSeries{Tier: fits[i].Tier, Layer: fits[i].Layer})
		}
		out.Fits[i].Members = append(out.Fits[i].Members, fits[i].Now.Members)
	}
	n.next += out.Step
}

// everyOther keeps the first of a list, the third, and so on.
func everyOther[T any](list []T) []T {
	kept := list[:0]
	for i := 0; i < len(list); i += 2 {
		kept = append(kept, list[i])
	}
	return kept
}
