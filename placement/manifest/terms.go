package manifest

import (
	"cmp"
	"slices"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/placement/manifest/internal/lives"
	"github.com/muster-sched/muster/placement/manifest/internal/member"
	"github.com/muster-sched/muster/placement/manifest/internal/object"
	"github.com/muster-sched/muster/placement/manifest/internal/terms"
)

// readTerms reads under which terms the members of a gang are let go: from the annotations of its PodGroup, else from
// those of its pods, which must agree. The PodGroup's own time wins over that of its annotation.
func (d *draft) readTerms() {
	var sources []*object.Object
	if d.isGroup() {
		sources = []*object.Object{d.obj}
	} else if d.obj == nil && !d.plain {
		sources = member.PodsOf(d.pods)
	}
	t := &d.terms
	t.WaitTime = cmp.Or(object.AgreedOn(sources, terms.WaitTime), t.WaitTime)
	t.Mode = object.AgreedOn(sources, terms.Mode)
	t.Match = object.AgreedOn(sources, terms.Match)
	if d.isGroup() {
		d.total = object.Agreed(sources, d.total, koordinatorPrefix+"total-number")
	}
	t.Group = slices.SortedFunc(slices.Values(d.tie.names), muster.CompareNatural)
	if d.total > 0 && d.total < d.min && len(sources) > 0 {
		at := sources[0].Annotation(koordinatorPrefix + "total-number")
		at.Fail("below the minimum of the gang")
	}
}

// statesTerms says whether the files state one of the terms.
func (d *draft) statesTerms() bool {
	return d.total > 0 || d.terms.WaitTime > 0 || d.terms.Mode != "" || d.terms.Match != "" || len(d.terms.Group) > 0
}

// live enters what is known of a gang that is there.
func (d *draft) live(lived map[lives.Name]*lives.Life) {
	if len(d.pods) == 0 && d.obj == nil {
		return
	}
	l := &lives.Life{Terms: d.terms, Members: map[string]bool{}}
	for _, m := range d.pods {
		l.Members[m.Name] = m.Node != ""
	}
	if l.Terms.MinMember = cmp.Or(d.stated, d.total, len(d.pods)); d.plain {
		l.Terms = gang.Terms{}
	}
	lived[lives.Name{Of: d.name, Plain: d.plain}] = l
}
