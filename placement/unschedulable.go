// What is the answer to a request that has no plan?

package placement

import (
	"errors"
	"fmt"
	"strings"

	"github.com/muster-sched/muster/internal/printed"
	"github.com/muster-sched/muster/quota"
)

// ErrUnschedulable is matched by every [Unschedulable] (errors.Is).
var ErrUnschedulable = errors.New("unschedulable")

// Refuser says who refuses a gang, see [Unschedulable].
type Refuser string

const (
	// RefuserNodes means: the free slots do not suffice, or no domain that the rules allow has enough of them.
	RefuserNodes Refuser = "nodes"
	// RefuserRule means: the nodes would suffice, a rule forbids it.
	RefuserRule Refuser = "rule"
	// RefuserQuota means: the quota does not admit the least number of members.
	RefuserQuota Refuser = "quota"
	// RefuserSteps means: the search for victims ended before it had found a set, or proven that there is none
	// ([gang.Preempt.Steps]); or the context was done before anything was searched.
	RefuserSteps Refuser = "budget"
)

// Unschedulable says, in counts, why a gang cannot be placed. It holds the snapshot it was made from.
type Unschedulable struct {
	Gang    string
	Refuser Refuser
	// Rule is the first rule that binds, such as `MustGather leaf`, `minMember`, `multiple 4 at node`; empty if the
	// free slots of the whole cluster do not suffice. Of a gang in parts it is one that refuses by itself, if there is
	// one.
	Rule string
	// RefusedBy is the quota that does not admit the least number of members, and by how much; nil if it is not the
	// quota.
	RefusedBy *quota.Refusal
	// Together are, in a queue, the gangs that start together with this one and cannot: it waits for them and could be
	// placed without them. Wanted counts its members then, and none of them fits. Empty in every other refusal.
	Together []string
	// Behind is, in a queue by the discipline [queue.Strict], the gang in front of this one that waits; or one for which room is held from an instant on by which this gang, which runs,
	// was to end, and would not with more members; or one for which room is held in a domain that no plan would keep. Wanted counts the members then.
	// Empty in every other refusal.
	Behind string
	// Wanted is the least number of new members that had to be placed; Fits the most that the rules allow.
	Wanted, Fits int
	// AtLeast says that the search ended before all of these were counted, Fits and those in Tiers: perhaps more fit.
	AtLeast bool
	// Tiers has, per tier that the rules allow, lowest first, the domain that could take the most.
	Tiers []TierFit
	// Proven is true if every possibility was excluded, false if a search budget ran out.
	Proven bool
	// Stopped is the error of the context that ended the search ([PlanContext]), nil if none did. errors.Is finds it.
	Stopped error

	nodes    func() NodeCauses // nil: none are counted
	inTheWay func() Obstacles  // nil: none run
}

// RuleMinMember is the rule that binds where too few members are known: then the room that there is says nothing.
const RuleMinMember = "minMember"

// TierFit is the best domain of one tier.
type TierFit struct {
	Tier  int
	Layer string
	// Domain is the path of the domain, empty for the nameless root.
	Domain []string
	// Members is how many new members it could take, Groups how many whole groups of the outermost level.
	Members, Groups int
	// AtLeast says that the search ended before it was known: perhaps it takes more.
	AtLeast bool
}

// NodeCauses counts the nodes that take no member, by the first cause that applies.
type NodeCauses struct {
	// Total is the number of all nodes.
	Total int
	// Rejected has the causes that apply to some node, in the order in which causes are tried.
	Rejected []CauseCount
}

// CauseCount is a cause, such as `cordoned` or `resource:cpu`, and the number of nodes.
type CauseCount struct {
	Cause string
	Nodes int
	// Which counts these nodes by the first taint (`key=value:Effect`) or the first key of a selector or an affinity that
	// refuses, most nodes first, then in natural order. Empty for all other causes.
	Which []KeyCount
}

// KeyCount is a taint, or the key of a label, and the number of nodes.
type KeyCount struct {
	Key   string
	Nodes int
}

// Nodes counts rejected nodes by cause. It is computed when asked for, from the snapshot. O(nodes).
func (u *Unschedulable) Nodes() NodeCauses {
	if u == nil || u.nodes == nil {
		return NodeCauses{}
	}
	return u.nodes()
}

// Is matches ErrUnschedulable.
func (u *Unschedulable) Is(target error) bool { return target == ErrUnschedulable }

// Unwrap is the error of the context that ended the search, if one did.
func (u *Unschedulable) Unwrap() error {
	if u == nil {
		return nil
	}
	return u.Stopped
}

// Error is told in one line: it reads `unschedulable: insufficient slots, 9 of 12 at spine-0 (proven)`. Where the search ended before that was
// known it says so first: `search ended, no plan so far: insufficient slots, at least 9 of 12 at spine-0`. A nil error is
// the empty text.
func (u *Unschedulable) Error() string {
	if u == nil {
		return ""
	}
	return printed.Text(u.text())
}

// text is the error with names as they are.
func (u *Unschedulable) text() string {
	if u.Stopped != nil && len(u.Tiers) == 0 { // before anything was searched
		return u.verdict()
	}
	if len(u.Together) > 0 {
		return u.verdict() + ": " + u.Rule + ", which cannot start"
	}
	if u.Behind != "" {
		return u.verdict() + ": " + u.Rule
	}
	reason := u.Rule
	if reason == "" {
		reason = "insufficient slots"
	}
	least := map[bool]string{true: "at least "}[u.AtLeast]
	text := fmt.Sprintf("%s: %s, %s%d of %d", u.verdict(), reason, least, u.Fits, u.Wanted)
	if u.Rule == RuleMinMember { // the room that there is helps nobody
		text += map[bool]string{true: " members is known", false: " members are known"}[u.Fits == 1]
	} else if best := u.best(); u.RefusedBy == nil && best != nil && len(best.Domain) > 0 {
		text += " at " + strings.Join(best.Domain, "/")
	}
	if u.Proven {
		text += " (proven)"
	}
	if u.RefusedBy != nil {
		for _, s := range u.RefusedBy.Short {
			text += fmt.Sprintf("; %s: %d used + %d asked, %d above %d", s.Resource, s.Used, s.Asked, s.By, s.Limit)
		}
	}
	return text
}

// ruleSaysAll says whether there is no more to a refusal than its rule: a plan would be known, or none was looked for.
func (u *Unschedulable) ruleSaysAll() bool { return u.Rule == RuleRefused || u.Behind != "" }

// verdict is what is known, as the first words of a refusal.
func (u *Unschedulable) verdict() string {
	switch {
	case u.Proven:
		return "unschedulable"
	case u.Stopped != nil:
		return "search stopped (" + u.Stopped.Error() + "), no plan so far"
	}
	return "search ended, no plan so far"
}

// best is the domain that could take the most members, of equals the one of the lowest tier; nil if none takes any.
func (u *Unschedulable) best() *TierFit {
	var best *TierFit
	for i := range u.Tiers {
		if t := &u.Tiers[i]; t.Members > 0 && (best == nil || t.Members > best.Members) {
			best = &u.Tiers[i]
		}
	}
	return best
}
