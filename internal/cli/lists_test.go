package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// lists are inputs of a few megabytes in which two long lists meet, by what meets what.
var lists = map[string]func(b *writer){
	"taints of one node": func(b *writer) {
		b.node(0, nil, b.taints(0, 60000))
		b.pod("w", object{"tolerations": b.tolerations(60000)})
	},
	"taints of many nodes": func(b *writer) {
		for i := range 200 {
			b.node(i, nil, b.taints(300*i, 300))
		}
		b.pod("w", object{"tolerations": b.tolerations(60000)})
	},
	"equal taints": func(b *writer) {
		for i := range 500 {
			b.node(i, nil, b.taints(59900, 100))
		}
		b.pod("w", object{"tolerations": b.tolerations(60000)})
	},
	"tolerations of a gang": func(b *writer) {
		for i := range 200 {
			b.node(i, nil, b.taints(100*i, 100))
			b.member(fmt.Sprint("w-", i), object{"tolerations": b.taints(100*i, 100)})
		}
	},
	"values": func(b *writer) {
		b.nodes(5000)
		b.pod("w", required(anyOf{"matchExpressions": []any{in("z", count("v", 60000)...)}}))
	},
	"names": func(b *writer) {
		b.nodes(5000)
		b.pod("w", required(anyOf{"matchFields": []any{in("metadata.name", count("v", 60000)...)}}))
	},
	"terms": func(b *writer) {
		b.nodes(5000)
		var terms []anyOf
		for i := range 20000 {
			terms = append(terms, anyOf{"matchExpressions": []any{in("z", fmt.Sprint("v", i))}})
		}
		b.pod("w", required(terms...))
	},
	"expressions": func(b *writer) {
		b.nodes(5000)
		var all []any
		for i := range 20000 {
			all = append(all, object{"key": fmt.Sprint("k", i), "operator": "DoesNotExist"})
		}
		b.pod("w", required(anyOf{"matchExpressions": all}))
	},
	"negative terms": func(b *writer) {
		b.nodes(5000)
		var terms []anyOf
		for i := range 20000 {
			terms = append(terms, anyOf{"matchExpressions": []any{object{"key": "z", "operator": "DoesNotExist"}, in("z", fmt.Sprint(i))}})
			terms[i]["matchExpressions"].([]any)[1].(object)["operator"] = "NotIn"
		}
		b.pod("w", required(terms...))
	},
	"budgets of values": func(b *writer) {
		for i := range 3000 {
			b.budget(i, object{"matchExpressions": []any{in("app", fmt.Sprint("v", i))}})
		}
		b.running(10000)
	},
	"labels that nobody knows": func(b *writer) {
		labels := object{}
		for i := range 100000 {
			labels[fmt.Sprint("volcano.sh/nobody-knows-", i)] = "x"
		}
		b.nodes(1)
		b.labeled("w", labels, object{})
	},
	"indexes that are done": func(b *writer) {
		const n = 100000
		b.nodes(1)
		job := object{"parallelism": n, "completions": n, "template": object{"spec": object{}}}
		b.add("jobset.x-k8s.io/v1alpha2", "JobSet", "s", nil, object{"replicatedJobs": []any{object{"name": "w", "template": object{"spec": job}}}}, nil)
		var done []string
		for i := 1; i < n; i += 2 {
			done = append(done, fmt.Sprint(i))
		}
		b.add("batch/v1", "Job", "s-w-0", nil, job, object{
			"metadata": object{
				"name": "s-w-0", "ownerReferences": []any{object{"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet", "name": "s", "controller": true}},
				"labels": object{"jobset.sigs.k8s.io/jobset-name": "s", "jobset.sigs.k8s.io/replicatedjob-name": "w", "jobset.sigs.k8s.io/job-index": "0"},
			},
			"status": object{"completedIndexes": strings.Join(done, ",")},
		})
	},
	"budgets of everything": func(b *writer) {
		for i := range 1000 {
			b.budget(i, object{})
		}
		b.running(10000)
	},
}

