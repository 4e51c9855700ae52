package tasks

import (
	"cmp"
	"slices"
	"strings"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/placement/manifest/internal/member"
	"github.com/muster-sched/muster/placement/manifest/internal/selectors"
)

// Policy makes groups of the pods that it matches.
type Policy struct {
	Name        string
	Selector    *selectors.Labels
	Keys        []string
	Size, Least int
	Rules       []gang.Rule
}

// matches says whether the policy takes the pod, and the values that tell its group.
func (p *Policy) matches(m *member.Member) (values []string, ok bool) {
	if !p.Selector.Matches("", m.Labels) {
		return nil, false
	}
	for _, key := range p.Keys {
		value, ok := m.Labels[key]
		if !ok {
			return nil, false
		}
		values = append(values, value)
	}
	return values, true
}

// subGroup is a group that the policies found.
type subGroup struct {
	policy int
	values []string
	part   member.Part
}

// SubGroups gives each pod to the first policy that matches. Groups come in the order of policies and label values, after
// them the pods that no policy matches.
func (n Needs) SubGroups(policies []Policy, members []*member.Member) []member.Part {
	var groups []*subGroup
	none := member.Part{Loose: true}
	for _, m := range members {
		if g := findSubGroup(policies, m, &groups); g != nil {
			g.part.Members = append(g.part.Members, m)
		} else {
			none.Members = append(none.Members, m)
		}
	}
	slices.SortFunc(groups, func(a, b *subGroup) int {
		return cmp.Or(cmp.Compare(a.policy, b.policy), muster.ComparePaths(a.values, b.values))
	})
	var parts []member.Part
	for i, p := range policies {
		var of []member.Part
		for _, g := range groups {
			if g.policy == i {
				of = append(of, g.part.Whole(p.Size))
			}
		}
		if len(of) > 0 || p.Least > 0 {
			parts = append(parts, n.bundle("policy "+p.Name, of, p.Least, p.Size))
		}
	}
	if len(none.Members) > 0 {
		parts = append(parts, none)
	}
	return parts
}

// bundle is a part of groups of which so many must run, besides what the gang's minimum says; a gang without one needs all. Groups of
// so many members that are not known yet are waited for.
func (n Needs) bundle(name string, groups []member.Part, least, size int) member.Part {
	p := member.Part{Name: name, Bundle: true, Parts: groups, NeedParts: cmp.Or(least, -1)}
	if missing := least - len(groups); missing > 0 {
		p.NeedParts, p.Need = 0, len(p.All())+missing*size
	}
	if n.Members == 0 {
		p.NeedParts = 0
	}
	return p
}

func findSubGroup(policies []Policy, m *member.Member, groups *[]*subGroup) *subGroup {
	for i := range policies {
		values, ok := policies[i].matches(m)
		if !ok {
			continue
		}
		for _, g := range *groups {
			if g.policy == i && slices.Equal(g.values, values) {
				return g
			}
		}
		name := strings.Join(append([]string{policies[i].Name}, values...), "/")
		g := &subGroup{policy: i, values: values, part: member.Part{Name: name, Rules: policies[i].Rules}}
		*groups = append(*groups, g)
		return g
	}
	return nil
}
