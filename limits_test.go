package muster_test

import (
	"compress/gzip"
	"errors"
	"fmt"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/fabric"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/cli"
	"github.com/muster-sched/muster/numa"
	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/placement/manifest"
	"github.com/muster-sched/muster/quota"
	"github.com/muster-sched/muster/simulate/streams"
	"github.com/muster-sched/muster/topology"
)

// limitRow is a row of a table of docs/limits.md.
type limitRow struct {
	what, beyond, constant string
	value                  int64
}

// limitRows are the rows of the tables under a heading.
func limitRows(t *testing.T, heading string) (rows []limitRow) {
	_, text, found := strings.Cut(read(t, "docs/limits.md"), "\n## "+heading+"\n")
	require.True(t, found, heading)
	text, _, _ = strings.Cut(text, "\n## ")
	for line := range strings.Lines(text) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if len(cells) != 4 || strings.Contains(line, "---") || !strings.Contains(line, "`") || strings.HasSuffix(line, "constant |\n") {
			continue
		}
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		value, err := strconv.ParseInt(strings.ReplaceAll(cells[1], ",", ""), 10, 64)
		require.NoError(t, err, line)
		rows = append(rows, limitRow{cells[0], strings.Trim(cells[2], "`"), strings.Trim(cells[3], "`"), value})
	}
	require.NotEmpty(t, rows)
	return rows
}

// The limits of the table are those of the code.
func TestLimitsAreThoseOfTheCode(t *testing.T) {
	for _, row := range append(append(limitRows(t, "What is read"), limitRows(t, "What is refused")...), limitRows(t, "What is answered within bounds")...) {
		pkg, name := path.Split(row.constant)
		dir, name, found := strings.Cut(name, ".")
		require.True(t, found, row.constant)
		value, found := constantOf(t, pkg+dir, name)
		require.True(t, found, "%s: there is no constant %s", row.what, row.constant)
		require.Equal(t, row.value, value, row.constant)
	}
}

// constantOf is the value of a constant at the top level of a package; its expression has numbers only.
func constantOf(t *testing.T, dir, name string) (value int64, found bool) {
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	require.NoError(t, err)
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		for _, d := range parsed.Decls {
			block, ok := d.(*ast.GenDecl)
			if !ok || block.Tok != token.CONST {
				continue
			}
			for _, s := range block.Specs {
				for i, n := range s.(*ast.ValueSpec).Names {
					if n.Name != name {
						continue
					}
					text := strings.ReplaceAll(types.ExprString(s.(*ast.ValueSpec).Values[i]), "math.MaxInt32", "2147483647")
					got, err := types.Eval(token.NewFileSet(), nil, token.NoPos, text)
					require.NoError(t, err, text)
					value, _ = constant.Int64Val(got.Value)
					return value, true
				}
			}
		}
	}
	return 0, false
}