// refusedLists are those in which somebody would have to be compared with everything, by what is said of it.
var refusedLists = map[string]string{
	"negative terms":        "Pod/w: spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms: more than 256 terms that no label tells apart: each would be compared with each node",
	"budgets of everything": "Pod/p-0: metadata.labels: more than 256 PodDisruptionBudgets may select it",
}

type (
	object map[string]any
	anyOf  map[string]any
)

// writer writes objects.
type writer struct{ out strings.Builder }

func (b *writer) add(version, kind, name string, labels, spec, more object) {
	o := object{"apiVersion": version, "kind": kind, "metadata": object{"name": name, "labels": labels}, "spec": spec}
	for k, v := range more {
		o[k] = v
	}
	data, err := json.Marshal(o)
	if err != nil {
		panic(err)
	}
	b.out.Write(data)
	b.out.WriteByte('\n')
}

func (b *writer) node(i int, labels object, taints []any) {
	b.add("v1", "Node", fmt.Sprint("n-", i), labels, object{"taints": taints}, object{"status": object{"allocatable": object{"cpu": "64", "pods": "1000"}}})
}

func (b *writer) nodes(n int) {
	for i := range n {
		b.node(i, object{"z": fmt.Sprint("z", i)}, nil)
	}
}

func (b *writer) pod(name string, spec object) { b.labeled(name, nil, spec) }
func (b *writer) member(name string, spec object) {
	b.labeled(name, object{"scheduling.x-k8s.io/pod-group": "g"}, spec)
}

func (b *writer) labeled(name string, labels, spec object) {
	spec["containers"] = []any{object{"name": "c", "resources": object{"requests": object{"cpu": "1"}}}}
	b.add("v1", "Pod", name, labels, spec, nil)
}

func (b *writer) running(n int) {
	b.nodes(500)
	for i := range n {
		b.labeled(fmt.Sprint("p-", i), object{"app": "x"}, object{"nodeName": fmt.Sprint("n-", i%500)})
	}
}

func (b *writer) budget(i int, selector object) {
	b.add("policy/v1", "PodDisruptionBudget", fmt.Sprint("b-", i), nil, object{"minAvailable": 1, "selector": selector}, nil)
}

// taints are so many from the first on; they are tolerations of themselves, too.
func (b *writer) taints(first, n int) (list []any) {
	for i := range n {
		list = append(list, object{"key": fmt.Sprint("t-", first+i), "value": "x", "effect": "NoSchedule"})
	}
	return list
}

// tolerations are of all taints below n, the last ones first.
func (b *writer) tolerations(n int) []any {
	list := b.taints(0, n)
	slices.Reverse(list)
	return list
}

func required(terms ...anyOf) object {
	return object{"affinity": object{"nodeAffinity": object{"requiredDuringSchedulingIgnoredDuringExecution": object{"nodeSelectorTerms": terms}}}}
}

func in(key string, values ...string) object {
	return object{"key": key, "operator": "In", "values": values}
}

func count(prefix string, n int) (list []string) {
	for i := range n {
		list = append(list, fmt.Sprint(prefix, i))
	}
	return list
}

// Whatever lists meet, the answer is a plan, or names who would have to be compared with everything.
func TestListsThatMeet(t *testing.T) {
	if testing.Short() {
		t.Skip("large")
	}
	for name, write := range lists {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := &writer{}
			write(b)
			status, out, said := commandWithInput(b.out.String(), "-explain", "-")
			if why, is := refusedLists[name]; is {
				require.Equal(t, 1, status)
				require.Contains(t, said, why)
				return
			}
			require.Zero(t, status, said[:min(len(said), 1000)])
			require.NotEmpty(t, out)
		})
	}
}

// What such files cost: about what it takes to read them.
func BenchmarkLists(b *testing.B) {
	for name, write := range lists {
		l := &writer{}
		write(l)
		text := l.out.String()
		b.Run("lists="+strings.ReplaceAll(name, " ", "-"), func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				Run([]string{"-"}, strings.NewReader(text), io.Discard, io.Discard)
			}
		})
	}
}
