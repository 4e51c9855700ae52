package cli

import (
	"slices"
	"strconv"

	"github.com/muster-sched/muster/simulate"
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
