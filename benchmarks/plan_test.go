package benchmarks_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/benchmarks"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/numa"
	"github.com/muster-sched/muster/topology"
)

// planCase is one row. Its name leaves out what is the default: frag70, one slot a node, three layers, no groups.
type planCase struct {
	fill
	gang       int
	state      string
	group      int
	goroutines int
	anyNode    bool // also on nodes meant for others
	limit      gang.Limit
	ofMembers  bool // the limit, of a gang in groups, is on members
	short      bool // with a limit as well most gangs have a short last group
	inside     int  // 1: in the first spine, 2: in its first leaf
	excluding  bool // all other nodes are excluded in place of that
}

func (c planCase) name() string {
	name := fmt.Sprintf("nodes=%d/gang=%d/state=%s%s", c.nodes, c.gang, c.state, c.segments())
	if c.group != 0 {
		name += "/group=" + strconv.Itoa(c.group)
	}
	if c.goroutines != 0 {
		name += "/goroutines=" + strconv.Itoa(c.goroutines)
	}
	if c.anyNode {
		name += "/any-node"
	}
	if c.limit.Kind != "" {
		name += "/"
		if c.short {
			name += "short/"
		}
		if c.ofMembers {
			name += "members-"
		}
		name += fmt.Sprintf("%s=%s", strings.ToLower(string(c.limit.Kind)), c.limit.Layer)
		if c.limit.Most > 0 {
			name += "-" + strconv.Itoa(c.limit.Most)
		}
	}
	if c.inside > 0 {
		name += map[bool]string{false: "/inside=", true: "/excluding-all-but="}[c.excluding] + []string{"", "spine", "leaf"}[c.inside]
	}
	return name
}

// planCases lists the rows; the scan of a fill comes before the rows that are compared with it, and rows of one fill
// follow each other.
func planCases() []planCase {
	var cases []planCase
	add := func(f fill, gang, group int, states ...string) {
		for _, s := range states {
			cases = append(cases, planCase{fill: f, gang: gang, state: s, group: group})
		}
	}
	small := func(f fill, states ...string) {
		add(f, 64, 0, append([]string{"scan", "warm"}, states...)...)
		add(f, 64, 8, "warm")
	}
	both := func(f fill, states ...string) {
		small(f, states...)
		add(f, 1024, 0, "warm")
		add(f, 1024, 8, "warm")
	}
	for _, nodes := range []int{1024, 10240, 102400, million} { // growth
		f := fragmented(nodes)
		small(f, "no", "cold", "group")
		add(f, 64, 8, "cold")
		if nodes == 10240 || nodes == 102400 {
			add(f, 1, 0, "warm")
			add(f, 8, 0, "warm")
		}
		if nodes == 102400 {
			add(f, 64, 32, "no")
			add(f, 1024, 0, "warm")
			add(f, 1024, 8, "warm")
			cases = append(cases, planCase{fill: f, gang: 64, state: "warm", goroutines: 1}, planCase{fill: f, gang: 64, state: "warm", goroutines: 2})
		}
	}
	for _, name := range []string{"empty", "clean70", "clean97", "frag97"} {
		both(fill{nodes: 102400, name: name, slots: 1}, "cold")
		if name == "frag97" { // no spine has the slots
			add(fill{nodes: 102400, name: name, slots: 1}, 1024, 0, "no")
			add(fill{nodes: 102400, name: name, slots: 1}, 1024, 8, "no")
		}
	}
	for _, slots := range []int{2, 4} {
		small(fill{nodes: 102400, name: "frag70", slots: slots}, "cold")
	}
	for _, zoned := range []fill{
		{slots: 2, zones: 2, policy: numa.SingleNUMANode},
		{slots: 2, zones: 2, policy: numa.BestEffort},
		{slots: 4, zones: 2, policy: numa.SingleNUMANode},
		{slots: 2, zones: 4, policy: numa.Restricted},
	} {
		zoned.nodes, zoned.name = 102400, "frag70"
		add(zoned, 64, 0, "warm", "cold")
		add(zoned, 64, 8, "warm")
	}
	for _, name := range []string{"frag70", "empty", "clean97", "frag97"} {
		both(fill{nodes: 102400, name: name, slots: 8}, "cold")
	}
	for _, name := range []string{"frag70", "empty", "frag97"} {
		both(fill{nodes: 102400, name: name, slots: 8, kinds: 4}, "cold")
	}
	small(fill{nodes: million, name: "frag70", slots: 8, kinds: 4})
	for _, nodes := range []int{10240, 102400} {
		f := fill{nodes: nodes, name: "frag70", slots: 1, halves: true}
		for _, group := range []int{0, 8} {
			cases = append(cases, planCase{fill: f, gang: 64, state: "warm", group: group, anyNode: true})
			add(f, 64, group, "warm")
		}
		cases = append(cases, planCase{fill: f, gang: 64, state: "cold", anyNode: true})
		add(f, 64, 0, "cold")
	}
	for _, c := range []planCase{
		{fill: fill{name: "frag70"}, limit: gang.Limit{Layer: "unit", Kind: gang.Apart, Most: 4}},
		{fill: fill{name: "frag70"}, limit: gang.Limit{Layer: "unit", Kind: gang.Within, Most: 12}},
		{fill: fill{name: "frag70"}, limit: gang.Limit{Layer: "unit", Kind: gang.Within, Most: 4}},
		{fill: fill{name: "frag70"}, group: 8, limit: gang.Limit{Layer: "unit", Kind: gang.Within, Most: 12}},
		{fill: fill{name: "frag70"}, group: 8, limit: gang.Limit{Layer: "unit", Kind: gang.Within, Most: 12}, short: true},
		{fill: fill{name: "frag70"}, group: 8, limit: gang.Limit{Layer: "unit", Kind: gang.Apart, Most: 4}, ofMembers: true},
		{fill: fill{name: "clean70"}, limit: gang.Limit{Layer: "unit", Kind: gang.Alone}},
		{fill: fill{name: "frag70"}, group: 8, limit: gang.Limit{Layer: "unit", Kind: gang.Apart, Most: 1}},
		{fill: fill{name: "clean70"}, group: 8, limit: gang.Limit{Layer: "unit", Kind: gang.Alone}},
	} {
		c.nodes, c.slots, c.gang, c.state = 102400, 1, 64, "warm"
		cases = append(cases, c)
	}
	cases = append(cases, planCase{
		fill: fill{nodes: 102400, name: "frag70", slots: 8}, gang: 1024, state: "warm", limit: gang.Limit{Layer: "unit", Kind: gang.Apart, Most: 16},
	})
	for _, c := range []planCase{
		{fill: fragmented(10240), inside: 2},
		{fill: fragmented(10240), inside: 2, excluding: true},
		{fill: fragmented(10240), inside: 2, group: 8},
		{fill: fragmented(102400), inside: 1},
		{fill: fragmented(102400), inside: 1, group: 8},
	} {
		c.gang, c.state = 64, "warm"
		cases = append(cases, c)
	}
	small(fill{nodes: 10240, name: "frag70", slots: 1, layers: 1}, "cold")
	for _, layers := range []int{2, 4, 5} {
		small(fill{nodes: 102400, name: "frag70", slots: 1, layers: layers}, "cold")
	}
	return cases
}

