// Package leavable answers: who may leave, node by node? Its [Index] is read by searches for victims without names, and follows from
// snapshot to snapshot.
package leavable

import (
	"cmp"
	"slices"
	"sync"

	"github.com/muster-sched/muster/internal/cow"
	"github.com/muster-sched/muster/internal/intern"
	"github.com/muster-sched/muster/internal/snapshot"
)

// Index lists the members that may leave ([snapshot.Member.MayLeave]) node by node, without names: searches read all of
// it in order, so it is dense. The first search makes it. A later snapshot takes over the one of its ancestor and reads
// only the nodes again whose members changed. An index never changes once it is published.
//
// Members stand in the order in which [On] lists them, so that the n-th entry of a node is the n-th
// member there: a search goes back to names only for the victims that it chose.
type Index struct {
	Pages    []*page
	Profiles []profile // by id; the table may have more by now
	table    *profileTable
	made     int // number of profiles when all nodes were read last, see after
}

// page has the members of PageSize nodes in the order of node ids, those of one node in the order of
// CompareMembers. Indexes share it, so it never changes.
type page struct {
	ends     [cow.PageSize]int32 // by node of the page: the place behind its last member
	Profiles []int32             // by member: id of its profile
	Starts   []int64             // by member: as in [snapshot.Member]
	Counts   []count             // the members of the page by priority, ascending
}

// profile is the part of a member that decides whether it can be a victim and what that gives back. Members with one
// profile may still differ in names, starts, quotas and zones: a search that needs these reads the members themselves.
type profile struct {
	Priority int64   // of the gang: the lowest of its members that stay
	Holds    []int64 // by resource
	Tied     bool    // see [snapshot.TiesOthers]
}

// count sums up the members of one priority on a page, so that candidates are counted without reading them.
type count struct {
	Priority int64
	Members  int   // all of them, tied ones included
	Tied     int   // how many are tied
	Latest   int64 // the latest start, at least 0
}

// Of is the index of a snapshot. O(1) once it is there. O(pages + changed nodes, their members and the
// lookup of their gangs) where an ancestor has one; else, and after many changes, O(nodes + members). Safe for
// concurrent use.
func Of(c *snapshot.Snapshot) *Index {
	return c.Caches.Leavable.Get(&c.Lineage.Clock, 1,
		func(struct{}) bool { return true },
		func(before any, nodes []int32) any { return before.(*Index).after(c, nodes) },
		func() (struct{}, any) { return struct{}{}, newIndex(c) }).(*Index)
}

// listed is a member on its way into a page.
type listed struct {
	node, profile int32 // ids
	started       int64
}

// newIndex reads all members, gang by gang, and sorts them by node in linear time: it counts the members of each
// node, and sums of these counts are the places where each node's members begin. The sort is stable. Gangs, and members
// in them, come in natural order of names; so those of a node end up in the order of CompareMembers.
// O(nodes + members).
func newIndex(c *snapshot.Snapshot) *Index {
	ix := &Index{
		table: &profileTable{},
		Pages: make([]*page, (len(c.Lineage.Names)+cow.PageSize-1)/cow.PageSize),
	}
	reader := ix.table.reader()
	list, next := make([]listed, 0, c.Gangs.Len()), make([]int32, len(c.Lineage.Names)+1)
	c.Gangs.Ascend(func(g *snapshot.GangMembers) bool {
		for _, m := range g.Members.All() {
			if m.MayLeave() {
				list = append(list, listed{m.Node, reader.profileOf(g, m), m.Started})
				next[m.Node+1]++
			}
		}
		return true
	})
	ix.Profiles = reader.done()
	ix.made = len(ix.Profiles)
	// Counts stood one place up, so these sums are the first place of each node, and the number of all behind the last.
	for id := range c.Lineage.Names {
		next[id+1] += next[id]
	}
	byNode := make([]listed, len(list))
	for _, e := range list {
		byNode[next[e.node]] = e
		next[e.node]++
	}
	for p := range ix.Pages {
		n := 0
		for n < len(byNode) && int(byNode[n].node) < (p+1)*cow.PageSize {
			n++
		}
		ix.Pages[p] = newPage(int32(p)*cow.PageSize, byNode[:n], ix.Profiles)
		byNode = byNode[n:]
	}
	return ix
}

// newPage has the members of the nodes from id first on; they come in the order of nodes, each with its profile
// in the list. O(page + members * priorities), since the list of priorities is short and kept sorted.
func newPage(first int32, members []listed, profiles []profile) *page {
	p := &page{Profiles: make([]int32, len(members)), Starts: make([]int64, len(members))}
	at := 0
	for i := range p.ends {
		for ; at < len(members) && members[at].node == first+int32(i); at++ {
			p.Profiles[at], p.Starts[at] = members[at].profile, members[at].started
		}
		p.ends[i] = int32(at)
	}
	// Priorities ascend, so that a reader stops at the first one that is not below the preemptor's.
	for i, id := range p.Profiles {
		of := &profiles[id]
		at, ok := slices.BinarySearchFunc(p.Counts, of.Priority, func(n count, priority int64) int {
			return cmp.Compare(n.Priority, priority)
		})
		if !ok {
			p.Counts = slices.Insert(p.Counts, at, count{Priority: of.Priority})
		}
		n := &p.Counts[at]
		n.Members, n.Latest = n.Members+1, max(n.Latest, p.Starts[i])
		if of.Tied {
			n.Tied++
		}
	}
	p.Counts = slices.Clip(p.Counts)
	return p
}

