package reference

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/validity"
	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/quota"
)

// Parted is what of a gang in groups that differ is best placed, and how well: docs/order.md, section 8, up to the strategy.
type Parted struct {
	// Placed is false if no selection fits.
	Placed bool
	// Waits holds if it fits only where members have left; then there may be further members beside the selection.
	Waits bool
	// Selection are the members by rank.
	Selection []string
	// Outside counts those on nodes outside the tree.
	Outside int
	// Worth is that of the gang's tier, and for every level of groups the largest miss.
	Worth []int
	// Spared says that this is possible without the nodes that are meant for others.
	Spared bool
}

// partSolver looks for one placement after the other that keeps bounds.
type partSolver struct {
	base      *roleSolver
	whole     *validity.Division
	holders   []holder // the gang and its groups, each before those in it
	forests   map[string]*forest
	resources []string
	room      [][]int64 // by node and resource; -1: without bound
	allowed   [][]bool  // by node and role
	at        []int     // by holder: the smallest vertex above its running members, -1 if there are none
	quota     *quota.State
	caps      []partCap
}

// holder is the gang or a group.
type holder struct {
	Division *validity.Division
	forest   *forest
	around   int // -1 for the gang
	rules    rules
	own      []string    // members that are in no inner group, by rank
	steps    map[int]int // multiples by tier; those of the gang are the solver's
	alone    []int       // tiers in whose domains nobody else may be; those of the gang are the solver's
	kept     []bool      // by node: somebody there keeps its members off
}

// HasParts says whether the gang is in groups that differ, in equal ones of members of several shapes, or in ones that are placed so if the
// gang keeps all limits, also those that it prefers.
func HasParts(in *Input) bool {
	req := &in.Request
	if len(req.Parts) > 0 {
		return true
	}
	own := validity.Own(&in.Spec, req)
	levels := validity.Levels(req, len(req.Members)+len(own))
	if ofOneShape(req) {
		return validity.LimitsMayNeedParts(&in.Spec, req)
	}
	if hasRoles(in) {
		return false
	}
	if all := keepingAll(req); validity.CountsDomains(all) || len(levels) > 1 && validity.CountsNumbers(all) {
		return true
	}
	innermost := &levels[len(levels)-1]
	return validity.HasMultiples(req) || len(own) > 0 || len(req.Members)%innermost.Size != 0 || !onNode(innermost) || !validity.AlikeByRank(&in.Spec, req, innermost.Size)
}

// SolveParts finds the best selection and strategy by looking at all of them. Exponential in the number of members.
func SolveParts(in Input) (*Parted, error) {
	s, err := newPartSolver(&in)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, m := range s.base.pending {
		names = append(names, m.Name)
	}
	s.lookAround(false)
	for _, anybody := range []bool{false, true} { // members of any ranks where those of the lowest leave too few
		if out := s.first(slices.SortedFunc(s.whole.Selections(names, anybody), s.compareSelections)); out != nil {
			return out, nil
		}
	}
	if s.base.solver.canWait() {
		s.lookAround(true)
		if out := s.first(s.leasts()); out != nil {
			out.Waits = true
			return out, nil
		}
	}
	return &Parted{}, nil
}

func newPartSolver(in *Input) (*partSolver, error) {
	if len(in.Request.Members) > mostInParts {
		return nil, fmt.Errorf("%w: %d members", ErrTooMany, len(in.Request.Members))
	}
	r, err := newRoleSolver(in)
	if err != nil {
		return nil, err
	}
	s := &partSolver{base: r, whole: validity.Divide(&in.Request, r.solver.own)}
	s.forests = map[string]*forest{}
	s.addHolders(s.whole, -1)
	s.readCaps(s.whole)
	if in.Request.Quota != "" {
		if s.quota, err = validity.QuotaState(&in.Spec); err == nil {
			s.quota, err = s.quota.Wanting(validity.Ask(&in.Request, in.Request.Members))
		}
	}
	return s, err
}

// mostInParts bounds the members of which all sets are looked at.
const mostInParts = 12

// addHolders adds the gang or a group, and the groups in it; what a bundle has is its own.
func (s *partSolver) addHolders(v *validity.Division, around int) {
	if around < 0 || v.Group {
		f := s.forestOf(v.Tree)
		h := holder{Division: v, forest: f, around: around, rules: tierRules(f.network, v.Rules)}
		for i := around; i >= 0; i = s.holders[i].around {
			if s.holders[i].forest == f {
				h.rules.must = min(h.rules.must, s.holders[i].rules.must)
			}
		}
		if around >= 0 {
			h.steps = multiplesOf(f.network, v.Rules)
		}
		around = len(s.holders)
		s.holders = append(s.holders, h)
	}
	s.holders[around].own = append(s.holders[around].own, v.Own...)
	for _, inner := range v.Inner {
		s.addHolders(inner, around)
	}
}

