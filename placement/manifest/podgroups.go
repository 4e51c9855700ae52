package manifest

import (
	"slices"
	"strings"

	"github.com/muster-sched/muster/placement/manifest/internal/member"
	"github.com/muster-sched/muster/placement/manifest/internal/object"
	"github.com/muster-sched/muster/placement/manifest/internal/requests"
)

// What pods say of the size of their gang where no object does.
const (
	kueueCount = "kueue.x-k8s.io/pod-group-total-count"
	groupSize  = "leaderworkerset.sigs.k8s.io/size"
)

// speaksToKueue says whether a pod is in a pod group of Kueue, or has one of its annotations for podsets.
func speaksToKueue(m *member.Member) bool {
	for key := range m.Obj.Annotations {
		if strings.HasPrefix(key, "kueue.x-k8s.io/podset-") {
			return true
		}
	}
	return m.Said(kueueGroup) != ""
}

// rulesOfPods reads the rules of pods without an object, or whose group has none: Kueue's, each role a podset, and KAI's, if all
// pods agree.
func (in *rules) rulesOfPods(d *draft) {
	alone := d.obj == nil || (d.isGroup() || d.obj.Kind == "PodGang") && d.job == nil && !d.grouped && !d.hasRules()
	if d.plain || !alone {
		return
	}
	first := d.pods[0].Obj
	agree := !slices.ContainsFunc(d.pods, func(m *member.Member) bool {
		return slices.ContainsFunc([]string{"", "-required-placement", "-preferred-placement"}, func(key string) bool {
			return m.Obj.Annotations[kaiTopology+key] != first.Annotations[kaiTopology+key]
		})
	})
	if agree {
		d.gather = append(d.gather, in.kaiJobRules(d, first)...)
	}
	network := in.networkNotes(d, first.Root.Get("metadata"))
	d.gather = append(d.gather, network...)
	for _, m := range d.pods[1:] {
		if meta := m.Obj.Root.Get("metadata"); !slices.Equal(network, in.networkNotes(d, meta)) {
			object.Stated(meta, networkPrefix+"mode").Fail("another pod of the gang says otherwise")
		}
	}
	if !slices.ContainsFunc(d.pods, speaksToKueue) {
		return
	}
	var sets []member.PodSet
	for _, m := range d.pods {
		role := m.Obj.Said("kueue.x-k8s.io/role-hash")
		if d.arrange == nil {
			m.Role = role
		}
		notes := m.Obj.Root.Sub("metadata").Sub("annotations")
		at := slices.IndexFunc(sets, func(s member.PodSet) bool { return s.Name == role })
		if at < 0 {
			s := member.PodSet{Name: role, F: m.Obj.Root, Group: notes.Get("kueue.x-k8s.io/podset-group-name").Text()}
			s.Rules, s.Cut = requests.OfJob(notes).Rules(in.trees)
			sets, at = append(sets, s), len(sets)
		} else if rules, _ := requests.OfJob(notes).Rules(in.trees); !slices.Equal(rules, sets[at].Rules) {
			m.Obj.Root.Get("metadata").Get("annotations").Fail("another pod of the gang says otherwise")
		}
		sets[at].Count, sets[at].Min = sets[at].Count+1, sets[at].Min+1
	}
	if !slices.ContainsFunc(sets, func(s member.PodSet) bool { return len(s.Rules)+len(s.Cut) > 0 || s.Group != "" }) {
		return
	}
	if d.arrange == nil {
		d.arrange = func(_ *draft, members []*member.Member) member.Part { return member.ArrangePodSets(sets, members) }
	} else if len(sets) > 1 || len(sets[0].Cut) > 0 {
		first.Root.Get("metadata").Get("annotations").Fail("cannot be kept together with the groups of " + d.obj.Title())
	}
	if member.AllOfOne(sets) {
		d.gather = append(d.gather, member.GroupRules(sets)...)
	}
}
