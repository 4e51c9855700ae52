package reference

import (
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/explain"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/draws"
	"github.com/muster-sched/muster/internal/validity"
	"github.com/muster-sched/muster/placement"
)

// Of all changes of every kind that there are: what is told helps, nothing smaller helps than what is told to be the least, and whatever
// helps has a told change of its kind, or its kind is said not to have been looked into. Features and kinds are counted, so that one
// that does not occur is noticed.
//
// The clusters are the first ones of a sequence, as many as MUSTER_CLUSTERS says, from MUSTER_FIRST on.
func TestExplanationsEqualEnumeration(t *testing.T) {
	gen, first, clusters := rapid.Custom(drawSmallRefused), 1, 150
	if n, err := strconv.Atoi(os.Getenv("MUSTER_CLUSTERS")); err == nil {
		clusters = n
	}
	if n, err := strconv.Atoi(os.Getenv("MUSTER_FIRST")); err == nil {
		first = n
	}
	refused, seen, wrong := 0, map[string]int{}, map[string][]int{}
	for seed := first; seed < first+clusters; seed++ {
		in := gen.Example(seed)
		x := enumerated(in)
		if x == nil {
			continue
		}
		refused++
		for _, kind := range x.kinds() {
			seen[kind]++
		}
		for _, d := range x.defects() {
			if wrong[d.what] = append(wrong[d.what], seed); len(wrong[d.what]) == 1 && !d.isKnown() {
				t.Errorf("cluster %d of the sequence: %s\n%s\n%s%s", seed, d.what, d.which, x.text(), in.Text())
			}
		}
	}
	t.Logf("%d of %d clusters refuse their gang", refused, clusters)
	for _, kind := range slices.Sorted(maps.Keys(seen)) {
		t.Logf("%7d %s", seen[kind], kind)
	}
	for _, what := range slices.Sorted(maps.Keys(wrong)) {
		t.Logf("%7d times wrong: %s, in clusters %v", len(wrong[what]), what, wrong[what])
	}
	require.Greater(t, refused, clusters/10)
}

// known are the faults that are still there: kinds that are missed, or combinations with them. They are counted, and fail nothing.
var known = map[explain.Kind]string{}

// isKnown says whether a defect is one of those.
func (d *defect) isKnown() bool {
	return slices.ContainsFunc(d.of, func(k explain.Kind) bool { return known[k] != "" })
}

// drawSmallRefused draws a small cluster in which most nodes are full, out of service or closed, and a gang of any kind.
func drawSmallRefused(t *rapid.T) Input {
	sizes := draws.Sizes{Nodes: 5, Slots: 3, Members: 4}
	kinds := []func(*rapid.T) Input{
		func(t *rapid.T) Input { return DrawInput(t, sizes) },
		func(t *rapid.T) Input { return drawRolesFor(t, sizes) },
		func(t *rapid.T) Input { return drawPartsFor(t, sizes) },
	}
	in := mixed(kinds[rapid.IntRange(0, len(kinds)-1).Draw(t, "kind of input")])(t)
	if draws.Chance(t, 70, "full") {
		full := rapid.SampledFrom([]int{100, 90, 60}).Draw(t, "how full")
		for i := range in.Spec.Nodes {
			if n := &in.Spec.Nodes[i]; n.NUMA == nil || len(n.NUMA.Zones) == 0 {
				fillNode(t, &in.Spec, n, full)
			} else {
				fillZones(t, &in.Spec, n, full)
			}
		}
	}
	if gangs := rapid.IntRange(1, 6).Draw(t, "gangs"); !slices.ContainsFunc(in.Spec.Running, func(r cluster.Running) bool { return r.Alone != "" }) {
		for i := range in.Spec.Running {
			if r := &in.Spec.Running[i]; r.Gang != in.Request.Name {
				r.Gang, r.Member = fmt.Sprint("ns/g-", draws.HostileRank(rapid.IntRange(1, gangs).Draw(t, "gang"))), fmt.Sprint("m-", draws.HostileRank(i))
			}
		}
	}
	drawPreemptor(t, &in)
	in.Request.NeverPreempts = in.Request.NeverPreempts || draws.Chance(t, 60, "evicts nobody")
	switch rapid.IntRange(0, 4).Draw(t, "quotas") {
	case 3:
		drawCoupledQuotas(t, &in)
	case 4:
		drawQuotas(t, &in)
	}
	drawOut(t, &in)
	return in
}

