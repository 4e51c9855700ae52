package sources

import (
	"flag"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	sizes     = "cluster,gpus,jobs_cum_pct,gpu_time_cum_pct\na,1,50,20\na,16,100,100\n"
	durations = "cluster,type,seconds,jobs_cum_pct\na,all,10,100\n"
	nodes     = "sn,cpu_milli,memory_mib,gpu,model\nn,8000,1024,2,T4\nm,8000,1024,2,T4\n"
	somePods  = "name,cpu_milli,memory_mib,num_gpu,gpu_milli,creation_time,deletion_time,scheduled_time\np,1000,0,1,1000,5,9,6\nq,1000,0,1,500,6,9,7\nr,1000,0,2,1000,7,9,\n"
)

// from reads files by their names.
func from(files map[string]string) Reader {
	return func(name string, read func(in io.Reader, bad func(line int, err error) error) error) error {
		err := read(strings.NewReader(files[name]), func(line int, err error) error { return fmt.Errorf("line %d: %w", line, err) })
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		return nil
	}
}

// curves are those of the flags.
func curves(t *testing.T, args ...string) *Curves {
	t.Helper()
	c, flags := &Curves{}, flag.NewFlagSet("", flag.ContinueOnError)
	c.Define(flags)
	require.NoError(t, flags.Parse(args))
	return c
}

var played = Play{Seed: 1, Gangs: 40, Load: 80, Nodes: 4, PerNode: 8, Device: "gpu"}

// Gangs are drawn from both files; what is wrong with flags and files is told.
func TestCurves(t *testing.T) {
	c := curves(t, "-sizes", "s", "-durations", "d", "-of", "a")
	require.True(t, c.Given())
	require.NoError(t, c.Check(map[string]bool{"seed": true}, nil))
	s, err := c.Read(from(map[string]string{"s": sizes, "d": durations}), []Play{played})
	require.NoError(t, err)
	require.Equal(t, []any{"40 gangs of the sizes and durations of a", int64(40), true, (*Own)(nil)}, []any{s.Said(played), s.Gangs(played), s.Loaded(), s.Own()})
	members := map[int]int{}
	for j, err := range s.Stream(played) {
		require.NoError(t, err)
		members[len(j.Request.Members)]++
	}
	require.Len(t, members, 2)
	require.Equal(t, 40, members[1]+members[2], "16 devices are two nodes of 8")

	require.False(t, curves(t).Given())
	for want, err := range map[string]error{
		"-sizes, -durations and -of are for each other: all are needed": curves(t, "-sizes", "s").Check(nil, nil),
		"-sizes and -durations: the standard input is one file":         curves(t, "-sizes", "-", "-durations", "-", "-of", "a").Check(nil, nil),
		`"x.csv": there is no table where gangs are drawn from -sizes`:  c.Check(nil, []string{"x.csv"}),
		"-runs is for gangs that are not drawn from -sizes":             c.Check(map[string]bool{"runs": true}, nil),
		`s: -of "b": not one of a; the nearest one is a`:                readCurves(t, "b", sizes, durations),
		`d: no distributions`: readCurves(t, "a", sizes, "cluster,type,seconds,jobs_cum_pct\n"),
		`s: line 3: gpus "1": not above the one in front of it, which is 1`: readCurves(t, "a", sizes[:strings.LastIndex(sizes, "a,16")]+"a,1,60,30\n", durations),
		`s and d: drawn.Sizes "1": no size has both jobs and time`:          readCurves(t, "a", "cluster,gpus,jobs_cum_pct,gpu_time_cum_pct\na,1,50,0\n", durations),
	} {
		require.EqualError(t, err, want)
	}
}

func readCurves(t *testing.T, of, sizes, durations string) error {
	t.Helper()
	_, err := curves(t, "-sizes", "s", "-durations", "d", "-of", of).Read(from(map[string]string{"s": sizes, "d": durations}), []Play{played})
	return err
}

// Pods are played on the nodes of the list, when they came or one by one; what is left out is counted.
func TestPods(t *testing.T) {
	p := &Pods{nodes: "n"}
	require.True(t, p.Given())
	require.NoError(t, p.Check(nil, []string{"p"}))
	s, err := p.Read(from(map[string]string{"n": nodes, "p": somePods}), "p", "gpu", false)
	require.NoError(t, err)
	require.Equal(t, "1 pods of a table; left out: 1 that never ran, 1 that share a device", s.Said(Play{}))
	require.Equal(t, []any{int64(1), false}, []any{s.Gangs(Play{}), s.Loaded()})
	for j, err := range s.Stream(Play{Checkpoint: 3}) {
		require.NoError(t, err)
		require.Equal(t, []int64{5, 3, 3}, []int64{j.Arrives, j.Runs, j.Checkpoint})
	}
	own := s.Own()
	require.Equal(t, []any{"2 nodes of a list with 4 gpu", 2, int64(4)}, []any{own.Said, own.Nodes, own.Devices})
	c, err := own.Cluster(Play{})
	require.NoError(t, err)
	require.Equal(t, 2, c.Len())

	stay := Play{Stay: true, Seed: 4}
	require.Equal(t, "the 2 pods of a table, and more like them; left out: 1 that share a device", s.Said(stay))
	require.Equal(t, int64(2), s.Gangs(stay))
	n := 0
	for _, err := range s.Stream(stay) {
		if require.NoError(t, err); n == 9 {
			break
		}
		n++
	}
	require.Equal(t, 9, n, "they are drawn again")
	c, err = own.Cluster(stay)
	require.NoError(t, err)
	require.Equal(t, 2, c.Len())
}

// What is wrong with lists and tables of pods, and with flags beside them, is told.
func TestPodsDefects(t *testing.T) {
	p := &Pods{nodes: "n"}
	read := func(nodes, pods string, stay bool) error {
		_, err := p.Read(from(map[string]string{"n": nodes, "p": pods}), "p", "gpu", stay)
		return err
	}
	require.False(t, (&Pods{}).Given())
	for want, err := range map[string]error{
		"-nodes is for one table, of pods":                     p.Check(nil, nil),
		"-nodes and the table: the standard input is one file": (&Pods{nodes: "-"}).Check(nil, []string{"-"}),
		"-load is not for pods on a list of nodes":             p.Check(map[string]bool{"load": true}, []string{"p"}),
		"n: no nodes":                           read("sn,cpu_milli,memory_mib,gpu,model\n", somePods, false),
		"p: no pods that ask for whole devices": read(nodes, "name,cpu_milli,memory_mib,num_gpu,gpu_milli\np,1,0,0,0\n", true),
		`p: line 2: num_gpu "-1": not a whole number from 0 to 65536`:                        read(nodes, "name,cpu_milli,memory_mib,num_gpu,gpu_milli\np,1,0,-1,0\n", true),
		"p: line 1: the columns creation_time, deletion_time and scheduled_time are missing": read(nodes, "name,cpu_milli,memory_mib,num_gpu,gpu_milli\np,1,0,1,1000\n", false),
	} {
		require.EqualError(t, err, want, want)
	}
}
