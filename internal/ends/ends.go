// Package ends answers: who has ended by when, from when on does something fit, and whose ends does it need? Expected ends are data of
// running members; nothing here knows what time it is.
package ends

import (
	"cmp"
	"slices"

	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/internal/snapshot"
)

// Gang is a running gang and when it ends.
type Gang struct {
	Name string
	At   int64
}

// Timeline is a cluster as running gangs end: at the first instant, now, those are gone that have ended by then, and at each later one those that end
// at it. It is not safe for concurrent use.
type Timeline struct {
	gangs    []Gang                  // in the order of their ends, then of names
	of       []*snapshot.GangMembers // likewise
	instants []instant
	bound    *bound             // of what is asked for; nil: it is not known
	from     *snapshot.Snapshot // the cluster at an instant from which later ones are derived
	gone     int                // gangs that are not there any more
}

// instant is a moment, and how many gangs have ended by then.
type instant struct {
	at    int64
	ended int
}

// place is when a gang ends, by its place in the order of names.
type place struct {
	at int64
	i  int32
}

// New is the timeline of a cluster from now on. Gangs that are called but, one, never end in it; nor do those whose end is unknown. Gangs of one name by called, nil: its
// own, end together. O(running members + gangs log gangs).
func New(c *snapshot.Snapshot, now int64, but string, called func(gang string) string) *Timeline {
	t := &Timeline{from: c}
	var joint map[string]int64
	if called != nil {
		joint = Joint(c, called)
	}
	var order []place
	var all []*snapshot.GangMembers
	c.Gangs.Ascend(func(g *snapshot.GangMembers) bool {
		name, end := g.Name, Of(g)
		if called != nil {
			name = called(name)
			end = joint[name]
		}
		if end != 0 && name != but {
			order, all = append(order, place{max(end, now), int32(len(all))}), append(all, g)
		}
		return true
	})
	slices.SortFunc(order, func(a, b place) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.i, b.i)) })
	t.gangs, t.of = make([]Gang, len(all)), make([]*snapshot.GangMembers, len(all))
	for i, p := range order {
		t.gangs[i], t.of[i] = Gang{all[p.i].Name, p.at}, all[p.i]
	}
	t.instants = append(t.instants, instant{now, 0})
	for i, g := range t.gangs {
		if last := &t.instants[len(t.instants)-1]; g.At == last.at {
			last.ended = i + 1
		} else {
			t.instants = append(t.instants, instant{g.At, i + 1})
		}
	}
	return t
}

// Joint are the last ends of the gangs of each name by called, of whom some do not leave. O(members).
func Joint(c *snapshot.Snapshot, called func(gang string) string) map[string]int64 {
	joint := map[string]int64{}
	c.Gangs.Ascend(func(g *snapshot.GangMembers) bool {
		if g.Staying > 0 {
			name, end := called(g.Name), Of(g)
			if before, is := joint[name]; is {
				end = last(before, end)
			}
			joint[name] = end
		}
		return true
	})
	return joint
}

// last is the later of two ends, of which 0 is never.
func last(a, b int64) int64 {
	if a == 0 || b == 0 {
		return 0
	}
	return max(a, b)
}

// With is when a gang ends, 0: never, if members come to it that end at an instant.
func With(c *snapshot.Snapshot, gang string, end int64) int64 {
	if g, runs := c.Gangs.Get(&snapshot.GangMembers{Name: gang}); runs && g.Staying > 0 {
		return last(Of(g), end)
	}
	return end
}

// Of is when the last member of a gang ends that is not leaving; 0: never.
//
// order: time.1
func Of(g *snapshot.GangMembers) (last int64) {
	var of *snapshot.MemberClass
	for _, m := range g.Members.All() {
		switch {
		case m.Leaving || m.Class == of:
			continue
		case m.Class.End == 0:
			return 0
		case of == nil || m.Class.End > last:
			last = m.Class.End
		}
		of = m.Class
	}
	return last
}

// Len is the number of instants.
func (t *Timeline) Len() int { return len(t.instants) }

// At is when an instant is.
func (t *Timeline) At(i int) int64 { return t.instants[i].at }

// Ended are the gangs that have ended by an instant, in the order of their ends; the slice is the timeline's.
func (t *Timeline) Ended(i int) []Gang { return t.gangs[:t.instants[i].ended] }

