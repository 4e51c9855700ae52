// Package gang answers: what does a gang ask for? A [Request] names the members to be placed together, the nodes that they may
// use, and how closely the gang and its groups gather in the network. [Terms] say how many members must be ready before any of
// them is bound; hosts that bind member by member give them to package gang/permit.
//
// Invariants: everything here is plain data that its user fills in and owns. The zero value of each field is its default. No
// function changes what it is given or keeps it. [Request.Validate] finds every defect that shows without a cluster; whoever reads
// a request that it accepts need not check again, and sums of resources over its members do not overflow.
//
// Any number of goroutines may read a request; nobody may write to it meanwhile. That holds for maps, slices and shapes that
// several requests share as well.
package gang

import (
	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/numa"
	"github.com/muster-sched/muster/quota"
)

// Request is a gang of which some members wait for a node. Members that already run are known to the cluster, by the
// gang's name; they bind the request and count in its tier and its MinMember.
type Request struct {
	// Name identifies the gang, such as `namespace/name`.
	Name string
	// Priority orders a queue of gangs, higher first: that is up to whoever makes the queue, a plan of one gang does not look at
	// others that wait. Where victims are needed, running members of gangs with a strictly lower priority may leave for this gang
	// if both are in one quota, or one of them in none. Across two quotas priority does not count: a member may leave, whatever its
	// priority, if this gang's quota stays within its min and the other one uses more than its own.
	Priority int64
	// Tree names the topology to use. Empty: the only one, else the one named `default`.
	Tree string

	// Members wait for a node. Names are unique in the gang, the running members included.
	Members []Member
	// Shape is what each member asks for that has no shape of its own.
	Shape Shape
	// MinMember is how many members must run together, running ones included. 0: all; with Parts all that are in none, and of the
	// parts what they and MinParts say. As many are placed as fit, those of the lowest ranks; where these are fewer than must run,
	// members of any ranks: the most that fit, of equals the lower ranks.
	MinMember int
	// Total declares the size of the gang, members that are not known yet included; MinMember may not be above it.
	// 0: not declared.
	Total int

	// Gather are the rules of the gang as a whole.
	Gather []Rule
	// Limits stand beside Gather: members keep apart, are alone, or use few domains of a layer.
	Limits []Limit
	// Groups are nested levels of equal groups of consecutive ranks, outermost first. Each size divides the one before
	// it. If a single level does not divide the gang, its last group is short; several levels must divide it.
	Groups []Groups
	// PP and DP are short for one level of groups: pipelines of PP consecutive members, DP of them. DP alone gives
	// groups of ceil(total/DP); given together DP must be ceil(total/PP). They exclude Groups.
	PP, DP int
	// Parts are groups that differ, see [Part]. Members that are in none are the gang's own. They exclude Groups, PP and DP.
	Parts []Part
	// MinParts is how many of the Parts must be placed. 0: all, negative: none.
	MinParts int
	// Steps bounds the search for a gang in parts, or whose members are of several shapes: how many combinations of its members and groups
	// are told apart in one place, and how many choices of which members are placed are tried. A plan says whether they sufficed
	// (placement.Result.Proven). 0: 65,536; at most 16,777,216 are used.
	Steps int

	// Together names gangs that start together or not at all: in a queue, all requests with the same name are planned as one (placement.Batch);
	// who plans gangs one by one does not look at it. Empty: the gang starts by itself.
	Together string
	// GatherTogether are rules for all members of all gangs that start together; those of one gang bind all.
	GatherTogether []Rule
	// LimitsTogether are limits of all gangs that start together; those of one gang bind all. One OfParts counts gangs. One that is
	// Preferred here and not there is hard.
	LimitsTogether []Limit

	// Quota is the leaf of the cluster's quota tree that the members count in; empty: no quota governs them.
	Quota string
	// QuotaLimit is up to where the quota may be used. Empty: [quota.Fair]. With [quota.Borrow] nobody leaves for the gang.
	QuotaLimit quota.Limit

	// NeverPreempts: nobody leaves for this gang.
	NeverPreempts bool
	// Preempt says how victims are chosen where the gang fits nowhere without.
	Preempt Preempt

	// End is when the gang is expected to end if it starts at once, in the seconds of cluster.Running; 0: never, as far as is known. Its members
	// run with it, and until then they may use what is held for others from then on (cluster.Hold).
	End int64

	// Tolerated members are no company to gangs that must be alone (see [Alone]), and may run where others are alone.
	Tolerated bool
	// Exclude names nodes not to use. Names that no node has mean nothing.
	Exclude []string
	// Inside is the path, from the root, of a domain or node of the topology in which all new members must be, as a result names its own
	// (placement.Result.Domain). Members that run elsewhere stay there. The plan is the one that excludes all other nodes; for members of
	// one shape of which none runs, without multiples and limits, it costs no more than one that may use all. Empty: anywhere.
	Inside []string
	// Refused are nodes that some members may not use: what the host's own filters said of a plan, member by member. Pairs whose
	// member or node nobody has mean nothing, and one that is there twice is there once. The plan is that without them in which
	// members of one shape change places within their group or part; only where that does not do, nodes are left out of it.
	Refused []Refusal
	// IgnoreLeaving treats leaving members as staying: nothing is waited for.
	IgnoreLeaving bool
	// TakesAnyNode lets members go to nodes that are meant for others: that have devices (muster.IsDevice) for which the member does
	// not ask, a PreferNoSchedule taint that it does not tolerate, or labels that fail one of its preferences of the highest weight.
	// Otherwise they go there only if without those nodes fewer members could be placed, or under a worse strategy.
	TakesAnyNode bool
	// AffinityKey draws the gang to the domains that hold more running members with the same key, the tier and the
	// intact groups being equal.
	AffinityKey string
	// Policy says which of equally tight places is taken.
	Policy Policy

	// Class names the answers of Eligible, so that later plans need not ask again: requests of one class, which is not empty,
	// promise the same answer for every node that did not change in between; a nil Eligible answers yes. Empty: a plan with an
	// Eligible asks for all nodes anew, O(nodes); without one nobody is asked and the class does not matter. Answers of Score are
	// never kept from one plan to the next. Gangs that start together and have an Eligible or a Score must be of one class, and
	// promise the same of both: the functions of the first gang are asked for all.
	Class string
	// Eligible says whether members may use the node. It is a function of the node alone: of its name, and of the labels and the
	// capacity that the cluster knows of it, never of what runs there (Exclude is for that). It is called by the goroutine that
	// plans, any number of times, so plans that run at once call it at once. Nil: every node.
	Eligible func(node string) bool
	// Slots says how many members of the gang the node takes now, of those that wait, whatever its amounts: negative is 0, at most
	// 2^24 count. It is a function of the node and of what the host knows to run there or to be on its way; called like Eligible, and
	// asked anew for all nodes in every plan, O(nodes). What else keeps members off nodes still does, and quotas count resources. Nobody
	// leaves for the gang, nobody is waited for, and room that is held for others is the host's to count. It is for gangs of one
	// shape without parts, zones and a tier worth victims, planned by themselves (muster.ErrNotSupported). Nil: amounts say it.
	Slots func(node string) int
	// Score is what one member gains on the node; higher is better. It is a function of the node and of what runs on the snapshot that is
	// planned on, asked anew in every plan and called like Eligible, for nodes between which a decision comes down to it. It adds up over
	// new members, with the weights of [Shape.Preferred]; a sum for what goes to one node in one piece (a member, or a group that must share
	// a node) that is beyond 2^36 either way counts as 2^36. Neither scores nor weights decide about gangs in parts, unless these are
	// equal groups, nor about members of several shapes unless each group of them must share a node. Nil: 0.
	Score func(node string) int64
}

