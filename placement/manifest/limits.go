package manifest

import (
	"slices"

	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/placement/manifest/internal/apart"
	"github.com/muster-sched/muster/placement/manifest/internal/ignored"
	"github.com/muster-sched/muster/placement/manifest/internal/member"
)

// Limits of gangs: exclusive topologies come with their rules, anti-affinities with the pods.

// limit gives a request of members, those that run included, the limits of its gang that can be planned, and names the rules that it keeps by them.
func (r *reader) limit(d *draft, members []*member.Member, q *gang.Request) (kept []string) {
	q.Limits = member.Unique(d.limits)
	apart.Hoist(q, len(members))
	switch {
	case d.team != nil || d.excluded || !apart.Supported(q):
		apart.Drop(q)
	case apart.Any(q):
		kept = append(kept, exclusiveTopology)
	}
	pods := antiAffinities(members)
	if d.plain || d.team != nil || len(members) < 2 || len(pods) == 0 {
		return kept
	}
	space := d.place().Namespace
	terms, all := apart.Common(space, pods)
	with := *q
	for i := range terms {
		layer := r.trees.KeyOf(d.tree, q, terms[i].Key)
		if layer != "" {
			with.Limits = append(slices.Clip(with.Limits), gang.Limit{Layer: layer, Kind: gang.Apart, Most: 1})
		}
		all = all && layer != "" && r.apart.Alone(space, &terms[i])
	}
	with.Limits = member.Unique(with.Limits)
	if len(terms) == 0 || !apart.Supported(&with) {
		return kept
	}
	if q.Limits = with.Limits; all {
		kept = append(kept, ignored.PodAntiAffinity)
	}
	return kept
}

// noteApart counts gangs by what their pods keep away, and sees whom they select. Who keeps away, and who is, are read together.
func (r *reader) noteApart() {
	keeps := func(m *member.Member) bool { return len(m.Spec.Apart)+len(m.Spec.Added) > 0 }
	for _, d := range r.gangs.drafts {
		if d.adoptJob(); len(d.pods)+len(d.promised) == 0 {
			continue
		}
		r.keepApart = r.keepApart || slices.ContainsFunc(d.pods, keeps) || slices.ContainsFunc(d.promised, keeps)
		for _, name := range r.apart.Add(d.name, d.place().Namespace, slices.Concat(antiAffinities(d.pods), antiAffinities(d.promised))) {
			r.objects.Names.Have(name)
		}
	}
	for _, d := range r.gangs.drafts {
		for i, members := 0, slices.Concat(d.pods, d.promised); i < len(members); i++ {
			if m := members[i]; i == 0 || m.Obj != nil || m.Spec != members[i-1].Spec {
				r.apart.See(d.name, d.place().Namespace, m.Labels, r.objects.Names)
			}
		}
	}
}

// isLimit says whether what a webhook added to a pod is a limit: of a gang that waits, or the domain that a pod which runs has closed.
func (r *reader) isLimit(d *draft, m *member.Member, added *apart.Added) bool {
	if m.Node != "" {
		_, layer := r.trees.Closing(d.tree, added.Key)
		return layer != "" && !m.Obj.Twin && slices.Contains(exclusiveOf(m), added.Note)
	}
	claimed := slices.ContainsFunc(d.claims, func(c claim) bool {
		return c.note == added.Note && c.key == added.Key && (c.role == "" || c.role == m.Role)
	})
	return !d.waits || claimed && slices.Contains(d.kept, exclusiveTopology)
}

// addedBeside names the rules that webhooks added to a pod and no limit says.
func (r *reader) addedBeside(d *draft, m *member.Member) (rules []string) {
	for i := range m.Spec.Added {
		if added := &m.Spec.Added[i]; !r.isLimit(d, m, added) {
			if added.Draws {
				rules = append(rules, ignored.PodAffinity)
			}
			if len(added.Terms) > 0 {
				rules = append(rules, ignored.PodAntiAffinity)
			}
		}
	}
	return rules
}

// noteAdded counts gangs by what webhooks added to their pods and no limit says, once it is known which limits requests keep.
func (r *reader) noteAdded() {
	for _, d := range r.gangs.drafts {
		for _, m := range d.pods {
			for i := range m.Spec.Added {
				if added := &m.Spec.Added[i]; !r.isLimit(d, m, added) {
					for _, name := range r.apart.AddTold(d.name, d.place().Namespace, added.Terms) {
						r.objects.Names.Have(name)
					}
				}
			}
		}
	}
}

// isKeptAway says whether a pod that waits has a term, or is selected by one, that no limit keeps.
func (r *reader) isKeptAway(d *draft, m *member.Member, keepsOwn bool) bool {
	return !keepsOwn && len(m.Spec.Apart) > 0 || r.apart.KeepAway(d.name, keepsOwn, d.place().Namespace, m.Labels)
}

// antiAffinities are those of members, of one template once, nil if none has one.
func antiAffinities(members []*member.Member) []apart.Pod {
	if !slices.ContainsFunc(members, func(m *member.Member) bool { return len(m.Spec.Apart) > 0 }) {
		return nil
	}
	var pods []apart.Pod
	for i, m := range members {
		if i == 0 || m.Spec != members[i-1].Spec {
			pods = append(pods, apart.Pod{Terms: m.Spec.Apart, Labels: m.Labels})
		}
	}
	return pods
}

// aloneIn notes the widest layer in which each member of a part is alone, by its limits and those of what is around it; empty: in none. The
// widest of all parts is that of members in no part, as those that leave.
func (r *reader) aloneIn(d *draft, p *member.Part, limits []gang.Limit, in map[*member.Member]string) {
	limits = slices.Concat(limits, p.Limits)
	for _, level := range p.Cut {
		limits = append(limits, level.Limits...)
	}
	layer := r.trees.Widest(d.tree, limits)
	for _, m := range p.Members {
		in[m] = layer
	}
	in[nil] = r.trees.Widest(d.tree, append(slices.Clip(limits), gang.Limit{Kind: gang.Alone, Layer: in[nil]}))
	for i := range p.Parts {
		r.aloneIn(d, &p.Parts[i], limits, in)
	}
}
