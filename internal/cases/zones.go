package cases

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/numa"
	"github.com/muster-sched/muster/placement/manifest"
)

// zoneKinds are the kinds of cases that the zones of one node decide.
var zoneKinds = []string{"fit", "slots", "hints"}

// zoneCase is a case of these kinds.
type zoneCase struct {
	Kind              string
	Zones             json.RawMessage // a list; of hints also their number, or their ids
	Member, Totals    map[string]string
	Policy, Exclusive string
	CPUGranularity    string
	ThreadsPerCore    int
	Hints             [][]struct {
		Mask      []int
		Preferred bool
	}
	Closest   bool
	Distances [][]int64
	Want      map[string]json.RawMessage
}

// jsonZone is a zone of a node and what is free in it.
type jsonZone struct {
	ID                int
	Free, Allocatable map[string]string
	Hosts             string
	Distances         map[int]int64
}

// zonesDiffer judges a case of one node.
func zonesDiffer(c *Case) string {
	var z zoneCase
	if err := c.decode(&z); err != nil {
		return err.Error()
	}
	answer := z.onNode
	if z.Kind == "hints" {
		answer = z.merge
	}
	zones, got, err := answer()
	if field, ok := z.Want["invalid"]; ok {
		return invalidDiffers(field, err)
	}
	if err != nil {
		return err.Error()
	}
	for _, key := range slices.Sorted(maps.Keys(z.Want)) {
		want := z.Want[key]
		if _, known := got[key]; !known {
			return key + ": cannot be compared"
		}
		if key == "mask" {
			want = sortedMask(want, zones)
		}
		if why := equal(key, want, got[key]); why != "" {
			return why
		}
	}
	return ""
}

// invalidDiffers needs an error about the field, or what is below it.
func invalidDiffers(want json.RawMessage, err error) string {
	var field string
	if err := json.Unmarshal(want, &field); err != nil {
		return "invalid: " + err.Error()
	}
	var invalid *muster.InvalidError
	if !errors.As(err, &invalid) {
		return fmt.Sprintf("want an error about %s, got %v", field, err)
	}
	if rest, ok := strings.CutPrefix(invalid.Field, field); !ok || rest != "" && rest[0] != '.' && rest[0] != '[' {
		return fmt.Sprintf("want an error about %s, got %v", field, err)
	}
	return ""
}

// sortedMask puts ids in order; null is all zones.
func sortedMask(want json.RawMessage, zones *numa.Zones) json.RawMessage {
	var ids []int
	switch err := json.Unmarshal(want, &ids); {
	case err != nil:
		return want
	case ids == nil:
		ids = zones.IDs(1<<zones.Len() - 1)
	}
	slices.Sort(ids)
	text, _ := json.Marshal(ids)
	return text
}

// onNode says which zones the member gets and how many copies of it the node takes.
func (z *zoneCase) onNode() (*numa.Zones, map[string]any, error) {
	zones, node, err := z.node()
	if err != nil {
		return nil, nil, err
	}
	resources, err := amounts(z.Member)
	if err != nil {
		return nil, nil, err
	}
	need, err := zones.Need(numa.Member{
		Resources: resources, Policy: numa.Policy(z.Policy), Exclusive: numa.Exclusive(z.Exclusive), ThreadsPerCore: z.ThreadsPerCore,
		CPUs: map[string]numa.Granularity{"cpu": numa.WholeCPUs, "core": numa.WholeCores}[z.CPUGranularity],
	}, "")
	if err != nil {
		return nil, nil, err
	}
	if z.Kind == "fit" {
		fit := need.Fit(node)
		return zones, map[string]any{
			"fits": fit.Fits, "mask": zones.IDs(fit.Mask), "score": float64(need.Score(node, fit)) / numa.Point,
		}, nil
	}
	count := need.Slots(node)
	if split := need.Split(node, int(count.Slots)); !count.Proven() || len(split) != int(count.Slots) {
		return nil, nil, fmt.Errorf("slots: %d, proven %t, of which %d can be placed together", count.Slots, count.Proven(), len(split))
	}
	return zones, map[string]any{"slots": count.Slots}, nil
}

// node builds the node of a case; what of its zones is not free is in use by somebody unknown.
func (z *zoneCase) node() (*numa.Zones, *numa.Occupancy, error) {
	var list []jsonZone
	if err := json.Unmarshal(z.Zones, &list); err != nil {
		return nil, nil, err
	}
	var zones []numa.Zone
	totals, err := amounts(z.Totals)
	state := numa.State{Totals: totals}
	for _, from := range list {
		free, errFree := amounts(from.Free)
		has, errHas := amounts(from.Allocatable)
		err = errors.Join(err, errFree, errHas)
		if has == nil {
			has = free
		}
		used := muster.Resources{}
		for name := range has {
			used[name] = has[name] - free[name]
		}
		zones = append(zones, numa.Zone{ID: from.ID, Allocatable: has, Distances: from.Distances})
		state.Zones = append(state.Zones, numa.Occupied{ID: from.ID, Used: used, Hosts: map[string]numa.Hosts{
			"single": numa.HostsSingle, "spanning": numa.HostsSpanning, "both": numa.HostsSingle | numa.HostsSpanning,
		}[from.Hosts]})
	}
	if err != nil {
		return nil, nil, err
	}
	all, err := numa.NewZones(zones)
	if err != nil {
		return nil, nil, err
	}
	node, err := all.Occupancy(state)
	return all, node, err
}

// amounts reads quantities, nil if there are none. Negative ones are for package numa to refuse.
func amounts(texts map[string]string) (muster.Resources, error) {
	if texts == nil {
		return nil, nil
	}
	out := muster.Resources{}
	for name, text := range texts {
		digits, negative := strings.CutPrefix(text, "-")
		q, err := manifest.ParseQuantity(digits)
		if err != nil {
			return nil, fmt.Errorf("%s %q: %w", name, text, err)
		}
		if out[name], err = q.Amount(name); err != nil {
			return nil, fmt.Errorf("%s %q: %w", name, text, err)
		}
		if negative {
			out[name] = -out[name]
		}
	}
	return out, nil
}

// merge merges hints.
func (z *zoneCase) merge() (*numa.Zones, map[string]any, error) {
	var ids []int
	var n int
	if json.Unmarshal(z.Zones, &n) == nil {
		for i := range n {
			ids = append(ids, i)
		}
	} else if err := json.Unmarshal(z.Zones, &ids); err != nil {
		return nil, nil, err
	}
	list := make([]numa.Zone, len(ids))
	for i, id := range ids {
		list[i].ID = id
		if z.Distances != nil {
			list[i].Distances = map[int]int64{}
			for j, other := range ids {
				list[i].Distances[other] = z.Distances[i][j]
			}
		}
	}
	zones, err := numa.NewZones(list)
	if err != nil {
		return nil, nil, err
	}
	var lists [][]numa.Hint
	for _, from := range z.Hints {
		var to []numa.Hint
		if from != nil {
			to = []numa.Hint{}
		}
		for _, h := range from {
			mask, ok := zones.Mask(h.Mask...)
			if !ok {
				return nil, nil, fmt.Errorf("no such zones: %v", h.Mask)
			}
			to = append(to, numa.Hint{Mask: mask, Preferred: h.Preferred})
		}
		lists = append(lists, to)
	}
	got, err := zones.Merge(numa.Policy(z.Policy), lists, z.Closest)
	return zones, map[string]any{"admit": got.Admit, "preferred": got.Preferred, "mask": zones.IDs(got.Mask)}, err
}
