package placement

import (
	"cmp"
	"encoding/binary"
	"slices"
	"sync"

	"github.com/muster-sched/muster/internal/cow"
	"github.com/muster-sched/muster/internal/sets"
)

// victimIndex is who may be a victim, node by node, without names, as searches for victims read it: in order and densely. It is made when the first such
// search asks for it, and each snapshot's is that of the one before with the nodes read again that changed. It is immutable once published.
type victimIndex struct {
	pages    []*victimPage
	profiles []profile // by id; more may stand in the table
	table    *profileTable
	made     int // sorts when all nodes were read
}

// victimPage has the members of pageSize nodes, by id, those of one node in the order of gang, then name.
type victimPage struct {
	ends     [cow.PageSize]int32 // behind the last member of a node
	profiles []int32             // by member
	starts   []int64             // the same
	counts   []profileCount      // by priority, ascending
}

// profile is what members have in common that nothing tells apart but names, starts, quotas and zones.
type profile struct {
	priority int64 // of the gang
	holds    []int64
	tied     bool // see tiesOthers
}

// profileCount sums up members of one priority.
type profileCount struct {
	priority int64
	members  int
	tied     int
	latest   int64 // start
}

// victimCache keeps the roster of a snapshot, or an earlier one and what changed since.
type victimCache = cow.Memo[struct{}, *victimIndex]

// victimIndex is that of the snapshot. O(changed nodes * log gangs + pages), the first time in a lineage, or after many changes, O(nodes + members).
func (c *Snapshot) victimIndex() *victimIndex {
	return c.caches.victims.Get(&c.lineage.clock, 1,
		func(struct{}) bool { return true },
		func(r *victimIndex, nodes []int32) *victimIndex { return r.after(c, nodes) },
		func() (struct{}, *victimIndex) { return struct{}{}, c.newVictimIndex() })
}

// tiesOthers says whether it depends on others whether a member may leave, or what that costs.
func tiesOthers(g *gangMembers, m *member) bool { return g.least > 0 || len(m.class.budgets) > 0 }

// listed is a member on its way into a roster.
type listed struct {
	node, sort int32
	started    int64
}

// newVictimIndex reads all members.
func (c *Snapshot) newVictimIndex() *victimIndex {
	r := &victimIndex{table: &profileTable{ids: map[string]int32{}}, pages: make([]*victimPage, (len(c.lineage.names)+cow.PageSize-1)/cow.PageSize)}
	clerk := r.table.reader()
	list, next := make([]listed, 0, c.gangs.Len()), make([]int32, len(c.lineage.names)+1)
	c.gangs.Ascend(func(g *gangMembers) bool {
		for _, m := range g.members {
			if m.mayLeave() {
				list = append(list, listed{m.node, clerk.profileOf(g, m), m.started})
				next[m.node+1]++
			}
		}
		return true
	})
	r.profiles = clerk.done()
	r.made = len(r.profiles)
	for id := range c.lineage.names {
		next[id+1] += next[id]
	}
	byNode := make([]listed, len(list))
	for _, e := range list {
		byNode[next[e.node]] = e
		next[e.node]++
	}
	for p := range r.pages {
		n := 0
		for n < len(byNode) && int(byNode[n].node) < (p+1)*cow.PageSize {
			n++
		}
		r.pages[p] = newVictimPage(int32(p)*cow.PageSize, byNode[:n], r.profiles)
		byNode = byNode[n:]
	}
	return r
}

// newVictimPage has the members of the nodes from first on, which are in the order of nodes.
func newVictimPage(first int32, members []listed, sorts []profile) *victimPage {
	p := &victimPage{profiles: make([]int32, len(members)), starts: make([]int64, len(members))}
	at := 0
	for i := range p.ends {
		for ; at < len(members) && members[at].node == first+int32(i); at++ {
			p.profiles[at], p.starts[at] = members[at].sort, members[at].started
		}
		p.ends[i] = int32(at)
	}
	for i, id := range p.profiles {
		s := &sorts[id]
		at, ok := slices.BinarySearchFunc(p.counts, s.priority, func(n profileCount, priority int64) int { return cmp.Compare(n.priority, priority) })
		if !ok {
			p.counts = slices.Insert(p.counts, at, profileCount{priority: s.priority})
		}
		n := &p.counts[at]
		n.members, n.latest = n.members+1, max(n.latest, p.starts[i])
		if s.tied {
			n.tied++
		}
	}
	p.counts = slices.Clip(p.counts)
	return p
}

// of is the interval of a node's members in its page.
func (p *victimPage) of(i int) (lo, end int32) {
	if i > 0 {
		lo = p.ends[i-1]
	}
	return lo, p.ends[i]
}

// after is the roster of a later snapshot, in which only these nodes changed.
func (r *victimIndex) after(c *Snapshot, nodes []int32) *victimIndex {
	if len(r.profiles) > 2*r.made+1024 { // most of them are gone
		return c.newVictimIndex()
	}
	next := &victimIndex{pages: slices.Clone(r.pages), table: r.table, made: r.made}
	clerk := r.table.reader()
	slices.Sort(nodes)
	nodes = slices.Compact(nodes)
	fresh := c.listOn(nodes, clerk)
	next.profiles = clerk.done()
	for len(nodes) > 0 {
		at := nodes[0] / cow.PageSize
		n := 1
		for n < len(nodes) && nodes[n]/cow.PageSize == at {
			n++
		}
		old, first := r.pages[at], at*cow.PageSize
		var members []listed
		for i := range int32(cow.PageSize) {
			if slices.Contains(nodes[:n], first+i) {
				for len(fresh) > 0 && fresh[0].node == first+i {
					members, fresh = append(members, fresh[0]), fresh[1:]
				}
				continue
			}
			for lo, end := old.of(int(i)); lo < end; lo++ {
				members = append(members, listed{first + i, old.profiles[lo], old.starts[lo]})
			}
		}
		next.pages[at] = newVictimPage(first, members, next.profiles)
		nodes = nodes[n:]
	}
	return next
}

// listOn reads the members on some nodes.
func (c *Snapshot) listOn(nodes []int32, clerk *profileReader) (out []listed) {
	for _, id := range nodes {
		for _, m := range c.membersOn(id) {
			if m.mayLeave() {
				g, _ := c.gangs.Get(&gangMembers{name: m.class.gang})
				out = append(out, listed{id, clerk.profileOf(g, m), m.started})
			}
		}
	}
	return out
}

// leavable lists the members on a node that may leave, as the roster does.
func (c *Snapshot) leavable(id int32) []*member {
	return slices.DeleteFunc(c.membersOn(id), func(m *member) bool { return !m.mayLeave() })
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
func (c *profileReader) profileOf(g *gangMembers, m *member) int32 {
	key := profileKey{&m.class.holds[0], g.priority, tiesOthers(g, m)}
	if id, ok := c.near[key]; ok {
		return id
	}
	c.key = append(binary.LittleEndian.AppendUint64(c.key[:0], uint64(g.priority)), 0)
	if key.tied {
		c.key[8] = 1
	}
	c.key = sets.AppendAmounts(c.key, m.class.holds)
	id, ok := c.table.ids[string(c.key)]
	if !ok {
		id = int32(len(c.table.list))
		c.table.list = append(c.table.list, profile{g.priority, m.class.holds, key.tied})
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
