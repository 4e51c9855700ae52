// What is the answer to a request that has a plan?

package placement

import (
	"iter"
	"slices"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/internal/roll"
	"github.com/muster-sched/muster/numa"
	"github.com/muster-sched/muster/preempt"
	"github.com/muster-sched/muster/quota"
)

// Result is a plan: [Cluster.Apply] carries it out, if it waits for somebody once those are gone ([Result.Waits]). It belongs to the
// caller; nothing else refers to it.
type Result struct {
	// Gang and Tree are the names of the request's gang and of the topology it was planned in.
	Gang, Tree string
	// Tier is the tier of the smallest domain that holds the whole gang, running members included; Layer its name
	// (`node` for tier 0, the tier's number where a layer has no name, empty for the nameless root).
	Tier  int
	Layer string
	// Domain is the path of that domain from the root. At tier 0 it ends in the node; it is empty for the nameless
	// root.
	Domain []string
	// GroupTiers has, for every level of groups, outermost first, the worst tier over all groups: that in Tree also for
	// groups with rules in another topology.
	GroupTiers []int
	// Elsewhere says where such groups lie in their own topology, in the order of the request, running members
	// included; groups without a placed member are left out.
	Elsewhere []GroupPlace
	// Strategy is `gang layer/group layer`, StrategyNumber its place in the enumeration over the switch layers, from 1 to 2^31-1.
	// What comes behind that has the last number.
	Strategy       string
	StrategyNumber int
	// Span counts the domains used in every switch layer below Tier, widest first, running members included.
	Span []LayerSpan
	// Assignments are the new members in rank order.
	Assignments []Assignment
	// WaitsFor lists the leaving members that must be gone before the assignments fit.
	WaitsFor []Waited
	// Proven is true if it is known that no plan has more members, fewer of them outside the tree or a better strategy.
	// It is false if the search ended before: for gangs in parts and of several shapes by Request.Steps, and where
	// zones of nodes are too many to count. Preemption.Proven, about victims, comes before.
	Proven bool
	// Victims are the members that leave for the gang, in natural order of gang and name.
	Victims []Victim
	// Preemption says what the victims cost, nil if there are none.
	Preemption *Preemption

	// For Apply. holds has the resources of each shape: of the members in turn by rank, unless roles has their shapes.
	holds       []muster.Resources
	roles       map[string]int // by member: place in holds; nil: members of one shape, or in units
	affinityKey string
	priority    int64
	end         int64
	least       int // members of the gang that must run together; 0: the only one stands for itself
	quota       string
	limit       quota.Limit
	pinned      map[string]bool // members that are not preemptible
	lenient     []bool          // as holds: members prefer to keep apart from others in their zones, but need not
	indexes     map[string]int  // by member that has one; nil: none has
	alone       closing         // in whose domains they must be alone
	aloneIn     string          // the topology of that layer
	tolerated   bool

	// For Places.
	ranks   int      // number of members of the gang, with those that run and those that have no place
	running seating  // members that run and stay
	sizes   []int    // of equal groups, outermost first
	parts   []string // by rank, of a gang in parts: the innermost one; else nil
	groups  [][]int  // by rank, of a gang in parts: those that the member is in, outermost first; else nil
}

// Waits is true if the plan needs the room of members that are leaving (WaitsFor): Apply refuses it until they are gone. A host
// plans again once some of them are. A nil result waits for nobody.
func (r *Result) Waits() bool { return r != nil && len(r.WaitsFor) > 0 }

// Holds keeps the room of the plan for its members, while those who are to leave for it are still there ([cluster.Delta]). O(members); nil for a
// result that no planner made.
func (r *Result) Holds() (out []cluster.Hold) {
	if r == nil || len(r.holds) == 0 {
		return nil
	}
	for i := range r.Assignments {
		a := &r.Assignments[i]
		zones := a.NUMA
		if zones != nil && r.keepsApart(a.Member) {
			zones = &numa.Placed{Policy: zones.Policy, Shares: zones.Shares, Kept: true}
		}
		out = append(out, cluster.Hold{
			Gang: r.Gang, Member: a.Member, Node: a.Node, Resources: r.holds[r.holdingOf(a)], NUMA: zones, Quota: r.quota,
			NonPreemptible: r.pinned[a.Member], Priority: r.priority, Alone: r.alone.of(a.Member), AloneIn: r.aloneIn, Tolerated: r.tolerated,
		})
	}
	return out
}

// seating are members that run, as the snapshot of the plan has them: what is shared with it never changes.
type seating struct {
	members roll.Roll // on nodes
	names   []string  // of nodes, by id
}

// all iterates over them in rank order. O(members).
func (s seating) all() iter.Seq[seat] {
	return func(yield func(seat) bool) {
		for m := range s.members.All() {
			if !yield(seat{m.Rank, s.names[m.Pos]}) {
				return
			}
		}
	}
}

// seat is a member of a gang on a node.
type seat struct {
	rank int
	node string
}

// GroupPlace is the smallest domain of a topology that holds all members of a group.
type GroupPlace struct {
	// Part is the name of the part; where it is cut into groups, with the group's place behind a slash.
	Part string
	Tree string
	// Tier, Layer and Domain are as in [Result].
	Tier   int
	Layer  string
	Domain []string
}

// holdingOf is the place in holds of the resources of a member.
func (r *Result) holdingOf(a *Assignment) int {
	if r.roles != nil {
		return r.roles[a.Member]
	}
	return a.Rank % len(r.holds)
}

// keepsApart says whether a member must keep apart from others in its zones. Members of a unit are taken for one.
func (r *Result) keepsApart(member string) bool {
	if r.roles != nil {
		return !r.lenient[r.roles[member]]
	}
	return !slices.Contains(r.lenient, true)
}

// LayerSpan is the number of domains of one layer that a gang uses.
type LayerSpan struct {
	Layer   string
	Tier    int
	Domains int
}

// Assignment is a new member and its node.
type Assignment struct {
	Member string
	// Rank is the member's rank in the gang; Group its group on the outermost level, -1 without groups.
	Rank, Group int
	Node        string
	// NUMA is the member's share of the zones of its node, nil if no policy applies or none of its resources has zones
	// there. Members may share it.
	NUMA *numa.Placed
}

// Victim is a running member that a plan evicts.
type Victim struct {
	cluster.MemberRef
	Node string
	// Priority is that of its gang. It is below the preemptor's, unless OverMin says why the member may leave.
	Priority int64
	// OverMin is a resource of which its quota uses more than its min; so do, of this or another resource, the quotas
	// above it, up to the first that is above the preemptor's too. Empty: it leaves by its priority.
	OverMin string
	// Quota is the victim's; empty: none.
	Quota string
}

// Preemption is the cost of victims, and a bound on the best possible one.
type Preemption struct {
	Cost preempt.Cost
	// LowerBound is a cost that no legal set of victims is below; it is Cost if Proven.
	LowerBound preempt.Cost
	// Proven is true if no set of victims is better, false if the search ended before that was known.
	Proven bool
}

// Waited is a leaving member that a plan waits for.
type Waited struct {
	cluster.MemberRef
	Node string
}
