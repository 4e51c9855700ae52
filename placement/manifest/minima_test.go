package manifest_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/gang/queue"
	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/placement/manifest"
)

// Which members may run without which others: what the objects of each system say, and what the request that is read from them says. Nobody
// runs yet, and who stands in for whom among members that are alike is left out of it.
func TestRequestsAllowWhatObjectsAllow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := &source{T: t, of: map[string][]string{}}
		rule := []func() func(chosen) bool{s.subgroups, s.policies, s.partitions, s.podSets}[s.number(0, 3)]()
		data, err := json.Marshal(map[string]any{"apiVersion": "v1", "kind": "List", "items": s.objects})
		require.NoError(t, err)
		input, err := manifest.Read([]manifest.File{{Name: "f", Data: data}}, manifest.Options{})
		require.NoError(t, err)
		if len(s.pods) == 0 {
			return
		}
		require.Len(t, input.Gangs, 1)
		q := &input.Gangs[0].Request
		var refused *placement.Unschedulable
		if err := input.Gangs[0].Err; !errors.As(err, &refused) { // too few pods of somebody are known
			require.NoError(t, err)
		}
		for bits := 1; bits < 1<<len(s.pods); bits++ {
			in := chosen{}
			for i, name := range s.pods {
				in[name] = bits>>i&1 == 1
			}
			require.Equal(t, rule(in), refused == nil && allows(q, in), "%v of\n%s", in, data)
		}
	})
}

// chosen are members that run.
type chosen map[string]bool

func (in chosen) count(names []string) (n int) {
	for _, name := range names {
		if in[name] {
			n++
		}
	}
	return n
}

// allows says whether a request could be placed with these members alone.
func allows(q *gang.Request, in chosen) bool {
	var all []string
	members := slices.Clone(q.Members)
	slices.SortFunc(members, func(a, b gang.Member) int { return queue.CompareMembers(&a, &b) })
	for _, m := range members {
		all = append(all, m.Name)
	}
	n := in.count(all)
	if n < q.MinMember || q.MinMember > len(all) {
		return false
	}
	own := slices.DeleteFunc(slices.Clone(all), func(name string) bool {
		return slices.ContainsFunc(q.Parts, func(p gang.Part) bool { return slices.Contains(everybody(&p), name) })
	})
	if q.MinMember == 0 && in.count(own) < len(own) {
		return false
	}
	if len(q.Groups) > 0 && !whole(in, all, q.Groups[0].Size, nil) {
		return false
	}
	return enough(q.Parts, q.MinParts, in)
}

// whole says whether of every group all or nobody is in, and counts the groups that are.
func whole(in chosen, names []string, size int, placed *int) bool {
	for group := range slices.Chunk(names, size) {
		switch in.count(group) {
		case 0:
		case len(group):
			if placed != nil {
				*placed++
			}
		default:
			return false
		}
	}
	return true
}

func everybody(p *gang.Part) []string {
	out := slices.Clone(p.Members)
	for i := range p.Parts {
		out = append(out, everybody(&p.Parts[i])...)
	}
	return out
}

// enough says whether all parts of which anybody is in may be so, and so many parts are.
func enough(parts []gang.Part, least int, in chosen) bool {
	placed := 0
	for i := range parts {
		p := &parts[i]
		n := in.count(everybody(p))
		if n == 0 {
			if p.NoGroup && p.MinParts < 0 && p.MinMember == 0 && len(p.Members) == 0 && len(p.Parts) > 0 {
				placed++
			}
			continue
		}
		placed++
		if n < p.MinMember || p.MinMember == 0 && len(p.Groups) == 0 && in.count(p.Members) < len(p.Members) {
			return false
		}
		if len(p.Groups) > 0 {
			groups, all := 0, (len(p.Members)+p.Groups[0].Size-1)/p.Groups[0].Size
			if !whole(in, p.Members, p.Groups[0].Size, &groups) || groups < p.MinParts || p.MinParts == 0 && groups < all {
				return false
			}
		}
		if !enough(p.Parts, p.MinParts, in) {
			return false
		}
	}
	return placed >= least && (least != 0 || placed == len(parts))
}

// source draws objects.
type source struct {
	*rapid.T
	objects []any
	pods    []string
	of      map[string][]string // by group
}

type fields = map[string]any

func (s *source) number(low, high int) int { return rapid.IntRange(low, high).Draw(s.T, "number") }

func (s *source) maybe(n int) any {
	if s.number(0, 1) == 0 {
		return nil
	}
	return n
}

