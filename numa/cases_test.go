package numa_test

import (
	"encoding/json"
	"errors"
	"math/big"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/numa"
)

// casesFile is where the cases are: in MUSTER_CASES, relative to the repository, or ../shared/cases beside it.
func casesFile() string {
	folder := os.Getenv("MUSTER_CASES")
	if folder == "" {
		folder = "../shared/cases"
	}
	if !filepath.IsAbs(folder) {
		folder = filepath.Join("..", folder)
	}
	return filepath.Join(folder, "numa.json")
}

type jsonZone struct {
	ID                int
	Free, Allocatable map[string]string
	Hosts             string
	Distances         map[int]int64
}

// jsonCase is a case that one node decides.
type jsonCase struct {
	Name, Kind        string
	Zones             json.RawMessage
	Member, Totals    map[string]string
	Policy, Exclusive string
	CPUGranularity    string
	ThreadsPerCore    int
	Hints             [][]jsonHint
	Closest           bool
	Distances         [][]int64
	Want              struct {
		Invalid          string
		Slots            *int64
		Fits             *bool
		Admit, Preferred *bool
		Mask             json.RawMessage
		Score            *int64
	}
}

type jsonHint struct {
	Mask      []int
	Preferred bool
}

// quantity reads `3500m` and `32Gi`: milli-CPU, bytes, counts.
func quantity(t *testing.T, name, text string) int64 {
	t.Helper()
	scale := big.NewRat(1, 1)
	if name == muster.CPU {
		scale.SetInt64(1000)
	}
	for suffix, factor := range map[string]*big.Rat{
		"m": big.NewRat(1, 1000), "Ki": big.NewRat(1<<10, 1), "Mi": big.NewRat(1<<20, 1), "Gi": big.NewRat(1<<30, 1),
	} {
		if number, ok := strings.CutSuffix(text, suffix); ok {
			text, scale = number, scale.Mul(scale, factor)
		}
	}
	number, ok := new(big.Rat).SetString(text)
	require.True(t, ok, text)
	require.True(t, number.Mul(number, scale).IsInt(), text)
	return number.Num().Int64()
}

func resources(t *testing.T, amounts map[string]string) muster.Resources {
	t.Helper()
	if amounts == nil {
		return nil
	}
	r := muster.Resources{}
	for name, text := range amounts {
		r[name] = quantity(t, name, text)
	}
	return r
}

// node builds the node of a case of the kinds fit and slots.
func (c *jsonCase) node(t *testing.T) (*numa.Need, *numa.Node, error) {
	t.Helper()
	var list []jsonZone
	require.NoError(t, json.Unmarshal(c.Zones, &list))
	var zones []numa.Zone
	state := numa.State{Totals: resources(t, c.Totals)}
	for _, z := range list {
		free, has := resources(t, z.Free), resources(t, z.Allocatable)
		if has == nil {
			has = free
		}
		used := muster.Resources{}
		for name := range has {
			used[name] = has[name] - free[name]
		}
		zones = append(zones, numa.Zone{ID: z.ID, Allocatable: has, Distances: z.Distances})
		state.Zones = append(state.Zones, numa.Occupied{ID: z.ID, Used: used, Hosts: map[string]numa.Hosts{
			"single": numa.HostsSingle, "spanning": numa.HostsSpanning, "both": numa.HostsSingle | numa.HostsSpanning,
		}[z.Hosts]})
	}
	all, err := numa.NewZones(zones)
	if err != nil {
		return nil, nil, err
	}
	node, err := all.Node(state)
	if err != nil {
		return nil, nil, err
	}
	need, err := all.Need(numa.Member{
		Resources: resources(t, c.Member), Policy: numa.Policy(c.Policy), Exclusive: numa.Exclusive(c.Exclusive),
		CPUs: map[string]numa.Granularity{"cpu": numa.WholeCPUs, "core": numa.WholeCores}[c.CPUGranularity], ThreadsPerCore: c.ThreadsPerCore,
	}, "")
	return need, node, err
}

