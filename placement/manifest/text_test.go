package manifest_test

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/numa"
	"github.com/muster-sched/muster/placement/manifest"
)

// TestText reads the objects in testdata and prints what they were read as. `read` takes the flags strict,
// keep-going and standing; a cluster block is read before every later block of its file.
func TestText(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.txt") // and not what failures of random tests leave below it
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			var common []manifest.File
			datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
				if d.Cmd == "cluster" {
					common = []manifest.File{{Name: "cluster.yaml", Data: []byte(d.Input)}}
					return "ok\n"
				}
				files := append(slices.Clip(common), manifest.File{Name: "in.yaml", Data: []byte(d.Input)})
				opt := manifest.Options{Strict: d.HasArg("strict"), KeepGoing: d.HasArg("keep-going"), Standing: d.HasArg("standing")}
				input, err := manifest.Read(files, opt)
				if err != nil {
					requireTyped(t, err)
					return err.Error() + "\n"
				}
				again, err := manifest.Read([]manifest.File{files[len(files)-1], files[0]}, opt)
				if len(files) == 2 {
					require.NoError(t, err)
					require.Equal(t, gangNames(input), gangNames(again), "the order of files shows")
				}
				return print(input, d.HasArg("nodes"))
			})
		})
	}
}

func gangNames(in *manifest.Input) []string {
	var out []string
	for _, g := range in.Gangs {
		out = append(out, g.Request.Name)
	}
	return out
}

// requireTyped checks that every defect is an Error with a place.
func requireTyped(t *testing.T, err error) {
	joined, ok := err.(interface{ Unwrap() []error })
	require.True(t, ok, "%T", err)
	for _, e := range joined.Unwrap() {
		var typed *manifest.Error
		require.ErrorAs(t, e, &typed)
		require.NotEmpty(t, typed.File)
		require.Positive(t, typed.Document)
		require.NotEmpty(t, typed.Reason)
	}
}

// print writes an input as text; nodes are only written where asked for.
func print(in *manifest.Input, nodes bool) string {
	var b strings.Builder
	for _, tree := range in.Spec.Trees {
		fmt.Fprintf(&b, "tree %s:", tree.Name)
		for _, l := range tree.Tree.Layers() {
			fmt.Fprintf(&b, " %d=%s", l.Tier, l.Name)
		}
		fmt.Fprintf(&b, " node=%s\n", tree.Tree.NodeLayer())
	}
	for _, n := range in.Spec.Nodes {
		if nodes {
			fmt.Fprintf(&b, "node %s%s%s%s taints=%v\n", n.Name, amounts(n.Allocatable), flag(n.Cordoned, "cordoned"), flag(n.NotReady, "not-ready"), n.Taints)
			printZones(&b, n.NUMA)
		}
	}
	printQuotas(&b, &in.Spec)
	for _, m := range in.Spec.Running {
		fmt.Fprintf(&b, "running %s %s on %s%s%s%s%s%s\n", m.Gang, rank(m.Member, m.Index, m.Indexed), m.Node, amounts(m.Resources), flag(m.Leaving, "leaving"), flag(m.AffinityKey != "", m.AffinityKey),
			flag(m.Quota != "", "quota="+m.Quota), flag(m.NonPreemptible, "not-preemptible")+preemption(&m)+flag(m.Alone != "", "alone="+m.AloneIn+"/"+m.Alone)+flag(m.Tolerated, "tolerated"))
		if m.NUMA != nil {
			fmt.Fprintf(&b, "  zones policy=%q%s\n", m.NUMA.Policy, shares(m.NUMA.Shares))
		}
	}
	for _, budget := range in.Spec.Budgets {
		fmt.Fprintf(&b, "budget %s allowed=%d\n", budget.Name, budget.Allowed)
	}
	for _, g := range in.Gangs {
		printGang(&b, g)
	}
	for _, q := range in.Standing {
		b.WriteString("standing ")
		printGang(&b, manifest.Gang{Request: q})
	}
	for _, s := range in.Skipped {
		fmt.Fprintf(&b, "skipped %d %s %s\n", s.Count, s.APIVersion, s.Kind)
	}
	for _, n := range in.Notices {
		fmt.Fprintf(&b, "notice %s\n", n)
	}
	for _, err := range in.Defects {
		fmt.Fprintf(&b, "left out %v\n", err)
	}
	return b.String()
}

// preemption is what there is to know of a member that may leave.
func preemption(m *cluster.Running) string {
	return flag(m.Unevictable, "unevictable") + flag(m.Priority != 0, fmt.Sprint("priority=", m.Priority)) + flag(m.MinMember != 0, fmt.Sprint("min=", m.MinMember)) +
		flag(m.Started != 0, fmt.Sprint("started=", m.Started)) + flag(len(m.Budgets) > 0, fmt.Sprint("budgets=", m.Budgets))
}

func printQuotas(b *strings.Builder, spec *cluster.Spec) {
	if spec.Quotas == nil {
		return
	}
	for _, name := range spec.Quotas.Quotas() {
		q, _ := spec.Quotas.Spec(name)
		fmt.Fprintf(b, "quota %s%s%s\n", name, flag(q.Parent != "", "in "+q.Parent), flag(q.Keeps, "keeps"))
		for _, part := range []struct {
			what string
			of   muster.Resources
		}{{"min", q.Min}, {"max", q.Max}, {"weight", q.Weight}, {"guaranteed", q.Guaranteed}, {"demand", spec.Demand[name]}} {
			if part.of != nil {
				fmt.Fprintf(b, "  %s%s\n", part.what, amounts(part.of))
			}
		}
	}
}

