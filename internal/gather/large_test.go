package gather

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster/internal/model"
	"github.com/muster-sched/muster/internal/spec"
)

// Asks that are too large for all layers at once keep every rule and reach the same tier, and those that slots alone decide use as few children, and as
// few grandchildren, as the definition has it.
func TestLargeAsks(t *testing.T) {
	defer func() { lookedDown = mostLookedDown }()
	lookedDown = 0
	gen, compared := rapid.Custom(spec.Draw), 0
	for seed := range 10000 {
		m := gen.Example(seed)
		own, best := Search(m), spec.Best(m)
		require.Equal(t, best == nil, own == nil, "model %d\n%s", seed, spec.Text(m))
		if own == nil {
			continue
		}
		require.NoError(t, spec.Valid(m, own), "model %d\n%s", seed, spec.Text(m))
		require.Equal(t, best.Tier, own.Tier, "model %d\n%s", seed, spec.Text(m))
		if len(m.Levels)+len(m.Multiple)+m.Running.Len()+len(m.Friends) > 0 || best.Of != own.Of || m.Gather.Finest > 0 {
			continue
		}
		if l := m.Limits; l.CountDomains() && m.View.TierIndex(m.View.TierOf(best.Domain)) > m.View.TierIndex(l.Within[0].Tier)+1 {
			continue // domains that are taken for the children count alone
		}
		compared++
		require.Equal(t, widths(m, best), widths(m, own), "model %d\n%s", seed, spec.Text(m))
	}
	t.Logf("%d compared", compared)
}

// widths are how many children of its domain an answer uses, and how many of their children.
func widths(m *model.Model, a *model.Answer) (out []int) {
	tier := m.View.TierOf(a.Domain)
	for range 2 {
		if tier == 0 {
			break
		}
		tier = m.View.Tiers[m.View.TierIndex(tier-1)]
		var used []int
		for _, pos := range a.Positions {
			used = append(used, int(m.View.Highest(m.View.NodeVertex(pos), tier)))
		}
		slices.Sort(used)
		out = append(out, len(slices.Compact(used)))
	}
	return out
}