// Of is the interval of a node's members in Profiles and Starts; i is the node's place in the page.
func (p *page) Of(i int) (lo, end int32) {
	if i > 0 {
		lo = p.ends[i-1]
	}
	return lo, p.ends[i]
}

// after is the index of c, a later snapshot of which only these nodes have other members, or members with other
// profiles. nodes may name a node twice; it is sorted on the way. ix stays as it is: pages without a changed node are
// shared, the others are made anew from the old entries of their unchanged nodes and the fresh ones of the changed.
//
// This is sound because a profile depends on nothing but the member and its gang, and the snapshot reports all
// nodes of a gang whose priority or ties change. Ids of profiles stay valid because the table only appends.
func (ix *Index) after(c *snapshot.Snapshot, nodes []int32) *Index {
	// Profiles are never taken out of the table. Once it is more than twice as large as a table made anew was, a new
	// one begins; the cost is spread over the changes that added at least 1,024 profiles.
	if len(ix.Profiles) > 2*ix.made+1024 {
		return newIndex(c)
	}
	next := &Index{Pages: slices.Clone(ix.Pages), table: ix.table, made: ix.made}
	reader := ix.table.reader()
	slices.Sort(nodes)
	nodes = slices.Compact(nodes)
	fresh := listOn(c, nodes, reader)
	next.Profiles = reader.done()
	// One page a turn: nodes[:n] are its changed nodes. fresh is in the order of nodes, too, and read once from its
	// front.
	for len(nodes) > 0 {
		at := nodes[0] / cow.PageSize
		n := 1
		for n < len(nodes) && nodes[n]/cow.PageSize == at {
			n++
		}
		old, first := ix.Pages[at], at*cow.PageSize
		var members []listed
		for i := range int32(cow.PageSize) {
			if slices.Contains(nodes[:n], first+i) {
				for len(fresh) > 0 && fresh[0].node == first+i {
					members, fresh = append(members, fresh[0]), fresh[1:]
				}
				continue
			}
			for lo, end := old.Of(int(i)); lo < end; lo++ {
				members = append(members, listed{first + i, old.Profiles[lo], old.Starts[lo]})
			}
		}
		next.Pages[at] = newPage(first, members, next.Profiles)
		nodes = nodes[n:]
	}
	return next
}

// listOn reads the possible victims on some nodes, in the order of these and there in that of CompareMembers. The gang
// of a member that runs is always found.
func listOn(c *snapshot.Snapshot, nodes []int32, reader *profileReader) (out []listed) {
	for _, id := range nodes {
		for _, m := range On(c, id) {
			g, _ := c.Gangs.Get(&snapshot.GangMembers{Name: m.Class.Gang})
			out = append(out, listed{id, reader.profileOf(g, m), m.Started})
		}
	}
	return out
}

// On lists the members on a node that may leave, in the order of the index, which is that of gang, then name. The slice is the caller's.
// O(k log k) for k members on the node.
func On(c *snapshot.Snapshot, id int32) (out []*snapshot.Member) {
	for m := range snapshot.MembersOn(c, id) {
		if m.MayLeave() {
			out = append(out, m)
		}
	}
	slices.SortFunc(out, snapshot.CompareMembers)
	return out
}

// profileTable gives profiles their ids. An index shares it with all that are made from it by after, on whichever
// snapshots: so it is locked, and it only grows. The order of ids depends on which snapshot was asked first; no
// decision may depend on it.
type profileTable struct {
	mu   sync.Mutex
	ids  intern.Lists // of lists of priority, tie (0 or 1) and amounts
	list []profile    // by id
}

// profileReader looks profiles up while it holds the lock of the table: one reader serves one index.
type profileReader struct {
	table *profileTable
	near  map[profileKey]int32 // ids that this reader has found already
	key   []int64              // buffer for the list that is looked up
}

// profileKey is a profile by the address of its amounts. Equal amounts mostly have one address, so most members need no
// look at the amounts; those at another address are found by value.
type profileKey struct {
	holds    *int64
	priority int64
	tied     bool
}

// reader locks the table until done.
func (t *profileTable) reader() *profileReader {
	t.mu.Lock()
	return &profileReader{table: t, near: map[profileKey]int32{}}
}

// profileOf is the id of a member's profile, a new one if there is none yet. O(1) expected, O(resources) the first time
// that this reader meets the amounts.
func (r *profileReader) profileOf(g *snapshot.GangMembers, m *snapshot.Member) int32 {
	key := profileKey{&m.Class.Holds[0], g.Priority, snapshot.TiesOthers(g, m)}
	if id, ok := r.near[key]; ok {
		return id
	}
	tied := int64(0)
	if key.tied {
		tied = 1
	}
	r.key = append(append(r.key[:0], g.Priority, tied), m.Class.Holds...)
	id, fresh := r.table.ids.Of(r.key)
	if fresh {
		r.table.list = append(r.table.list, profile{g.Priority, m.Class.Holds, key.tied})
	}
	r.near[key] = int32(id)
	return int32(id)
}

// done unlocks the table and returns its profiles. The table only appends, so the slice stays valid, and what later
// readers append lies behind its end.
func (r *profileReader) done() []profile {
	list := r.table.list
	r.table.mu.Unlock()
	return list
}
