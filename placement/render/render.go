// Package render answers: how does a plan look, to a program and to a person? [JSON] writes the document that other
// programs read; [Text] draws the tree with the plan on it, [QuotasText] the quotas, [SVG] is a picture for a
// browser, [Explanations] says why gangs wait, [PlacesText] where each member is.
package render

import (
	"errors"

	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/quota"
)

// Outcome is what became of one gang of a queue. Exactly one of Result and Err is set; of an outcome without either it is
// written that nothing is known.
type Outcome struct {
	// Gang is its name, such as `namespace/name`.
	Gang string
	// Request is what was planned. Only Text and SVG read it, to know how many members fit on a node; it may be nil.
	Request *gang.Request
	// Cluster is the snapshot that the plan was made from. Only Text and SVG read it; it may be nil where Request is.
	Cluster *placement.Cluster
	// Pass is the limit of quotas that it was planned under; empty: [quota.Fair].
	Pass quota.Limit
	// Result is the plan.
	Result *placement.Result
	// Err is a [placement.Unschedulable], or says why the gang cannot be planned at all.
	Err error
	// Together are the outcomes of the gangs that start together with it, without what these have here.
	Together []Outcome
	// Ignored counts hard rules of the gang's pods that are not modelled, by name.
	Ignored map[string]int
	// Terms are those under which the gang's members are let go, and Total its declared size, as far as files state them.
	Terms gang.Terms
	Total int
	// Explanation says why the gang waits and what would make it start; nil: nobody asked.
	Explanation *placement.Explanation
	// Places are those of the result's members; nil: nobody asked.
	Places []placement.Place
}

// errNothing stands for the error of an outcome that has neither.
var errNothing = errors.New("nothing is known of the gang")

// why is the reason that a gang is not placed.
func (o *Outcome) why() error {
	if o.Err == nil {
		return errNothing
	}
	return o.Err
}
