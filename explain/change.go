// What can be changed so that a gang starts?

package explain

import (
	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/gang"
)

// Kind says what a [Change] changes.
type Kind string

// The kinds of changes.
const (
	// KindMembers lets fewer members start together: the largest number that can.
	KindMembers Kind = "members"
	// KindLayer moves a MustGather of the gang, of its groups or of a part to a wider layer: the tightest that can be.
	KindLayer Kind = "layer"
	// KindGroup drops a level of groups.
	KindGroup Kind = "group"
	// KindMultiple drops a multiple.
	KindMultiple Kind = "multiple"
	// KindLimit loosens a limit, to the least number that can be, or drops it.
	KindLimit Kind = "limit"
	// KindRequest lets members ask for less of a resource: the most that they can ask for.
	KindRequest Kind = "request"
	// KindNodes returns nodes to service: the fewest.
	KindNodes Kind = "nodes"
	// KindTaint tolerates a taint.
	KindTaint Kind = "taint"
	// KindSelector drops a label of the selector, or the affinities.
	KindSelector Kind = "selector"
	// KindQuota raises what quotas are guaranteed or limited to: the least amounts.
	KindQuota Kind = "quota"
	// KindGangs ends gangs, whatever their priority: the fewest, then the first by name; beside that those with the fewest members, and those that lose the least work.
	KindGangs Kind = "gangs"
	// KindPriority raises the priority of the gang, or lets it preempt: the lowest that helps.
	KindPriority Kind = "priority"
	// KindAdd adds nodes to a lowest domain: the fewest.
	KindAdd Kind = "add"
	// KindCombination is two changes of other kinds, where no single one helps.
	KindCombination Kind = "combination"
)

// Kinds lists all kinds in the order in which they are told. The slice is the caller's.
func Kinds() []Kind {
	return []Kind{
		KindMembers, KindLayer, KindGroup, KindMultiple, KindLimit, KindRequest, KindNodes, KindTaint, KindSelector, KindQuota,
		KindGangs, KindPriority, KindAdd, KindCombination,
	}
}

// Change is what to change, in the words of the arguments. What does not belong to its kind is zero.
type Change struct {
	Kind Kind
	// Part is the part that this is about, empty for the gang; Level the level of its groups, from 1, outermost first; 0: none.
	Part  string
	Level int
	// MinMember is the new minimum of members; MinParts, if Parts is set, that of the parts, and of the members there is no change.
	MinMember, MinParts int
	Parts               bool
	// GangMinMember is the new minimum of the gang where that of a part moves it, else 0.
	GangMinMember int
	// From is the layer of a MustGather, To the one that it moves to; empty: it is dropped.
	From, To string
	// Size is that of the groups that are dropped.
	Size int
	// Multiple is the multiple that is dropped, in the layer From.
	Multiple int
	// Limit is the kind of a limit of the layer From, which speaks of parts if OfParts is set; Most is its new number, 0: it is dropped.
	Limit   gang.LimitKind
	OfParts bool
	Most    int
	// Resource is what each member asks at most Amount of; some asked for Before.
	Resource       string
	Before, Amount int64
	// Nodes return to service, in natural order.
	Nodes []string
	// Taint is tolerated.
	Taint gang.Taint
	// Label is dropped from the selectors; `affinity` with Affinity set stands for all affinities.
	Label    string
	Affinity bool
	// Quotas are changed.
	Quotas []QuotaChange
	// Gangs end, in natural order; FewestMembers says that with these the fewest members end, where fewer gangs have more members, LeastLost that with these the least work
	// is lost, where fewer gangs or members lose more.
	Gangs                    []string
	FewestMembers, LeastLost bool
	// Priority is the new one; Preempts says that the gang has to be allowed to preempt.
	Priority int64
	Preempts bool
	// Add is how many nodes like Like are added to the domain Domain, a path from the root.
	Add    int
	Like   string
	Domain []string
}

// QuotaChange are the new amounts of a quota, of the resources that change.
type QuotaChange struct {
	Quota    string
	Max, Min muster.Resources
}
