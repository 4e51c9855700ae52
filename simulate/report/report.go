// Package report answers: how does a page show what came of simulations? It writes reports of package simulate as one HTML file that needs nothing else: no script, no font
// and no picture from elsewhere. Plots are drawn in it, light or dark as the reader has it, for narrow windows and wide ones. Equal arguments give equal bytes.
package report

import (
	"bytes"
	"fmt"
	"io"
	"math/bits"
	"slices"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/simulate"
)

// Lines is how many names have lines and bars in plots: the first ones. All of them stand in the table.
const Lines = 8

// Run is a stream that was played.
type Run struct {
	// Name says what is special about it, such as "discipline=easy". Runs of one name are those of several seeds: what came of them is told together.
	Name string
	// Report is what came of it. Of several runs of one name the first one with a Series is drawn over time.
	Report *simulate.Report
}

// Write writes a page about runs, in their order; at least one. about are sentences that stand above all else, a paragraph each: which cluster, which gangs. The error is a
// [muster.InvalidError] of the runs, or that of the writer. It costs O(runs * (sizes + layers) + names) and a few milliseconds for each of the plots, of which there is one a layer and
// five more.
func Write(w io.Writer, about []string, runs []Run) error {
	if len(runs) == 0 {
		return &muster.InvalidError{Field: "runs", Reason: "none"}
	}
	for i := range runs {
		if runs[i].Report == nil {
			return muster.Invalid(fmt.Sprintf("runs[%d].Report", i), runs[i].Name, "missing")
		}
	}
	p := page{about: about, runs: runs, unit: unitOf(runs), doublings: doublings(runs)}
	p.names = p.named()
	var b bytes.Buffer
	if err := p.write(&b); err != nil {
		return err
	}
	_, err := w.Write(b.Bytes())
	return err
}

// page is what is written about runs.
type page struct {
	about []string
	runs  []Run
	names []name
	unit  string // what is measured

	doublings int // each size is so many times twice as large as the one below
}

// mostSizes is how many sizes a plot has at most.
const mostSizes = 8

// doublings is how far sizes are from each other, so that they are not too many.
func doublings(runs []Run) int {
	largest := 1
	for i := range runs {
		for k := range runs[i].Report.BySize {
			largest = max(largest, runs[i].Report.BySize[k].Members)
		}
	}
	return (bits.Len(uint(largest)) + mostSizes - 1) / mostSizes
}

// name are the runs of one name.
type name struct {
	text    string
	reports []*simulate.Report
	waited  simulate.Spread
	sizes   []simulate.SizeClass // ascending
	series  *simulate.Series     // nil: there is none
}

// named gathers the runs of each name, in the order in which names come first.
func (p *page) named() (names []name) {
	at := map[string]int{}
	for i := range p.runs {
		r := &p.runs[i]
		k, known := at[r.Name]
		if !known {
			k = len(names)
			at[r.Name] = k
			names = append(names, name{text: r.Name})
		}
		n := &names[k]
		n.reports = append(n.reports, r.Report)
		n.waited.Merge(&r.Report.Waited)
		n.merge(r.Report.BySize, p.doublings)
		if n.series == nil && r.Report.Series != nil && len(r.Report.Series.Gangs) > 0 {
			n.series = r.Report.Series
		}
	}
	return names
}

// merge adds what gangs of some sizes waited, to sizes that are so far from each other.
func (n *name) merge(sizes []simulate.SizeClass, doublings int) {
	for k := range sizes {
		at := bits.Len(uint(max(1, sizes[k].Members))) - 1
		members := 1 << ((at/doublings+1)*doublings - 1)
		i, is := n.find(members)
		if !is {
			n.sizes = slices.Insert(n.sizes, i, simulate.SizeClass{Members: members})
		}
		n.sizes[i].Waited.Merge(&sizes[k].Waited)
	}
}

// find is the place of a size among the others.
func (n *name) find(members int) (i int, is bool) {
	return slices.BinarySearchFunc(n.sizes, members, func(c simulate.SizeClass, members int) int { return c.Members - members })
}

// size is how long gangs of a size waited.
func (n *name) size(members int) simulate.Spread {
	if i, is := n.find(members); is {
		return n.sizes[i].Waited
	}
	return simulate.Spread{}
}

// unitOf is what all runs measure.
func unitOf(runs []Run) string {
	for i := range runs {
		if runs[i].Report.Resource != runs[0].Report.Resource {
			return "units of what most is there of"
		}
	}
	return runs[0].Report.Resource
}

// drawn are the names in plots.
func (p *page) drawn() []name { return p.names[:min(Lines, len(p.names))] }

// seeds says whether some name has several runs.
func (p *page) seeds() bool { return len(p.runs) > len(p.names) }

// wider is how many of the gangs that started lie wider than their ideal, in thousandths.
func wider(r *simulate.Report) int64 {
	started := 0
	for _, t := range r.Tiers {
		started += t.Ideal
	}
	return int64(r.Wider) * 1000 / int64(max(1, started))
}

// moved is how many members moved.
func moved(r *simulate.Report) int64 { return int64(r.MovedMembers) }

// evicted is how many members were evicted.
func evicted(r *simulate.Report) int64 { return int64(r.EvictedMembers) }

// extent is the least of a number over the runs of a name, its mean, rounded down, and the most.
func (n *name) extent(of func(*simulate.Report) int64) (least, mean, most int64) {
	least = of(n.reports[0])
	for _, r := range n.reports {
		v := of(r)
		least, mean, most = min(least, v), mean+v, max(most, v)
	}
	return least, mean / int64(len(n.reports)), most
}
