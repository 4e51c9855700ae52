package scenario

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/validity"
	"github.com/muster-sched/muster/placement"
)

// moves says who moves so that a gang fits, or domains become empty, and draws what runs then. The answer is the same in every run and for every order of the
// input, and the moves can be carried out one after the other.
func (s *session) moves(t testing.TB, w *words) (string, error) {
	t.Helper()
	goal, show := placement.MoveGoal{Empty: w.text("empty"), Count: w.number("count", 0), Tight: w.flag("tight"), Tree: w.text("tree")}, w.text("show")
	opt := placement.MovesOptions{Wider: w.flag("wider"), MaxMoved: w.number("max", 0), Steps: w.number("steps", 0)}
	movers, err := s.movers(w)
	if err != nil {
		return "", err
	}
	opt.Movers = movers
	build := func() *gang.Request { return nil }
	if goal.Empty == "" && !goal.Tight {
		if build, err = s.request(w); err != nil {
			return "", err
		}
	}
	if err := w.err(); err != nil {
		return "", err
	}
	ask := func(c *placement.Cluster) (*placement.Moving, error) {
		next := goal
		next.Fit = build()
		return placement.Moves(c, next, opt)
	}
	found, err := ask(s.cluster)
	for name, permute := range permutations {
		other, errOther := placement.NewCluster(permute(s.snapshot().dump()))
		require.NoError(t, errOther)
		again, errAgain := ask(other)
		require.Equal(t, moved(found, err), moved(again, errAgain), "another answer on a new cluster, input %s", name)
	}
	if err != nil {
		return moved(found, err), nil
	}
	after, drawn := s.carryOut(t, found, opt)
	text := moved(found, err)
	for _, path := range found.Empty {
		text += "empty " + strings.Join(path, "/") + "\n"
	}
	if req := build(); req != nil {
		require.NoError(t, validity.Check(snapshot{after, s.exclusive, s.total}.dump(), build(), found.Plan), "the plan is not valid once all have moved")
		return text + s.headline(req, found.Plan) + drawn.plan(req, found.Plan, show), nil
	}
	return text + drawn.String(), nil
}

// movers reads those who may move, a line each, with their rules as for plan; nil: all.
func (s *session) movers(w *words) (movers []placement.Mover, err error) {
	var others []string
	for line := range strings.Lines(w.lines) {
		rest, is := strings.CutPrefix(line, "mover ")
		if !is {
			others = append(others, line)
			continue
		}
		name, args, err := datadriven.ParseLine(rest)
		if err != nil {
			return nil, err
		}
		own := &words{args: args, known: map[string]bool{}}
		m := placement.Mover{Gang: name, Lost: int64(own.number("lost", 0))}
		if req := request(own, name, 0); len(args) > 1 || len(args) == 1 && m.Lost == 0 {
			req.Shape.Resources, m.Request = nil, req
		}
		if err := own.err(); err != nil {
			return nil, err
		}
		movers = append(movers, m)
	}
	w.lines = strings.Join(others, "")
	return movers, nil
}

// moved is an answer in words: what it costs, and the moves in order.
func moved(m *placement.Moving, err error) string {
	var refused *placement.Unschedulable
	switch {
	case errors.As(err, &refused):
		return "no moves will do: " + err.Error() + "\n"
	case err != nil:
		return "error: " + err.Error() + "\n"
	}
	text := "moves " + costWords(m.Cost)
	if m.AtMost > 0 {
		text += fmt.Sprintf(" tighter=%d of %d", m.Tighter, m.AtMost)
	}
	if m.AcrossBefore+m.Across > 0 {
		text += fmt.Sprintf(" across=%d of %d", m.Across, m.AcrossBefore)
	}
	switch {
	case m.Proven:
		text += " (proven)"
	default:
		text += " (not proven, no less than " + costWords(m.LowerBound) + ")"
	}
	for i := range m.Moves {
		text += "\n  " + m.Moves[i].Gang + ":"
		for at, member := range m.Moves[i].Members {
			if at > 0 {
				text += ","
			}
			text += " " + member.Member
			switch {
			case member.From == "":
				text += " starts on " + member.To
			case member.To == "":
				text += " waits, from " + member.From
			default:
				text += " " + member.From + " -> " + member.To
			}
		}
	}
	return text + "\n"
}

