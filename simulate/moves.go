package simulate

import (
	"cmp"
	"container/heap"
	"errors"
	"maps"
	"slices"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/placement"
)

// moveFor moves running gangs so that one that waits has a place, and says where; nil: no moves would do that are worth it.
func (l *loop) moveFor(p *pending) (*Place, error) {
	opt := placement.MovesOptions{MaxMoved: cmp.Or(l.opt.Moves.MaxMoved, len(p.Request.Members))}
	for _, name := range slices.SortedFunc(maps.Keys(l.running), muster.CompareNatural) {
		if r := l.running[name]; r.Runs > 0 {
			opt.Movers = append(opt.Movers, placement.Mover{Gang: name, Request: &r.Request, Lost: r.takes * (l.now - r.started - r.safe(l.now))})
		}
	}
	if len(opt.Movers) == 0 {
		return nil, nil
	}
	m, err := l.movesFor(p, opt)
	if err != nil || m == nil {
		return nil, err
	}
	moved := map[string]bool{}
	for i := range m.Moves {
		move := &m.Moves[i]
		r := l.running[move.Gang]
		if !moved[move.Gang] {
			moved[move.Gang] = true
			l.restart(r)
		}
		d := move.Delta()
		for k := range d.Place {
			d.Place[k].End = r.expectedEnd(l.now + r.pause)
		}
		if l.c, err = l.c.Update(d); err != nil {
			return nil, err
		}
		l.report.MovedMembers += len(move.Members)
	}
	l.report.MovedGangs += len(moved)
	l.quicken(moved)
	heap.Init(&l.ends)
	return &Place{Plan: m.Plan}, nil
}

// movesFor are moves for a gang that waits, without victims; nil: there are none. As in place, it says that it ends no sooner than it does where it comes to lie.
func (l *loop) movesFor(p *pending, opt placement.MovesOptions) (m *placement.Moving, err error) {
	before := p.slower
	for p.slower = 0; ; {
		req := p.Request
		req.NeverPreempts, req.End = true, p.expectedEnd(l.now)
		if m, err = placement.Moves(l.c, placement.MoveGoal{Fit: &req}, opt); err != nil {
			p.slower = before
			if errors.Is(err, placement.ErrUnschedulable) {
				err = nil
			}
			return nil, err
		}
		said := p.slower
		if p.slower = l.slowerAt(p, &Place{Plan: m.Plan}); p.slower <= said {
			return m, nil
		}
	}
}

// restart lets a gang that moves run anew, once it has stood still; the order of the ends is to be made again.
func (l *loop) restart(r *pending) {
	l.interrupt(r)
	r.started, r.pause = l.now, l.opt.Moves.Pause
	r.ends = l.now + r.pause + r.takesFor(r.left)
}
