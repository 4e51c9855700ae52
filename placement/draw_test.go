package placement_test

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/draws"
	"github.com/muster-sched/muster/internal/reference"
	"github.com/muster-sched/muster/internal/validity"
	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/topology"
)

// drawInput draws a filled cluster and a gang that may fit; a third of the clusters has zones, in which members run, and the
// gang then mostly a NUMA policy. Sometimes the nodes lie otherwise in a second tree and the gang
// is planned there.
func drawInput(t *rapid.T) (cluster.Spec, *gang.Request) {
	in := reference.DrawInput(t, draws.Small)
	if len(in.Spec.Trees) > 0 && rapid.IntRange(0, 3).Draw(t, "second tree") == 3 {
		spec := in.Spec.Trees[0].Tree.Spec()
		var names []string
		eachNode(&spec, func(name *string) { names = append(names, *name) })
		names = rapid.Permutation(names).Draw(t, "its nodes")
		for i := range rapid.IntRange(0, len(names)-1).Draw(t, "places without a node") {
			names[i] = fmt.Sprint("absent-", i) // and a node that lies outside
		}
		eachNode(&spec, func(name *string) { *name, names = names[0], names[1:] })
		in.Spec.Trees[0].Name = "default"
		in.Spec.Trees = append(in.Spec.Trees, cluster.NamedTree{Name: "second", Tree: newTree(t, spec)})
		in.Request.Tree = rapid.SampledFrom([]string{"", "second", "second"}).Draw(t, "tree")
	}
	return in.Spec, &in.Request
}

// without is a list without one element.
func without[T any](list []T, i int) []T { return slices.Delete(slices.Clone(list), i, i+1) }

func newCluster(t require.TestingT, spec cluster.Spec) *placement.Cluster {
	c, err := placement.NewCluster(spec)
	require.NoError(t, err)
	return c
}

func newTree(t require.TestingT, spec topology.Spec) *topology.Tree {
	tree, err := topology.New(spec)
	require.NoError(t, err)
	return tree
}

// eachNode visits the names of the nodes of a tree to be.
func eachNode(spec *topology.Spec, visit func(name *string)) {
	var down func(domains []topology.Domain)
	down = func(domains []topology.Domain) {
		for i := range domains {
			for j := range domains[i].Nodes {
				visit(&domains[i].Nodes[j])
			}
			down(domains[i].Children)
		}
	}
	down(spec.Roots)
	for i := range spec.Nodes {
		visit(&spec.Nodes[i])
	}
}

// answer is what Plan returns, in a form that can be compared.
type answer struct {
	Result *placement.Result
	Error  string
	Why    *placement.Unschedulable
	Nodes  placement.NodeCauses
}

func plan(c *placement.Cluster, req *gang.Request) answer { return answerOf(placement.Plan(c, req)) }

func answerOf(res *placement.Result, err error) answer {
	a := answer{Result: public(res)}
	if err != nil {
		a.Error = err.Error()
	}
	var why *placement.Unschedulable
	if errors.As(err, &why) {
		a.Nodes = why.Nodes()
		a.Why = public(why)
	}
	return a
}

// public is a copy of the exported fields of a struct.
func public[T any](from *T) *T {
	if from == nil {
		return nil
	}
	to := new(T)
	for i := range reflect.TypeFor[T]().NumField() {
		if f := reflect.ValueOf(to).Elem().Field(i); f.CanSet() {
			f.Set(reflect.ValueOf(from).Elem().Field(i))
		}
	}
	return to
}

// state is all that a snapshot shows of itself.
type state struct {
	Spec cluster.Spec
	Free map[string]muster.Resources
}

// stateOf leaves out what does not depend on the cluster alone: that a node has none of a resource is said for those
// resources that some node has or had.
func stateOf(c *placement.Cluster) state {
	s := state{Spec: validity.Describe(c), Free: map[string]muster.Resources{}}
	s.Spec.Trees = c.Trees()
	for n := range c.Nodes() {
		free, _ := c.Free(n.Name)
		maps.DeleteFunc(free, func(r string, amount int64) bool { return amount == 0 && n.Allocatable[r] == 0 })
		s.Free[n.Name] = free
	}
	return s
}

// further are requests that see what a drawn one does not: gangs without rules and of another shape, and the same gang.
func further(req *gang.Request) []*gang.Request {
	plain := &gang.Request{Name: "ns/next", Tree: req.Tree, Members: []gang.Member{{Name: "a"}, {Name: "b"}}}
	plain.Shape.Resources = muster.Resources{"gpu": 1, muster.Pods: 1}
	big := *req
	big.Name, big.MinMember, big.Policy = "ns/next", 1, gang.Spread
	small := *plain
	small.Name, small.Shape.Resources, small.AffinityKey = "ns/other", muster.Resources{muster.CPU: 500}, "key"
	small.Shape.NUMA.Policy = req.Shape.NUMA.Policy
	roles := *plain
	roles.Name = "ns/roles"
	roles.Members = []gang.Member{{Name: "a", Shape: &gang.Shape{Resources: muster.Resources{"gpu": 2, muster.Pods: 1}}}, {Name: "b"}, {Name: "c"}}
	small.Shape.Preferred = []gang.Preference{{Weight: 1, Nodes: gang.NodeTerm{Labels: []gang.Expression{{Key: "kind", Operator: gang.In, Values: []string{"a"}}}}}}
	nested := *plain
	nested.Members = []gang.Member{{Name: "a"}, {Name: "b"}, {Name: "c"}, {Name: "d"}}
	nested.Groups = []gang.Groups{{Size: 4}, {Size: 2}}
	alone := roles
	alone.Name, alone.Limits = "ns/alone", []gang.Limit{{Layer: "1", Kind: gang.Alone}}
	beside := alone
	beside.Limits = nil
	beside.Parts = []gang.Part{{Name: "alone", Members: []string{"a", "b"}, Limits: alone.Limits}, {Name: "beside", Members: []string{"c"}}}
	return []*gang.Request{req, plain, &big, &small, &roles, &alone, &beside, &nested}
}

// requireSame compares two snapshots by what they show and what is planned on them.
func requireSame(t require.TestingT, want, got *placement.Cluster, reqs []*gang.Request, what string) {
	require.Equal(t, stateOf(want), stateOf(got), what)
	for _, req := range reqs {
		answer := plan(got, req)
		require.Equal(t, plan(want, req), answer, what)
		require.Equal(t, plan(got, reference.WithoutIndex(*req)), answer, "%s; without an index", what)
	}
}
