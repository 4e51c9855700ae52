package cli

import (
	"errors"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/muster-sched/muster/simulate"
)

// compared are the flags that say how a stream is played. The others say which stream it is: those of one seed are compared with each other.
var compared = []string{"discipline", "moves", "placer", "victims"}

// paired is one way to play streams, compared with the first way on the same streams, seed by seed.
type paired struct {
	rows  []*result // by seed
	first []*result // the same streams, played in the first way
}

// pairsOf puts results together that differ in nothing but the seed, in their order.
func pairsOf(results []result) (pairs []paired) {
	first, at := map[string]*result{}, map[string]int{}
	for i := range results {
		r := &results[i]
		stream := valuesOf(r, func(key string) bool { return !slices.Contains(compared, key) })
		if first[stream] == nil {
			first[stream] = r
		}
		way := valuesOf(r, func(key string) bool { return key != "seed" })
		k, known := at[way]
		if !known {
			k = len(pairs)
			at[way], pairs = k, append(pairs, paired{})
		}
		pairs[k].rows, pairs[k].first = append(pairs[k].rows, r), append(pairs[k].first, first[stream])
	}
	return pairs
}

// valuesOf are those of some of the flags that may have several.
func valuesOf(r *result, wanted func(key string) bool) string {
	var all []string
	for _, c := range columns()[:len(swept)] {
		if wanted(c.name) {
			all = append(all, c.name+"="+c.of(r))
		}
	}
	return strings.Join(all, " ")
}

// checkPaired says what is missing for a comparison.
func (s sweeps) checkPaired() error {
	switch {
	case !s.has("seed"):
		return errors.New("-paired compares streams of several seeds: -sweep seed=1,2,3 is missing")
	case !slices.ContainsFunc(compared, s.has):
		return fmt.Errorf("-paired compares ways to play streams: -sweep of one of %s is missing", strings.Join(compared, ", "))
	}
	return nil
}

// ratioOf compares a number of the reports seed by seed.
func (p *paired) ratioOf(of func(r *simulate.Report) int64) ratio {
	var numbers, first []int64
	for i, r := range p.rows {
		numbers, first = append(numbers, of(r.report)), append(first, of(p.first[i].report))
	}
	return ratioOf(numbers, first)
}

// meanOf is the mean of a number of the reports, rounded down.
func (p *paired) meanOf(of func(r *simulate.Report) int64) int64 {
	sum := new(big.Int)
	for _, r := range p.rows {
		sum.Add(sum, big.NewInt(of(r.report)))
	}
	return sum.Div(sum, big.NewInt(int64(len(p.rows)))).Int64()
}

// The numbers that are compared.
var (
	waitedMean     = func(r *simulate.Report) int64 { return r.Waited.Mean }
	waitedP95      = func(r *simulate.Report) int64 { return r.Waited.P95 }
	waitedLongest  = func(r *simulate.Report) int64 { return r.Waited.Max }
	movedMembers   = func(r *simulate.Report) int64 { return int64(r.MovedMembers) }
	evictedMembers = func(r *simulate.Report) int64 { return int64(r.EvictedMembers) }
	slowedWork     = func(r *simulate.Report) int64 { return r.Slowed }
	urgentMean     = func(r *simulate.Report) int64 { // of the highest priority
		if len(r.ByPriority) == 0 {
			return 0
		}
		return r.ByPriority[0].Waited.Mean
	}
	tookMean      = func(r *simulate.Report) int64 { return r.Took.Mean }
	lostWork      = func(r *simulate.Report) int64 { return r.Lost }
	waitedLargest = func(r *simulate.Report) int64 { // of the largest class of sizes
		if len(r.BySize) == 0 {
			return 0
		}
		return r.BySize[len(r.BySize)-1].Waited.Mean
	}
)

// rareColumn is a number of the reports that is told only where flags make it one.
type rareColumn struct {
	name     string
	of       func(r *simulate.Report) int64
	compared bool // with -paired
}