// Every refusal of the table comes one above its limit, in its words, and not at it.
func TestLimitsRefuse(t *testing.T) {
	inFile := func(read func(n int64) string, format string) func(n int64) error {
		return func(n int64) error {
			if format == "manifest" {
				_, err := manifest.Read([]manifest.File{{Name: "in.yaml", Data: []byte(read(n))}}, manifest.Options{})
				return err
			}
			_, err := fabric.Read(fabric.Format(format), []fabric.File{{Name: "x", Data: []byte(read(n))}}, fabric.Options{KeepGoing: true})
			return err
		}
	}
	const pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: c, resources: {requests: {cpu: \"%s\"}}}]}\n"
	cases := map[string]func(n int64) error{
		"a topology has at most 64 layers": func(n int64) error { return layered(int(n)) },
		"more than 64 switches below each other": inFile(func(n int64) string {
			text := "SwitchName=s0 Nodes=n1\n"
			for i := range n - 1 {
				text += fmt.Sprintf("SwitchName=s%d Switches=s%d\n", i+1, i)
			}
			return text
		}, "slurm"),
		"tier out of range": func(n int64) error { // the limit is the first that is refused
			_, err := topology.New(topology.Spec{Roots: []topology.Domain{{Name: "d", Tier: int(n) - 1}}})
			return err
		},
		"more than 16 zones on a node": func(n int64) error {
			zones := make([]numa.Zone, n)
			for i := range zones {
				zones[i].ID = i
			}
			_, err := numa.NewZones(zones)
			return err
		},
		"out of the range from 0 to 2147483647": func(n int64) error {
			zones := []numa.Zone{{ID: 0, Distances: map[int]int64{1: n}}, {ID: 1}}
			_, err := numa.NewZones(zones)
			return err
		},
		"out of range": func(n int64) error {
			zones, err := numa.NewZones([]numa.Zone{{ID: 0}})
			require.NoError(t, err)
			_, err = zones.Need(numa.Member{ThreadsPerCore: int(n)}, "")
			return err
		},
		"at most 1000000 members": inFile(func(n int64) string {
			return fmt.Sprintf("apiVersion: batch.volcano.sh/v1alpha1\nkind: Job\nmetadata: {name: j}\nspec: {tasks: [{replicas: %d, template: {spec: {containers: [{name: c}]}}}]}\n", n)
		}, "manifest"),
		"more than 100 characters": inFile(func(n int64) string { return fmt.Sprintf(pod, strings.Repeat("0", int(n)-1)+"1") }, "manifest"),
		"at most 67108864 are read": inFile(func(n int64) string {
			text := fmt.Sprintf(pod, "1")
			return text + "#" + strings.Repeat("x", int(n)-len(text)-2) + "\n"
		}, "manifest"),
		"at most 4194304 are parsed": inFile(func(n int64) string { return "a:\n" + strings.Repeat("-\n", int(n)-1) }, "manifest"),
		"more than 16777216 bytes in one piece": inFile(func(n int64) string {
			return `{"apiVersion": "v1", "kind": "ConfigMap", "data": {"a": "` + strings.Repeat("x", int(n)-len(`""`)) + `"}}`
		}, "manifest"),
		"packed by gzip twice": inFile(func(n int64) string {
			text := fmt.Sprintf(pod, "1")
			for range n {
				var b strings.Builder
				w := gzip.NewWriter(&b)
				_, err := w.Write([]byte(text))
				require.NoError(t, err)
				require.NoError(t, w.Close())
				text = b.String()
			}
			return text
		}, "manifest"),
		"nested more than 200 deep": inFile(func(n int64) string {
			return `{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": {"containers": ` +
				strings.Repeat("[", int(n)-1) + strings.Repeat("]", int(n)-1) + "}}"
		}, "manifest"),
		"more than 1048576 names": inFile(func(n int64) string { return fmt.Sprintf("SwitchName=a Nodes=n[1-%d]\n", n) }, "slurm"),
		"at most 4096 are read": func(n int64) error {
			pattern := topology.Selector{Kind: topology.NodeMember, Regex: strings.Repeat("a", int(n))}
			_, err := topology.FromHyperNodes([]topology.HyperNode{{Name: "h", Tier: 1, Members: []topology.Selector{pattern}}}, nil)
			return err
		},
		"more than 67108864 steps for the regexes and label selectors of all": func(n int64) error {
			const nodes, each = 4096, 2 // steps of a selector for each node
			s := topology.Selector{Kind: topology.NodeMember, Labels: &topology.LabelSelector{MatchExpressions: []topology.LabelExpression{{Key: "x", Operator: "Exists"}}}}
			list := make([]topology.LabeledNode, nodes)
			for i := range list {
				list[i].Name = fmt.Sprint(i)
			}
			_, err := topology.FromHyperNodes([]topology.HyperNode{
				{Name: "h", Tier: 1, Members: slices.Repeat([]topology.Selector{s}, (int(n)+nodes*each-1)/(nodes*each))},
			}, list)
			return err
		},
		"more than 256 terms that no label tells apart": inFile(func(n int64) string {
			terms := strings.Repeat("{matchExpressions: [{key: k, operator: DoesNotExist}]}, ", int(n))
			return "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: c}], affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [" + terms + "]}}}}\n"
		}, "manifest"),
		"more than 256 PodDisruptionBudgets may select it": inFile(func(n int64) string {
			text := "apiVersion: v1\nkind: Node\nmetadata: {name: n}\nstatus: {allocatable: {cpu: 1}}\n---\napiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {nodeName: n, containers: [{name: c}]}\n"
			for i := range n {
				text += fmt.Sprintf("---\napiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: b-%d}\nspec: {minAvailable: 1, selector: {}}\n", i)
			}
			return text
		}, "manifest"),
		"nodes and running members times resources are more than 64 for each amount": func(n int64) error {
			const nodes = 4096 // of two amounts each, and one of many more: so many that they reach n for each amount
			many := ((1 << 22) + n*3*nodes - nodes) / (nodes - n)
			spec := cluster.Spec{Nodes: make([]cluster.Node, nodes)}
			for i := range spec.Nodes {
				spec.Nodes[i] = cluster.Node{Name: fmt.Sprint(i), Allocatable: muster.Resources{"cpu": 1, muster.Pods: 1}}
			}
			for i := range many - 1 {
				spec.Nodes[0].Allocatable[fmt.Sprint("r-", i)] = 1
			}
			_, err := placement.NewCluster(spec)
			return err
		},
		"quotas times resources are more than 64 for each amount": func(n int64) error {
			const quotas = 2048 // of one amount each, and one of many more
			many := ((1 << 20) + n*2*quotas) / (quotas - n)
			specs := make([]quota.Spec, quotas)
			for i := range specs {
				specs[i] = quota.Spec{Name: fmt.Sprint(i), Max: muster.Resources{"cpu": 1}}
			}
			for i := range many - 1 {
				specs[0].Max[fmt.Sprint("r-", i)] = 1
			}
			_, err := quota.New(specs)
			return err
		},
		"must be between 0 and 1099511627776": func(n int64) error {
			c, err := placement.NewCluster(cluster.Spec{Nodes: []cluster.Node{{Name: "n"}}})
			require.NoError(t, err)
			goal := placement.MoveGoal{Fit: &gang.Request{Name: "g", Members: []gang.Member{{Name: "a"}}}}
			_, err = placement.Moves(c, goal, placement.MovesOptions{Movers: []placement.Mover{{Gang: "m", Lost: n}}})
			return err
		},
		"more than 16 brackets in a name": inFile(func(n int64) string {
			return "SwitchName=a Nodes=n" + strings.Repeat("[1]", int(n)) + "\n"
		}, "slurm"),
		"more than 4194304 names in all": inFile(func(n int64) string {
			text := ""
			for left := n; left > 0; left -= 1 << 20 {
				text += fmt.Sprintf("SwitchName=s%d Nodes=n%d-[1-%d]\n", left, left, min(left, 1<<20))
			}
			return text
		}, "slurm"),
	}
	cases["more than 65536 nodes"] = func(n int64) error { return simulated("-fabric", fmt.Sprint(n)) }
	table := func(text string) error {
		_, err := streams.Read(strings.NewReader("submit_s,gpus,duration_s\n"+text), func(_ int, err error) error { return err })
		return err
	}
	cases["more than 1048576 jobs"] = func(n int64) error { return table(strings.Repeat("1,1,1\n", int(n))) }
	cases["more than 65536 bytes"] = func(n int64) error { // a line with its end
		line := "1,1,1" + strings.Repeat(" ", int(n)-6)
		_, err := streams.Read(strings.NewReader("submit_s,gpus,duration_s\n"+line+"\n"), func(int, error) error { return nil })
		return err
	}
	cases["not a whole number from 1 to 65536"] = func(n int64) error { return table(fmt.Sprintf("1,%d,1\n", n)) }
	cases["not from 1 to 31536000 seconds"] = inFile(func(n int64) string {
		return fmt.Sprintf("apiVersion: v1\nkind: Pod\nmetadata: {name: p, annotations: {muster.dev/duration: \"%d\"}}\n", n)
	}, "manifest")
	cases["more than 1152921504606846976 seconds of"] = func(n int64) error {
		file := filepath.Join(t.TempDir(), "in.yaml")
		text := "apiVersion: v1\nkind: Node\nmetadata: {name: n}\nstatus: {allocatable: {gpu: 1}}\n---\n" +
			"apiVersion: v1\nkind: Pod\nmetadata: {name: p, annotations: {muster.dev/duration: 1s}}\nspec: {containers: [{name: c, resources: {requests: {gpu: \"%d\"}}}]}\n"
		require.NoError(t, os.WriteFile(file, fmt.Appendf(nil, text, n), 0o600))
		var said strings.Builder
		if cli.Simulate([]string{file}, nil, io.Discard, &said) != 0 {
			return errors.New(said.String())
		}
		return nil
	}
	listed := func(n int64, line string, read func(r io.Reader, bad func(int, error) error) error) error { // which are all told
		return read(strings.NewReader(line+strings.Repeat("\n", int(n)+1)), func(int, error) error { return nil })
	}
	cases["more than 1048576 pods"] = func(n int64) error {
		return listed(n, "name,cpu_milli,memory_mib,num_gpu,gpu_milli", func(r io.Reader, bad func(int, error) error) error {
			_, err := streams.ReadPods(r, "gpu", bad)
			return err
		})
	}
	cases["more than 65536 nodes in the list"] = func(n int64) error {
		return listed(n, "sn,cpu_milli,memory_mib,gpu,model", func(r io.Reader, bad func(int, error) error) error {
			_, err := streams.ReadNodes(r, "gpu", bad)
			return err
		})
	}
	cases["more than 65536 steps"] = func(n int64) error {
		lines := make([]string, n) // of a cluster each
		for i := range lines {
			lines[i] = fmt.Sprint(i, ",1,1,1\n")
		}
		_, err := streams.ReadSizes(strings.NewReader("cluster,gpus,jobs_cum_pct,gpu_time_cum_pct\n"+strings.Join(lines, "")), func(_ int, err error) error { return err })
		return err
	}
	cases["more than 10000 combinations"] = func(n int64) error {
		seeds := make([]string, n)
		for i := range seeds {
			seeds[i] = strconv.Itoa(i)
		}
		return simulated("-fabric", "1", "-sweep", "seed="+strings.Join(seeds, ","))
	}
	for _, row := range limitRows(t, "What is refused") {
		t.Run(row.what, func(t *testing.T) {
			refuse := cases[row.beyond]
			require.NotNil(t, refuse, "no case for %q", row.beyond)
			large := row.value >= 1_000_000 && row.value < 1<<30 // and made in full
			if testing.Short() && large || strconv.IntSize == 32 && row.value > 1<<30 {
				t.Skip("large")
			}
			if !large || row.value < 1<<22 { // a million is read within a second, the rest in too many
				if err := refuse(row.value); err != nil {
					require.NotContains(t, err.Error(), row.beyond)
				}
			}
			require.ErrorContains(t, refuse(row.value+1), row.beyond)
		})
	}
}

// simulated plays one gang by the command.
func simulated(args ...string) error {
	var said strings.Builder
	if cli.Simulate(append(args, "-gangs", "1"), nil, io.Discard, &said) != 0 {
		return errors.New(said.String())
	}
	return nil
}

// layered builds a tree of so many layers.
func layered(n int) error {
	var below []topology.Domain
	for tier := range n {
		below = []topology.Domain{{Name: "d", Tier: tier + 1, Children: below}}
	}
	_, err := topology.New(topology.Spec{Roots: below})
	return err
}
