package validity

import (
	"fmt"
	"maps"
	"slices"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/placement"
)

// BindingHolds are what is held in domains and binds plans for a request, in the order in which it is kept.
func BindingHolds(spec *cluster.Spec, req *gang.Request) (out []cluster.DomainHold) {
	end := lastEnd(spec.Running, req)
	meets := false
	for _, h := range spec.DomainHolds {
		if h.Gang != req.Name && h.Priority >= req.Priority {
			out = append(out, h)
			meets = meets || h.From == 0 || end == 0 || end > h.From
		}
	}
	if !meets { // it is gone by then
		return nil
	}
	slices.SortStableFunc(out, func(a, b cluster.DomainHold) int {
		if a.Priority != b.Priority {
			return map[bool]int{true: -1, false: 1}[a.Priority > b.Priority]
		}
		return muster.CompareNatural(a.Gang, b.Gang)
	})
	return out
}

// DomainPaths are the paths of the domains of a request's topology, that of all of it first.
func DomainPaths(spec *cluster.Spec, req *gang.Request) [][]string {
	paths := [][]string{nil}
	if named, ok := PickTree(spec, req); ok && named.Tree != nil {
		for d := range named.Tree.All() {
			paths = append(paths, named.Tree.Path(d))
		}
	}
	return paths
}

// RoomFor are all numbers of members of holds in domains that have room at once in a cluster, no more of each than are held for; by enumeration. unseen are
// members for whom room is held that do not count.
func RoomFor(spec *cluster.Spec, list []cluster.DomainHold, unseen func(h *cluster.Hold) bool) [][]int {
	found := map[string][]int{"": make([]int, len(list))}
	for i := range spec.Nodes {
		next := map[string][]int{}
		for _, more := range WaysOn(spec, &spec.Nodes[i], list, unseen) {
			for _, v := range found {
				sum := slices.Clone(v)
				for k := range sum {
					sum[k] = min(sum[k]+more[k], list[k].Count)
				}
				next[fmt.Sprint(sum)] = sum
			}
		}
		found = next
	}
	var out [][]int
	for _, v := range found {
		out = append(out, v)
	}
	slices.SortFunc(out, slices.Compare)
	return out
}

// WaysOn are the numbers of members of each hold that a node has room for at once.
func WaysOn(spec *cluster.Spec, n *cluster.Node, list []cluster.DomainHold, unseen func(h *cluster.Hold) bool) [][]int {
	ways := [][]int{make([]int, len(list))}
	for k := range list {
		h := &list[k]
		if n.Cordoned || n.NotReady || !IsInside(spec, &gang.Request{Tree: h.Tree, Inside: h.Domain}, n.Name) {
			continue
		}
		for _, way := range slices.Clone(ways) {
			for count := 1; count <= h.Count; count++ {
				more := slices.Clone(way)
				more[k] = count
				if !fitOn(spec, n, list, more, unseen) {
					break
				}
				ways = append(ways, more)
			}
		}
	}
	return ways
}

// fitOn says whether a node has room for so many members of each hold at every instant at which one begins.
func fitOn(spec *cluster.Spec, n *cluster.Node, list []cluster.DomainHold, counts []int, unseen func(h *cluster.Hold) bool) bool {
	for at := range list {
		if !IsInside(spec, &gang.Request{Tree: list[at].Tree, Inside: list[at].Domain}, n.Name) {
			continue
		}
		free := FreeAt(spec, n, &list[at], unseen)
		asked, once := askedAt(spec, n, list, counts, at)
		if !once {
			return false
		}
		for name, amount := range asked {
			if has, bounded := free[name]; amount > 0 && (bounded || name != muster.Pods) && amount > has {
				return false
			}
		}
	}
	return true
}

// askedAt is what so many members ask for at the instant at which one of the holds begins; false: the node as a whole more than once.
func askedAt(spec *cluster.Spec, n *cluster.Node, list []cluster.DomainHold, counts []int, at int) (asked muster.Resources, once bool) {
	asked = muster.Resources{}
	for k := range list {
		h := &list[k]
		if counts[k] == 0 || h.From > list[at].From || h.End != 0 && h.End <= list[at].From {
			continue
		}
		each := h.Resources
		if each == nil {
			each = wholeOf(spec, n, &list[at])
			if counts[k] > 1 {
				return nil, false
			}
		}
		for range counts[k] {
			asked.Add(each)
		}
	}
	return asked, true
}

