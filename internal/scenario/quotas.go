package scenario

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/gang/queue"
	"github.com/muster-sched/muster/internal/validity"
	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/placement/render"
	"github.com/muster-sched/muster/quota"
)

// amounts reads `4` or `gpu:4,cpu:500`, nil if the key is absent.
func (w *words) amounts(key string) muster.Resources {
	var out muster.Resources
	for _, s := range w.list(key) {
		name, n, named := strings.Cut(s, ":")
		if !named {
			name, n = device, s
		}
		if out == nil {
			out = muster.Resources{}
		}
		out[name] = int64(w.atoi(key, n))
	}
	return out
}

// quota adds a quota to those of the drawing that follows.
func (s *session) quota(w *words) (string, error) {
	name := w.args[0].Key
	w.known[name] = true
	s.quotas = append(s.quotas, quota.Spec{
		Name: name, Parent: w.text("parent"), Min: w.amounts("min"), Max: w.amounts("max"), Weight: w.amounts("weight"),
		Guaranteed: w.amounts("guaranteed"), Keeps: w.flag("keeps"),
	})
	if demand := w.amounts("demand"); demand != nil {
		s.demand[name] = demand
	}
	return "ok\n", w.err()
}

func (s *session) snapshot() snapshot { return snapshot{s.cluster, s.exclusive, s.total} }

// quotaText is what the command prints of quotas.
func (s *session) quotaText() (string, error) {
	var b bytes.Buffer
	err := render.QuotasText(&b, s.cluster.Quotas())
	return b.String(), err
}

// batch plans a queue, one gang a line, and draws what then runs, and what is held where a discipline is named. What is true of every plan must hold of these; the queue is also planned
// again, and on the same cluster given in other orders.
func (s *session) batch(t testing.TB, w *words, text string) (string, error) {
	t.Helper()
	opt := placement.BatchOptions{Discipline: queue.Discipline(w.text("discipline")), Now: int64(w.number("now", 0))}
	if err := w.err(); err != nil {
		return "", err
	}
	requests, err := s.requests(text)
	if err != nil {
		return "", err
	}
	last, planned := placement.BatchBy(s.cluster, requests(), opt)
	said := verdicts(planned)
	for range runs {
		_, again := placement.BatchBy(s.cluster, requests(), opt)
		require.Equal(t, said, verdicts(again), "equal arguments, another answer")
	}
	for name, permute := range permutations {
		other, err := placement.NewCluster(permute(s.snapshot().dump()))
		require.NoError(t, err)
		_, again := placement.BatchBy(other, requests(), opt)
		require.Equal(t, said, verdicts(again), "another answer on a new cluster, input %s", name)
	}
	for _, p := range planned {
		if p.Result == nil || p.Request.Together != "" && somebodyLeaves(planned, p.Request.Together) {
			continue
		}
		req := *p.Request
		req.QuotaLimit = cmp.Or(req.QuotaLimit, p.Pass)
		c := s.snapshot()
		c.Cluster = p.Cluster
		require.NoError(t, validity.Check(c.dump(), &req, p.Result), "the plan of %s is not valid", req.Name)
	}
	drawn, err := s.change(last, nil)
	if opt.Discipline != "" {
		drawn += s.heldText()
	}
	return said + drawn, err
}

// somebodyLeaves says whether gangs that start together do so once somebody has left. Then none of their plans is valid without the others.
func somebodyLeaves(planned []placement.Planned, together string) bool {
	return slices.ContainsFunc(planned, func(p placement.Planned) bool {
		return p.Result != nil && p.Request.Together == together && len(p.Result.Victims)+len(p.Result.WaitsFor) > 0
	})
}

// verdicts says what became of every gang of a queue, one a line, in the order of the plans.
func verdicts(planned []placement.Planned) string {
	var lines []string
	for _, p := range planned {
		line := fmt.Sprintf("%s %s: ", p.Request.Name, p.Pass)
		switch {
		case errors.Is(p.Err, placement.ErrUnschedulable):
			line += p.Err.Error()
			if p.Start != nil {
				line += fmt.Sprintf("; starts at %d", p.Start.At)
			}
		case p.Err != nil:
			line += "error: " + p.Err.Error()
		default:
			line += fmt.Sprintf("placed %d of %d", len(p.Result.Assignments), len(p.Request.Members))
			for i, m := range p.Result.WaitsFor {
				line += map[bool]string{true: ", waits for ", false: ","}[i == 0] + m.Member
			}
			if evicted := victimsLine(p.Request, p.Result); evicted != "" {
				line += ", " + strings.TrimSpace(evicted)
			}
		}
		lines = append(lines, line)
	}
	return strings.Join(slices.Clip(lines), "\n") + "\n"
}
