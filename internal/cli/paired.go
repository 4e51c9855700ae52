package cli

import (
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/muster-sched/muster/simulate"
)

// compared are the flags that say how a stream is played. The others say which stream it is: those of one seed are compared with each other.
var compared = []string{"discipline", "moves", "placer"}

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
	waitedMean    = func(r *simulate.Report) int64 { return r.Waited.Mean }
	waitedP95     = func(r *simulate.Report) int64 { return r.Waited.P95 }
	waitedLongest = func(r *simulate.Report) int64 { return r.Waited.Max }
	movedMembers  = func(r *simulate.Report) int64 { return int64(r.MovedMembers) }
	lostWork      = func(r *simulate.Report) int64 { return r.Lost }
	waitedLargest = func(r *simulate.Report) int64 { // of the largest class of sizes
		if len(r.BySize) == 0 {
			return 0
		}
		return r.BySize[len(r.BySize)-1].Waited.Mean
	}
)

// pairedColumns are those of the table of pairs: what differs, then the mean waiting, the ratios, and what is used, moved and lost.
func (t *told) pairedColumns() (names []string, cells func(p *paired) []string) {
	var keys []column
	for _, c := range columns()[:len(swept)] {
		if t.sweeps.has(c.name) && c.name != "seed" {
			keys, names = append(keys, c), append(names, c.name)
		}
	}
	names = append(names, "mean", "of mean", "of p95", "of longest", "of largest", "reached", "used", "moved", "lost")
	judged := t.judgedColumns()
	for _, c := range judged {
		names = append(names, c.name)
	}
	return names, func(p *paired) (out []string) {
		for _, c := range keys {
			out = append(out, c.of(p.rows[0]))
		}
		out = append(out, strconv.FormatInt(p.meanOf(waitedMean), 10))
		for _, of := range []func(r *simulate.Report) int64{waitedMean, waitedP95, waitedLongest, waitedLargest} {
			out = append(out, p.ratioOf(of).String())
		}
		for _, of := range []func(r *simulate.Report) int64{(*simulate.Report).Load, (*simulate.Report).Utilisation} {
			out = append(out, tenths(p.meanOf(of)).String())
		}
		out = append(out, strconv.FormatInt(p.meanOf(movedMembers), 10), strconv.FormatInt(p.meanOf(lostWork), 10))
		for _, c := range judged { // of all seeds together
			sum := 0
			for _, r := range p.rows {
				n, _ := strconv.Atoi(c.of(r))
				sum += n
			}
			out = append(out, strconv.Itoa(sum))
		}
		return out
	}
}

// pairedJSON is a way to play streams, and how it compares.
type pairedJSON struct {
	Load       int64  `json:"load"`
	Longer     int64  `json:"longer"`
	Checkpoint int64  `json:"checkpoint"`
	Discipline string `json:"discipline"`
	Moves      bool   `json:"moves"`
	Placer     string `json:"placer"`
	Streams    int    `json:"streams"`
	Mean       int64  `json:"mean"`
	OfMean     ratio  `json:"ofMean"`
	OfP95      ratio  `json:"ofP95"`
	OfLongest  ratio  `json:"ofLongest"`
	OfLargest  ratio  `json:"ofLargest"`
	Reached    tenths `json:"reached"`
	Used       tenths `json:"used"`
	Moved      int64  `json:"moved"`
	Lost       int64  `json:"lost"`
}

func (p *paired) json() pairedJSON {
	r := p.rows[0]
	return pairedJSON{
		Load: r.load, Longer: r.longer, Checkpoint: r.checkpoint, Discipline: string(r.discipline), Moves: r.moves, Placer: r.placer, Streams: len(p.rows),
		Mean: p.meanOf(waitedMean), OfMean: p.ratioOf(waitedMean), OfP95: p.ratioOf(waitedP95), OfLongest: p.ratioOf(waitedLongest), OfLargest: p.ratioOf(waitedLargest),
		Reached: tenths(p.meanOf((*simulate.Report).Load)), Used: tenths(p.meanOf((*simulate.Report).Utilisation)),
		Moved: p.meanOf(movedMembers), Lost: p.meanOf(lostWork),
	}
}

// pairedLines are the cells of the table, its head first.
func (t *told) pairedLines() [][]string {
	names, cells := t.pairedColumns()
	lines := [][]string{names}
	for _, p := range pairsOf(t.results) {
		lines = append(lines, cells(&p))
	}
	return lines
}
