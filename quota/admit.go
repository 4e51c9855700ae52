package quota

import (
	"fmt"
	"iter"
	"slices"
	"sync"

	"github.com/muster-sched/muster"
)

// question is an ask brought inside. It can be used again.
type question struct {
	ids             []int32   // from the top down
	nodes           []*node   // the same
	request, pinned []int64   // by resource
	limits          [][]int64 // by place on the path; none: the maxima
	// To borrow: what the path claims, then what it may have, by place on it, then resource; and what the children of one quota get.
	lent, got []int64
}

var questions = sync.Pool{New: func() any { return &question{} }}

// Admit says whether a gang may start: nil if it may. The quota and all above it are looked at, in the resources that are
// asked for and that the quota governs. The gang counts as demand, if no more is told. An ask that makes no sense is an
// [muster.InvalidError]: an unknown quota or one with children, negative amounts, a pinned part above the whole, an unknown
// limit.
// O(depth * k) where the shares are known and the demand is told; nothing is allocated then, but under Borrow. Borrow: O(n k) once a
// state, and the sharing on the path.
func (s *State) Admit(a Ask, limit Limit) (*Refusal, error) {
	s = s.orEmpty()
	q := questions.Get().(*question)
	defer questions.Put(q)
	if err := s.ask(q, a, limit); err != nil {
		return nil, err
	}
	for i, rule := range s.refusing(q) {
		return s.refusal(q, i, rule), nil
	}
	return nil, nil
}

// Refusals are all that stands against a gang, from the leaf up, of each quota the limit before the min; [State.Admit] names the
// first of them. The list is the caller's. Errors as there. O(depth * k)
// where the shares are known and the demand is told.
func (s *State) Refusals(a Ask, limit Limit) ([]Refusal, error) {
	s = s.orEmpty()
	q := questions.Get().(*question)
	defer questions.Put(q)
	if err := s.ask(q, a, limit); err != nil {
		return nil, err
	}
	var all []Refusal
	for i, rule := range s.refusing(q) {
		all = append(all, *s.refusal(q, i, rule))
	}
	return all, nil
}

// Binding is a refusal under the name of the quota that binds: of one by a limit that is the own maximum of a quota above, in all that is
// short, the nearest such quota. Else, as where others have a part of what there is, or the limit is the maximum of the quota
// itself, it is the refusal as it is. O(depth * k).
func (s *State) Binding(r *Refusal) *Refusal {
	if r == nil || r.Rule != RuleLimit {
		return r
	}
	own, _ := s.Spec(r.Quota)
	for i := len(r.Path) - 2; i >= 0; i-- {
		spec, _ := s.Spec(r.Path[i])
		used, _, _ := s.Usage(r.Path[i])
		above := &Refusal{Quota: r.Path[i], Path: r.Path[: i+1 : i+1], Rule: RuleLimit}
		for _, lacks := range r.Short {
			most, bounded := spec.Max[lacks.Resource]
			mine, itself := own.Max[lacks.Resource]
			if now := used[lacks.Resource]; bounded && most == lacks.Limit && !(itself && mine == most) {
				above.Short = append(above.Short, Shortage{lacks.Resource, most, now, lacks.Asked, short(most, now, lacks.Asked)})
			}
		}
		if len(above.Short) == len(r.Short) {
			return above
		}
	}
	return r
}

// refusing goes through the rules that refuse, by place on the path, in the order in which they are told.
func (s *State) refusing(q *question) iter.Seq2[int, Rule] {
	return func(yield func(int, Rule) bool) {
		for i := len(q.ids) - 1; i >= 0; i-- {
			for _, rule := range [...]Rule{RuleLimit, RuleMin} {
				if !s.holds(q, i, rule) && !yield(i, rule) {
					return
				}
			}
		}
	}
}

// Wanting is the state in which an ask counts as demand, as it does in [State.Admit]: a host that looks for the largest part of a gang
// that may start lets the whole gang count. Errors as there. O(path * children * k), O(depth) if so much is told already.
func (s *State) Wanting(a Ask) (*State, error) {
	s = s.orEmpty()
	q := questions.Get().(*question)
	defer questions.Put(q)
	if err := s.bring(q, a); err != nil {
		return nil, err
	}
	return s.demanding(q)
}

