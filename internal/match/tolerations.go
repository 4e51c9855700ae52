package match

import "github.com/muster-sched/muster/gang"

// tolerations are those of a shape.
type tolerations struct {
	set   map[gang.Toleration]bool // without the values that Exists ignores
	known map[taintList]bool       // what was said about lists of many
}

// taintList is a list of taints, which nodes may share; none of them changes while it is asked about.
type taintList struct {
	first *gang.Taint
	n     int
}

func newTolerations(list []gang.Toleration) tolerations {
	t := tolerations{set: make(map[gang.Toleration]bool, len(list))}
	for _, one := range list {
		if one.Exists {
			one.Value = ""
		}
		t.set[one] = true
	}
	return t
}

// matches says whether one of the tolerations matches a taint.
func (t *tolerations) matches(taint gang.Taint) bool {
	if len(t.set) == 0 {
		return false
	}
	for _, key := range [...]string{taint.Key, ""} {
		for _, effect := range [...]gang.Effect{taint.Effect, ""} {
			if t.set[gang.Toleration{Key: key, Effect: effect, Exists: true}] || t.set[gang.Toleration{Key: key, Effect: effect, Value: taint.Value}] {
				return true
			}
		}
	}
	return false
}

// tolerates says whether none of the taints keeps a member away.
func (t *tolerations) tolerates(taints []gang.Taint) bool {
	if !ManyTaints(taints) {
		return t.each(taints)
	}
	list := taintList{&taints[0], len(taints)}
	is, known := t.known[list]
	if known {
		return is
	}
	if t.known == nil {
		t.known = map[taintList]bool{}
	}
	is = t.each(taints)
	t.known[list] = is
	return is
}

func (t *tolerations) each(taints []gang.Taint) bool {
	for _, taint := range taints {
		if (taint.Effect == gang.NoSchedule || taint.Effect == gang.NoExecute) && !t.matches(taint) {
			return false
		}
	}
	return true
}