func costWords(c placement.MoveCost) string {
	text := fmt.Sprintf("members=%d gangs=%d", c.Members, c.Gangs)
	if c.Lost > 0 {
		text += fmt.Sprintf(" lost=%d", c.Lost)
	}
	return text
}

// carryOut makes the moves on a copy of the cluster and of its drawing. Each is possible when its turn comes, everybody runs in the end, those who moved are as many as
// the cost says, and no gang is wider than before unless it may be.
func (s *session) carryOut(t testing.TB, m *placement.Moving, opt placement.MovesOptions) (*placement.Cluster, *board) {
	t.Helper()
	after, drawn := s.cluster, *s.board
	drawn.slots, drawn.leaves = map[string][]cluster.MemberRef{}, map[cluster.MemberRef]bool{}
	for node, slots := range s.board.slots {
		drawn.slots[node] = slices.Clone(slots)
	}
	for i := range m.Moves {
		next, err := after.Update(m.Moves[i].Delta())
		require.NoError(t, err, "move %d of %s is not possible", i, m.Moves[i].Gang)
		require.NoError(t, validity.CheckSnapshot(snapshot{next, s.exclusive, s.total}.dump()), "after move %d", i)
		after = next
		for _, member := range m.Moves[i].Members {
			for at, ref := range drawn.slots[member.From] {
				if ref.Member == member.Member && ref.Gang == m.Moves[i].Gang {
					drawn.slots[member.From][at] = cluster.MemberRef{}
				}
			}
		}
	}
	drawn.sync(after)
	was, is := nodesByGang(s.cluster), nodesByGang(after)
	cost := placement.MoveCost{Lost: m.Cost.Lost}
	for name, before := range was {
		require.Equal(t, slices.Sorted(maps.Keys(before)), slices.Sorted(maps.Keys(is[name])), "members of %s", name)
		n := 0
		for member, node := range before {
			if is[name][member] != node {
				n++
			}
		}
		if n > 0 {
			cost.Members, cost.Gangs = cost.Members+n, cost.Gangs+1
			require.True(t, opt.Wider || s.tierOf(is[name]) <= s.tierOf(before), "%s is wider than before", name)
		}
	}
	require.Equal(t, m.Cost, cost, "members and gangs that have another node")
	require.True(t, opt.MaxMoved == 0 || cost.Members <= opt.MaxMoved, "more members than may move")
	require.LessOrEqual(t, m.LowerBound.Compare(m.Cost), 0, "costs less than what it cannot be below")
	require.Equal(t, m.Proven, m.LowerBound == m.Cost && m.Tighter == m.AtMost && m.Across == 0)
	s.stayEmpty(t, after, m.Empty)
	return after, &drawn
}

// stayEmpty holds that nobody runs in domains.
func (s *session) stayEmpty(t testing.TB, c *placement.Cluster, paths [][]string) {
	t.Helper()
	for _, path := range paths {
		d, ok := s.tree().Find(path...)
		if !ok {
			continue // a node
		}
		first, last := s.tree().Nodes(d)
		for m := range c.Running() {
			n, in := s.tree().Node(m.Node)
			require.False(t, in && n >= first && n < last && !m.Tolerated && !m.Leaving, "%s is in %s", m.Member, path)
		}
	}
}

// nodesByGang are the nodes of members, by gang.
func nodesByGang(c *placement.Cluster) map[string]map[string]string {
	out := map[string]map[string]string{}
	for m := range c.Running() {
		if out[m.Gang] == nil {
			out[m.Gang] = map[string]string{}
		}
		out[m.Gang][m.Member] = m.Node
	}
	return out
}

// tierOf is that of the lowest domain that has all of some nodes.
func (s *session) tierOf(nodes map[string]string) int {
	spec := s.snapshot().dump()
	net, ok := validity.NewNetwork(&spec, &gang.Request{})
	if !ok {
		return 0
	}
	return net.Smallest(slices.Collect(maps.Values(nodes))).Tier
}
