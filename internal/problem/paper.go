package problem

import "github.com/muster-sched/muster/internal/snapshot"

// paper is what a plan writes on and nobody keeps, the problem included: the plans of a lineage take turns with a few of them.
type paper struct {
	problem Problem
	pending []pendingMember
	key     []byte
	Search  resettable // of the search; nil: none has written yet
}

// resettable is a search's own part of the paper.
type resettable interface{ Reset() }

// takePaper gives a problem something to write on, itself included.
func takePaper(l *snapshot.Lineage) *paper {
	r, _ := l.Scratch.Get().(*paper)
	if r == nil {
		r = &paper{}
	}
	return r
}

// Done gives it to others; nothing refers to the problem any more.
func (p *Problem) Done() {
	r, l := p.Paper, p.Snapshot.Lineage
	r.problem = Problem{} // it holds the snapshot
	if r.Search != nil {
		r.Search.Reset()
	}
	l.Scratch.Put(r)
}
