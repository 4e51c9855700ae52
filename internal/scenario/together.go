package scenario

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/validity"
	"github.com/muster-sched/muster/placement"
)

// together plans gangs that start together, one a line, carries that out and draws what then runs. The answer is the same in every run and on the same
// cluster given in other orders; without victims and members to wait for each plan is valid by itself.
func (s *session) together(t testing.TB, w *words, text string) (string, error) {
	t.Helper()
	gather := slices.Concat(rules(w, "must", gang.MustGather, -1), rules(w, "prefer", gang.PreferGather, -1))
	if err := w.err(); err != nil {
		return "", err
	}
	gangs, err := s.requests(text)
	if err != nil {
		return "", err
	}
	results, err := placement.Together(s.cluster, gather, gangs()...)
	said := s.said(gangs(), results, err)
	for range runs {
		again, err := placement.Together(s.cluster, gather, gangs()...)
		require.Equal(t, said, s.said(gangs(), again, err), "equal arguments, another answer")
	}
	for name, permute := range permutations {
		other, err := placement.NewCluster(permute(s.snapshot().dump()))
		require.NoError(t, err)
		again, err := placement.Together(other, gather, gangs()...)
		require.Equal(t, said, s.said(gangs(), again, err), "another answer on a new cluster, input %s", name)
	}
	if s.why = err; results == nil {
		return said, nil
	}
	for i, r := range results {
		if len(results[0].Victims) == 0 && len(r.WaitsFor) == 0 {
			require.NoError(t, validity.CheckTogether(s.snapshot().dump(), gangs()[i], r), "the plan of %s is not valid", r.Gang)
		}
	}
	next, err := s.cluster.Apply(results...)
	drawn, err := s.change(next, err)
	return said + drawn, err
}

// requests reads gangs, one a line, with new members. The requests are made anew by each call.
func (s *session) requests(text string) (func() []*gang.Request, error) {
	var build []func() *gang.Request
	for line := range strings.Lines(strings.TrimSpace(text)) {
		name, args, err := datadriven.ParseLine(line)
		if err != nil {
			return nil, err
		}
		one := &words{args: args, known: map[string]bool{}}
		first := s.firstNew(name)
		request(one, name, first)
		if err := one.err(); err != nil {
			return nil, err
		}
		build = append(build, func() *gang.Request { return request(one, name, first) })
	}
	return func() (reqs []*gang.Request) {
		for _, b := range build {
			reqs = append(reqs, b())
		}
		return reqs
	}, nil
}

// said is a line a gang, or why there is none.
func (s *session) said(reqs []*gang.Request, results []*placement.Result, err error) (text string) {
	if err != nil {
		why := &placement.Unschedulable{}
		if errors.As(err, &why) {
			return why.Gang + " " + err.Error() + "\n"
		}
		return err.Error() + "\n"
	}
	for i, r := range results {
		text += r.Gang + " " + s.headline(reqs[i], r) + victimsLine(reqs[i], r)
	}
	return text
}