// BenchmarkPlan plans one gang on a snapshot. What the states mean is said in README.md.
func BenchmarkPlan(b *testing.B) {
	for _, c := range planCases() {
		b.Run(c.name(), func(b *testing.B) {
			if c.nodes == million && testing.Short() {
				b.Skip("a million nodes")
			}
			switch {
			case c.state == "scan":
				scan(b, c.fill, c.gang)
			case c.state == "cold":
				c.cold(b)
			case c.goroutines > 0:
				c.together(b)
			default:
				c.warm(b)
			}
		})
	}
}

// warm plans gangs of the same shape as one that was planned on the snapshot before, of another size.
func (c planCase) warm(b *testing.B) {
	s := streamOf(b, c.fill)
	requests := c.warmed(b, s)
	d, total := newDraw(b, s, requests), sum{}
	b.ReportAllocs()
	for b.Loop() {
		snapshot, r := d.pair(b)
		total.add(r, plan(b, snapshot, r))
	}
	few := total.plans < 10 && c.limit.Kind == gang.Within // which refuses large gangs
	require.True(b, few || (c.state == "no") == (total.placed == 0), "%d of %d placed", total.placed, total.plans)
	total.report(b, c.nodes)
	reportRatio(b, c.fill)
	c.compareZones(b)
	c.compareAnyNode(b)
	if c.limit.Kind != "" {
		c.limit = gang.Limit{}
		b.ReportMetric(perOp(b)/measured["BenchmarkPlan/"+c.name()], "x-no-limit")
	}
	if c.inside > 0 {
		c.inside, c.excluding = 0, false
		b.ReportMetric(perOp(b)/measured["BenchmarkPlan/"+c.name()], "x-anywhere")
	}
}

// compareZones says how many times faster the row without zones is.
func (c planCase) compareZones(b *testing.B) {
	measured[b.Name()] = perOp(b)
	if c.zones > 0 {
		c.zones = 0
		b.ReportMetric(perOp(b)/measured["BenchmarkPlan/"+c.name()], "x-no-zones")
	}
}

// compareAnyNode says how many times slower it is to leave out nodes meant for others.
func (c planCase) compareAnyNode(b *testing.B) {
	if c.halves && !c.anyNode {
		c.anyNode = true
		b.ReportMetric(perOp(b)/measured["BenchmarkPlan/"+c.name()], "x-any-node")
	}
}

