// Does an engine answer as the definition does?

package spec

import (
	"fmt"
	"iter"
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster/internal/model"
)

// Engine answers what is asked about a model.
type Engine struct {
	Best, Least func(m *model.Model) *model.Answer
	All         func(m *model.Model) iter.Seq[*model.Answer]
	Possible    func(m *model.Model) bool
	Fits        func(m *model.Model) []model.Fit
	Allows      func(m *model.Model, n int, st model.Strategy) (outside int64, ok bool)
}

// Conforms holds an engine against the definition, on the first so many models of a sequence, and on some that are drawn anew each
// time, which shrink.
func Conforms(t *testing.T, e Engine, models int) {
	memory, gen := &model.Memory{}, rapid.Custom(Draw)
	smallest, text, found := -1, "", 0
	for seed := 0; seed < models && found < 20; seed++ {
		err := e.Differs(gen.Example(seed), memory)
		if found += bit(err != nil); err != nil && (smallest < 0 || len(err.Error()) < len(text)) {
			smallest, text = seed, err.Error()
		}
	}
	require.Empty(t, text, "model %d is the smallest of %d that differ", smallest, found)
	rapid.Check(t, func(t *rapid.T) { require.NoError(t, e.Differs(Draw(t), memory)) })
}

// Differs says where an engine answers about a model in another way than the definition. Memory is used again from model to model, as
// the plans of a lineage do.
func (e Engine) Differs(m *model.Model, memory *model.Memory) error {
	c := &comparison{m: m, memory: memory}
	c.answers("the best", []*model.Answer{Best(m)}, func() []*model.Answer { return []*model.Answer{e.Best(m)} })
	c.answers("the least", []*model.Answer{Least(m)}, func() []*model.Answer { return []*model.Answer{e.Least(m)} })
	c.answers("all", All(m), func() []*model.Answer { return slices.Collect(e.All(m)) })
	c.equal("possible", Possible(m), func() any { return e.Possible(m) })
	if m.Multiple == nil && m.Room.(*Room).outsideTakesNone() {
		c.equal("fits", Fits(m), func() any { return e.Fits(m) })
	}
	s := newSolver(m)
	counts := s.countsUpTo(1, m.Admitted)
	for _, n := range counts[max(0, len(counts)-1):] {
		for tiers := range s.strategies {
			st := strategyOf(tiers)
			outside, ok := Allows(m, n, st)
			c.equal(fmt.Sprintf("%d members under %v", n, st), []any{ok, outside * int64(bit(ok))}, func() any {
				outside, ok := e.Allows(m, n, st)
				return []any{ok, outside * int64(bit(ok))} // of no domain it says nothing
			})
		}
	}
	return c.err
}

// comparison asks about one model until something differs.
type comparison struct {
	m      *model.Model
	memory *model.Memory
	err    error
}

// equal compares what an engine says with what it should say.
func (c *comparison) equal(what string, want any, ask func() any) {
	if c.err != nil {
		return
	}
	if c.m.Memory = c.memory; c.memory.Search != nil {
		c.memory.Search.Reset()
	}
	if got := ask(); !reflect.DeepEqual(want, got) {
		c.err = fmt.Errorf("%s: %v, and not %v\n%s", what, got, want, Text(c.m))
	}
}

// answers compares answers, which also have to be valid.
func (c *comparison) answers(what string, want []*model.Answer, ask func() []*model.Answer) {
	var got []*model.Answer
	c.equal(what, answersText(want), func() any {
		got = ask()
		return answersText(got)
	})
	for _, a := range got {
		if a == nil || c.err != nil {
			continue
		}
		if err := Valid(c.m, a); err != nil {
			c.err = fmt.Errorf("%s: %s is not valid: %w\n%s", what, answerText(a), err, Text(c.m))
		}
	}
}