// Refusal is a node that a member may not use, whatever other members may.
type Refusal struct {
	// Member and Node are their names.
	Member, Node string
}

// Member is one pod of a gang.
type Member struct {
	// Name identifies the member in its gang; it is not empty.
	Name string
	// Index is the member's place in rank order if Indexed is set, from 0 on; members without one follow in natural order of
	// names. With groups, an index is the rank itself when the indexes of all members, running ones included, are
	// distinct and below the gang's total; else only the order counts.
	Index int
	// Indexed says that Index counts, so that an index of 0 is told from none.
	Indexed bool
	// Shape replaces that of the request as a whole. Nil: the request's. Members may share one by pointer.
	Shape *Shape
	// NonPreemptible members must stay within what their quota guarantees.
	NonPreemptible bool
}

// Shape is what makes two members interchangeable.
type Shape struct {
	// Resources of one member: milli-CPU, bytes, counts. A resource of 0 is not asked for.
	Resources muster.Resources
	// Selector lists labels that the node must carry.
	Selector map[string]string
	// Affinity lists terms of which the node must match one; none: any node.
	Affinity []NodeTerm
	// Preferred adds Weight to the score of nodes that match Nodes, see [Request.Score]; nodes that fail one of the highest weight are
	// meant for others, see [Request.TakesAnyNode].
	Preferred []Preference
	// Tolerations admit tainted nodes.
	Tolerations []Toleration
	// NUMA says which zones of its node a member gets.
	NUMA NUMA
}

