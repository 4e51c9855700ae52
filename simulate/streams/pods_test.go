package streams

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/simulate"
)

func TestReadNodes(t *testing.T) {
	const head = "sn,cpu_milli,memory_mib,gpu,model\n"
	nodes, err := ReadNodes(strings.NewReader(head+"a,64000,1024,2,P100\nb,1000,0,0,\n"), "gpu", ends)
	require.NoError(t, err)
	require.Equal(t, []cluster.Node{
		{Name: "a", Allocatable: muster.Resources{muster.CPU: 64000, muster.Memory: 1 << 30, "gpu": 2}, Labels: map[string]string{ModelLabel: "P100"}},
		{Name: "b", Allocatable: muster.Resources{muster.CPU: 1000}},
	}, nodes)
	for text, want := range map[string]string{
		"sn,gpu\n":                  "line 1: the column cpu_milli is missing",
		head + ",1,1,1,\n":          `line 2: sn: missing`,
		head + "a,1,1,1,\na,1,1,1,": `line 3: sn "a": there twice`,
		head + "a,1,-1,1,\n":        `line 2: memory_mib "-1": not a whole number from 0 to 67108864`,
		head + "a,1,1,8.0,\n":       `line 2: gpu "8.0": not a whole number from 0 to 65536`,
	} {
		_, err := ReadNodes(strings.NewReader(text), "gpu", ends)
		require.EqualError(t, err, want)
	}
}

const podHead = "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time\n"

// Pods come in the order of their times, without those that never ran or share a device; equal ones are of one class.
func TestPods(t *testing.T) {
	p, err := ReadPods(strings.NewReader(podHead+"c,1000,0,0,0,,BE,Running,9,20,12\na,2000,1,2,1000,A|B,LS,Running,7,100,7\n"+
		"n,1000,0,0,0,,BE,Pending,8,30,\ns,1000,0,1,999,,BE,Running,9,20,12\nb,1000,0,0,0,,BE,Failed,9,19,18\n"), "gpu", ends)
	require.NoError(t, err)
	require.Equal(t, []any{true, 1, 1, 4}, []any{p.Timed, p.Shares, p.NeverRan(), len(p.Pods)})
	var got []string
	p.Longer, p.Checkpoint = 3, 5
	for j, err := range p.Stream() {
		require.NoError(t, err)
		require.LessOrEqual(t, j.Runs, j.Expected)
		require.LessOrEqual(t, j.Expected, 3*j.Runs)
		require.Len(t, j.Request.Members, 1)
		require.Equal(t, int64(5), j.Checkpoint)
		if len(got) == 0 {
			models := gang.Expression{Key: ModelLabel, Operator: gang.In, Values: []string{"A", "B"}}
			require.Equal(t, []gang.NodeTerm{{Labels: []gang.Expression{models}}}, j.Request.Shape.Affinity)
			require.Equal(t, muster.Resources{muster.CPU: 2000, muster.Memory: 1 << 20, "gpu": 2}, j.Request.Shape.Resources)
		}
		got = append(got, fmt.Sprint(j.Request.Name, " at ", j.Arrives, " for ", j.Runs, " of class ", j.Class))
	}
	require.Equal(t, []string{"pod-0 at 7 for 93 of class 2000 1048576 2 A|B", "pod-2 at 9 for 8 of class 1000 0 0 ", "pod-3 at 9 for 1 of class 1000 0 0 "}, got)

	p, err = ReadPods(strings.NewReader("name,cpu_milli,memory_mib,num_gpu,gpu_milli\na,1,1,1,1000\n"), "gpu", ends)
	require.NoError(t, err)
	require.False(t, p.Timed)
}

// What is wrong with a table is told with its line, and what cannot be played with its field.
func TestPodsDefects(t *testing.T) {
	for line, want := range map[string]string{
		"a,1,1,1":                      "line 2: 4 cells, where 11 columns are named",
		"a,x,1,1,1000,,,,1,3,2":        `line 2: cpu_milli "x": not a whole number from 0 to 2147483648`,
		"a,1,1,1,1001,,,,1,3,2":        `line 2: gpu_milli "1001": not a whole number from 0 to 1000`,
		"a,1,1,1,1000,,,,-1,3,2":       `line 2: creation_time "-1": not a whole number from 0 to 1099511627776`,
		"a,1,1,1,1000,,,,1,2,2":        `line 2: deletion_time "2": not behind scheduled_time, which is 2, by at most 31536000`,
		"a,1,1,1,1000,,,,1,31536003,2": `line 2: deletion_time "31536003": not behind scheduled_time, which is 2, by at most 31536000`,
		"a,1,1,1,1000,,,,1,,2":         `line 2: deletion_time: not a whole number from 0 to 1099511627776`,
		"a,1,1,1,1000,,,,1,5,no":       `line 2: scheduled_time "no": not a whole number from 0 to 1099511627776`,
	} {
		_, err := ReadPods(strings.NewReader(podHead+line), "gpu", ends)
		require.EqualError(t, err, want)
	}
	for want, p := range map[string]Pods{
		`pods.Timed "false": when pods come is not known`: {},
		`pods.Longer "1025": not from 0 to 1024`:          {Timed: true, Longer: 1025},
	} {
		for _, err := range p.Stream() {
			require.EqualError(t, err, want)
		}
	}
}

// Pods are shuffled by the seed, each once, and then drawn again; they stay, one a second, until so much is asked for.
func TestStaying(t *testing.T) {
	p := Pods{Device: "gpu"}
	for i := range 50 {
		p.Pods = append(p.Pods, Pod{Resources: muster.Resources{muster.CPU: int64(i), "gpu": int64(i % 3)}})
	}
	played := func(seed uint64, most int64) (classes []string) {
		p.Seed = seed
		asked := int64(0)
		for j, err := range Staying(p.Shuffled(), "gpu", most) {
			require.NoError(t, err)
			require.Equal(t, []int64{int64(len(classes)), simulate.Forever, 0}, []int64{j.Arrives, j.Runs, j.Expected})
			require.Equal(t, fmt.Sprint("pod-", len(classes)), j.Request.Name)
			classes, asked = append(classes, j.Class), asked+j.Request.Shape.Resources["gpu"]
		}
		require.LessOrEqual(t, asked, most)
		require.Less(t, most, asked+2)
		return classes
	}
	once := played(1, 99) // 49 are asked for by all pods
	require.Equal(t, once, played(1, 99))
	require.NotEqual(t, once, played(2, 99))
	first := slices.Clone(once[:50])
	slices.Sort(first)
	require.Len(t, slices.Compact(first), 50)
	require.Equal(t, once[:10], played(1, 60)[:10], "fewer are the first ones")
	for _, err := range Staying((Pods{}).Shuffled(), "gpu", 9) {
		require.EqualError(t, err, `pods.Pods "0": none`)
	}
	own := &gang.Shape{Resources: muster.Resources{"gpu": 5}}
	req := gang.Request{Shape: gang.Shape{Resources: muster.Resources{"gpu": 2}}, Members: []gang.Member{{}, {Shape: own}, {}}}
	require.Equal(t, int64(9), asks(&req, "gpu"))
}

// Every order comes, and all as often.
func TestPermutation(t *testing.T) {
	r, seen := rand.NewPCG(1, 2), map[string]int{}
	for range 60_000 {
		seen[fmt.Sprint(Permutation(r, 3))]++
	}
	require.Len(t, seen, 6)
	for order, n := range seen {
		require.InDelta(t, 10_000, n, 500, order)
	}
}
