// How much longer does a gang run where it lies wider than it would if nobody else were there?

package simulate

import (
	"math"
	"math/bits"
)

// mostSlowdown bounds Options.Slowdown.
const mostSlowdown = 100_000

// takesFor is how long a gang takes for so many seconds of its work: rounded up.
func (p *pending) takesFor(work int64) int64 {
	hi, lo := bits.Mul64(uint64(max(0, work)), uint64(p.slower))
	if hi >= 1000 {
		return math.MaxInt64 / 4
	}
	more, rest := bits.Div64(hi, lo, 1000)
	if rest > 0 {
		more++
	}
	return work + int64(min(more, math.MaxInt64/4))
}

// work is how much of its work a gang that runs has done since it started, rounded down.
func (p *pending) work(now int64) int64 {
	ran := max(0, now-p.started-p.pause)
	hi, lo := bits.Mul64(uint64(ran), 1000)
	done, _ := bits.Div64(hi, lo, uint64(1000+p.slower))
	return int64(done)
}

// slowerAt is by how many thousandths a gang runs slower at a place.
func (l *loop) slowerAt(p *pending, place *Place) int64 {
	if l.opt.Slowdown == 0 || p.ideal == nil {
		return 0
	}
	return l.opt.Slowdown * int64(max(0, l.reached(&p.Request, place).tier-p.ideal.tier))
}

// quicken lets gangs that have moved run as fast as they do where they lie now. O(members that run).
func (l *loop) quicken(moved map[string]bool) {
	if l.opt.Slowdown == 0 {
		return
	}
	at := map[string]*Place{}
	for m := range l.c.Running() {
		if moved[m.Gang] {
			if at[m.Gang] == nil {
				at[m.Gang] = &Place{}
			}
			at[m.Gang].Nodes = append(at[m.Gang].Nodes, m.Node)
		}
	}
	for name, place := range at { // each by itself
		r := l.running[name]
		r.slower = l.slowerAt(r, place)
		r.ends = l.now + r.pause + r.takesFor(r.left)
	}
}

// place finds a place for a gang: it says that it ends no sooner than it does there, so that where it lies wider than it said it is asked for again, for longer.
func (l *loop) place(p *pending) (*Place, error) {
	for p.slower = 0; ; {
		p.Request.End = p.expectedEnd(l.now)
		place, err := l.opt.Placer.Place(l.c, &p.Request)
		if l.report.Tries++; err != nil || place == nil {
			return nil, err
		}
		said := p.slower
		if p.slower = l.slowerAt(p, place); p.slower <= said {
			return place, nil
		}
	}
}
