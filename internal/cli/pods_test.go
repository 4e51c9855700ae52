package cli

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	someNodes = "sn,cpu_milli,memory_mib,gpu,model\na,8000,1024,2,P100\nb,8000,1024,4,T4\n"
	somePods  = "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time\n" +
		"p,1000,0,4,1000,,LS,Running,10,110,10\nq,1000,0,2,1000,T4|G2,LS,Running,20,70,30\nr,1000,0,1,500,,LS,Running,20,70,30\n" +
		"s,1000,0,1,1000,G2,LS,Running,30,40,30\nt,1000,0,1,1000,,LS,Pending,30,40,\n"
)

// Pods are played on the nodes of a list, where their models are; what is left out is counted, and what cannot be read told with file and line.
func TestSimulatePods(t *testing.T) {
	nodes, pods := written(t, "nodes.csv", someNodes), written(t, "pods.csv", somePods)
	require.Equal(t, `2 nodes of a list with 6 nvidia.com/gpu; 3 pods of a table; left out: 1 that never ran, 1 that share a device
seed 1, discipline next-that-fits, moves false, placer muster, longer 1, checkpoint 1800
load: 400.0 % reached until the last gang came

gangs 3, ended 2, never fit 1, wait for ever 0, restarts 0, moved gangs 0 of 0 members, tries 3
nvidia.com/gpu: load 400.0 %, in use 57.1 %, lost 0 of 480 seconds
members        gangs    mean s       p50       p95       p99   longest
1                  2        45         0        90        90        90
all                2        45         0        90        90        90
`, simulated(t, "-nodes", nodes, pods), "q waits for the node with a T4, and no G2 is there for s")
	require.Contains(t, simulated(t, "-nodes", nodes, pods, "-o", "json"), `"fabric":"list","nodes":2,"devices":6,"gangs":3,"largest":0,"runs":0,`)
	untimed := written(t, "untimed.csv", "name,cpu_milli,memory_mib,num_gpu,gpu_milli\na,1,1,1,1000\n")
	shares := written(t, "shares.csv", "name,cpu_milli,memory_mib,num_gpu,gpu_milli\na,1,1,1,100\n")
	for want, args := range map[string][]string{
		pods + ": line 1: the column sn is missing":                                                   {"-nodes", pods, pods},
		nodes + ": line 1: the column name is missing":                                                {"-nodes", nodes, nodes},
		untimed + ": line 1: the columns creation_time, deletion_time and scheduled_time are missing": {"-nodes", nodes, untimed},
		shares + ": no pods that ask for whole devices":                                               {"-nodes", nodes, shares},
		"-: no nodes": {"-nodes", "-", pods},
	} {
		status, out, said := called(t, "sn,cpu_milli,memory_mib,gpu,model\n", append([]string{"simulate"}, args...)...)
		require.Equal(t, failed, status, said)
		require.Empty(t, out)
		require.Equal(t, want+"\n", said)
	}
	status, _, said := called(t, somePods+"u,1,1,1,1000,,,,5,4,4\n", "simulate", "-keep-going", "-nodes", nodes, "-")
	require.Equal(t, ok, status)
	require.Equal(t, "-: line 7: deletion_time \"4\": not behind scheduled_time, which is 4, by at most 31536000\n", said)
}

// What is wrong with the flags is said of them.
func TestSimulatePodsMisuse(t *testing.T) {
	for args, want := range map[string]string{
		"-nodes n":             "-nodes is for one table, of pods",
		"-nodes n p q":         "-nodes is for one table, of pods",
		"-nodes - -":           "-nodes and the table: the standard input is one file",
		"-nodes n -load 9 p":   "-load is not for pods on a list of nodes",
		"-nodes n p -fabric 2": "-fabric is not for pods on a list of nodes",
	} {
		requireMisuse(t, args, want)
	}
}

// Where nobody leaves the table is of how much is allocated. Pods need no times for that.
func TestSimulateStay(t *testing.T) {
	nodes := written(t, "nodes.csv", "sn,cpu_milli,memory_mib,gpu,model\na,8000,1024,4,\nb,8000,1024,4,\nc,8000,1024,4,\n")
	pods := written(t, "pods.csv", "name,cpu_milli,memory_mib,num_gpu,gpu_milli\na,1,0,3,1000\nb,1,0,3,1000\nc,1,0,1,10\n")
	require.Equal(t, `3 nodes of a list with 12 nvidia.com/gpu; the 2 pods of a table, and more like them; left out: 1 that share a device, until 130 % of the devices are asked for; nobody leaves
placer muster

seed  gangs  placed   asked  allocated
   1      5       3  125.00      75.00
   2      5       3  125.00      75.00
`, simulated(t, "-stay", "-sweep", "seed=1,2", "-nodes", nodes, pods))
	require.Equal(t, "seed,placer,gangs,placed,asked,allocated\n1,muster,5,3,125.00,75.00\n", simulated(t, "-stay", "-nodes", nodes, pods, "-o", "csv"))
	require.Contains(t, simulated(t, "-stay", "-nodes", nodes, pods, "-o", "json"), `"wanted":125.00,`)
	require.Contains(t, simulated(t, "-fabric", "4x8", "-largest", "16"), "load 85, ")
	require.NotContains(t, simulated(t, "-fabric", "4x8", "-gangs", "9", "-o", "json"), "allocated")
	require.Contains(t, simulated(t, "-fabric", "4x8", "-stay"), "until 130 % of the devices are asked for; nobody leaves\nseed 1, placer muster\ngangs ")
	require.Len(t, tableOf(t, simulated(t, "-fabric", "4x8", "-stay", "-sweep", "placer=muster,random", "-o", "csv")), 2)
	status, _, said := called(t, "name,cpu_milli,memory_mib,num_gpu,gpu_milli\na,1,0,0,0\n", "simulate", "-stay", "-nodes", nodes, "-")
	require.Equal(t, failed, status)
	require.Equal(t, "-: no pods that ask for whole devices\n", said)
	for args, want := range map[string]string{
		"-load 9":                 "-load says nothing of gangs that never end: -stay",
		"-sweep moves=false,true": "-moves says nothing of gangs that never end: -stay",
		"-o html":                 "-o html draws what waits as time goes by, and where gangs never end nobody does: -stay",
	} {
		status, _, said := called(t, "", append([]string{"simulate", "-stay"}, strings.Fields(args)...)...)
		require.Equal(t, misuse, status, args)
		require.Equal(t, want+"\nmuster help simulate has the flags and examples\n", said, args)
	}
}
