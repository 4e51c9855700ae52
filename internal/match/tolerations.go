package match

import (
	"strconv"

	"github.com/muster-sched/muster/gang"
)

// tolerations are those of a shape.
type tolerations struct {
	set    map[gang.Toleration]bool // without the values that Exists ignores
	bounds map[compared]int64       // the widest of each comparison
	known  map[taintList]bool       // what was said about lists of many
}

// compared is a comparison with the values of taints of a key and effect.
type compared struct {
	key     string
	effect  gang.Effect
	compare gang.Operator
}

// taintList is a list of taints, which nodes may share; none of them changes while it is asked about.
type taintList struct {
	first *gang.Taint
	n     int
}

func newTolerations(list []gang.Toleration) tolerations {
	t := tolerations{set: make(map[gang.Toleration]bool, len(list))}
	for _, one := range list {
		switch {
		case one.Exists:
			one.Value, one.Compare = "", ""
		case one.Compare != "":
			t.bound(one)
			continue
		}
		t.set[one] = true
	}
	return t
}

// bound notes a comparison; of several of one kind the widest says all.
func (t *tolerations) bound(one gang.Toleration) {
	n, err := strconv.ParseInt(one.Value, 10, 64)
	if err != nil {
		return // it tolerates nothing
	}
	if t.bounds == nil {
		t.bounds = map[compared]int64{}
	}
	at := compared{one.Key, one.Effect, one.Compare}
	if old, is := t.bounds[at]; !is || one.Compare == gang.Gt && n < old || one.Compare == gang.Lt && n > old {
		t.bounds[at] = n
	}
}

// isWithin says whether a comparison takes the value of a taint.
func (t *tolerations) isWithin(key string, effect gang.Effect, value string) bool {
	if len(t.bounds) == 0 {
		return false
	}
	n, err := strconv.ParseInt(value, 10, 64)
	if err != nil {
		return false
	}
	above, isAbove := t.bounds[compared{key, effect, gang.Gt}]
	below, isBelow := t.bounds[compared{key, effect, gang.Lt}]
	return isAbove && n > above || isBelow && n < below
}

// matches says whether one of the tolerations matches a taint.
func (t *tolerations) matches(taint gang.Taint) bool {
	if len(t.set)+len(t.bounds) == 0 {
		return false
	}
	for _, key := range [...]string{taint.Key, ""} {
		for _, effect := range [...]gang.Effect{taint.Effect, ""} {
			if t.set[gang.Toleration{Key: key, Effect: effect, Exists: true}] || t.set[gang.Toleration{Key: key, Effect: effect, Value: taint.Value}] || t.isWithin(key, effect, taint.Value) {
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