// warmed lists the gangs that a row plans, after their shape was planned on every snapshot, with each of their sizes
// of groups.
func (c planCase) warmed(b *testing.B, s *stream) []*gang.Request {
	if c.state == "group" {
		s.warmUp(b, request(s.fleet.Shape, 2*c.gang, 0))
		return c.grouped(s.fleet.Shape)
	}
	var warm, requests []*gang.Request
	for _, group := range groupsAround(c.group) {
		both := request(s.fleet.Shape, 2*c.gang, group)
		both.TakesAnyNode = c.anyNode
		c.bound(both, group)
		warm = append(warm, both)
		for i, size := range sizesAround(c.gang) {
			r := request(s.fleet.Shape, max(size, group), group)
			r.TakesAnyNode = c.anyNode
			c.bound(r, group)
			r.Name += "-" + strconv.Itoa(i)
			if c.state == "no" {
				c.refuse(r)
			}
			c.confine(b, s, r)
			requests = append(requests, r)
		}
	}
	s.warmUp(b, warm...)
	return requests
}

// confine keeps a gang in the first domain.
func (c planCase) confine(b *testing.B, s *stream, r *gang.Request) {
	if c.inside == 0 {
		return
	}
	named, ok := s.head.Tree("default")
	require.True(b, ok)
	d := topology.Root
	for range c.inside {
		d, _ = named.Tree.Children(d)
	}
	if r.Inside = named.Tree.Path(d); !c.excluding {
		return
	}
	r.Inside = nil
	first, end := named.Tree.Nodes(d)
	for n := range topology.NodeID(named.Tree.NumNodes()) {
		if n < first || n >= end {
			r.Exclude = append(r.Exclude, named.Tree.NodeName(n))
		}
	}
}

// bound adds the limit, of the groups if there are any, which then divide the gang.
func (c planCase) bound(r *gang.Request, group int) {
	if c.limit.Kind == "" {
		return
	}
	if group > 0 && !c.short {
		r.Members = r.Members[:len(r.Members)/group*group]
	}
	if group == 0 || c.ofMembers || c.limit.Kind == gang.Within { // of the gang; the groups may lie in several of the domains
		r.Limits = []gang.Limit{c.limit}
	} else {
		r.Groups[0].Limits = []gang.Limit{c.limit}
	}
}

// grouped lists gangs that all have a size of groups of their own, so that no snapshot sees one twice.
func (c planCase) grouped(shape benchmarks.Shape) []*gang.Request {
	var requests []*gang.Request
	for i, size := range sizesAround(c.gang)[1:] {
		requests = append(requests, request(shape, max(size, i+2), i+2))
	}
	return requests
}

// refuse adds rules that no domain of the fill can fulfil. For gangs of some 64 the free slots of every leaf suffice.
func (c planCase) refuse(r *gang.Request) {
	must := func(layer string) []gang.Rule { return []gang.Rule{{Layer: layer, Strength: gang.MustGather}} }
	switch {
	case c.gang >= 1024: // no spine has the slots, and every strategy up to it is open
		r.Gather = must("spine")
	case c.group == 0:
		r.Gather = must("unit")
	default:
		r.Gather, r.Groups[0].Gather = must("spine"), must("unit")
	}
}

// shapes counts the shapes that were ever asked for, so that each cold plan has one of its own.
var shapes int64

// cold plans gangs of a shape that no snapshot has seen. Each snapshot keeps a few indexes, hence few snapshots.
func (c planCase) cold(b *testing.B) {
	s := streamOf(b, c.fill)
	sizes, on := sizesAround(c.gang), s.apart(b, 8)
	var requests []*gang.Request
	total := sum{}
	b.ReportAllocs()
	for b.Loop() {
		i := total.plans % 1024
		if i == 0 {
			b.StopTimer()
			requests = requests[:0]
			for k := range 1024 {
				r := request(s.fleet.Shape, sizes[k*37%len(sizes)], c.group)
				r.TakesAnyNode = c.anyNode
				shapes++
				r.Shape.Resources[muster.Memory] -= shapes
				requests = append(requests, r)
			}
			b.StartTimer()
		}
		total.add(requests[i], plan(b, on[total.plans%len(on)], requests[i]))
	}
	total.report(b, c.nodes)
	reportRatio(b, c.fill)
	c.compareZones(b)
	c.compareAnyNode(b)
}

// sizesAround lists 64 sizes between half of n and one and a half of it, some of them equal where n is small.
func sizesAround(n int) []int {
	sizes := make([]int, 64)
	for i := range sizes {
		sizes[i] = max(1, n/2+(i+1)*n/64)
	}
	return sizes
}

// groupsAround lists three sizes of groups, 0 alone for no groups.
func groupsAround(n int) []int {
	if n == 0 {
		return []int{0}
	}
	return []int{n - 2, n, n + 2}
}

// workers are the members of every request.
var workers = func() []gang.Member {
	all := make([]gang.Member, 4096)
	for i := range all {
		all[i].Name = "worker-" + strconv.Itoa(i)
	}
	return all
}()

// request asks for a gang of new members, in groups unless their size is 0.
func request(shape benchmarks.Shape, members, group int) *gang.Request {
	r := &gang.Request{
		Name:    fmt.Sprintf("bench/gang-%d-%d", members, group),
		Members: workers[:members:members],
		Shape:   gang.Shape{Resources: shape.Member(), NUMA: gang.NUMA{Policy: shape.Policy}},
	}
	if group > 0 {
		r.Groups = []gang.Groups{{Size: group}}
	}
	return r
}