// drawOut takes nodes out of service, taints some, and lets members choose among them.
func drawOut(t *rapid.T, in *Input) {
	in.Spec.Nodes = slices.Clone(in.Spec.Nodes)
	percent := rapid.SampledFrom([]int{0, 15, 50}).Draw(t, "out of service")
	for i := range in.Spec.Nodes {
		n := &in.Spec.Nodes[i]
		n.Cordoned, n.NotReady = n.Cordoned || draws.Chance(t, percent, "cordoned"), n.NotReady || draws.Chance(t, percent/2, "not ready")
		if n.Cordoned && draws.Chance(t, 70, "as its controller does") {
			n.Taints = append(slices.Clip(n.Taints), gang.Taint{Key: "node.kubernetes.io/unschedulable", Effect: gang.NoSchedule})
		}
		if n.NotReady && draws.Chance(t, 70, "as its controller does") {
			n.Taints = append(slices.Clip(n.Taints), gang.Taint{Key: "node.kubernetes.io/not-ready", Effect: gang.NoExecute})
		}
		for draws.Chance(t, 12, "tainted") && len(n.Taints) < 3 {
			key := rapid.SampledFrom([]string{"held", "kept"}).Draw(t, "key")
			taint := gang.Taint{Key: key, Effect: rapid.SampledFrom([]gang.Effect{gang.NoSchedule, gang.NoExecute}).Draw(t, "effect")}
			if n.Taints = append(slices.Clip(n.Taints), taint); draws.Chance(t, 40, "tainted twice") {
				n.Taints = append(n.Taints, gang.Taint{Key: "third", Effect: gang.NoSchedule})
			}
		}
	}
	if draws.Chance(t, 15, "selects") {
		in.Request.Shape.Selector = map[string]string{"kind": rapid.SampledFrom([]string{"a", "b", "none"}).Draw(t, "selected")}
		if draws.Chance(t, 30, "selects twice") {
			in.Request.Shape.Selector["pool"] = "none"
		}
	}
}

// enumeration is an explanation that is held against all changes.
type enumeration struct {
	in Input
	e  *placement.Explanation
}

// enumerated explains a gang that is refused; nil: it is not.
func enumerated(in Input) *enumeration {
	c, err := placement.NewCluster(in.Spec)
	if err != nil {
		return nil
	}
	e := placement.Explain(c, &in.Request, placement.ExplainOptions{})
	if e.Verdict != placement.VerdictRefused {
		return nil
	}
	return &enumeration{in, e}
}

// defect is something wrong: what, in words that are the same for all of its kind, and which one.
type defect struct {
	what, which string
	of          []explain.Kind // the kinds that are missed
}

// defects are what is wrong with the explanation.
func (x *enumeration) defects() (out []defect) {
	add := func(k explain.Kind, what, which string, args ...any) {
		out = append(out, defect{what: string(k) + " " + what, which: fmt.Sprintf(which, args...)})
	}
	missing := func(of ...explain.Kind) { out[len(out)-1].of = of }
	for i := range x.e.Relaxations {
		r := &x.e.Relaxations[i]
		next := changedByAll(x.in, &r.Change, r.And)
		res, err := planned(next)
		if err == nil {
			err = validity.Check(next.Spec, &next.Request, res)
		}
		if err != nil {
			add(r.Kind, "does not help", "%s: %v", toldText(r), err)
		} else if res.Tier != r.Plan.Tier && res.Proven && (res.Preemption == nil || res.Preemption.Proven) {
			add(r.Kind, "leads to another tier", "%s: %d", toldText(r), res.Tier)
		}
		if r.Least {
			if smaller := x.lesser(r); smaller != nil {
				add(r.Kind, "is not the least", "%s, but %s helps", toldText(r), changeText(smaller))
			}
		}
	}
	for _, o := range options(&x.in) {
		if helping := x.missed(&o); helping != nil {
			add(o.kind, "is missed", "%s helps", changeText(helping))
			missing(o.kind)
		}
	}
	for _, k := range []explain.Kind{explain.KindTaint, explain.KindSelector, explain.KindRequest} {
		if what, which := x.together(k); what != "" {
			add(k, what, "%s", which)
			missing(k)
		}
	}
	if len(x.e.Relaxations) == 0 && !x.saysNotTried(explain.KindCombination) {
		if a, b := x.pair(); a != nil {
			add(explain.KindCombination, fmt.Sprintf("of %s and %s is missed", a.Kind, b.Kind), "%s and %s help", changeText(a), changeText(b))
			missing(a.Kind, b.Kind)
		}
	}
	return out
}