// rareColumns are those of victims, and of gangs that run longer as they lie wider, where there are such streams.
func (t *told) rareColumns() (all []rareColumn) {
	victims := slices.ContainsFunc(t.results, func(r result) bool { return r.victims })
	slower := slices.ContainsFunc(t.results, func(r result) bool { return r.slowdown > 0 })
	if victims {
		all = append(all, rareColumn{"evicted", evictedMembers, false})
	}
	if slower {
		all = append(all, rareColumn{"slowed", slowedWork, false})
	}
	if slices.ContainsFunc(t.results, func(r result) bool { return r.urgent > 0 }) {
		all = append(all, rareColumn{"urgent mean", urgentMean, true})
	}
	if victims || slower { // how long gangs waited before they started first does not say it all
		all = append(all, rareColumn{"took", tookMean, true})
	}
	return all
}

// moreColumns are these, and those of several placers.
func (t *told) moreColumns() (more []column) {
	for _, c := range t.rareColumns() {
		more = append(more, column{name: c.name, of: func(r *result) string { return strconv.FormatInt(c.of(r.report), 10) }})
	}
	return append(more, t.judgedColumns()...)
}

// pairedColumn is a column of the table of pairs.
type pairedColumn struct {
	name string
	of   func(p *paired) string
}

// pairedColumns are those of the table: what differs, then the mean waiting, the ratios, what is used, moved and lost, and what only some streams have.
func (t *told) pairedColumns() (all []pairedColumn) {
	for _, c := range columns()[:len(swept)] {
		if t.sweeps.has(c.name) && c.name != "seed" {
			all = append(all, pairedColumn{c.name, func(p *paired) string { return c.of(p.rows[0]) }})
		}
	}
	mean := func(name string, of func(r *simulate.Report) int64) {
		all = append(all, pairedColumn{name, func(p *paired) string { return strconv.FormatInt(p.meanOf(of), 10) }})
	}
	percent := func(name string, of func(r *simulate.Report) int64) {
		all = append(all, pairedColumn{name, func(p *paired) string { return tenths(p.meanOf(of)).String() }})
	}
	compare := func(name string, of func(r *simulate.Report) int64) {
		all = append(all, pairedColumn{name, func(p *paired) string { return p.ratioOf(of).String() }})
	}
	mean("mean", waitedMean)
	compare("of mean", waitedMean)
	compare("of p95", waitedP95)
	compare("of longest", waitedLongest)
	compare("of largest", waitedLargest)
	percent("reached", (*simulate.Report).Load)
	percent("used", (*simulate.Report).Utilisation)
	mean("moved", movedMembers)
	mean("lost", lostWork)
	for _, c := range t.rareColumns() {
		mean(c.name, c.of)
		if c.compared {
			compare("of "+c.name, c.of)
		}
	}
	for _, c := range t.judgedColumns() { // of all seeds together
		all = append(all, pairedColumn{c.name, func(p *paired) string {
			sum := 0
			for _, r := range p.rows {
				n, _ := strconv.Atoi(c.of(r))
				sum += n
			}
			return strconv.Itoa(sum)
		}})
	}
	return all
}

// json is a way to play streams, and how it compares.
func (p *paired) json() map[string]any {
	out := map[string]any{
		"streams": len(p.rows), "mean": p.meanOf(waitedMean), "ofMean": p.ratioOf(waitedMean), "ofP95": p.ratioOf(waitedP95), "ofLongest": p.ratioOf(waitedLongest),
		"ofLargest": p.ratioOf(waitedLargest), "reached": tenths(p.meanOf((*simulate.Report).Load)), "used": tenths(p.meanOf((*simulate.Report).Utilisation)),
		"moved": p.meanOf(movedMembers), "lost": p.meanOf(lostWork), "evicted": p.meanOf(evictedMembers), "slowed": p.meanOf(slowedWork),
		"took": p.meanOf(tookMean), "ofTook": p.ratioOf(tookMean), "urgentMean": p.meanOf(urgentMean), "ofUrgentMean": p.ratioOf(urgentMean),
	}
	maps.Copy(out, p.rows[0].setJSON())
	return out
}

// pairedLines are the cells of the table, its head first.
func (t *told) pairedLines() [][]string {
	pairs := pairsOf(t.results)
	lines := make([][]string, 1+len(pairs))
	for _, c := range t.pairedColumns() {
		lines[0] = append(lines[0], c.name)
		for i := range pairs {
			lines[i+1] = append(lines[i+1], c.of(&pairs[i]))
		}
	}
	return lines
}
