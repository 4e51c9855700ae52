package muster_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/scenario"
	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/topology"
)

// The README shows the body of this function.
func Example_plan() {
	// A host has nodes with labels; here two units of four nodes behind one leaf.
	spec := cluster.Spec{}
	var labels []topology.LabeledNode
	for i := range 8 {
		n := cluster.Node{
			Name:        fmt.Sprintf("node-%d", i),
			Labels:      map[string]string{"leaf": "leaf-0", "unit": fmt.Sprintf("unit-%d", i/4)},
			Allocatable: muster.Resources{muster.CPU: 64_000, "nvidia.com/gpu": 8},
		}
		spec.Nodes = append(spec.Nodes, n)
		labels = append(labels, topology.LabeledNode{Name: n.Name, Labels: n.Labels})
	}
	layers := topology.LabelLayers{Layers: []topology.LabelLayer{{Keys: []string{"leaf"}}, {Keys: []string{"unit"}}}}
	tree, err := topology.FromLabels(layers, labels)
	if err != nil {
		panic(err)
	}
	spec.Trees = []cluster.NamedTree{{Name: "default", Tree: tree}}
	c, err := placement.NewCluster(spec)
	if err != nil {
		panic(err)
	}

	// Six members that take a node each, in pipelines of three, each pipeline within one unit.
	train := &gang.Request{
		Name:   "ns/train",
		Shape:  gang.Shape{Resources: muster.Resources{muster.CPU: 32_000, "nvidia.com/gpu": 8}},
		Groups: []gang.Groups{{Size: 3, Gather: []gang.Rule{{Layer: "unit", Strength: gang.MustGather}}}},
	}
	for i := range 6 {
		train.Members = append(train.Members, gang.Member{Name: fmt.Sprintf("worker-%d", i)})
	}
	plan, err := placement.Plan(c, train) // changes nothing; safe for concurrent use
	if err != nil {
		panic(err)
	}
	fmt.Println("strategy", plan.StrategyNumber, plan.Strategy, "in", plan.Domain)
	for _, a := range plan.Assignments {
		fmt.Println(a.Member, "group", a.Group, a.Node)
	}

	// Apply gives a new snapshot, in which two nodes are left. A refusal says in counts why.
	if plan.Waits() {
		return // members that it needs the room of are leaving: plan again once they are gone
	}
	next, err := c.Apply(plan)
	if err != nil {
		panic(err)
	}
	again := *train
	again.Name, again.Groups = "ns/again", nil
	_, err = placement.Plan(next, &again)
	var no *placement.Unschedulable
	if errors.As(err, &no) {
		fmt.Println(no)
	}

	// Output:
	// strategy 2 leaf/unit in [leaf-0]
	// worker-0 group 0 node-0
	// worker-1 group 0 node-1
	// worker-2 group 0 node-2
	// worker-3 group 1 node-4
	// worker-4 group 1 node-5
	// worker-5 group 1 node-6
	// unschedulable: insufficient slots, 2 of 6 at leaf-0 (proven)
}

// What the README shows as code is the code above.
func TestReadmeShowsTheExample(t *testing.T) {
	source, err := os.ReadFile("readme_test.go")
	require.NoError(t, err)
	_, body, _ := strings.Cut(string(source), "\nfunc Example_plan() {\n")
	body, _, _ = strings.Cut(body, "\n}\n")
	require.Equal(t, strings.ReplaceAll("\n"+body, "\n\t", "\n")[1:]+"\n", block(t, "go"))
}

// What the README shows as a picture is a scenario that holds.
func TestReadmeShowsAPlan(t *testing.T) {
	path := filepath.Join(t.TempDir(), "readme")
	require.NoError(t, os.WriteFile(path, []byte(block(t, "text")), 0o600))
	scenario.Run(t, path)
}

// block is the first fenced block of this language in the README.
func block(t *testing.T, language string) string {
	t.Helper()
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	_, rest, ok := strings.Cut(string(readme), "\n```"+language+"\n")
	require.True(t, ok, "the README has no block of %s", language)
	text, _, ok := strings.Cut(rest, "\n```\n")
	require.True(t, ok)
	return text + "\n"
}
