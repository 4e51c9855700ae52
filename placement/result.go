package placement

import (
	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/numa"
	"github.com/muster-sched/muster/quota"
)

// Result is a plan that can be applied. It belongs to the caller; nothing else refers to it.
type Result struct {
	// Gang and Tree are the names of the request's gang and of the topology it was planned in.
	Gang, Tree string
	// Tier is the tier of the smallest domain that holds the whole gang, running members included; Layer its name
	// (`node` for tier 0, the tier's number where a layer has no name, empty for the nameless root).
	Tier  int
	Layer string
	// Domain is the path of that domain from the root. At tier 0 it ends in the node; it is empty for the nameless root.
	Domain []string
	// GroupTiers has, for every level of groups, outermost first, the worst tier over all groups.
	GroupTiers []int
	// Strategy is `gang layer/group layer`, StrategyNumber its place in the enumeration over the switch layers.
	Strategy       string
	StrategyNumber int
	// Span counts the domains used in every switch layer below Tier, widest first, running members included.
	Span []LayerSpan
	// Assignments are the new members in rank order.
	Assignments []Assignment
	// WaitsFor lists the leaving members that must be gone before the assignments fit.
	WaitsFor []Waited

	// What Apply needs of the request: what the members hold, in turn by rank, the affinity key and the indexes.
	holds       []muster.Resources
	affinityKey string
	quota       string
	limit       quota.Limit
	pinned      map[string]bool // members that are not preemptible
	lenient     bool            // members prefer to keep apart from others in their zones, but need not
	indexes     map[string]int
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
	// NUMA is what the member gets of the zones of its node, nil if no policy applies or nothing it asks for has zones there.
	// Members may share it.
	NUMA *numa.Placed
}

// Waited is a leaving member that a plan waits for.
type Waited struct {
	MemberRef
	Node string
}
