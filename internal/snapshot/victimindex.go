package snapshot

import (
	"cmp"
	"slices"
	"sync"

	"github.com/muster-sched/muster/internal/cow"
	"github.com/muster-sched/muster/internal/sets"
)

// VictimIndex lists the possible victims node by node, without names: searches read it in order, so it is dense. The first
// search makes it. Each later snapshot takes that of the one before and reads the nodes again that changed. It is immutable
// once published.
type VictimIndex struct {
	Pages    []*victimPage
	Profiles []profile // by id; the table may have more by now
	table    *profileTable
	made     int // profiles when all nodes were read
}

// victimPage has the members of PageSize nodes, by id, those of one node in the order of CompareMembers.
type victimPage struct {
	ends     [cow.PageSize]int32 // behind the last member of a node
	Profiles []int32             // by member
	Starts   []int64             // by member
	Counts   []profileCount      // by priority, ascending
}

// profile is shared by members that differ in nothing but names, starts, quotas and zones, as far as victims go.
type profile struct {
	Priority int64 // of the gang
	Holds    []int64
	Tied     bool // see TiesOthers
}

// profileCount sums up members of one priority.
type profileCount struct {
	Priority int64
	Members  int
	Tied     int
	Latest   int64 // start
}

// victimCache keeps the index of a snapshot, or an earlier one and the changes since.
type victimCache = cow.Memo[struct{}, *VictimIndex]

// VictimIndex is the index of the snapshot. O(changed nodes * log gangs + pages); the first time in a lineage, and after
// many changes, O(nodes + members).
func (c *Snapshot) VictimIndex() *VictimIndex {
	return c.Caches.victims.Get(&c.Lineage.Clock, 1,
		func(struct{}) bool { return true },
		func(ix *VictimIndex, nodes []int32) *VictimIndex { return ix.after(c, nodes) },
		func() (struct{}, *VictimIndex) { return struct{}{}, c.newVictimIndex() })
}

// TiesOthers says whether other members decide whether this one may leave, or at which cost.
func TiesOthers(g *GangMembers, m *Member) bool { return g.Least > 0 || len(m.Class.Budgets) > 0 }

// listed is a member on its way into a page.
type listed struct {
	node, profile int32
	started       int64
}

// newVictimIndex reads all members.
func (c *Snapshot) newVictimIndex() *VictimIndex {
	ix := &VictimIndex{
		table: &profileTable{},
		Pages: make([]*victimPage, (len(c.Lineage.Names)+cow.PageSize-1)/cow.PageSize),
	}
	reader := ix.table.reader()
	list, next := make([]listed, 0, c.Gangs.Len()), make([]int32, len(c.Lineage.Names)+1)
	c.Gangs.Ascend(func(g *GangMembers) bool {
		for _, m := range g.Members {
			if m.MayLeave() {
				list = append(list, listed{m.Node, reader.profileOf(g, m), m.Started})
				next[m.Node+1]++
			}
		}
		return true
	})
	ix.Profiles = reader.done()
	ix.made = len(ix.Profiles)
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
		ix.Pages[p] = newVictimPage(int32(p)*cow.PageSize, byNode[:n], ix.Profiles)
		byNode = byNode[n:]
	}
	return ix
}

// newVictimPage has the members of the nodes from first on; they are in the order of nodes.
func newVictimPage(first int32, members []listed, profiles []profile) *victimPage {
	p := &victimPage{Profiles: make([]int32, len(members)), Starts: make([]int64, len(members))}
	at := 0
	for i := range p.ends {
		for ; at < len(members) && members[at].node == first+int32(i); at++ {
			p.Profiles[at], p.Starts[at] = members[at].profile, members[at].started
		}
		p.ends[i] = int32(at)
	}
	for i, id := range p.Profiles {
		of := &profiles[id]
		at, ok := slices.BinarySearchFunc(p.Counts, of.Priority, func(n profileCount, priority int64) int {
			return cmp.Compare(n.Priority, priority)
		})
		if !ok {
			p.Counts = slices.Insert(p.Counts, at, profileCount{Priority: of.Priority})
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

// Of is the interval of a node's members in its page.
func (p *victimPage) Of(i int) (lo, end int32) {
	if i > 0 {
		lo = p.ends[i-1]
	}
	return lo, p.ends[i]
}

// after is the index of a later snapshot, in which only these nodes changed; nodes is sorted on the way.
func (ix *VictimIndex) after(c *Snapshot, nodes []int32) *VictimIndex {
	if len(ix.Profiles) > 2*ix.made+1024 { // most profiles have no member any more
		return c.newVictimIndex()
	}
	next := &VictimIndex{Pages: slices.Clone(ix.Pages), table: ix.table, made: ix.made}
	reader := ix.table.reader()
	slices.Sort(nodes)
	nodes = slices.Compact(nodes)
	fresh := c.listOn(nodes, reader)
	next.Profiles = reader.done()
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
		next.Pages[at] = newVictimPage(first, members, next.Profiles)
		nodes = nodes[n:]
	}
	return next
}

// listOn reads the possible victims on some nodes.
func (c *Snapshot) listOn(nodes []int32, reader *profileReader) (out []listed) {
	for _, id := range nodes {
		for _, m := range c.membersOn(id) {
			if m.MayLeave() {
				g, _ := c.Gangs.Get(&GangMembers{Name: m.Class.Gang})
				out = append(out, listed{id, reader.profileOf(g, m), m.Started})
			}
		}
	}
	return out
}

// Leavable lists the members on a node that may leave, in the order of the index.
func (c *Snapshot) Leavable(id int32) []*Member {
	return slices.DeleteFunc(c.membersOn(id), func(m *Member) bool { return !m.MayLeave() })
}

// profileTable gives profiles their ids. All indexes of a lineage share it, and it grows; no decision depends on the order of
// ids.
type profileTable struct {
	mu   sync.Mutex
	ids  sets.InternLists // of priority, tie and amounts
	list []profile
}

// profileReader looks profiles up while it holds the lock of the table.
type profileReader struct {
	table *profileTable
	near  map[profileKey]int32
	key   []int64
}

// profileKey is a profile by the address of its amounts.
type profileKey struct {
	holds    *int64
	priority int64
	tied     bool
}

// reader locks the table.
func (t *profileTable) reader() *profileReader {
	t.mu.Lock()
	return &profileReader{table: t, near: map[profileKey]int32{}}
}

// profileOf is the id of a member's profile, a new one if there is none yet.
func (r *profileReader) profileOf(g *GangMembers, m *Member) int32 {
	key := profileKey{&m.Class.Holds[0], g.Priority, TiesOthers(g, m)}
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

// done unlocks the table and returns its profiles. The table only appends, so the slice stays valid.
func (r *profileReader) done() []profile {
	list := r.table.list
	r.table.mu.Unlock()
	return list
}