func (s *source) add(version, kind string, spec fields) {
	s.objects = append(s.objects, fields{"apiVersion": version, "kind": kind, "metadata": fields{"name": "g"}, "spec": spec})
}

func (s *source) pod(group, key string, labels fields) {
	name := fmt.Sprint("p", len(s.pods))
	s.pods, s.of[group] = append(s.pods, name), append(s.of[group], name)
	s.objects = append(s.objects, fields{
		"apiVersion": "v1", "kind": "Pod", "metadata": fields{"name": name, "labels": labels, "annotations": fields{key: "g"}},
		"spec": fields{"nodeSelector": fields{"gen": fmt.Sprint(s.number(0, 3) / 3)}},
	})
}

// subgroups draws KAI's: leaves, some of them in two parents; of a parent so many leaves are needed, of a leaf so many members.
func (s *source) subgroups() func(chosen) bool {
	least, inside := map[string]int{}, map[string][]string{}
	var groups []any
	for _, parent := range []string{"a", "b"}[:s.number(0, 2)] {
		n := s.number(1, 2)
		for i := range n {
			inside[parent] = append(inside[parent], fmt.Sprint(parent, i))
		}
		inside[""] = append(inside[""], parent)
		group := fields{"name": parent, "minSubGroup": s.maybe(s.number(1, n))}
		if least[parent] = n; group["minSubGroup"] != nil {
			least[parent] = group["minSubGroup"].(int)
		}
		groups = append(groups, group)
	}
	for i := range s.number(0, 2) {
		inside[""] = append(inside[""], fmt.Sprint("c", i))
	}
	for _, parent := range []string{"", "a", "b"} {
		for _, name := range inside[parent] {
			if len(inside[name]) > 0 {
				continue
			}
			pods := s.number(1, 2)
			group := fields{"name": name, "minMember": s.maybe(s.number(1, 2))}
			if least[name] = 1; group["minMember"] != nil {
				least[name] = group["minMember"].(int)
			}
			if parent != "" {
				group["parent"] = parent
			}
			for range pods {
				s.pod(name, "pod-group-name", fields{"kai.scheduler/subgroup-name": name})
			}
			groups = append(groups, group)
		}
	}
	for range s.number(0, 1) {
		s.pod("", "pod-group-name", nil)
	}
	spec := fields{"subGroups": groups}
	top := len(inside[""])
	if s.number(0, 1) == 0 && top > 0 {
		top = s.number(1, top)
		spec["minSubGroup"] = top
	} else {
		spec["minMember"] = s.maybe(s.number(1, 4))
	}
	s.add("scheduling.run.ai/v2alpha2", "PodGroup", spec)
	return func(in chosen) bool {
		ok := true
		var placed func(name string) bool
		placed = func(name string) bool {
			n := 0
			for _, inner := range inside[name] {
				if placed(inner) {
					n++
				}
			}
			if len(inside[name]) == 0 {
				n = in.count(s.of[name])
			}
			ok = ok && (n == 0 || n >= least[name])
			return n > 0
		}
		least[""] = top
		if len(inside[""]) == 0 {
			least[""] = 1
			placed("")
			if spec["minMember"] == nil {
				return in.count(s.pods) > 0
			}
		} else if !placed("") {
			return false
		}
		minimum, _ := spec["minMember"].(int)
		return ok && in.count(s.pods) >= minimum && minimum <= len(s.pods)
	}
}

// policies draws Volcano's: groups are whole or absent, so many of a policy are needed, and so many members of all.
func (s *source) policies() func(chosen) bool {
	var list []any
	var sizes, leasts []int
	minimum := s.number(0, 5)
	for i := range s.number(1, 2) {
		sizes = append(sizes, s.number(1, 2))
		leasts = append(leasts, s.number(0, 2))
		list = append(list, fields{"matchLabelKeys": []any{fmt.Sprint("set", i)}, "subGroupSize": sizes[i], "minSubGroups": leasts[i]})
	}
	for range s.number(1, 6) {
		policy, set := s.number(0, len(sizes)), s.number(0, 1)
		s.pod(fmt.Sprint(policy, set), "scheduling.k8s.io/group-name", fields{fmt.Sprint("set", policy): fmt.Sprint(set)})
	}
	s.add("scheduling.volcano.sh/v1beta1", "PodGroup", fields{"minMember": minimum, "subGroupPolicy": list})
	return func(in chosen) bool {
		for i := range sizes {
			placed := 0
			for set := range 2 {
				names := s.of[fmt.Sprint(i, set)]
				switch n := in.count(names); {
				case n == 0:
				case n < len(names) || n < sizes[i]:
					return false
				default:
					placed++
				}
			}
			if placed < leasts[i] {
				return false
			}
		}
		return s.minimum(in, minimum)
	}
}

