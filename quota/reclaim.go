package quota

import (
	"fmt"
	"sync"

	"github.com/muster-sched/muster"
)

// A quota takes back from others what these use beyond their minima, as far as its own reach. Where either side is in no quota,
// or both are in the same one, nothing is taken back, and no rule of this file forbids that members leave.

// Eviction is what leaves together, for a gang that asks for room: one member, or a gang whose rest could not run without it.
type Eviction struct {
	// Quota is a leaf; empty: none.
	Quota string
	// Held is what the members use of it.
	Held muster.Resources
}

// leaving is evictions brought inside, with the gang that they make room for. It can be used again.
type leaving struct {
	question question
	own      int32   // the quota of the gang; -1: none
	reach    int32   // the lowest quota above the gang's and all that give something back; its own, if none does
	gives    []int32 // the quotas of the evictions that are reclaimed
	tops     []int32 // for each of these, the lowest quota above it and the gang's
	held     []int64 // by such eviction, then resource
	// What quotas use, less what leaves: by id, then resource, for those that are touched.
	left    []int64
	known   []bool
	touched []int32
}

var leavings = sync.Pool{New: func() any { return &leaving{} }}

// Below says whether a quota is another one, or lies below it. Empty names the root, above all of them. False if either is
// unknown. O(depth).
func (t *Tree) Below(name, above string) bool {
	t = t.orEmpty()
	id, ok := t.find(name)
	top, known := t.find(above)
	for ok && id > top {
		id = t.parent[id]
	}
	return ok && known && id == top
}

// find is the id of a quota, -1 for no name: the root.
func (t *Tree) find(name string) (id int32, ok bool) {
	if name == "" {
		return -1, true
	}
	id, ok = t.byName[name]
	return id, ok
}

// meet is the lowest quota at or above two, -1 for the root. Parents have smaller ids than their children.
func (t *Tree) meet(a, b int32) int32 {
	for a != b {
		if a > b {
			a = t.parent[a]
		} else {
			b = t.parent[b]
		}
	}
	return a
}

// OverMin says whether a quota uses so much that a gang in another one, asking, may take back what somebody holds there: the
// quota, and each above it that is not above asking as well, is over its min (missing: 0) in a resource that is asked for, held,
// and governed by that quota. The resource is the first such one of the quota itself, by [muster.CompareResources]. Where nothing
// is taken back it is ok, without a resource; an unknown quota gives nothing. O(depth * k).
func (s *State) OverMin(quota, asking string, asked, held muster.Resources) (resource string, ok bool) {
	s = s.orEmpty()
	t := s.tree
	id, known := t.find(quota)
	own, knownToo := t.find(asking)
	if !known || !knownToo {
		return "", false
	}
	if id < 0 || own < 0 {
		return "", true
	}
	for at, top := id, t.meet(id, own); at != top; at = t.parent[at] {
		first, used := "", s.node(at).used()
		for r, name := range t.resources {
			if asked[name] > 0 && held[name] > 0 && t.governs(at, r) && used[r] > max(0, t.min[t.at(at, r)]) &&
				(first == "" || muster.CompareResources(name, first) < 0) {
				first = name
			}
		}
		if first == "" {
			return "", false
		}
		if at == id {
			resource = first
		}
	}
	return resource, true
}

// MayReclaim says whether a gang's own side allows it to take something back from another quota, once so much, gone, has left its
// own: in its quota, and in each above that is not above the other as well, what is used and the whole request stay within the
// min, in every resource that [RuleMin] would look at if all of the request were pinned. Errors as for [State.Reclaims]. O(depth * k).
func (s *State) MayReclaim(a Ask, from string, gone muster.Resources) (bool, error) {
	s = s.orEmpty()
	other, ok := s.tree.find(from)
	if !ok {
		return false, &muster.InvalidError{Field: "quota", Value: from, Reason: "unknown quota"}
	}
	own := [...]Eviction{{Quota: a.Quota, Held: gone}}
	w, err := s.leave(a, own[:])
	defer w.back()
	if err != nil || w.own < 0 || other < 0 {
		return err == nil, err
	}
	w.reach = s.tree.meet(w.own, other)
	return s.withinMin(w), nil
}

// Reclaims says whether a gang may have all of these evictions. Those in its own quota, or in none, are always legal, and all are to
// a gang in no quota. For the others the gang's own side must allow it ([State.MayReclaim], gone being what leaves its own quota), and
// there must be an order in which each finds its quota over its min ([State.OverMin]).
//
// An eviction that may leave when all others are gone may as well be the last one, for those before it then find only more in use.
// So the order is found from its end, exactly, and nothing is tried in vain.
//
// An ask that makes no sense, an unknown quota or one with children, a negative amount, and more held than is in use are each an
// [muster.InvalidError]. O(e * depth * k) for e evictions that may leave in any order, O(e² * depth * k) at most.
//
// order: victims.4
func (s *State) Reclaims(a Ask, evictions []Eviction) (bool, error) {
	s = s.orEmpty()
	w, err := s.leave(a, evictions)
	defer w.back()
	if err != nil || w.own < 0 {
		return err == nil, err
	}
	return s.withinMin(w) && s.ordered(w), nil
}

