package cases

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/quota"
)

// quotaKinds are the kinds of cases that a tree of quotas decides by itself.
var quotaKinds = []string{"runtime", "admit", "tree"}

// refusedBy is the quota that refuses a gang, as plans and cases write it.
type refusedBy struct {
	Quota   string           `json:"quota"`
	Rule    string           `json:"rule"`
	Deficit muster.Resources `json:"deficit"`
}

// jsonQuota is a quota as the cases write it.
type jsonQuota struct {
	Name, Parent                 string
	Min, Max, Weight, Guaranteed muster.Resources
	AllowLent                    *bool
	Used, Demand, NonPreemptible muster.Resources
	Firm                         *muster.Resources
}

// quotaCase is a case of these kinds.
type quotaCase struct {
	Kind   string
	Total  muster.Resources
	Quotas []jsonQuota
	Mode   quota.Limit
	Gang   struct {
		Quota                   string
		Request, NonPreemptible muster.Resources
	}
	Want  json.RawMessage
	Error *struct {
		Quota           json.RawMessage
		Field, Resource string
	}
}

// quotasDiffer judges a case about quotas alone, with the quotas in several orders.
func quotasDiffer(c *Case) string {
	var q quotaCase
	if err := c.decode(&q); err != nil {
		return err.Error()
	}
	reversed := slices.Clone(q.Quotas)
	slices.Reverse(reversed)
	half := len(q.Quotas) / 2
	for _, quotas := range [][]jsonQuota{q.Quotas, reversed, slices.Concat(q.Quotas[half:], q.Quotas[:half])} {
		if why := q.differs(quotas); why != "" {
			return why
		}
	}
	return ""
}

func (q *quotaCase) differs(quotas []jsonQuota) string {
	s, err := stateOf(quotas, q.Total)
	switch {
	case q.Error != nil:
		return q.defectDiffers(err)
	case err != nil:
		return "refused: " + err.Error()
	case q.Kind == "runtime":
		return q.sharesDiffer(s)
	case q.Kind == "admit":
		return q.admissionDiffers(s)
	}
	return ""
}

// sharesDiffer compares the shares that are given.
func (q *quotaCase) sharesDiffer(s *quota.State) string {
	var want map[string]muster.Resources
	if err := json.Unmarshal(q.Want, &want); err != nil {
		return "want: " + err.Error()
	}
	for _, name := range slices.SortedFunc(maps.Keys(want), muster.CompareNatural) {
		got := s.Share(name)
		for _, resource := range want[name].Names() {
			if amount, ok := got[resource]; !ok || amount != want[name][resource] {
				return fmt.Sprintf("%s of %s: want %d, got %d", resource, name, want[name][resource], amount)
			}
		}
	}
	return ""
}

// admissionDiffers compares the answer to the gang.
func (q *quotaCase) admissionDiffers(s *quota.State) string {
	var want struct {
		Admitted bool
		refusedBy
	}
	if err := json.Unmarshal(q.Want, &want); err != nil {
		return "want: " + err.Error()
	}
	got, err := s.Admit(quota.Ask{Quota: q.Gang.Quota, Request: q.Gang.Request, Pinned: q.Gang.NonPreemptible}, q.Mode)
	switch {
	case err != nil:
		return err.Error()
	case got == nil && want.Admitted:
		return ""
	case got == nil:
		return "admitted, want a refusal by " + want.Quota
	case want.Admitted:
		return fmt.Sprintf("refused by %s, its %s: %v", got.Quota, got.Rule, got.Short)
	}
	refused := refusedBy{Quota: got.Quota, Rule: string(got.Rule), Deficit: muster.Resources{}}
	for _, short := range got.Short {
		refused.Deficit[short.Resource] = short.By
	}
	if refused.Quota != want.Quota || refused.Rule != want.Rule || !maps.Equal(refused.Deficit, want.Deficit) {
		return fmt.Sprintf("refusedBy: want %v, got %v", want.refusedBy, refused)
	}
	return ""
}

// defectDiffers needs one error, about the field of the quota, or of one of them where a list is given.
func (q *quotaCase) defectDiffers(err error) string {
	var names []string
	if json.Unmarshal(q.Error.Quota, &names) != nil {
		names = make([]string, 1)
		if err := json.Unmarshal(q.Error.Quota, &names[0]); err != nil {
			return "error: " + err.Error()
		}
	}
	fields := invalidFields(err)
	for _, name := range names {
		field := "quota " + name + "." + q.Error.Field
		if q.Error.Resource != "" {
			field += "." + q.Error.Resource
		}
		if slices.Equal(fields, []string{field}) {
			return ""
		}
	}
	return fmt.Sprintf("want an error about %s of %s %s, got one about %q", q.Error.Field, strings.Join(names, " or "), q.Error.Resource, fields)
}

// invalidFields lists the fields of invalid input in joined errors.
func invalidFields(err error) (fields []string) {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range joined.Unwrap() {
			fields = append(fields, invalidFields(e)...)
		}
		return fields
	}
	var bad *muster.InvalidError
	if errors.As(err, &bad) {
		fields = append(fields, bad.Field)
	}
	return fields
}

// stateOf builds a tree with what is used and asked for.
func stateOf(quotas []jsonQuota, total muster.Resources) (*quota.State, error) {
	var specs []quota.Spec
	for _, q := range quotas {
		specs = append(specs, quota.Spec{
			Name: q.Name, Parent: q.Parent, Min: q.Min, Max: q.Max, Weight: q.Weight, Guaranteed: q.Guaranteed,
			Keeps: q.AllowLent != nil && !*q.AllowLent,
		})
	}
	tree, err := quota.New(specs)
	if err != nil {
		return nil, err
	}
	s, err := tree.State(total)
	for _, q := range quotas {
		if err == nil && len(q.Used)+len(q.NonPreemptible) > 0 {
			s, err = s.Use(q.Name, q.Used, q.NonPreemptible)
		}
		if err == nil && len(q.Demand) > 0 {
			s, err = s.WithDemand(q.Name, q.Demand)
		}
	}
	for _, q := range quotas {
		if err == nil && q.Firm != nil {
			s, err = s.WithFirm(q.Name, *q.Firm)
		}
	}
	return s, err
}
