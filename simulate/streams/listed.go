package streams

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/simulate"
)

// Listed is a stream of gangs that are known one by one, such as those of files. Each asks for what its own request says.
type Listed struct {
	// Jobs come in the order of Arrives, then of names; one that arrives at 0 comes with the first of the others. Those that ask for the same under other names get one Class,
	// where they have none.
	Jobs []simulate.Job
	// From is when all come that arrive at 0 if no other one says when it does.
	From int64
}

// Stream yields the gangs. The error is a [muster.InvalidError] of a field. O(jobs * log jobs + members), once.
func (l Listed) Stream() simulate.Stream {
	jobs, err := l.ordered()
	return func(yield func(simulate.Job, error) bool) {
		if err != nil {
			yield(simulate.Job{}, err)
			return
		}
		for i := range jobs {
			if !yield(jobs[i], nil) {
				return
			}
		}
	}
}

// ordered are the gangs as they come.
func (l *Listed) ordered() ([]simulate.Job, error) {
	first := int64(0)
	names := map[string]bool{}
	for i := range l.Jobs {
		j := &l.Jobs[i]
		at := func(field string) string { return fmt.Sprintf("listed.Jobs[%d].%s", i, field) }
		switch {
		case j.Arrives < 0 || j.Arrives > latest:
			return nil, muster.Invalid(at("Arrives"), j.Arrives, fmt.Sprintf("not from 0 to %d", int64(latest)))
		case j.Runs < 1 || j.Runs > longest:
			return nil, muster.Invalid(at("Runs"), j.Runs, fmt.Sprintf("not from 1 to %d", longest))
		case names[j.Request.Name]:
			return nil, muster.Invalid(at("Request.Name"), j.Request.Name, "there twice")
		}
		names[j.Request.Name] = true
		if j.Arrives > 0 && (first == 0 || j.Arrives < first) {
			first = j.Arrives
		}
	}
	first = cmp.Or(first, l.From)
	jobs, classes := slices.Clone(l.Jobs), map[string]int{}
	for i := range jobs {
		j := &jobs[i]
		j.Arrives = cmp.Or(j.Arrives, first)
		if key := keyOf(&j.Request); j.Class == "" && key != "" {
			k, known := classes[key]
			if !known {
				k = len(classes)
				classes[key] = k
			}
			j.Class = strconv.Itoa(k)
		}
	}
	slices.SortFunc(jobs, func(a, b simulate.Job) int {
		return cmp.Or(cmp.Compare(a.Arrives, b.Arrives), muster.CompareNatural(a.Request.Name, b.Request.Name))
	})
	return jobs, nil
}

// keyOf is equal for gangs that ask for the same under other names; empty: they might differ in what it does not look at.
func keyOf(req *gang.Request) string {
	if len(req.Parts) > 0 || len(req.Refused) > 0 || req.Together != "" || req.Eligible != nil || req.Slots != nil || req.Score != nil {
		return ""
	}
	for i := range req.Members {
		if m := &req.Members[i]; m.Shape != nil || m.NonPreemptible || m.Indexed && m.Index != i || m.Indexed != req.Members[0].Indexed {
			return ""
		}
	}
	same := *req
	same.Name, same.End, same.Members = "", 0, nil
	return fmt.Sprintf("%d %t %#v", len(req.Members), len(req.Members) > 0 && req.Members[0].Indexed, same)
}
