package cases

import (
	"fmt"
	"maps"
)

// parted draws a gang in parts that differ, in one of three forms. Its pods run as those of other gangs do.
func (f *files) parted(name string, runs int) {
	in := fields{}
	if q := pick(f.T, f.quotas...); q != "" {
		in["quota.scheduling.koordinator.sh/name"] = q
	}
	switch f.number(1, 3) {
	case 1:
		f.subgroups(name, in, runs)
	case 2:
		f.policies(name, in, runs)
	default:
		f.podSets(name)
	}
}

// level draws the name of a layer, or none.
func (f *files) level() string { return pick(f.T, "", "rack", "block") }

// subgroups draws a PodGroup of KAI: leaves that may be elastic, some below parents.
func (f *files) subgroups(name string, in fields, runs int) {
	var groups []any
	rules := func(group fields) fields {
		if at := f.level(); at != "" {
			group["topologyConstraint"] = fields{"topology": "default", pick(f.T, "requiredTopologyLevel", "preferredTopologyLevel"): at}
		}
		return group
	}
	parent := ""
	for i := range f.number(1, 4) {
		if f.rarely(3) {
			parent = fmt.Sprint("p", i)
			groups = append(groups, rules(fields{"name": parent, "minSubGroup": pick[any](f.T, nil, 1)}))
		}
		leaf, pods := fmt.Sprint("g", i), f.number(1, 3)
		least := pick[any](f.T, nil, 1, f.number(1, pods))
		groups = append(groups, rules(fields{"name": leaf, "parent": parent, "minMember": least}))
		for j := range pods {
			labels := with(in, "kai.scheduler/subgroup-name", leaf)
			f.member("pod-group-name", name, fmt.Sprint(name, "-", i, "-", j), labels, runs)
		}
	}
	if f.rarely(4) {
		f.member("pod-group-name", name, name+"-none", in, runs)
	}
	f.add("scheduling.run.ai/v2alpha2", "PodGroup", name, nil, fields{"subGroups": groups, "minSubGroup": pick[any](f.T, nil, nil, 1)})
}

// policies draws a PodGroup of Volcano whose pods have one of two labels, or none.
func (f *files) policies(name string, in fields, runs int) {
	pods, list := f.number(1, 6), []any{}
	for i := range f.number(1, 2) {
		list = append(list, fields{
			"name": fmt.Sprint("policy", i), "matchLabelKeys": []any{fmt.Sprint("set", i)},
			"subGroupSize": f.number(1, 2), "minSubGroups": pick[any](f.T, nil, 1),
		})
	}
	for i := range pods {
		labels := in
		if !f.rarely(5) {
			labels = with(in, fmt.Sprint("set", f.number(0, len(list)-1)), fmt.Sprint(f.number(0, 1)))
		}
		f.member("scheduling.k8s.io/group-name", name, fmt.Sprint(name, "-", i), labels, runs)
	}
	f.add("scheduling.volcano.sh/v1beta1", "PodGroup", name, nil, fields{"minMember": f.number(1, pods), "subGroupPolicy": list})
}

// podSets draws a Workload whose podsets may be in one group, in slices, or smaller than they are.
func (f *files) podSets(name string) {
	var sets []any
	rule := f.level()
	for i := range f.number(2, 3) {
		count := f.number(1, 3)
		t := fields{"required": rule, "podSetGroupName": pick(f.T, "", "", "g")}
		if t["podSetGroupName"] == "" {
			t["required"] = f.level()
		}
		if rule == "block" && f.rarely(2) {
			t["required"], t["podSetSliceRequiredTopology"], t["podSetSliceSize"] = "block", "rack", f.number(1, 2)
		}
		asks := fields{"containers": []any{fields{"resources": fields{"requests": fields{"gpu": f.number(1, 2)}}}}}
		sets = append(sets, fields{
			"name": fmt.Sprint("s", i), "count": count, "minCount": pick[any](f.T, nil, f.number(1, count)),
			"topologyRequest": t, "template": fields{"spec": asks},
		})
	}
	f.add("kueue.x-k8s.io/v1beta1", "Workload", name, nil, fields{"podSets": sets, "priority": f.number(0, 6)})
}

// member draws a pod of a gang that an annotation names.
func (f *files) member(key, gang, name string, labels fields, runs int) {
	f.pod(name, labels, pick(f.T, 1, 1, 2), f.number(1, 4) <= runs)
	meta := f.objects[len(f.objects)-1].(fields)["metadata"].(fields)
	meta["annotations"] = fields{key: gang}
}

// with adds a field to a copy.
func with(of fields, key string, value any) fields {
	out := maps.Clone(of)
	out[key] = value
	return out
}
