package manifest

import (
	"cmp"
	"slices"
	"strings"

	"github.com/muster-sched/muster"
)

// systemClasses exist in every Kubernetes cluster.
var systemClasses = map[string]int64{"system-cluster-critical": 2_000_000_000, "system-node-critical": 2_000_001_000}

// priority of a gang: its own, its class, else that of its lowest member.
func (r *reader) priority(d *draft, members []*member) int64 {
	if d.priority != nil {
		return *d.priority
	}
	if d.class.present() && d.class.v.text != "" {
		return r.classPriority(d.class)
	}
	lowest, found := int64(0), false
	for _, m := range members {
		p := r.global
		switch {
		case m.spec.priority != nil:
			p = *m.spec.priority
		case m.spec.class.present() && m.spec.class.v.text != "" && m.node == "":
			p = r.classPriority(m.spec.class)
		case m.spec.class.present() && m.spec.class.v.text != "":
			p, _ = r.lookup(m.spec.class.v.text)
		}
		if !found || p < lowest {
			lowest, found = p, true
		}
	}
	return lowest
}

// classPriority is the priority of a class by name; an unknown one is a defect.
func (r *reader) classPriority(f field) int64 {
	p, ok := r.lookup(f.str())
	if !ok && len(f.obj.errors) == 0 {
		f.fail("unknown PriorityClass")
	}
	return p
}

func (r *reader) lookup(class string) (int64, bool) {
	if p, ok := r.classes[class]; ok {
		return p, true
	}
	p, ok := systemClasses[class]
	return p, ok
}

// sortQueue puts gangs in the order in which they are planned: priority, creation, UID, name. UIDs are compared only
// among gangs of one priority and creation of which all have one, so that the order is total.
func sortQueue(gangs []*draft) {
	class := func(a, b *draft) int {
		return cmp.Or(cmp.Compare(b.result.Request.Priority, a.result.Request.Priority), a.created.Compare(b.created))
	}
	slices.SortFunc(gangs, func(a, b *draft) int { return cmp.Or(class(a, b), muster.CompareNatural(a.name, b.name)) })
	for from := 0; from < len(gangs); {
		to := from + 1
		for to < len(gangs) && class(gangs[from], gangs[to]) == 0 {
			to++
		}
		tied := gangs[from:to]
		if !slices.ContainsFunc(tied, func(d *draft) bool { return d.uid == "" }) {
			slices.SortStableFunc(tied, func(a, b *draft) int { return strings.Compare(a.uid, b.uid) })
		}
		from = to
	}
}
