package cli

import (
	"errors"
	"fmt"
	"io"

	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/printed"
	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/placement/render"
)

// moves says for each gang that has no place after the plans who moves so that it has one, each by itself.
func (p *Planned) moves() (found []render.GangMoves, err error) {
	found = []render.GangMoves{} // in JSON a list, also of none
	opt := placement.MovesOptions{}
	for i := range p.Outcomes {
		o := &p.Outcomes[i]
		if o.Result != nil || !errors.Is(o.Err, placement.ErrUnschedulable) {
			continue
		}
		if opt.Movers == nil {
			opt.Movers = p.movers()
		}
		moving, err := placement.Moves(p.After, placement.MoveGoal{Fit: o.Request}, opt)
		if err != nil && !errors.Is(err, placement.ErrUnschedulable) {
			return nil, fmt.Errorf("%s: %w", printed.Text(o.Gang), err)
		}
		g := render.GangMoves{Gang: o.Gang, Moving: moving, Err: err, Request: o.Request}
		if moving != nil {
			if g.After, err = p.moved(moving); err != nil {
				return nil, fmt.Errorf("%s: %w", printed.Text(o.Gang), err)
			}
		}
		found = append(found, g)
	}
	return found, nil
}

// movers are the gangs that ran before the plans, with their rules, but for those of which these place members: a list, also of none.
func (p *Planned) movers() []placement.Mover {
	placed := map[string]bool{}
	for _, o := range p.whole().Outcomes {
		placed[o.Gang] = o.Result != nil
	}
	movers := []placement.Mover{}
	for _, m := range p.Input.Movers {
		if placed[m.Gang] {
			continue
		}
		if req := m.Request; len(req.Gather)+len(req.Groups)+len(req.Parts)+len(req.Limits) > 0 || req.PP+req.DP > 0 {
			if _, err := placement.Standing(p.Cluster, req); err != nil { // the cluster has no such layers
				m.Request = &gang.Request{Name: req.Name, Tree: p.knownTree(req.Tree), Members: req.Members}
			}
		}
		movers = append(movers, m)
	}
	return movers
}

// moved is the cluster once all have moved.
func (p *Planned) moved(m *placement.Moving) (c *placement.Cluster, err error) {
	c = p.After
	for i := range m.Moves {
		if c, err = c.Update(m.Moves[i].Delta()); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// writeMoves writes them as lines; without trees if the plans have none.
func writeMoves(w io.Writer, p *Planned, summary bool) error {
	moves, err := p.moves()
	if err != nil {
		return err
	}
	if summary {
		for i := range moves {
			moves[i].After = nil
		}
	}
	return render.MovesText(w, moves, p.Cluster.Trees()...)
}