// hard says whether anybody must gather in the gang's tree.
func (s *partSolver) hard() bool {
	above := func(c partCap) bool { return c.tier > 0 || c.domains }
	return s.base.solver.limits.hard || slices.ContainsFunc(s.caps, above) || slices.ContainsFunc(s.holders, func(h holder) bool { return h.rules.hard && !h.forest.otherTree })
}

// lookAround sees what nodes have free, and where the running members of the groups are.
func (s *partSolver) lookAround(leavingGone bool) {
	s.base.lookAgain(leavingGone)
	s.resources, s.room, s.allowed, s.at = nil, nil, nil, nil
	for _, shape := range s.base.roles {
		s.resources = append(s.resources, shape.Resources.Names()...)
	}
	slices.Sort(s.resources)
	s.resources = slices.Compact(s.resources)
	for i, v := range s.base.nodes {
		var room []int64
		for _, name := range s.resources {
			room = append(room, s.base.free[i][name])
		}
		var allowed []bool
		for _, shape := range s.base.roles {
			allowed = append(allowed, !s.base.kept[i] && (!v.outside || !s.hard()) && validity.Refusal(&s.base.solver.in.Spec, &s.base.solver.in.Request, shape, v.node) == "")
		}
		s.room, s.allowed = append(s.room, room), append(s.allowed, allowed)
	}
	for i := range s.holders {
		s.holders[i].kept = nil
		for _, v := range s.base.nodes {
			s.holders[i].kept = append(s.holders[i].kept, s.withCompany(i, v))
		}
	}
	for _, h := range s.holders {
		var used []*vertex
		for _, r := range s.base.solver.own {
			if slices.Contains(h.Division.Members, r.Member) {
				used = append(used, h.forest.nodes[slices.IndexFunc(s.base.nodes, func(v *vertex) bool { return v.node.Name == r.Node })])
			}
		}
		s.at = append(s.at, s.above(&h, used))
	}
}

// above is the smallest vertex of a holder's tree above nodes, -1 if there are none; the root if some lie outside though somebody must gather: he
// himself, or in the gang's tree whoever.
func (s *partSolver) above(h *holder, used []*vertex) int {
	hard := h.rules.hard
	if !h.forest.otherTree {
		hard = s.hard()
	}
	switch {
	case len(used) == 0:
		return -1
	case hard && slices.ContainsFunc(used, func(v *vertex) bool { return v.outside }):
		return h.forest.root.order
	}
	return smallest(h.forest.root, used).order
}

// compareSelections puts larger ones first, then those with the lower rank where they first differ.
func (s *partSolver) compareSelections(a, b []string) int {
	return cmp.Or(cmp.Compare(len(b), len(a)), s.compareRanks(a, b))
}

func (s *partSolver) compareLeasts(a, b []string) int {
	return cmp.Or(cmp.Compare(len(a), len(b)), s.compareRanks(a, b))
}

func (s *partSolver) compareRanks(a, b []string) int {
	return slices.CompareFunc(a, b, func(x, y string) int { return cmp.Compare(s.base.ranks[x], s.base.ranks[y]) })
}

// first is how the first selection is placed that can be; nil if none can.
func (s *partSolver) first(selections [][]string) *Parted {
	if s.base.solver.broken(s.base.gone) || s.brokenAlone() {
		return nil
	}
	known := map[string]bool{} // of selections alike, whether they fit
	for _, selection := range selections {
		items := s.itemsOf(selection)
		key := fmt.Sprint(items)
		if s.refusedSelection(selection) {
			continue
		}
		fits, ok := known[key]
		if !ok {
			fits = s.fit(items, s.loosest(len(selection)))
			known[key] = fits
		}
		if fits {
			return s.bestOf(selection, items)
		}
	}
	return nil
}

// refusedSelection asks the quota.
func (s *partSolver) refusedSelection(selection []string) bool {
	if s.quota == nil {
		return false
	}
	var members []gang.Member
	for _, m := range s.base.pending {
		if slices.Contains(selection, m.Name) {
			members = append(members, m)
		}
	}
	refusal, err := s.quota.Admit(validity.Ask(&s.base.solver.in.Request, members), s.base.solver.in.Request.QuotaLimit)
	return err != nil || refusal != nil
}