// First is the first instant at which something fits; -1: at none. Where stays, what fits once is taken to fit from then on, and O(log instants) are asked;
// else all are, in order. Those at which amounts leave no room for it ([Timeline.Asks]) are not asked, but for the last one, and for the first where stays: what a
// plan counts there is handed to the later ones. fits is asked of an instant and the cluster then; its last yes is of the answer, and its last no of the instant before,
// unless amounts say no to that. The cluster costs what ends between those that are asked.
//
// order: time.3
func (t *Timeline) First(stays bool, fits func(at int64, c *snapshot.Snapshot) (bool, error)) (int, error) {
	next, high := 0, len(t.instants)
	if !stays {
		next = t.possible(0)
	}
	for low, step := next-1, 1; high-low > 1; step *= 2 {
		c, err := t.cluster(next)
		if err != nil {
			return -1, err
		}
		ok, err := fits(t.instants[next].at, c)
		if err != nil {
			return -1, err
		}
		if ok {
			high = next
		} else {
			low, t.from, t.gone = next, c, t.instants[next].ended
		}
		switch {
		case high-low <= 1:
		case !stays || low == 0:
			next = t.possible(low + 1)
			low = next - 1
		case high == len(t.instants): // nothing has fit yet
			next = min(low+step, high-1)
		default:
			next = (low + high) / 2
		}
	}
	if high == len(t.instants) {
		return -1, nil
	}
	return high, nil
}

// cluster is the cluster at an instant that is not before the one that is known.
func (t *Timeline) cluster(i int) (*snapshot.Snapshot, error) {
	return Without(t.from, t.gangs[t.gone:t.instants[i].ended])
}

// Without is a cluster without some gangs.
func Without(c *snapshot.Snapshot, gangs []Gang) (*snapshot.Snapshot, error) {
	if len(gangs) == 0 {
		return c, nil
	}
	var names []string
	for _, g := range gangs {
		names = append(names, g.Name)
	}
	return c.Update(cluster.Delta{RemoveGangs: names})
}

// Need is what new members hold together on a node, by resource.
type Need struct {
	Node int32
	Sum  []int64
}

// ForRoom are those of the gangs that have ended, in the order of their ends, without whose end the nodes have no room for new members: none of them can be left
// out, and from the last to end on each is that can. free are leaving members whose room is taken. O(members on these nodes + gangs).
//
// order: time.4
func ForRoom(c *snapshot.Snapshot, ended []Gang, needs []Need, free []*snapshot.Member) (out []Gang) {
	place := make(map[string]int, len(ended))
	for i, g := range ended {
		place[g.Name] = i
	}
	spare := make([][]int64, len(needs))
	held := map[int][]holding{} // by gang: what it holds on these nodes
	for n, need := range needs {
		spare[n] = make([]int64, len(need.Sum))
		for r, amount := range need.Sum {
			spare[n][r] = c.Free[r].At(need.Node) - amount
		}
		for m := range snapshot.MembersOn(c, need.Node) {
			if i, ok := place[m.Class.Gang]; ok {
				held[i] = append(held[i], holding{n, m.Class.Holds})
			} else if !slices.Contains(free, m) {
				continue
			}
			add(spare[n], m.Class.Holds, 1)
		}
	}
	for i := len(ended) - 1; i >= 0; i-- {
		list := held[i]
		for _, h := range list {
			add(spare[h.node], h.amounts, -1)
		}
		if slices.ContainsFunc(list, func(h holding) bool { return isShort(c, &needs[h.node], spare[h.node]) }) {
			out = append(out, ended[i])
			for _, h := range list {
				add(spare[h.node], h.amounts, 1)
			}
		}
	}
	slices.Reverse(out)
	return out
}

// holding is what a member holds on a node, by its place in a list.
type holding struct {
	node    int
	amounts []int64
}

func add(sum, amounts []int64, sign int64) {
	for r, amount := range amounts {
		sum[r] += sign * amount
	}
}

// isShort says whether a node lacks anything that new members hold there. What they do not hold may be over-committed.
func isShort(c *snapshot.Snapshot, need *Need, spare []int64) bool {
	capacity := c.Static.ClassOf(need.Node).Capacity()
	for r, left := range spare {
		if left < 0 && need.Sum[r] > 0 && capacity[r] != snapshot.Boundless {
			return true
		}
	}
	return false
}
