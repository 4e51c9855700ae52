package reference

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/validity"
	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/quota"
)

// In a queue every plan with victims is as good as one made alone, on the snapshot that the ones before it left.
func TestVictimsOfAQueue(t *testing.T) { holdsFor(t, drawQueue, queueAgrees) }

// drawQueue draws a cluster in which not too many may leave for any gang of the queue.
func drawQueue(t *rapid.T) Input {
	in := mixedWithVictims(drawCoupled)(t)
	for _, req := range queueOf(&in) {
		one := Input{Spec: in.Spec, Request: *req}
		boundCandidates(&one)
		in.Spec = one.Spec
	}
	return in
}

// queueOf are the gang, one of a higher priority, and one in another quota.
func queueOf(in *Input) (queue []*gang.Request) {
	for i, name := range []string{in.Request.Name, "ns/higher", "ns/others"} {
		req := in.Request
		if req.Name, req.Priority = name, req.Priority+int64(i%2); i > 0 {
			req.QuotaLimit = ""
		}
		if i == 2 && req.Quota != "" {
			req.Quota = "team-10"
		}
		queue = append(queue, &req)
	}
	return queue
}

// queueAgrees plans such a queue.
func queueAgrees(in Input) ([]string, error) {
	c, err := placement.NewCluster(in.Spec)
	if err != nil {
		return nil, err
	}
	var kinds []string
	last, planned := placement.Batch(c, queueOf(&in))
	for _, p := range planned {
		kind, err := planOfQueue(in, p)
		if err != nil {
			return nil, fmt.Errorf("%s in pass %q: %w\n%s", p.Request.Name, p.Pass, err, resultText(p.Result, p.Err))
		}
		kinds = append(kinds, kind)
	}
	return kinds, sameQuotas(in, last)
}

func planOfQueue(in Input, p placement.Planned) (kind string, err error) {
	if p.Result == nil {
		return "refused", nil
	}
	alone := Input{Spec: dump(in, p.Cluster), Request: *p.Request, left: in.left}
	alone.Request.QuotaLimit = cmp.Or(p.Request.QuotaLimit, p.Pass)
	if err := validity.CheckTogether(alone.Spec, &alone.Request, p.Result); err != nil {
		return "", err
	}
	switch {
	case len(p.Result.Victims) == 0:
		return "placed without victims", nil
	case HasParts(&alone): // which TestVictimsOfParts compares
		return "placed with victims, by parts", nil
	}
	kind, err = victimsOfQueue(alone, p)
	if few := &alone.Request.Preempt; err != nil && few.Steps > 0 && few.ForTier != "" {
		few.ForTier = "" // so few steps may not find the victims that the tier asks for
		return victimsOfQueue(alone, p)
	}
	return kind, err
}

func victimsOfQueue(alone Input, p placement.Planned) (kind string, err error) {
	best, err := SolveBest(alone)
	switch {
	case err != nil:
		return "", err
	case best.Victims == nil:
		return "", errors.New("somebody leaves, want nobody")
	}
	return fmt.Sprintf("placed with victims, pass %s", p.Pass), best.CheckVictims(p.Result)
}

// dump is everything that a snapshot of a cluster knows.
func dump(in Input, c *placement.Cluster) cluster.Spec {
	spec := validity.Describe(c)
	spec.Trees, spec.NUMAExclusive, spec.Quotas, spec.Total = in.Spec.Trees, in.Spec.NUMAExclusive, in.Spec.Quotas, in.Spec.Total
	if q := c.Quotas(); q != nil {
		spec.Demand = map[string]muster.Resources{}
		for _, name := range slices.DeleteFunc(q.Quotas(), func(name string) bool { return !q.IsLeaf(name) }) {
			_, _, spec.Demand[name] = q.Usage(name)
		}
	}
	return spec
}

// sameQuotas holds when a snapshot counts what its members use, those who leave excepted.
func sameQuotas(in Input, c *placement.Cluster) error {
	if c.Quotas() == nil {
		return nil
	}
	spec := dump(in, c)
	want, err := validity.QuotaState(&spec)
	if err != nil {
		return err
	}
	state := func(s *quota.State, name string) string {
		used, pinned, demand := s.Usage(name)
		return fmt.Sprint(used, pinned, demand, s.Share(name))
	}
	for _, name := range want.Quotas() {
		if got, want := state(c.Quotas(), name), state(want, name); got != want {
			return fmt.Errorf("quota %s: %s, want %s", name, got, want)
		}
	}
	return nil
}