// text is what is told.
func (x *enumeration) text() string {
	text := fmt.Sprintf("refused: %v\n", x.e.Err)
	for i := range x.e.Relaxations {
		text += "told: " + toldText(&x.e.Relaxations[i]) + "\n"
	}
	return text + fmt.Sprintf("not tried: %v\n", x.e.NotTried)
}

func toldText(r *explain.Relaxation) string {
	text := changeText(&r.Change)
	for i := range r.And {
		text += " and " + changeText(&r.And[i])
	}
	return fmt.Sprintf("%s, least %v, %+v", text, r.Least, r.Plan)
}

// changeText has what is not zero.
func changeText(c *explain.Change) string {
	var out []string
	for v, i := reflect.ValueOf(*c), 0; i < v.NumField(); i++ {
		if !v.Field(i).IsZero() {
			out = append(out, fmt.Sprintf("%s:%+v", v.Type().Field(i).Name, v.Field(i)))
		}
	}
	return "{" + strings.Join(out, " ") + "}"
}

// helps says whether there is a plan after changes.
func (x *enumeration) helps(change *explain.Change, and []explain.Change) bool {
	_, err := planned(changedByAll(x.in, change, and))
	return err == nil
}

// lesser is a smaller change than one that is told, that helps as well; nil: there is none.
func (x *enumeration) lesser(r *explain.Relaxation) *explain.Change {
	beside := x.in
	for i := range r.And {
		beside = changedBy(beside, &r.And[i])
	}
	for _, smaller := range smallerThan(beside, &r.Change) {
		if x.helps(&smaller, r.And) {
			return &smaller
		}
	}
	return nil
}

// missed is a change of an option that helps, where none of it is told, and its kind is not said to be left out; nil: there is none.
func (x *enumeration) missed(o *option) *explain.Change {
	told := func(r explain.Relaxation) bool { return r.Kind == o.kind && keyOf(&r.Change) == o.key }
	if x.saysNotTried(o.kind) || slices.ContainsFunc(x.e.Relaxations, told) {
		return nil
	}
	for i := range o.changes {
		res, err := planned(changedBy(x.in, &o.changes[i]))
		if err == nil && res.Proven && (res.Preemption == nil || res.Preemption.Proven) {
			return &o.changes[i]
		}
	}
	return nil
}

func (x *enumeration) saysNotTried(k explain.Kind) bool {
	return slices.ContainsFunc(x.e.NotTried, func(n explain.NotTried) bool {
		return n.Kind == k && !strings.HasPrefix(n.Reason, "nodes that the host's own filter") // which says nothing of the other nodes
	})
}

// pair are two changes of different kinds that help together; nil: there are none.
func (x *enumeration) pair() (_, _ *explain.Change) {
	all := options(&x.in)
	for i := range all {
		for k := i + 1; k < len(all); k++ {
			if all[i].kind == all[k].kind {
				continue
			}
			a, b := &all[i].changes[0], &all[k].changes[0] // the furthest ones
			if res, err := planned(changedByAll(x.in, a, []explain.Change{*b})); err == nil && res.Proven && (res.Preemption == nil || res.Preemption.Proven) {
				return a, b
			}
		}
	}
	return nil, nil
}