// itemsOf counts the members of a selection by holder and role.
func (s *partSolver) itemsOf(selection []string) []item {
	var out []item
	for i, h := range s.holders {
		for r, role := range s.base.roles {
			n := 0
			for _, name := range h.own {
				n += bit(slices.Contains(selection, name) && s.base.shapeNamed(name).Equal(role))
			}
			if n > 0 {
				out = append(out, item{i, r, n})
			}
		}
	}
	return out
}

// bounds are what a placement has to keep: the tier of every holder, and how many members may lie outside.
type bounds struct {
	tiers   []int
	outside int
}

// loosest are the bounds of the hard rules alone.
func (s *partSolver) loosest(n int) bounds {
	b := bounds{outside: n}
	for _, h := range s.holders {
		b.tiers = append(b.tiers, h.rules.must)
	}
	return b
}

// bestOf finds the best strategy of a selection that fits: fewest outside, then worth by worth.
func (s *partSolver) bestOf(selection []string, items []item) *Parted {
	out := &Parted{Placed: true, Selection: selection}
	b := s.loosest(0)
	for !s.fit(items, b) {
		b.outside++
	}
	out.Outside = b.outside
	for level := range s.whole.Depth() + 1 {
		for _, most := range s.worthsAt(level) {
			try := bounds{slices.Clone(b.tiers), b.outside}
			for i, h := range s.holders {
				for h.Division.Level == level && s.value(&h, try.tiers[i]) > most {
					try.tiers[i]--
				}
			}
			if s.fit(items, try) {
				b, out.Worth = try, append(out.Worth, most)
				break
			}
		}
	}
	out.Spared = s.withoutOthers(func() bool { return s.fit(items, b) })
	return out
}

// withoutOthers asks with no role allowed on nodes that are meant for others than it.
func (s *partSolver) withoutOthers(ask func() bool) bool {
	if s.base.solver.in.Request.TakesAnyNode {
		return false
	}
	all := s.allowed
	defer func() { s.allowed = all }()
	s.allowed = nil
	for i, v := range s.base.nodes {
		allowed := slices.Clone(all[i])
		for r, shape := range s.base.roles {
			allowed[r] = allowed[r] && !validity.MeantForOthers([]*gang.Shape{shape}, v.node)
		}
		s.allowed = append(s.allowed, allowed)
	}
	return ask()
}

// TakesOthers says whether more members of a plan are on nodes that are meant for others than they are than came to it after the
// selection: ranks follow the tree whichever members came first (waiting.2), so these may be any members.
func TakesOthers(in *Input, selection []string, res *placement.Result) bool {
	taken := 0
	for _, a := range res.Assignments {
		m := in.Request.Members[slices.IndexFunc(in.Request.Members, func(m gang.Member) bool { return m.Name == a.Member })]
		n := &in.Spec.Nodes[slices.IndexFunc(in.Spec.Nodes, func(n cluster.Node) bool { return n.Name == a.Node })]
		if validity.MeantForOthers([]*gang.Shape{validity.ShapeOf(&in.Request, &m)}, n) {
			taken++
		}
	}
	return taken > len(res.Assignments)-len(selection)
}

// value is what a tier counts for: of the gang its worth, of a group its miss.
func (s *partSolver) value(h *holder, tier int) int {
	worth := h.rules.worth(tier)
	if h.around >= 0 && worth == h.rules.worth(0) {
		return 0
	}
	return worth
}

// worthsAt are all values of tiers at a level, ascending.
func (s *partSolver) worthsAt(level int) []int {
	var out []int
	for _, h := range s.holders {
		for t := 0; h.Division.Level == level && t <= h.rules.must; t++ {
			out = append(out, s.value(&h, t))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// StrategyOf is what a plan reached: members outside, and the worth and misses.
func StrategyOf(in *Input, res *placement.Result) (outside int, worth []int, err error) {
	s, err := newPartSolver(in)
	if err != nil {
		return 0, nil, err
	}
	s.lookAround(false)
	worth = make([]int, s.whole.Depth()+1)
	at := slices.Clone(s.at)
	for _, a := range res.Assignments {
		i := slices.IndexFunc(s.base.nodes, func(v *vertex) bool { return v.node.Name == a.Node })
		outside += bit(s.base.nodes[i].outside)
		for k, h := range s.holders {
			if slices.Contains(h.Division.Members, a.Member) {
				at[k] = h.joined(at[k], i)
			}
		}
	}
	for k, h := range s.holders {
		if at[k] >= 0 {
			worth[h.Division.Level] = max(worth[h.Division.Level], s.value(&h, h.forest.vertices[at[k]].tier))
		}
	}
	return outside, worth, nil
}
