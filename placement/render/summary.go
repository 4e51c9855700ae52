package render

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/internal/phrases"
	"github.com/muster-sched/muster/internal/printed"
	"github.com/muster-sched/muster/placement"
)

// Headlines writes the first line that Text has of each outcome, without drawing anything. O(outcomes).
func Headlines(w io.Writer, outcomes []Outcome) error {
	b := bufio.NewWriter(w)
	for i := range outcomes {
		writeHeadline(b, short(&outcomes[i]))
	}
	return b.Flush()
}

func writeHeadline(w io.Writer, o *Outcome) { printed.Fprintf(w, "%s: %s\n", name(o), headline(o)) }

// Summary writes what became of all gangs in a line, and in another one how many nodes of the cluster are in no topology,
// where there are some. Where no gang could be planned at all a line before says so. O(outcomes + nodes * topologies).
func Summary(w io.Writer, outcomes []Outcome, spec *cluster.Spec) error {
	if spec == nil {
		spec = &cluster.Spec{}
	}
	nodes := phrases.Count(len(spec.Nodes), "node")
	text := "no gang waits for a node; " + nodes
	if len(outcomes) > 0 {
		text = tally(outcomes) + ", " + nodes
	}
	if len(outcomes) > 0 && !slices.ContainsFunc(outcomes, func(o Outcome) bool { return !isInvalid(&o) }) {
		text = "nothing is planned, for what is asked for cannot be used\n" + text
	}
	if n := inNoTopology(spec); n > 0 {
		text += "\nin no topology: " + phrases.Count(n, "node")
	}
	_, err := io.WriteString(w, text+"\n") // of our own
	return err
}

// tally counts outcomes by what became of them.
func tally(outcomes []Outcome) string {
	var placed, waiting, refused, invalid, pods int
	for i := range outcomes {
		switch o := &outcomes[i]; {
		case o.Err == nil && o.Result != nil:
			pods += len(o.Result.Assignments)
			if o.Result.Waits() {
				waiting++
			} else {
				placed++
			}
		case isInvalid(o):
			invalid++
		default:
			refused++
		}
	}
	return fmt.Sprintf("%s: %d placed, %d waiting, %d refused, %d invalid; %s placed",
		phrases.Count(len(outcomes), "gang"), placed, waiting, refused, invalid, phrases.Count(pods, "pod"))
}

// isInvalid says whether something is wrong with what the gang asks for, or nothing is known of it.
func isInvalid(o *Outcome) bool {
	return o.Result == nil && !errors.Is(o.Err, placement.ErrUnschedulable) && !errors.Is(o.Err, muster.ErrNotSupported)
}

// inNoTopology is how many nodes lie outside of all topologies, 0 if there are none of these.
func inNoTopology(spec *cluster.Spec) (n int) {
	outside := map[string]int{} // by node: topologies that it is outside of
	for _, t := range spec.Trees {
		for _, node := range t.Tree.Outside() {
			if outside[node]++; outside[node] == len(spec.Trees) {
				n++
			}
		}
	}
	return n
}
