package scenario

import (
	"errors"
	"fmt"
	"strings"

	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/placement"
)

// when says when a gang has a place, and draws it over those whose end it takes.
func (s *session) when(w *words) (string, error) {
	opt := placement.EarliestOptions{Now: int64(w.number("now", 0)), Tier: w.text("tier")}
	show, holds := w.text("show"), w.flag("hold")
	build, err := s.request(w)
	if err != nil {
		return "", err
	}
	start, err := placement.Earliest(s.cluster, build(), opt)
	switch {
	case errors.Is(err, placement.ErrUnschedulable):
		return "never: " + err.Error() + "\n", nil
	case err != nil:
		return "", err
	}
	line := fmt.Sprintf("starts at %d", start.At)
	var ends []string
	drawn := *start.Plan
	for _, e := range start.WaitsFor {
		ends = append(ends, fmt.Sprintf("%s at %d", e.Gang, e.At))
		for m := range s.cluster.Running() {
			if m.Gang == e.Gang {
				drawn.WaitsFor = append(drawn.WaitsFor, placement.Waited{MemberRef: cluster.MemberRef{Gang: m.Gang, Member: m.Member}, Node: m.Node})
			}
		}
	}
	if len(ends) > 0 {
		line += " after " + strings.Join(ends, ", ")
	}
	if start.Proven {
		line += " (proven)"
	}
	text := line + "\n" + s.headline(build(), start.Plan) + s.board.plan(build(), &drawn, show)
	if holds {
		if s.cluster, err = s.cluster.Update(cluster.Delta{Holds: map[string][]cluster.Hold{start.Plan.Gang: start.Holds()}}); err != nil {
			return "", err
		}
		text += s.heldText()
	}
	return text, nil
}
