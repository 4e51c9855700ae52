package quota_test

import (
	"encoding/json"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/quota"
)

// caseQuota is a quota as the case files write it.
type caseQuota struct {
	Name, Parent                 string
	Min, Max, Weight, Guaranteed muster.Resources
	AllowLent                    *bool
	Used, Demand, NonPreemptible muster.Resources
	Firm                         *muster.Resources
}

type quotaCase struct {
	Name, Kind string
	Total      muster.Resources
	Quotas     []caseQuota
	Mode       quota.Limit
	Gang       struct {
		Quota                   string
		Request, NonPreemptible muster.Resources
	}
	Want  json.RawMessage
	Error *struct {
		Quota           json.RawMessage
		Field, Resource string
	}
}

// TestCases runs the cases of the shared file that need no cluster.
func TestCases(t *testing.T) {
	folder := os.Getenv("MUSTER_CASES")
	if folder == "" {
		folder = "../shared/cases"
	}
	if !filepath.IsAbs(folder) {
		folder = filepath.Join("..", folder)
	}
	file, err := os.ReadFile(filepath.Join(folder, "quota.json"))
	if err != nil {
		t.Skip("the shared cases are not there: ", err)
	}
	var cases []quotaCase
	require.NoError(t, json.Unmarshal(file, &cases))
	for _, c := range cases {
		if c.Kind == "cli" {
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			for i := range 8 { // in any order
				quotas := slices.Clone(c.Quotas)
				rand.New(rand.NewPCG(uint64(i), 0)).Shuffle(len(quotas), func(i, j int) { quotas[i], quotas[j] = quotas[j], quotas[i] })
				c.check(t, quotas)
			}
		})
	}
}

func (c quotaCase) check(t *testing.T, quotas []caseQuota) {
	t.Helper()
	s, err := stateOf(quotas, c.Total)
	if c.Kind == "tree" && c.Error != nil {
		c.checkDefect(t, err)
		return
	}
	require.NoError(t, err)
	switch c.Kind {
	case "runtime":
		var want map[string]muster.Resources
		require.NoError(t, json.Unmarshal(c.Want, &want))
		for name, resources := range want {
			got := s.Share(name)
			for resource, amount := range resources {
				require.Equal(t, amount, got[resource], "%s of %s", resource, name)
			}
		}
	case "admit":
		var want struct {
			Admitted    bool
			Quota, Rule string
			Deficit     muster.Resources
		}
		require.NoError(t, json.Unmarshal(c.Want, &want))
		got, err := s.Admit(quota.Ask{Quota: c.Gang.Quota, Request: c.Gang.Request, Pinned: c.Gang.NonPreemptible}, c.Mode)
		require.NoError(t, err)
		require.Equal(t, want.Admitted, got == nil)
		if got == nil {
			return
		}
		deficit := muster.Resources{}
		for _, s := range got.Short {
			deficit[s.Resource] = s.By
		}
		require.Equal(t, want.Quota, got.Quota)
		require.Equal(t, want.Rule, string(got.Rule))
		require.Equal(t, want.Deficit, deficit)
	}
}

// checkDefect compares the field of one of the errors.
func (c quotaCase) checkDefect(t *testing.T, err error) {
	t.Helper()
	require.Error(t, err)
	var quotas []string
	if json.Unmarshal(c.Error.Quota, &quotas) != nil {
		quotas = []string{""}
		require.NoError(t, json.Unmarshal(c.Error.Quota, &quotas[0]))
	}
	fields := fieldsOf(err)
	for _, name := range quotas {
		field := "quota " + name + "." + c.Error.Field
		if c.Error.Resource != "" {
			field += "." + c.Error.Resource
		}
		if slices.Contains(fields, field) {
			require.Len(t, fields, 1, "nothing else is wrong")
			return
		}
	}
	require.Fail(t, "another field", "%s of %s %s, not %q", c.Error.Field, quotas, c.Error.Resource, fields)
}

// fieldsOf lists the fields of invalid input in joined errors.
func fieldsOf(err error) (fields []string) {
	var walk func(err error)
	walk = func(err error) {
		if joined, ok := err.(interface{ Unwrap() []error }); ok {
			for _, e := range joined.Unwrap() {
				walk(e)
			}
			return
		}
		var bad *muster.InvalidError
		if errors.As(err, &bad) {
			fields = append(fields, strings.TrimSpace(bad.Field))
		}
	}
	walk(err)
	return fields
}

// stateOf builds a tree with what is used and asked for.
func stateOf(quotas []caseQuota, total muster.Resources) (*quota.State, error) {
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
	if err != nil {
		return nil, err
	}
	for _, q := range quotas {
		if len(q.Used) > 0 || len(q.NonPreemptible) > 0 {
			if s, err = s.Use(q.Name, q.Used, q.NonPreemptible); err != nil {
				return nil, err
			}
		}
		if len(q.Demand) > 0 {
			if s, err = s.WithDemand(q.Name, q.Demand); err != nil {
				return nil, err
			}
		}
	}
	for _, q := range quotas {
		if q.Firm != nil {
			if s, err = s.WithFirm(q.Name, *q.Firm); err != nil {
				return nil, err
			}
		}
	}
	return s, nil
}
