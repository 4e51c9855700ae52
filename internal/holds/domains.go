// For whom is room held in domains, and how does that come and go?

package holds

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/internal/snapshot"
)

// InDomains lists what is held in domains: the highest priority first, then by gang in natural order of names, then as it was given. The slice is the caller's.
func InDomains(c *snapshot.Snapshot) []cluster.DomainHold { return inOrder(c.Reserved) }

// reserving is a snapshot with other room held in domains. Both share what plans on them find out.
func reserving(c *snapshot.Snapshot, list []cluster.DomainHold) *snapshot.Snapshot {
	if len(c.Reserved) == len(list) && (len(list) == 0 || &c.Reserved[0] == &list[0]) {
		return c
	}
	next := *c
	next.Reserved = list
	return &next
}

// Without is the snapshot without what is held for some gangs.
func Without(c *snapshot.Snapshot, is func(gang string) bool) *snapshot.Snapshot {
	return dropping(Seen(c, math.MinInt64, "", 0, is), is)
}

// dropping is a snapshot without what is held for some gangs in domains.
func dropping(c *snapshot.Snapshot, is func(gang string) bool) *snapshot.Snapshot {
	drops := func(h cluster.DomainHold) bool { return is(h.Gang) }
	if !slices.ContainsFunc(c.Reserved, drops) {
		return c
	}
	return reserving(c, slices.DeleteFunc(slices.Clone(c.Reserved), drops))
}

// checkDomain is the defect of a hold in a domain; nil: there is none.
func checkDomain(c *snapshot.Snapshot, h *cluster.DomainHold, field string) error {
	bad := func(name string, value any, reason string) error {
		return muster.Invalid(field+"."+name, value, reason)
	}
	if err := h.Resources.Validate(field + ".Resources"); err != nil {
		return err
	}
	_, reserved := For(h.Gang)
	_, _, known := domainOf(c, h)
	asks := func(amount int64) bool { return amount > 0 }
	switch {
	case h.Gang == "":
		return bad("Gang", "", "missing")
	case reserved:
		return bad("Gang", h.Gang, "a gang cannot be called so")
	case h.Count <= 0:
		return bad("Count", h.Count, "not positive")
	case c.Lineage.Tree(h.Tree) == nil:
		return bad("Tree", h.Tree, "unknown topology")
	case !known:
		return bad("Domain", strings.Join(h.Domain, "/"), "no domain of the topology has this path")
	case h.Resources != nil && !slices.ContainsFunc(slices.Collect(maps.Values(h.Resources)), asks):
		return bad("Resources", "", "members that take nothing need no room; nil stands for whole nodes")
	case h.End != 0 && h.End <= h.From:
		return bad("End", h.End, "not behind From")
	}
	return nil
}

// inOrder are holds in domains in the order in which they are kept, as copies.
func inOrder(list []cluster.DomainHold) []cluster.DomainHold {
	list = slices.Clone(list)
	for i := range list {
		list[i].Resources, list[i].Domain = maps.Clone(list[i].Resources), slices.Clone(list[i].Domain)
	}
	slices.SortStableFunc(list, func(a, b cluster.DomainHold) int {
		return cmp.Or(cmp.Compare(b.Priority, a.Priority), muster.CompareNatural(a.Gang, b.Gang))
	})
	return list
}

// setDomains replaces what is held for some gangs in domains, of a snapshot that nobody else has yet. There must be room for it, and takes what is held for others of a lower
// priority: unless it was seen.
func setDomains(c *snapshot.Snapshot, fresh map[string][]cluster.DomainHold, seen bool) (next *snapshot.Snapshot, leftOut []error, err error) {
	if len(fresh) == 0 {
		return c, nil, nil
	}
	before := dropping(c, func(gang string) bool {
		_, again := fresh[gang]
		return again
	})
	list, lowest := slices.Clone(before.Reserved), int64(math.MaxInt64)
	for _, gang := range slices.SortedFunc(maps.Keys(fresh), muster.CompareNatural) {
		for i := range fresh[gang] {
			h, field := &fresh[gang][i], fmt.Sprintf("delta.DomainHolds[%s][%d]", gang, i)
			err := checkDomain(c, h, field)
			if err == nil && h.Gang != gang {
				err = muster.Invalid(field+".Gang", h.Gang, "is listed for "+gang)
			}
			switch {
			case err == nil:
				list, lowest = append(list, *h), min(lowest, h.Priority)
			case seen:
				leftOut = append(leftOut, err)
			default:
				return nil, nil, err
			}
		}
	}
	next = reserving(c, inOrder(list))
	if !seen && len(list) > len(before.Reserved) {
		next, err = keeping(before, next, lowest, func(gang string) bool { return fresh[gang] != nil })
	}
	return next, leftOut, err
}