// NUMA is what a member wants of the zones of its node, see [numa.Member]. The zero value takes what the policy of the node
// gives.
type NUMA struct {
	// Policy is the member's own; empty: that of the node.
	Policy numa.Policy
	// Exclusive is, where it is empty, Required; for a member with a policy of its own the cluster's default.
	Exclusive numa.Exclusive
	// CPUs is the unit in which CPU is cut out of zones. Empty: milli-CPU.
	CPUs numa.Granularity
	// ThreadsPerCore for whole cores; 0: 1.
	ThreadsPerCore int
}

// NodeTerm matches a node that fulfils every expression. An empty term matches nothing, as in Kubernetes.
type NodeTerm struct {
	// Labels are matched against the labels of the node.
	Labels []Expression
	// Fields are matched against the node itself; `metadata.name` is the only key.
	Fields []Expression
}

// Preference is a soft [NodeTerm].
type Preference struct {
	// Weight is what a match is worth, from 0 to 2^31-1.
	Weight int64
	// Nodes tells which nodes are preferred.
	Nodes NodeTerm
}

// Expression compares the label Key with Values.
type Expression struct {
	// Key is the name of a label, or of a field of the node.
	Key string
	// Operator says how the value of the label is compared.
	Operator Operator
	// Values are one or more for In and NotIn, one integer for Gt and Lt, none for Exists and DoesNotExist.
	Values []string
}

// Operator of an [Expression]. Gt and Lt hold if the label is an integer above, or below, the value.
type Operator string

// The operators of Kubernetes node selectors.
const (
	In           Operator = "In"
	NotIn        Operator = "NotIn"
	Exists       Operator = "Exists"
	DoesNotExist Operator = "DoesNotExist"
	Gt           Operator = "Gt"
	Lt           Operator = "Lt"
)

// Taint keeps members away that do not tolerate it. PreferNoSchedule keeps nobody away who has no other place, see
// [Request.TakesAnyNode].
type Taint struct {
	// Key and Value are what a toleration names.
	Key, Value string
	// Effect says whom the taint keeps away: NoSchedule and NoExecute everybody who does not tolerate it.
	Effect Effect
}

// Effect of a [Taint].
type Effect string

// The effects of Kubernetes taints.
const (
	NoSchedule       Effect = "NoSchedule"
	PreferNoSchedule Effect = "PreferNoSchedule"
	NoExecute        Effect = "NoExecute"
)

// Toleration admits the taints it matches. An empty Key with Exists matches every taint, an empty Effect every effect.
type Toleration struct {
	// Key is that of the taint.
	Key string
	// Exists ignores Value.
	Exists bool
	// Value is that of the taint, unless Exists is set.
	Value string
	// Compare is Gt where the value of the taint must be greater than Value, Lt where it must be less; both are whole numbers of 64 bits, else
	// nothing is tolerated. Empty: the values are equal.
	Compare Operator
	// Effect is that of the taint; empty: any.
	Effect Effect
}

// Groups is one level of equal groups.
type Groups struct {
	// Size is the number of members of one group.
	Size int
	// Gather are the rules of each group.
	Gather []Rule
	// Limits are those of the groups. They count whole groups.
	Limits []Limit
}

// Rule binds a gang or a group to a layer. A gang or group without any PreferGather prefers every layer.
type Rule struct {
	// Layer is the name of a layer or, where no layer has this name, a tier in decimal digits.
	Layer string
	// Strength is MustGather, PreferGather, or empty for a rule that only has a Multiple.
	Strength Strength
	// Multiple binds the number of members in every domain of the layer to a multiple of it; 0: no such rule. It is
	// only allowed on the gang, on a part, whose members it counts, or for gangs that start together.
	Multiple int
}

// Strength says how strong a [Rule] is.
type Strength string

const (
	// MustGather keeps all members within one domain of the layer.
	MustGather Strength = "MustGather"
	// PreferGather says that gathering within one domain of the layer is worth having; it restricts nothing.
	PreferGather Strength = "PreferGather"
)

// Policy chooses among places that are equal in tier, intact groups, anchors and span.
type Policy string

const (
	// BestFit takes the fewest free slots that suffice, so that large domains stay whole. It is the default.
	BestFit Policy = "BestFit"
	// Spread takes the most free slots and fills evenly.
	Spread Policy = "Spread"
	// Balanced chooses domains like BestFit and splits evenly over their children.
	Balanced Policy = "Balanced"
	// ByScore compares nodes by host score and not by the room on them, domains like BestFit.
	ByScore Policy = "ByScore"
)