// kinds says what is special about a gang that is refused, and what is told of it.
func (x *enumeration) kinds() (out []string) {
	in := &x.in
	for _, f := range []struct {
		name  string
		holds bool
	}{
		{"several shapes", len(in.Request.Members) > 0 && !ofOneShape(&in.Request)},
		{"parts", len(in.Request.Parts) > 0},
		{"parts in another topology", len(in.Spec.Trees) > 1},
		{"groups", len(in.Request.Groups)+in.Request.PP > 0},
		{"multiples", validity.HasMultiples(&in.Request)},
		{"zones", hasZones(&in.Spec)},
		{"quotas", in.Request.Quota != ""},
		{"running members", len(validity.Own(&in.Spec, &in.Request)) > 0},
		{"leaving members", slices.ContainsFunc(in.Spec.Running, func(r cluster.Running) bool { return r.Leaving })},
		{"a minimum", in.Request.MinMember > 0},
		{"evicts", !in.Request.NeverPreempts},
		{"no tree", len(in.Spec.Trees) == 0},
		{"four gangs or more", len(otherGangs(in)) > 3},
		{"taints", slices.ContainsFunc(in.Spec.Nodes, func(n cluster.Node) bool { return len(n.Taints) > 0 })},
		{"nodes out of service", len(outOfService(in.Spec)) > 0},
		{"limits and quotas", len(limitKinds(in)) > 0 && in.Request.Quota != ""},
	} {
		if f.holds {
			out = append(out, "feature: "+f.name)
		}
	}
	for _, kind := range limitKinds(in) {
		out = append(out, "feature: "+strings.TrimPrefix(kind, "mixed: "))
	}
	for i := range x.e.Relaxations {
		r := &x.e.Relaxations[i]
		what := "told: " + string(r.Kind)
		if len(r.And) > 0 {
			what = "told: combination of " + string(r.Kind)
			for _, c := range r.And {
				what += " and " + string(c.Kind)
			}
		} else if n := len(r.Nodes) + len(r.Gangs) + r.Add; n > 1 {
			what += fmt.Sprint(" of ", n)
		}
		if out = append(out, what); r.Least {
			out = append(out, what+", least")
		}
	}
	for _, n := range x.e.NotTried {
		out = append(out, "not tried: "+string(n.Kind))
	}
	return slices.Compact(out)
}

// A second change helps beside less of any resource, not only of what is scarcest now; and beside any minimum, also where one of a part binds
// by itself as members of it run.
func TestCombinationsLookAtEveryResourceAndMinimum(t *testing.T) {
	spec := specOf(t, "block", "b0: n1=1 n2=1")
	spec.Nodes[0].Allocatable = muster.Resources{draws.Device: 1, muster.CPU: 1000}
	spec.Nodes[1].Allocatable, spec.Nodes[1].Cordoned = muster.Resources{draws.Device: 1, muster.CPU: 1000}, true
	spec.Running = []cluster.Running{{Gang: "ns/other", Member: "m", Node: "n1", Resources: muster.Resources{draws.Device: 1, muster.CPU: 1000}, Unevictable: true}}
	one := gang.Request{
		Name: "ns/job", NeverPreempts: true, Shape: gang.Shape{Resources: muster.Resources{draws.Device: 2, muster.CPU: 1000}},
		Members: []gang.Member{{Name: "job-0"}},
	}
	parts := one
	parts.Shape.Resources = muster.Resources{draws.Device: 1}
	parts.Members = []gang.Member{{Name: "job-0"}, {Name: "job-1", Shape: &gang.Shape{Resources: muster.Resources{draws.Device: 9}}}}
	parts.Parts = []gang.Part{
		{Name: "odd", Members: []string{"job-0"}, Gather: []gang.Rule{{Layer: "block", Multiple: 2}}},
		{Name: "begun", Parts: []gang.Part{{Name: "there", Members: []string{"job-9"}}, {Name: "large", Members: []string{"job-1"}}}},
	}
	free := spec
	free.Nodes, free.Running = slices.Clone(spec.Nodes), []cluster.Running{{Gang: "ns/job", Member: "job-9", Node: "n1", Resources: muster.Resources{draws.Device: 1}}}
	free.Nodes[1].Cordoned = false
	for _, in := range []Input{{Spec: spec, Request: one}, {Spec: free, Request: parts}} {
		x := enumerated(in)
		require.NotNil(t, x)
		require.Empty(t, x.defects(), x.text())
	}
}