func (c *jsonCase) judge(t *testing.T) {
	if c.Kind == "hints" {
		c.merge(t)
		return
	}
	need, node, err := c.node(t)
	if c.Want.Invalid != "" {
		var invalid *muster.InvalidError
		require.ErrorAs(t, err, &invalid)
		require.True(t, invalid.Field == c.Want.Invalid || strings.HasPrefix(invalid.Field, c.Want.Invalid+"[") || strings.HasPrefix(invalid.Field, c.Want.Invalid+"."), invalid.Field)
		return
	}
	require.NoError(t, err)
	if c.Want.Slots != nil {
		count := need.Slots(node)
		require.Equal(t, *c.Want.Slots, count.Slots)
		require.True(t, count.Proven())
		require.Len(t, need.Split(node, int(count.Slots)), int(count.Slots))
	}
	if c.Want.Fits != nil {
		fit := need.Fit(node)
		require.Equal(t, *c.Want.Fits, fit.Fits)
		if len(c.Want.Mask) > 0 {
			require.Equal(t, c.mask(t, node.Zones()), fit.Mask)
		}
		if c.Want.Score != nil {
			require.Equal(t, *c.Want.Score*numa.Point, need.Score(node, fit))
		}
	}
}

// mask reads the wanted mask; null is all zones.
func (c *jsonCase) mask(t *testing.T, zones *numa.Zones) numa.Mask {
	t.Helper()
	var ids []int
	require.NoError(t, json.Unmarshal(c.Want.Mask, &ids))
	if ids == nil {
		return 1<<zones.Len() - 1
	}
	m, ok := zones.Mask(ids...)
	require.True(t, ok)
	return m
}

func (c *jsonCase) merge(t *testing.T) {
	var ids []int
	if n, err := strconv.Atoi(string(c.Zones)); err == nil {
		for i := range n {
			ids = append(ids, i)
		}
	} else {
		require.NoError(t, json.Unmarshal(c.Zones, &ids))
	}
	var list []numa.Zone
	for i, id := range ids {
		z := numa.Zone{ID: id}
		if c.Distances != nil {
			z.Distances = map[int]int64{}
			for j, other := range ids {
				z.Distances[other] = c.Distances[i][j]
			}
		}
		list = append(list, z)
	}
	zones, err := numa.NewZones(list)
	require.NoError(t, err)
	var lists [][]numa.Hint
	for _, from := range c.Hints {
		var to []numa.Hint
		if from != nil {
			to = []numa.Hint{}
		}
		for _, h := range from {
			m, ok := zones.Mask(h.Mask...)
			require.True(t, ok)
			to = append(to, numa.Hint{Mask: m, Preferred: h.Preferred})
		}
		lists = append(lists, to)
	}
	got, err := zones.Merge(numa.Policy(c.Policy), lists, c.Closest)
	require.NoError(t, err)
	if c.Want.Admit != nil {
		require.Equal(t, *c.Want.Admit, got.Admit)
	}
	if c.Want.Preferred != nil {
		require.Equal(t, *c.Want.Preferred, got.Preferred)
	}
	if len(c.Want.Mask) > 0 {
		require.Equal(t, c.mask(t, zones), got.Mask)
	}
}

// TestCases judges every case that one node decides; those of whole plans are judged with the planner.
func TestCases(t *testing.T) {
	data, err := os.ReadFile(casesFile())
	if errors.Is(err, os.ErrNotExist) {
		t.Skipf("no file %s; MUSTER_CASES names another folder", casesFile())
	}
	require.NoError(t, err)
	var raw []json.RawMessage
	require.NoError(t, json.Unmarshal(data, &raw))
	holding := map[string]int{}
	for _, text := range raw {
		var kind struct{ Kind string }
		require.NoError(t, json.Unmarshal(text, &kind))
		if kind.Kind == "plan" {
			continue
		}
		var c jsonCase
		require.NoError(t, json.Unmarshal(text, &c))
		if t.Run(c.Name, c.judge) {
			holding[c.Kind]++
		}
	}
	t.Logf("cases of one node that hold: %v", holding)
}
