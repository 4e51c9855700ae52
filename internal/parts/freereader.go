package parts

import (
	"github.com/muster-sched/muster/internal/cow"
	"github.com/muster-sched/muster/internal/snapshot"
)

// freeReader answers: how much is free on a node for this search? It reads free amounts and flags of nodes page by
// page, so that neighbours share the look-up of their pages.
type freeReader struct {
	search *search
	page   int32     // -1: none yet
	pages  [][]int64 // by need
	flags  []snapshot.NodeFlags
	// beside: some amounts are released or reserved.
	beside bool
}

// newFreeReader reads from the first node on.
func (s *search) newFreeReader() *freeReader {
	return &freeReader{search: s, page: -1, pages: make([][]int64, len(s.p.Needs)), beside: len(s.released)+len(s.reserved) > 0}
}

// read fills in the free amounts of a node, with released amounts and without reserved ones, and returns its flags.
func (r *freeReader) read(into []int64, id int32) snapshot.NodeFlags {
	if r.page != id/cow.PageSize {
		r.turnTo(id / cow.PageSize)
	}
	at := id % cow.PageSize
	for i, page := range r.pages {
		into[i] = page[at]
	}
	if r.beside {
		released, reserved := r.search.released[id].Amounts, r.search.reserved[id].Amounts
		for i, n := range r.search.p.Needs {
			if n.ID < 0 || into[i] == snapshot.Boundless {
				continue
			}
			if released != nil {
				into[i] += released[n.ID]
			}
			if reserved != nil {
				into[i] -= reserved[n.ID]
			}
		}
	}
	return r.flags[at]
}

// turnTo finds the page of each need.
func (r *freeReader) turnTo(page int32) {
	r.page = page
	r.flags = r.search.p.Snapshot.Static.Flags.Page(int(page))
	for i, n := range r.search.p.Needs {
		if n.ID >= 0 {
			r.pages[i] = r.search.p.Snapshot.Free[n.ID].Page(int(page))
		} else {
			r.pages[i] = noAmounts[:]
		}
	}
}

// noAmounts is the page of a resource that no node has.
var noAmounts [cow.PageSize]int64
