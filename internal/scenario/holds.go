// What is held, and for whom?

package scenario

import (
	"fmt"
	"strings"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
)

// hold asks the victims of the last plan to leave, and keeps the room for its members.
func (s *session) hold() (string, error) {
	d := cluster.Delta{Holds: map[string][]cluster.Hold{s.res.Gang: s.res.Holds()}}
	for _, v := range s.res.Victims {
		d.Leaving = append(d.Leaving, v.MemberRef)
	}
	text, err := s.change(s.cluster.Update(d))
	return text + s.heldText(), err
}

// heldText lists how many devices are held on which nodes.
func (s *session) heldText() (text string) {
	for _, h := range s.cluster.Holds() {
		text += fmt.Sprintf("held for %s on %s: %d", h.Member, h.Node, h.Resources[device])
		if h.From > 0 || h.End > 0 {
			text += fmt.Sprintf(" from %d to %d", h.From, h.End)
		}
		text += "\n"
	}
	return text
}

// holdIn keeps room for a gang in a domain.
func (s *session) holdIn(w *words) (string, error) {
	gang := w.args[0].Key
	w.known[gang] = true
	h := cluster.DomainHold{
		Gang: gang, Domain: pathOf(w.text("in")), Count: w.number("count", 0), Resources: muster.Resources{device: int64(w.number("slots", 1))},
		Priority: int64(w.number("priority", 0)), From: int64(w.number("from", 0)), End: int64(w.number("end", 0)),
	}
	if w.flag("whole") {
		h.Resources = nil
	}
	if err := w.err(); err != nil {
		return "", err
	}
	d := cluster.Delta{DomainHolds: map[string][]cluster.DomainHold{gang: nil}}
	if h.Count != 0 {
		d.DomainHolds[gang] = []cluster.DomainHold{h}
	}
	next, err := s.cluster.Update(d)
	if err != nil {
		return "", err
	}
	s.cluster = next
	return s.heldInText(), nil
}

// heldInText lists what is held in domains.
func (s *session) heldInText() string {
	text := ""
	for _, h := range s.cluster.DomainHolds() {
		each := "a node each"
		if h.Resources != nil {
			each = fmt.Sprintf("%d each", h.Resources[device])
		}
		text += fmt.Sprintf("held for %d of %s in %s: %s", h.Count, h.Gang, strings.Join(h.Domain, "/"), each)
		if h.From > 0 || h.End > 0 {
			text += fmt.Sprintf(" from %d to %d", h.From, h.End)
		}
		text += "\n"
	}
	if text == "" {
		return "nothing is held in domains\n"
	}
	return text
}