// Kept is a snapshot in which all that was held in domains before is still kept, or as much of it as was; what is not, and is held for a gang of a lower
// priority than this one, ends. The error is a conflict. O(1) where nothing is held in domains.
//
// order: holds.4
func Kept(before, next *snapshot.Snapshot, priority int64) (*snapshot.Snapshot, error) {
	return keeping(before, next, priority, func(string) bool { return false })
}

// keeping is Kept; what is held anew, of that priority, is to be kept as a whole. Where room is lacking all that is held for gangs of a lower one ends, in domains before
// on nodes.
func keeping(before, next *snapshot.Snapshot, priority int64, anew func(gang string) bool) (*snapshot.Snapshot, error) {
	all := func(*cluster.DomainHold) bool { return true }
	for {
		now := reserveOf(next, all)
		if now == nil {
			return next, nil
		}
		need := needs(reserveOf(before, all), now, anew)
		lack, _ := now.Reaches(need)
		if len(lack) == 0 {
			return next, nil
		}
		slices.Reverse(lack)
		if k := slices.IndexFunc(lack, func(i int) bool { return now.Holds[i].Priority < priority && !anew(now.Holds[i].Gang) }); k >= 0 {
			next = dropping(next, func(gang string) bool { return gang == now.Holds[lack[k]].Gang })
			continue
		}
		i := lack[max(0, slices.IndexFunc(lack, func(i int) bool { return anew(now.Holds[i].Gang) }))]
		taken, ok := Take(next, priority, -1)
		if !ok {
			return nil, short(&now.Holds[i], max(1, need[i]-now.Need[i]))
		}
		next = taken
	}
}

// needs says of each of those that are held now how many members are to be kept: as many as were, or all that are held anew.
func needs(was, now *Reserve, anew func(gang string) bool) []int {
	need, used := make([]int, len(now.Holds)), map[int]bool{}
	for i := range now.Holds {
		if anew(now.Holds[i].Gang) {
			need[i] = now.Holds[i].Count
			continue
		}
		for k := 0; was != nil && k < len(was.Holds); k++ {
			if !used[k] && equal(&was.Holds[k], &now.Holds[i]) {
				need[i], used[k] = was.Need[k], true
				break
			}
		}
	}
	return need
}

// short is the conflict of a hold that lacks room for some members.
func short(h *cluster.DomainHold, by int) error {
	return &cluster.ConflictError{Gang: h.Gang, Reason: fmt.Sprintf("no room is left for %d of %d members for whom it is held in %s", by, h.Count, Where(h))}
}

// Where is what people call the domain in which something is held.
func Where(h *cluster.DomainHold) string {
	if len(h.Domain) == 0 {
		return "the topology"
	}
	return strings.Join(h.Domain, "/")
}

// come ends what is held in domains for members that run there now, one for each, and what is held in domains that are gone.
func come(c *snapshot.Snapshot, before *snapshot.Snapshot, rows []cluster.Running) *snapshot.Snapshot {
	list := c.Reserved
	for i := range rows {
		r := &rows[i]
		if before.Member(r.Gang, r.Member) != nil || c.Member(r.Gang, r.Member) == nil {
			continue
		}
		id, _ := c.Lineage.ID(r.Node)
		k := slices.IndexFunc(list, func(h cluster.DomainHold) bool {
			if h.Gang != r.Gang || h.Count == 0 {
				return false
			}
			v, x, ok := domainOf(c, &h)
			return ok && v.Contains(x, v.NodeVertex(v.At(id)))
		})
		if k >= 0 {
			list = slices.Clone(list)
			list[k].Count--
		}
	}
	ended := func(h cluster.DomainHold) bool {
		_, _, there := domainOf(c, &h)
		return h.Count == 0 || !there
	}
	if slices.ContainsFunc(list, ended) {
		list = slices.DeleteFunc(slices.Clone(list), ended)
	}
	return reserving(c, list) // the same one, if nothing ended: what is known of its room stays
}

// equal says whether two holds in domains are one.
func equal(a, b *cluster.DomainHold) bool {
	return a.Gang == b.Gang && a.Tree == b.Tree && slices.Equal(a.Domain, b.Domain) && a.Count == b.Count && maps.Equal(a.Resources, b.Resources) &&
		(a.Resources == nil) == (b.Resources == nil) && a.Priority == b.Priority && a.From == b.From && a.End == b.End
}
