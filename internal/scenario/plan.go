package scenario

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/topology"
)

// plan plans, checks and draws.
func (s *session) plan(t testing.TB, w *words) (string, error) {
	t.Helper()
	show := w.text("show")
	build, err := s.request(w)
	if err != nil {
		return "", err
	}
	res, err := placement.Plan(s.cluster, build())
	s.res, s.why = res, err
	check(t, s.snapshot(), build, res, err)
	switch {
	case errors.Is(err, placement.ErrUnschedulable):
		return err.Error() + "\n", nil
	case err != nil:
		return "", err
	}
	req := build()
	return s.headline(req, res) + victimsLine(req, res) + s.board.plan(req, res, show), nil
}

// request returns a function that builds the same request anew each time.
func (s *session) request(w *words) (func() *gang.Request, error) {
	name := w.text("gang")
	if name == "" {
		name = s.freeName()
	}
	first := s.firstNew(name)
	request(w, name, first)
	return func() *gang.Request { return request(w, name, first) }, w.err()
}

// firstNew is above all numbers that running members of a gang have.
func (s *session) firstNew(name string) (first int) {
	for m := range s.cluster.Running() {
		if m.Gang == name {
			first = max(first, number(m.Member)+1)
		}
	}
	return first
}

// number is what the name of a member ends in.
func number(member string) int {
	n, err := strconv.Atoi(member[strings.LastIndex(member, "-")+1:])
	if err != nil {
		return 0
	}
	return n
}

// freeName is the first letter from p on that no running gang has.
func (s *session) freeName() string {
	used := map[string]bool{string(taken): true}
	for m := range s.cluster.Running() {
		used[m.Gang] = true
	}
	for c := 'p'; c < 'z'; c++ {
		if !used[string(c)] {
			return string(c)
		}
	}
	return "z"
}

// headline says what a result reaches: strategy, tier, domain, span, and whatever is not as usual.
func (s *session) headline(req *gang.Request, res *placement.Result) string {
	tree := s.tree()
	line := fmt.Sprintf("strategy %d (%s) tier=%s", res.StrategyNumber, res.Strategy, layer(tree, res.Tier))
	if len(res.Domain) > 0 {
		line += " domain=" + strings.Join(res.Domain, "/")
	}
	if len(res.GroupTiers) > 1 {
		var tiers []string
		for _, t := range res.GroupTiers {
			tiers = append(tiers, layer(tree, t))
		}
		line += " groups=" + strings.Join(tiers, "/")
	}
	if len(res.Span) > 0 {
		line += " span"
		for _, sp := range res.Span {
			line += fmt.Sprintf(" %s=%d", layer(tree, sp.Tier), sp.Domains)
		}
	}
	for _, g := range res.Elsewhere {
		line += fmt.Sprintf(" %s=%s:%s", g.Part, g.Tree, strings.Join(g.Domain, "/"))
	}
	if !res.Proven {
		line += " not-proven"
	}
	if len(res.Assignments) < len(req.Members) {
		line += fmt.Sprintf(" placed=%d/%d", len(res.Assignments), len(req.Members))
	}
	if res.Waits() {
		var names []string
		for _, m := range res.WaitsFor {
			names = append(names, m.Member)
		}
		line += " waits-for=" + strings.Join(names, ",")
	}
	return line + "\n"
}

func (s *session) tree() *topology.Tree {
	named, ok := s.cluster.Tree("default")
	if !ok {
		return nil
	}
	return named.Tree
}

// layer names a tier.
func layer(tree *topology.Tree, tier int) string {
	if tree == nil {
		return fmt.Sprint(tier)
	}
	switch name := tree.LayerName(tier); {
	case name != "":
		return name
	case tier == tree.RootTier():
		return "root"
	}
	return fmt.Sprint(tier)
}

// candidates lists the first plans, one a line.
func (s *session) candidates(w *words) (string, error) {
	n := w.number("first", 3)
	build, err := s.request(w)
	if err != nil {
		return "", err
	}
	req, text := build(), ""
	for res, err := range placement.Candidates(s.cluster, req) {
		if n--; n < 0 {
			break
		}
		if err != nil {
			return text, err
		}
		var nodes []string
		for _, a := range res.Assignments {
			nodes = append(nodes, a.Node)
		}
		text += strings.TrimSpace(s.headline(req, res)) + " on " + strings.Join(nodes, " ") + "\n"
	}
	return text, nil
}

// explain prints everything that a refusal knows.
func (s *session) explain() string {
	err := s.why
	var why *placement.Unschedulable
	var invalid *muster.InvalidError
	switch {
	case errors.As(err, &invalid):
		return fmt.Sprintf("invalid %s %q: %s\n", invalid.Field, invalid.Value, invalid.Reason)
	case !errors.As(err, &why):
		return fmt.Sprint(err, "\n")
	}
	text := fmt.Sprintf("%s: %d of %d, rule %q, proven %t\n", why.Refuser, why.Fits, why.Wanted, why.Rule, why.Proven)
	for _, t := range why.Tiers {
		place := strings.TrimSpace(layer(s.tree(), t.Tier) + " " + strings.Join(t.Domain, "/"))
		text += fmt.Sprintf("%s: %d members, %d groups\n", place, t.Members, t.Groups)
	}
	if q := why.RefusedBy; q != nil {
		text += fmt.Sprintf("quota %s by its %s: %+v\n", strings.Join(q.Path, "/"), q.Rule, q.Short)
	}
	if o := why.InTheWay(); len(o.Members) > 0 {
		text += "in the way:"
		for _, m := range o.Members {
			text += fmt.Sprintf(" %s on %s", m.Member, m.Node)
		}
		text += fmt.Sprintf(", proven %t\n", o.Proven)
	}
	nodes := why.Nodes()
	text += fmt.Sprintf("%d nodes", nodes.Total)
	for _, c := range nodes.Rejected {
		text += fmt.Sprintf(", %s %d", c.Cause, c.Nodes)
	}
	return text + "\n"
}
