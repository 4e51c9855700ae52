package selections

import "github.com/muster-sched/muster/internal/model"

// This file answers: how many selections are looked at, and by which keys are they told apart?

// FirstOnes is the selection of the first n new members, or of all if there are fewer.
func FirstOnes(m *model.Model, n int) model.Selection {
	in := make(model.Selection, len(m.Pending))
	for i := range min(n, len(in)) {
		in[i] = true
	}
	return in
}

// Plans bounds the selections for which a search asks whether they fit.
func Plans(m *model.Model) int { return max(1, m.Steps/256) }

// Steps bounds the selections that a search enumerates, whether it tries them or not. Each is as long as the gang.
func Steps(m *model.Model) int {
	return max(1, min(m.Steps/64, 8*m.Steps/max(1, len(m.Pending))))
}

// keyOf is different for different selections of a gang: a bit for each member, eight to a byte, the first one lowest.
func keyOf(in model.Selection) string {
	key := make([]byte, (len(in)+7)/8)
	for i, is := range in {
		if is {
			key[i/8] |= 1 << (i % 8)
		}
	}
	return string(key)
}
