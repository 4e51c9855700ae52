package snapshot

import (
	"cmp"
	"encoding/binary"
	"slices"
	"sync"

	"github.com/muster-sched/muster/internal/cow"
	"github.com/muster-sched/muster/internal/sets"
)

// VictimIndex is who may be a victim, node by node, without names, as searches for victims read it: in order and densely. It is made when the first such
// search asks for it, and each snapshot's is that of the one before with the nodes read again that changed. It is immutable once published.
type VictimIndex struct {
	Pages    []*victimPage
	Profiles []profile // by id; more may stand in the table
	table    *profileTable
	made     int // sorts when all nodes were read
}

// victimPage has the members of pageSize nodes, by id, those of one node in the order of gang, then name.
type victimPage struct {
	ends     [cow.PageSize]int32 // behind the last member of a node
	Profiles []int32             // by member
	Starts   []int64             // the same
	Counts   []profileCount      // by priority, ascending
}

// profile is what members have in common that nothing tells apart but names, starts, quotas and zones.
type profile struct {
	Priority int64 // of the gang
	Holds    []int64
	Tied     bool // see tiesOthers
}

// profileCount sums up members of one priority.
type profileCount struct {
	Priority int64
	Members  int
	Tied     int
	Latest   int64 // start
}

// victimCache keeps the roster of a snapshot, or an earlier one and what changed since.
type victimCache = cow.Memo[struct{}, *VictimIndex]

// VictimIndex is that of the snapshot. O(changed nodes * log gangs + pages), the first time in a lineage, or after many changes, O(nodes + members).
func (c *Snapshot) VictimIndex() *VictimIndex {
	return c.Caches.victims.Get(&c.Lineage.Clock, 1,
		func(struct{}) bool { return true },
		func(r *VictimIndex, nodes []int32) *VictimIndex { return r.after(c, nodes) },
		func() (struct{}, *VictimIndex) { return struct{}{}, c.newVictimIndex() })
}

// TiesOthers says whether it depends on others whether a member may leave, or what that costs.
func TiesOthers(g *GangMembers, m *Member) bool { return g.Least > 0 || len(m.Class.Budgets) > 0 }

// listed is a member on its way into a roster.
type listed struct {
	node, sort int32
	started    int64
}

// newVictimIndex reads all members.
func (c *Snapshot) newVictimIndex() *VictimIndex {
	r := &VictimIndex{table: &profileTable{ids: map[string]int32{}}, Pages: make([]*victimPage, (len(c.Lineage.Names)+cow.PageSize-1)/cow.PageSize)}
	clerk := r.table.reader()
	list, next := make([]listed, 0, c.Gangs.Len()), make([]int32, len(c.Lineage.Names)+1)
	c.Gangs.Ascend(func(g *GangMembers) bool {
		for _, m := range g.Members {
			if m.MayLeave() {
				list = append(list, listed{m.Node, clerk.profileOf(g, m), m.Started})
				next[m.Node+1]++
			}
		}
		return true
	})
	r.Profiles = clerk.done()
	r.made = len(r.Profiles)
	for id := range c.Lineage.Names {
		next[id+1] += next[id]
	}
	byNode := make([]listed, len(list))
	for _, e := range list {
		byNode[next[e.node]] = e
		next[e.node]++
	}
	for p := range r.Pages {
		n := 0
		for n < len(byNode) && int(byNode[n].node) < (p+1)*cow.PageSize {
			n++
		}
		r.Pages[p] = newVictimPage(int32(p)*cow.PageSize, byNode[:n], r.Profiles)
		byNode = byNode[n:]
	}
	return r
}