// BelowMin is what evictions take of leaves below their min, the gang being in its own before and after: for each leaf, what it then
// lacks to its min less what it lacked, summed by resource; nil if nothing. The map is the caller's. Errors as for [State.Reclaims].
// O(e * depth * k) for e evictions.
//
// order: costs.3
func (s *State) BelowMin(a Ask, evictions []Eviction) (muster.Resources, error) {
	s = s.orEmpty()
	t := s.tree
	w, err := s.leave(a, evictions)
	defer w.back()
	if err != nil {
		return nil, err
	}
	var taken muster.Resources
	for _, id := range w.touched {
		if t.first[id] < t.end[id] {
			continue
		}
		used, left := s.node(id).used(), t.of(w.left, id)
		for r, name := range t.resources {
			least, asked := max(0, t.min[t.at(id, r)]), int64(0)
			if id == w.own {
				asked = w.question.request[r]
			}
			by := max(0, least-plus(left[r], asked)) - max(0, least-plus(used[r], asked))
			if by > 0 && taken == nil {
				taken = muster.Resources{}
			}
			if by > 0 {
				taken[name] = plus(taken[name], by)
			}
		}
	}
	return taken, nil
}

// leave brings evictions inside, and takes what they hold off what quotas use. The result must be given back, with an error too.
func (s *State) leave(a Ask, evictions []Eviction) (*leaving, error) {
	t := s.tree
	w, k := leavings.Get().(*leaving), len(t.resources)
	w.gives, w.tops, w.held, w.own, w.question.request = w.gives[:0], w.tops[:0], w.held[:0], -1, w.question.request[:0]
	if len(w.known) < len(t.specs) || len(w.left) < len(t.most) {
		w.known, w.left = make([]bool, len(t.specs)), make([]int64, len(t.most))
	}
	if a.Quota != "" {
		if err := s.bring(&w.question, a); err != nil {
			return w, err
		}
		w.own = w.question.ids[len(w.question.ids)-1]
	}
	w.reach = w.own
	for i := range evictions {
		e := &evictions[i]
		if e.Quota == "" {
			continue
		}
		id, err := t.leaf(e.Quota, "held", e.Held)
		if err != nil {
			return w, err
		}
		top := t.meet(id, w.own)
		from := len(w.held)
		for _, name := range t.resources {
			w.held = append(w.held, e.Held[name])
		}
		if err := s.fits(w, id, w.held[from:]); err != nil {
			return w, err
		}
		if id == w.own {
			subtract(s.remaining(w, id), w.held[from:])
			w.held = w.held[:from]
			continue
		}
		for at := id; at != top; at = t.parent[at] {
			subtract(s.remaining(w, at), part(w.held, len(w.gives), k))
		}
		w.gives, w.tops, w.reach = append(w.gives, id), append(w.tops, top), min(w.reach, top)
	}
	return w, nil
}

// back gives the evictions back for the next call.
func (w *leaving) back() {
	for _, id := range w.touched {
		w.known[id] = false
	}
	w.touched = w.touched[:0]
	leavings.Put(w)
}

// remaining is what is left in use of a quota, to be changed.
func (s *State) remaining(w *leaving, id int32) []int64 {
	left := s.tree.of(w.left, id)
	if !w.known[id] {
		w.known[id] = true
		w.touched = append(w.touched, id)
		copy(left, s.node(id).used())
	}
	return left
}

// fits refuses an eviction that holds more than is left in use of its quota, or less than nothing.
func (s *State) fits(w *leaving, id int32, held []int64) error {
	for r, left := range s.remaining(w, id) {
		reason := "more than is in use"
		switch {
		case held[r] < 0:
			reason = "negative amount"
		case held[r] <= left:
			continue
		}
		field := "quota " + s.tree.specs[id].Name + ".held." + s.tree.resources[r]
		return &muster.InvalidError{Field: field, Value: fmt.Sprint(held[r]), Reason: reason}
	}
	return nil
}

// subtract takes amounts off; a sum that stands for a larger one may have less than is taken.
func subtract(from, amounts []int64) {
	for r, amount := range amounts {
		from[r] = max(0, from[r]-amount)
	}
}

// withinMin says whether the request, with what left the gang's own quota gone, keeps the minima of the path up to below reach.
func (s *State) withinMin(w *leaving) bool {
	t := s.tree
	had, has := s.node(w.own).used(), s.remaining(w, w.own)
	for at := w.own; at != w.reach; at = t.parent[at] {
		used := s.node(at).used()
		for r, asked := range w.question.request {
			if asked > 0 && t.governs(at, r) && s.guarantees(&w.question, r) &&
				short(max(0, t.min[t.at(at, r)]), used[r]-(had[r]-has[r]), asked) > 0 {
				return false
			}
		}
	}
	return true
}

// ordered says whether there is an order of the evictions that are reclaimed.
func (s *State) ordered(w *leaving) bool {
	t := s.tree
	k := len(t.resources)
	for n := len(w.gives); n > 0; {
		kept := 0
		for i := range n {
			held := part(w.held, i, k)
			if s.mayBeLast(w, w.gives[i], w.tops[i], held) {
				for at := w.gives[i]; at != w.tops[i]; at = t.parent[at] {
					for r, amount := range held {
						w.left[t.at(at, r)] = plus(w.left[t.at(at, r)], amount)
					}
				}
				continue
			}
			w.gives[kept], w.tops[kept] = w.gives[i], w.tops[i]
			copy(part(w.held, kept, k), held)
			kept++
		}
		if kept == n {
			return false
		}
		n = kept
	}
	return true
}

// mayBeLast says whether each quota from one up to below top is over its min, where only this eviction is not gone.
func (s *State) mayBeLast(w *leaving, id, top int32, held []int64) bool {
	t := s.tree
	for at := id; at != top; at = t.parent[at] {
		over := false
		for r, amount := range held {
			i := t.at(at, r)
			over = over || amount > 0 && w.question.request[r] > 0 && t.governs(at, r) && plus(w.left[i], amount) > max(0, t.min[i])
		}
		if !over {
			return false
		}
	}
	return true
}