// bring finds the path of an ask and lays its amounts out.
func (s *State) bring(q *question, a Ask) error {
	id, err := s.tree.leaf(a.Quota, "request", a.Request)
	if err != nil {
		return err
	}
	q.ids, q.nodes, q.limits = q.ids[:0], q.nodes[:0], q.limits[:0]
	q.request, q.pinned = q.request[:0], q.pinned[:0]
	for _, name := range s.tree.resources {
		request, pinned := a.Request[name], a.Pinned[name]
		if request < 0 || pinned < 0 || pinned > request {
			return &muster.InvalidError{Field: "ask." + name, Value: fmt.Sprint(request, " ", pinned), Reason: "negative, or more pinned than requested"}
		}
		q.request, q.pinned = append(q.request, request), append(q.pinned, pinned)
	}
	for ; id >= 0; id = s.tree.parent[id] {
		q.ids = append(q.ids, id)
	}
	slices.Reverse(q.ids)
	return nil
}

// ask prepares a question: the limits of the path, with the gang counted as demand.
func (s *State) ask(q *question, a Ask, limit Limit) error {
	if err := s.bring(q, a); err != nil {
		return err
	}
	if !limit.Known() {
		return &muster.InvalidError{Field: "limit", Value: string(limit), Reason: "unknown limit"}
	}
	s, err := s.demanding(q)
	if err != nil {
		return err
	}
	n, budget := s.root, s.total
	for _, id := range q.ids {
		if limit != Greedy {
			budget = part(s.sharesOf(s.tree.parent[id], n, budget).got, s.tree.place(id), len(budget))
			q.limits = append(q.limits, budget)
		}
		n = n.kids[s.tree.place(id)]
		q.nodes = append(q.nodes, n)
	}
	if limit == Borrow {
		s.borrow(q)
	}
	return nil
}

// demanding is the state in which the gang counts as demand.
func (s *State) demanding(q *question) (*State, error) {
	n := s.root
	for _, id := range q.ids {
		n = n.kids[s.tree.place(id)]
	}
	for r, amount := range q.request {
		if amount > n.demand()[r] {
			next, err := s.change(q.ids[len(q.ids)-1], func(n *node) error {
				for r, amount := range q.request {
					n.demand()[r] = max(n.demand()[r], amount)
				}
				return nil
			})
			if err == nil {
				next.firm, next.told = s.firm, s.told
			}
			return next, err
		}
	}
	return s, nil
}

// bound is what binds a resource at the i-th quota of the path under a rule, what is used of it, and what is asked; ok is
// false if it is not bound, or not asked for.
func (s *State) bound(q *question, i, r int, rule Rule) (bound, used, asked int64, ok bool) {
	t := s.tree
	id, n := q.ids[i], q.nodes[i]
	at := t.at(id, r)
	switch {
	case q.request[r] == 0 || !t.governs(id, r):
		return 0, 0, 0, false
	case rule == RuleMin:
		return max(0, t.min[at]), n.pinned()[r], q.pinned[r], q.pinned[r] > 0 && s.guarantees(q, r)
	case len(q.limits) == 0:
		return t.most[at], n.used()[r], q.request[r], t.bounded[at]
	}
	return q.limits[i][r], n.used()[r], q.request[r], true
}

// guarantees says whether the minima of a path speak of a resource: one of them names it, or there is none at all.
func (s *State) guarantees(q *question, r int) bool {
	none := true
	for _, id := range q.ids {
		if s.tree.min[s.tree.at(id, r)] != missing {
			return true
		}
		none = none && len(s.tree.specs[id].Min) == 0
	}
	return none
}

func (s *State) holds(q *question, i int, rule Rule) bool {
	for r := range q.request {
		if bound, used, asked, ok := s.bound(q, i, r, rule); ok && short(bound, used, asked) > 0 {
			return false
		}
	}
	return true
}

// short is by how much used + asked is above a bound.
func short(bound, used, asked int64) int64 {
	if used >= bound {
		return plus(used-bound, asked)
	}
	return max(0, asked-(bound-used))
}

func (s *State) refusal(q *question, i int, rule Rule) *Refusal {
	out := &Refusal{Quota: s.tree.specs[q.ids[i]].Name, Path: s.tree.path(q.ids[i]), Rule: rule}
	for r, name := range s.tree.resources {
		bound, used, asked, ok := s.bound(q, i, r, rule)
		if by := short(bound, used, asked); ok && by > 0 {
			out.Short = append(out.Short, Shortage{Resource: name, Limit: bound, Used: used, Asked: asked, By: by})
		}
	}
	return out
}