// newVictimPage has the members of the nodes from first on, which are in the order of nodes.
func newVictimPage(first int32, members []listed, sorts []profile) *victimPage {
	p := &victimPage{Profiles: make([]int32, len(members)), Starts: make([]int64, len(members))}
	at := 0
	for i := range p.ends {
		for ; at < len(members) && members[at].node == first+int32(i); at++ {
			p.Profiles[at], p.Starts[at] = members[at].sort, members[at].started
		}
		p.ends[i] = int32(at)
	}
	for i, id := range p.Profiles {
		s := &sorts[id]
		at, ok := slices.BinarySearchFunc(p.Counts, s.Priority, func(n profileCount, priority int64) int { return cmp.Compare(n.Priority, priority) })
		if !ok {
			p.Counts = slices.Insert(p.Counts, at, profileCount{Priority: s.Priority})
		}
		n := &p.Counts[at]
		n.Members, n.Latest = n.Members+1, max(n.Latest, p.Starts[i])
		if s.Tied {
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

// after is the roster of a later snapshot, in which only these nodes changed.
func (r *VictimIndex) after(c *Snapshot, nodes []int32) *VictimIndex {
	if len(r.Profiles) > 2*r.made+1024 { // most of them are gone
		return c.newVictimIndex()
	}
	next := &VictimIndex{Pages: slices.Clone(r.Pages), table: r.table, made: r.made}
	clerk := r.table.reader()
	slices.Sort(nodes)
	nodes = slices.Compact(nodes)
	fresh := c.listOn(nodes, clerk)
	next.Profiles = clerk.done()
	for len(nodes) > 0 {
		at := nodes[0] / cow.PageSize
		n := 1
		for n < len(nodes) && nodes[n]/cow.PageSize == at {
			n++
		}
		old, first := r.Pages[at], at*cow.PageSize
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

// listOn reads the members on some nodes.
func (c *Snapshot) listOn(nodes []int32, clerk *profileReader) (out []listed) {
	for _, id := range nodes {
		for _, m := range c.membersOn(id) {
			if m.MayLeave() {
				g, _ := c.Gangs.Get(&GangMembers{Name: m.Class.Gang})
				out = append(out, listed{id, clerk.profileOf(g, m), m.Started})
			}
		}
	}
	return out
}

// Leavable lists the members on a node that may leave, as the roster does.
func (c *Snapshot) Leavable(id int32) []*Member {
	return slices.DeleteFunc(c.membersOn(id), func(m *Member) bool { return !m.MayLeave() })
}

// profileTable gives sorts their ids. It is shared by the rosters of a lineage and grows; nothing depends on the order of ids.
type profileTable struct {
	mu   sync.Mutex
	ids  map[string]int32 // by what they have, as bytes
	list []profile
}

// profileReader looks sorts up while it has the table to itself.
type profileReader struct {
	table *profileTable
	near  map[profileKey]int32
	key   []byte
}

type profileKey struct {
	holds    *int64
	priority int64
	tied     bool
}

func (t *profileTable) reader() *profileReader {
	t.mu.Lock()
	return &profileReader{table: t, near: map[profileKey]int32{}}
}

// profileOf is the sort of a gang's member, if need be a new one.
func (c *profileReader) profileOf(g *GangMembers, m *Member) int32 {
	key := profileKey{&m.Class.Holds[0], g.Priority, TiesOthers(g, m)}
	if id, ok := c.near[key]; ok {
		return id
	}
	c.key = append(binary.LittleEndian.AppendUint64(c.key[:0], uint64(g.Priority)), 0)
	if key.tied {
		c.key[8] = 1
	}
	c.key = sets.AppendAmounts(c.key, m.Class.Holds)
	id, ok := c.table.ids[string(c.key)]
	if !ok {
		id = int32(len(c.table.list))
		c.table.list = append(c.table.list, profile{g.Priority, m.Class.Holds, key.tied})
		c.table.ids[string(c.key)] = id
	}
	c.near[key] = id
	return id
}

// done gives the table back, and is all that it has.
func (c *profileReader) done() []profile {
	list := c.table.list
	c.table.mu.Unlock()
	return list
}