func printZones(b *strings.Builder, n *cluster.NUMA) {
	if n == nil {
		return
	}
	fmt.Fprintf(b, "  zones policy=%q\n", n.Policy)
	for _, z := range n.Zones {
		fmt.Fprintf(b, "  zone %d%s%s\n", z.ID, amounts(z.Allocatable), flag(len(z.Distances) > 0, fmt.Sprint("distances=", z.Distances)))
	}
	for _, z := range n.InUse {
		fmt.Fprintf(b, "  in use %d%s\n", z.ID, amounts(z.Used))
	}
}

func shares(list []numa.Share) string {
	text := ""
	for _, s := range list {
		text += fmt.Sprintf(" %d:%s", s.Zone, amounts(s.Resources))
	}
	return text
}

func printGang(b *strings.Builder, g manifest.Gang) {
	q := g.Request
	fmt.Fprintf(b, "gang %s priority=%d min=%d%s%s%s%s%s%s\n", q.Name, q.Priority, q.MinMember, flag(q.Total > 0, fmt.Sprintf("total=%d", q.Total)),
		flag(q.Tree != "", "tree="+q.Tree), flag(q.PP > 0, fmt.Sprintf("pp=%d", q.PP)), flag(q.DP > 0, fmt.Sprintf("dp=%d", q.DP)), rules(q.Gather)+limitsText(q.Limits)+flag(q.Tolerated, "tolerated"), flag(q.Quota != "", "quota="+q.Quota)+flag(q.NeverPreempts, "never-preempts")+flag(q.Together != "", "together="+q.Together))
	for _, level := range q.Groups {
		fmt.Fprintf(b, "  groups of %d%s\n", level.Size, rules(level.Gather)+limitsText(level.Limits))
	}
	printParts(b, "  ", q.Parts, q.MinParts)
	if len(q.Shape.Resources) > 0 {
		fmt.Fprintf(b, "  each%s\n", shape(&q.Shape))
	}
	for _, m := range q.Members {
		fmt.Fprintf(b, "  %s%s", rank(m.Name, m.Index, m.Indexed), flag(m.NonPreemptible, "not-preemptible"))
		if m.Shape != nil {
			b.WriteString(shape(m.Shape))
		}
		b.WriteString("\n")
	}
	for _, name := range slices.Sorted(maps.Keys(g.Ignored)) {
		fmt.Fprintf(b, "  ignored %s %d\n", name, g.Ignored[name])
	}
	if g.Err != nil {
		fmt.Fprintf(b, "  error %v\n", g.Err)
	}
}

// printParts writes nested parts, bundles in brackets.
func printParts(b *strings.Builder, indent string, parts []gang.Part, least int) {
	if least != 0 {
		fmt.Fprintf(b, "%sparts needed: %s\n", indent, map[bool]string{true: "none", false: fmt.Sprint(least)}[least < 0])
	}
	for _, p := range parts {
		name := p.Name
		if p.NoGroup {
			name = "[" + name + "]"
		}
		fmt.Fprintf(b, "%s%s:%s%s%s\n", indent, name, flag(len(p.Members) > 0, strings.Join(p.Members, " ")), flag(p.MinMember > 0, fmt.Sprint("min=", p.MinMember))+flag(p.Tree != "", "tree="+p.Tree), rules(p.Gather)+limitsText(p.Limits))
		for _, level := range p.Groups {
			fmt.Fprintf(b, "%s  groups of %d%s\n", indent, level.Size, rules(level.Gather)+limitsText(level.Limits))
		}
		printParts(b, indent+"  ", p.Parts, p.MinParts)
	}
}

func shape(s *gang.Shape) string {
	text := amounts(s.Resources)
	if s.NUMA != (gang.NUMA{}) {
		text += fmt.Sprintf(" policy=%q%s", s.NUMA.Policy, flag(s.NUMA.Exclusive != "", "exclusive="+string(s.NUMA.Exclusive)))
	}
	for _, key := range slices.Sorted(maps.Keys(s.Selector)) {
		text += " " + key + "=" + s.Selector[key]
	}
	if len(s.Affinity) > 0 {
		text += fmt.Sprintf(" affinity=%v", s.Affinity)
	}
	if len(s.Preferred) > 0 {
		text += fmt.Sprintf(" preferred=%v", s.Preferred)
	}
	if len(s.Tolerations) > 0 {
		text += fmt.Sprintf(" tolerations=%+v", s.Tolerations)
	}
	return text
}

func rules(list []gang.Rule) string {
	text := ""
	for _, r := range list {
		text += fmt.Sprintf(" %s(%s)", r.Strength, r.Layer)
		if r.Multiple > 0 {
			text += fmt.Sprintf("x%d", r.Multiple)
		}
	}
	return text
}

func rank(name string, index int, indexed bool) string {
	if indexed {
		return fmt.Sprintf("%s#%d", name, index)
	}
	return name
}

func amounts(r muster.Resources) string {
	text := ""
	for _, name := range r.Names() {
		text += fmt.Sprintf(" %s=%d", name, r[name])
	}
	return text
}

func flag(is bool, text string) string {
	if is {
		return " " + text
	}
	return ""
}