// minimum is a minimum of members; 0: all.
func (s *source) minimum(in chosen, least int) bool {
	if least == 0 {
		least = len(s.pods)
	}
	return in.count(s.pods) >= least && least <= len(s.pods)
}

// partitions draws a Job of Volcano without pods: partitions are whole or absent, so many of a task are needed.
func (s *source) partitions() func(chosen) bool {
	var tasks []any
	var sizes, leasts []int
	minimum := s.number(0, 5)
	for i := range s.number(1, 3) {
		task, n := fields{"name": fmt.Sprint("t", i), "replicas": 0}, s.number(1, 3)
		task["replicas"] = n
		sizes, leasts = append(sizes, s.number(0, 2)), append(leasts, 0)
		if sizes[i] > 0 {
			leasts[i] = s.number(0, 2)
			task["partitionPolicy"] = fields{"partitionSize": sizes[i], "minPartitions": leasts[i]}
		}
		for j := range n {
			name := fmt.Sprint("g-t", i, "-", j)
			s.pods, s.of[fmt.Sprint(i)] = append(s.pods, name), append(s.of[fmt.Sprint(i)], name)
		}
		tasks = append(tasks, task)
	}
	s.add("batch.volcano.sh/v1alpha1", "Job", fields{"minAvailable": minimum, "tasks": tasks})
	if s.number(0, 1) == 0 { // which the controller makes first
		owner := fields{"apiVersion": "batch.volcano.sh/v1alpha1", "kind": "Job", "name": "g", "controller": true}
		s.objects = append(s.objects, fields{
			"apiVersion": "scheduling.volcano.sh/v1beta1", "kind": "PodGroup", "metadata": fields{"name": "g-uid", "ownerReferences": []any{owner}},
			"spec": fields{"minMember": minimum}, "status": fields{"phase": "Pending"},
		})
	}
	for i := range sizes { // which the Job does not say
		if of := len(s.of[fmt.Sprint(i)]); minimum <= 0 && sizes[i]*leasts[i] > 0 {
			minimum -= sizes[i] * leasts[i]
		} else if minimum <= 0 {
			minimum -= of
		}
	}
	minimum = max(minimum, min(-minimum, len(s.pods)))
	return func(in chosen) bool {
		for i := range sizes {
			if placed := 0; sizes[i] > 0 && (!whole(in, s.of[fmt.Sprint(i)], sizes[i], &placed) || placed < leasts[i]) {
				return false
			}
		}
		return s.minimum(in, minimum)
	}
}

// podSets draws a Workload of Kueue: of each podset so many are needed, slices are whole or absent.
func (s *source) podSets() func(chosen) bool {
	var sets []any
	var sizes, leasts []int
	for i := range s.number(1, 3) {
		n, t := s.number(1, 3), fields{}
		leasts = append(leasts, s.number(1, n))
		if sizes = append(sizes, s.number(0, 2)); sizes[i] > 0 {
			t["podSetSliceRequiredTopology"], t["podSetSliceSize"] = "rack", sizes[i]
		}
		if s.number(0, 1) == 0 {
			t["podSetGroupName"] = "same"
		}
		sets = append(sets, fields{
			"name": fmt.Sprint("s", i), "count": n, "minCount": leasts[i], "topologyRequest": t,
			"template": fields{"spec": fields{"nodeSelector": fields{"gen": fmt.Sprint(s.number(0, 3) / 3)}}},
		})
		for j := range n {
			name := fmt.Sprint("g-s", i, "-", j)
			s.pods, s.of[fmt.Sprint(i)] = append(s.pods, name), append(s.of[fmt.Sprint(i)], name)
		}
	}
	s.add("kueue.x-k8s.io/v1beta1", "Workload", fields{"podSets": sets})
	s.add("kueue.x-k8s.io/v1beta1", "Topology", fields{"levels": []any{fields{"nodeLabel": "block"}, fields{"nodeLabel": "rack"}}})
	return func(in chosen) bool {
		for i := range leasts {
			names := s.of[fmt.Sprint(i)]
			if in.count(names) < leasts[i] || sizes[i] > 0 && !whole(in, names, sizes[i], nil) {
				return false
			}
		}
		return true
	}
}