// Lacks is what so many members lack of a node at some instant up to an end, 0: for ever, if those hold there what is free now and what those leave who are leaving: beyond
// what comes free until then.
func Lacks(spec *cluster.Spec, n *cluster.Node, list []cluster.DomainHold, counts []int, end int64) muster.Resources {
	out := muster.Resources{}
	now := FreeAt(spec, n, &cluster.DomainHold{}, func(*cluster.Hold) bool { return false })
	for at := range list {
		if end != 0 && end <= list[at].From || !IsInside(spec, &gang.Request{Tree: list[at].Tree, Inside: list[at].Domain}, n.Name) {
			continue
		}
		asked, _ := askedAt(spec, n, list, counts, at)
		free := FreeAt(spec, n, &list[at], func(*cluster.Hold) bool { return false })
		for name, amount := range asked {
			if has, bounded := free[name]; amount > 0 && (bounded || name != muster.Pods) {
				out[name] = max(out[name], amount-(has-now[name]))
			}
		}
	}
	return out
}

// wholeOf is what a node has once a hold begins for others than daemons that are still there.
func wholeOf(spec *cluster.Spec, n *cluster.Node, h *cluster.DomainHold) muster.Resources {
	whole := maps.Clone(n.Allocatable)
	for i := range spec.Running {
		if r := &spec.Running[i]; r.Node == n.Name && r.Tolerated && isThere(spec, r, h) {
			for name, amount := range r.Resources {
				whole[name] -= amount
			}
		}
	}
	return whole
}

// FreeAt is what is free on a node once a hold begins, beside who is there then.
func FreeAt(spec *cluster.Spec, n *cluster.Node, h *cluster.DomainHold, unseen func(h *cluster.Hold) bool) muster.Resources {
	free := maps.Clone(n.Allocatable)
	take := func(amounts muster.Resources) {
		for name, amount := range amounts {
			if _, bounded := free[name]; bounded {
				free[name] -= amount
			}
		}
	}
	for i := range spec.Running {
		r := &spec.Running[i]
		if r.Node == n.Name && isThere(spec, r, h) {
			take(r.Resources)
		}
	}
	for i := range spec.Holds {
		other := &spec.Holds[i]
		first, last := heldUntil(spec, other)
		later := h.End != 0 && first != 0 && h.End <= first
		if other.Node == n.Name && !unseen(other) && !later && (h.From == 0 || last == 0 || last > h.From) {
			take(other.Resources)
		}
	}
	return free
}

// isThere says whether a member is not leaving, and its gang has not ended once a hold begins.
func isThere(spec *cluster.Spec, r *cluster.Running, h *cluster.DomainHold) bool {
	end := lastEnd(spec.Running, &gang.Request{Name: r.Gang, End: r.End})
	return !r.Leaving && (h.From == 0 || end == 0 || end > h.From)
}

// heldUntil is from when on room is held for a gang, and until when; 0: at once, and for ever.
func heldUntil(spec *cluster.Spec, h *cluster.Hold) (first, last int64) {
	first, last = h.From, h.End
	for _, o := range spec.Holds {
		switch {
		case o.Gang != h.Gang:
			continue
		case o.End == 0 || last == 0:
			last = 0
		default:
			last = max(last, o.End)
		}
		first = min(first, o.From)
	}
	return first, last
}

// domains holds if all that is held in domains and binds the plan is kept beside it, or as much as was.
func (c *check) domains(was *cluster.Spec) {
	list := BindingHolds(was, c.req)
	if len(list) == 0 {
		return
	}
	need := slices.MaxFunc(RoomFor(was, list, func(*cluster.Hold) bool { return false }), slices.Compare)
	after := Without(was, func(ref cluster.MemberRef) bool {
		return slices.ContainsFunc(c.res.Victims, func(v placement.Victim) bool { return v.MemberRef == ref })
	})
	for _, a := range c.res.Assignments {
		r := cluster.Running{Gang: c.req.Name, Member: a.Member, Node: a.Node, Resources: ShapeOf(c.req, c.members[a.Member]).Resources, End: c.req.End, Tolerated: c.req.Tolerated}
		after.Running = append(after.Running, r)
	}
	unseen := func(h *cluster.Hold) bool {
		lower := func(o cluster.Hold) bool { return o.Gang == h.Gang && o.Priority < c.req.Priority }
		return h.Gang == c.req.Name || slices.ContainsFunc(was.Holds, lower)
	}
	for _, v := range RoomFor(&after, list, unseen) {
		kept := true
		for k := range v {
			kept = kept && v[k] >= need[k]
		}
		if kept {
			return
		}
	}
	c.failf("%v of what is held in domains is not kept", need)
}
