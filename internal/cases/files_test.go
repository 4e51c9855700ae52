package cases

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/internal/cli"
	"github.com/muster-sched/muster/placement/manifest"
	"github.com/muster-sched/muster/placement/render"
	"github.com/muster-sched/muster/quota"
)

// Whatever files say, plans keep every rule, victims included, and the order of the objects changes nothing.
func TestPlansOfDrawnFilesAreValidInAnyOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := files{T: t}
		f.cluster()
		opt := cli.Options{QuotaLimit: pick(t, "", "", quota.Fair, quota.Borrow, quota.Greedy)}
		text, p := f.plan(opt)
		for i := range p.Outcomes {
			require.Empty(t, invalid(p, &p.Outcomes[i]))
			require.NotErrorIs(t, p.Outcomes[i].Err, muster.ErrNotSupported, "reading leaves out what no plan keeps")
		}
		slices.Reverse(f.objects)
		turned, _ := f.plan(opt)
		require.Equal(t, text, turned)
	})
}

// files are objects that are drawn.
type files struct {
	*rapid.T
	objects []any
	free    []int    // GPUs by node
	quotas  []string // leaves, empty: none
}

type fields = map[string]any

func pick[V any](t *rapid.T, from ...V) V { return rapid.SampledFrom(from).Draw(t, "pick") }

func (f *files) number(low, high int) int { return rapid.IntRange(low, high).Draw(f.T, "number") }

// rarely is true once in so many times.
func (f *files) rarely(n int) bool { return f.number(1, n) == n }

func (f *files) add(version, kind, name string, labels, spec fields) fields {
	o := fields{"apiVersion": version, "kind": kind, "metadata": fields{"name": name, "labels": labels}, "spec": spec}
	f.objects = append(f.objects, o)
	return o
}

// plan plans what the objects say and writes it both ways.
func (f *files) plan(opt cli.Options) (string, *cli.Planned) {
	data, err := json.Marshal(fields{"apiVersion": "v1", "kind": "List", "items": f.objects})
	require.NoError(f, err)
	p, err := cli.Plan([]manifest.File{{Name: "f.json", Data: data}}, opt)
	require.NoError(f, err)
	var b bytes.Buffer
	require.NoError(f, render.JSON(&b, p.Outcomes))
	require.NoError(f, render.Text(&b, p.Outcomes))
	return b.String(), p
}

// cluster draws nodes, quotas and budgets, running pods, most of them in gangs, and gangs that wait.
func (f *files) cluster() {
	f.add("kueue.x-k8s.io/v1beta1", "Topology", "default", nil, fields{"levels": []any{fields{"nodeLabel": "block"}, fields{"nodeLabel": "rack"}}})
	for i := range f.number(2, 8) {
		f.free = append(f.free, pick(f.T, 2, 4, 8))
		labels := fields{"block": fmt.Sprint("b", i/4), "rack": fmt.Sprint("r", i/2)}
		n := f.add("v1", "Node", fmt.Sprint("n", i), labels, fields{"unschedulable": f.rarely(12)})
		n["status"] = fields{"allocatable": fields{"gpu": f.free[i], "pods": 110}}
	}
	f.quotas = []string{""}
	if f.rarely(2) {
		f.quotas = append(f.quotas, "qa", "qb", "qc")
		for _, name := range []string{"dept", "qa", "qb", "qc"} {
			least := f.number(0, 3)
			labels := fields{"quota.scheduling.koordinator.sh/parent": map[string]string{"qa": "dept", "qb": "dept"}[name]}
			if name == "dept" {
				least = f.number(6, 8)
			}
			f.add("scheduling.sigs.k8s.io/v1alpha1", "ElasticQuota", name, labels, fields{"min": fields{"gpu": least}, "max": fields{"gpu": 40}})
		}
	}
	for i := range f.number(0, 2) {
		spec := fields{"selector": fields{"matchLabels": fields{"app": fmt.Sprint(i)}}}
		spec[pick(f.T, "minAvailable", "maxUnavailable")] = pick[any](f.T, 1, 2, "50%", "30%")
		f.add("policy/v1", "PodDisruptionBudget", fmt.Sprint("pdb", i), nil, spec)
	}
	for i := range f.number(1, 6) {
		f.gang(fmt.Sprint("runs", i), pick(f.T, 1, 1, 2, 3), 4)
	}
	for i := range f.number(1, 3) {
		f.gang(fmt.Sprint("waits", i), f.number(1, 4), 1)
	}
	for i := range f.number(0, 2) {
		f.parted(fmt.Sprint("parts", i), f.number(0, 2))
	}
	for i := range f.number(0, 2) {
		f.exclusive(fmt.Sprint("alone", i))
	}
	for i := range f.number(0, 2) {
		f.daemon(fmt.Sprint("daemon", i))
	}
}

// gang draws a gang of which each pod runs, if there is room, so many times in four. Some have no PodGroup: their pods are plain.
func (f *files) gang(name string, gpus, runs int) {
	labels := fields{}
	members, in := f.number(1, 6), pick(f.T, f.quotas...)
	if in != "" {
		labels["quota.scheduling.koordinator.sh/name"] = in
	}
	if !f.rarely(3) {
		labels["pod-group.scheduling.sigs.k8s.io"] = name
		aware := fields{}
		if f.rarely(3) {
			aware["gatherStrategy"] = []any{fields{"layer": pick(f.T, "rack", "block"), "strategy": pick(f.T, "MustGather", "PreferGather")}}
		}
		if f.rarely(3) {
			aware["parallelModel"] = []any{fields{"parallelStrategy": "pipeline-parallel", "parallelism": f.number(1, min(3, members))}}
		}
		f.add("scheduling.sigs.k8s.io/v1alpha1", "PodGroup", name, nil, fields{"minMember": f.number(1, members), "networkTopologyAware": aware})
	}
	for i := range members {
		f.pod(fmt.Sprint(name, "-", i), labels, gpus, f.number(1, 4) <= runs)
	}
	if f.rarely(4) {
		f.keepApart(name, members)
	}
}

func (f *files) pod(name string, gang fields, gpus int, runs bool) {
	labels := fields{"app": fmt.Sprint(f.number(0, 3)), "quota.scheduling.koordinator.sh/preemptible": fmt.Sprint(!f.rarely(10))}
	for key, value := range gang {
		labels[key] = value
	}
	spec := fields{"priority": f.number(0, 6), "containers": []any{fields{"resources": fields{"requests": fields{"gpu": gpus}}}}}
	p := f.add("v1", "Pod", name, labels, spec)
	if at := f.number(0, len(f.free)-1); runs && f.free[at] >= gpus {
		f.free[at] -= gpus
		spec["nodeName"] = fmt.Sprint("n", at)
		if f.rarely(2) {
			p["status"] = fields{"startTime": fmt.Sprintf("2026-01-01T%02d:00:00Z", f.number(0, 23))}
		}
		if f.rarely(8) {
			p["metadata"].(fields)["deletionTimestamp"] = "2026-01-01T00:00:00Z"
		}
	}
}
