package benchmarks_test

import (
	"fmt"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/benchmarks"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/numa"
	"github.com/muster-sched/muster/placement"
)

// goal is what a row is to take at most.
func goal(b *testing.B, d time.Duration) { b.ReportMetric(float64(d.Nanoseconds()), "ns-goal") }

// BenchmarkReplace plans for a gang of 64 what it lost: each time on a snapshot of its own, on which the gang runs but for those members, whose
// nodes are out of service, and the shape was planned.
func BenchmarkReplace(b *testing.B) {
	for _, nodes := range []int{10240, 102400} {
		for _, group := range []int{0, 8} {
			for _, lost := range []int{1, 4} {
				name := fmt.Sprintf("nodes=%d/gang=64/lost=%d", nodes, lost)
				if group > 0 {
					name += fmt.Sprintf("/group=%d", group)
				}
				b.Run(name, func(b *testing.B) {
					s := streamOf(b, fragmented(nodes))
					whole, total := request(s.fleet.Shape, 64, group), sum{}
					s.warmUp(b, whole)
					s.fresh(b)
					losses := make([]loss, len(s.snapshot))
					for i, c := range s.snapshot {
						losses[i] = lose(b, c, whole, lost, i)
					}
					b.ReportAllocs()
					for b.Loop() {
						l := &losses[total.plans%len(losses)]
						total.add(l.request, plan(b, l.cluster, l.request))
					}
					require.Equal(b, total.plans, total.placed)
					total.report(b, nodes)
					goal(b, 30*time.Microsecond)
				})
			}
		}
	}
}

// loss is a snapshot on which a gang lost members, and what it asks for.
type loss struct {
	cluster *placement.Cluster
	request *gang.Request
}

// lose lets a gang run and takes members away, every seventh from some on, their nodes out of service.
func lose(b *testing.B, c *placement.Cluster, whole *gang.Request, lost, from int) loss {
	b.Helper()
	res := plan(b, c, whole)
	c, err := c.Apply(res)
	require.NoError(b, err)
	anew := *whole
	anew.Members = nil
	d, nodes := cluster.Delta{}, map[string]bool{}
	for i := range lost {
		a := &res.Assignments[(from+7*i)%len(res.Assignments)]
		anew.Members = append(anew.Members, gang.Member{Name: a.Member})
		d.Remove = append(d.Remove, cluster.MemberRef{Gang: whole.Name, Member: a.Member})
		nodes[a.Node] = true
	}
	for n := range c.Nodes() {
		if nodes[n.Name] {
			n.NotReady = true
			d.SetNodes = append(d.SetNodes, n)
		}
	}
	c, err = c.Update(d)
	require.NoError(b, err)
	other := *whole
	other.Name += "-other"
	plan(b, c, &other)
	return loss{c, &anew}
}

// unseen asks for a gang without groups in a shape that no snapshot has seen.
func unseen(shape benchmarks.Shape, members int) *gang.Request {
	shapes++
	r := request(shape, members, 0)
	r.Shape.Resources[muster.Memory] -= shapes
	return r
}

// planEach plans requests that are made outside the measured time, on the snapshots in turn; all are placed.
func planEach(b *testing.B, on []*placement.Cluster, nodes int, next func() *gang.Request) {
	b.Helper()
	total := sum{}
	b.ReportAllocs()
	for b.Loop() {
		b.StopTimer()
		r := next()
		b.StartTimer()
		total.add(r, plan(b, on[total.plans%len(on)], r))
	}
	require.Equal(b, total.plans, total.placed)
	total.report(b, nodes)
}

// twoRoles asks for a gang whose first members, the leaders, take two slots each.
func twoRoles(r *gang.Request, leaders int) *gang.Request {
	r.Members = append([]gang.Member{}, r.Members...)
	large := &gang.Shape{Resources: muster.Resources{}, NUMA: r.Shape.NUMA}
	for name, amount := range r.Shape.Resources {
		large.Resources[name] = 2 * amount
	}
	for i := range leaders {
		r.Members[i].Shape = large
	}
	return r
}

// BenchmarkRoles plans gangs of two roles, of which the first takes two slots, on nodes of eight slots: in shapes that no snapshot has seen, and as other
// numbers of members of such that were planned on the snapshot before. The first row of each size is of members of one shape.
func BenchmarkRoles(b *testing.B) {
	for _, nodes := range []int{10240, 102400} {
		for _, leaders := range []int{0, 1, 512} {
			name := fmt.Sprintf("nodes=%d/gang=%d+%d/state=", nodes, leaders, 1024-leaders)
			f := fill{nodes: nodes, name: "frag70", slots: 8}
			b.Run(name+"cold", func(b *testing.B) {
				s := streamOf(b, f)
				planEach(b, s.apart(b, 8), nodes, func() *gang.Request { return twoRoles(unseen(s.fleet.Shape, 1024), leaders) })
				measured[b.Name()] = perOp(b)
				if t, ok := measured[fmt.Sprintf("BenchmarkRoles/nodes=%d/gang=0+1024/state=cold", nodes)]; ok && leaders > 0 {
					b.ReportMetric(perOp(b)/t, "x-plain")
					b.ReportMetric(5*t, "ns-goal")
				}
			})
			if leaders == 0 { // BenchmarkPlan has the others
				continue
			}
			b.Run(name+"warm", func(b *testing.B) {
				warmRoles(b, f, leaders, nil)
				goal(b, map[int]time.Duration{1: 100 * time.Microsecond, 512: 500 * time.Microsecond}[leaders])
			})
			b.Run(name+"no", func(b *testing.B) {
				warmRoles(b, f, leaders, []gang.Rule{{Layer: "unit", Strength: gang.MustGather}})
			})
		}
	}
}

// BenchmarkRolesInZones plans gangs of two roles on nodes of eight slots in two NUMA zones, in shapes that no snapshot has seen.
func BenchmarkRolesInZones(b *testing.B) {
	for _, leaders := range []int{1, 32} {
		f := fill{nodes: 10240, name: "frag70", slots: 8, zones: 2, policy: numa.SingleNUMANode}
		b.Run(fmt.Sprintf("nodes=%d%s/gang=%d+%d/state=cold", f.nodes, f.segments(), leaders, 64-leaders), func(b *testing.B) {
			s := streamOf(b, f)
			planEach(b, s.apart(b, 8), f.nodes, func() *gang.Request { return twoRoles(unseen(s.fleet.Shape, 64), leaders) })
			goal(b, 5*time.Millisecond)
		})
	}
}

// warmRoles plans gangs of two roles of other sizes than one that was planned on the snapshot before. Those with rules are refused.
func warmRoles(b *testing.B, f fill, leaders int, rules []gang.Rule) {
	s, total := streamOf(b, f), sum{}
	s.warmUp(b, twoRoles(request(s.fleet.Shape, 1024, 0), leaders))
	var requests []*gang.Request
	for i, size := range sizesAround(1024) {
		r := twoRoles(request(s.fleet.Shape, size, 0), max(1, leaders*size/1024))
		r.Name += "-" + strconv.Itoa(i)
		r.Gather = rules
		requests = append(requests, r)
	}
	d := newDraw(b, s, requests)
	b.ReportAllocs()
	for b.Loop() {
		snapshot, r := d.pair(b)
		total.add(r, plan(b, snapshot, r))
	}
	require.Equal(b, rules != nil, total.placed == 0, "%d of %d placed", total.placed, total.plans)
	total.report(b, f.nodes)
}

// BenchmarkNest plans gangs in three levels of groups, 1,024 members.
func BenchmarkNest(b *testing.B) {
	for _, nodes := range []int{10240, 102400} {
		for _, state := range []string{"warm", "cold"} {
			b.Run(fmt.Sprintf("nodes=%d/gang=1024/groups=256,32,8/state=%s", nodes, state), func(b *testing.B) {
				s := streamOf(b, fragmented(nodes))
				nested := func() *gang.Request {
					r := request(s.fleet.Shape, 1024, 0)
					if state == "cold" {
						r = unseen(s.fleet.Shape, 1024)
					}
					r.Groups = []gang.Groups{{Size: 256}, {Size: 32}, {Size: 8}}
					return r
				}
				on := s.snapshot
				if state == "cold" {
					on = s.apart(b, 8)
				} else {
					s.warmUp(b, nested())
					s.fresh(b)
				}
				planEach(b, on, nodes, nested)
				goal(b, map[string]time.Duration{"warm": 120 * time.Microsecond, "cold": 3 * time.Millisecond}[state])
			})
		}
	}
}

// BenchmarkParts plans gangs of two parts of 32, of which each must gather in a leaf, or the second on a feed of the second topology, of which each has a
// sixteenth of the nodes of every leaf; in shapes that no snapshot has seen, or that were planned on the snapshot before.
func BenchmarkParts(b *testing.B) {
	for _, nodes := range []int{10240, 102400} {
		for _, tree := range []string{"default", "power"} {
			f := fill{nodes: nodes, name: "frag70", slots: 1, feeds: 16}
			name := fmt.Sprintf("nodes=%d%s/gang=32+32/second=%s/state=", nodes, f.segments(), tree)
			b.Run(name+"cold", func(b *testing.B) {
				s := streamOf(b, f)
				planEach(b, s.apart(b, 8), nodes, func() *gang.Request { return twoParts(unseen(s.fleet.Shape, 64), tree) })
				goal(b, 10*time.Millisecond)
			})
			b.Run(name+"warm", func(b *testing.B) {
				s := streamOf(b, f)
				s.warmUp(b, twoParts(request(s.fleet.Shape, 64, 0), tree))
				s.fresh(b)
				planEach(b, s.snapshot, nodes, func() *gang.Request { return twoParts(request(s.fleet.Shape, 64, 0), tree) })
			})
		}
	}
}

// twoParts divides a gang of 64 into two parts, the second of some topology.
func twoParts(r *gang.Request, tree string) *gang.Request {
	for i, layer := range []string{"leaf", map[string]string{"default": "leaf", "power": "feed"}[tree]} {
		part := gang.Part{Name: []string{"first", "second"}[i], Gather: []gang.Rule{{Layer: layer, Strength: gang.MustGather}}}
		for _, m := range r.Members[32*i : 32*i+32] {
			part.Members = append(part.Members, m.Name)
		}
		r.Parts = append(r.Parts, part)
	}
	r.Parts[1].Tree = tree
	return r
}

// BenchmarkEqualParts plans gangs of parts of eight members of one shape, each within a unit, in shapes that were planned on the snapshot before:
// as parts, and as the equal groups that these are. What groups do not cost is that each part is named.
func BenchmarkEqualParts(b *testing.B) {
	must := []gang.Rule{{Layer: "unit", Strength: gang.MustGather}}
	for _, nodes := range []int{10240, 102400} {
		for _, members := range []int{64, 512} {
			for _, form := range []string{"group=8", "parts=equal"} {
				b.Run(fmt.Sprintf("nodes=%d/gang=%dx8/state=warm/%s", nodes, members/8, form), func(b *testing.B) {
					s := streamOf(b, fill{nodes: nodes, name: "frag70", slots: 8})
					next := func() *gang.Request {
						r := request(s.fleet.Shape, members, 0)
						if form == "group=8" {
							r.Groups = []gang.Groups{{Size: 8, Gather: must}}
							return r
						}
						for some := range slices.Chunk(r.Members, 8) {
							part := gang.Part{Name: fmt.Sprint("part-", len(r.Parts)), Gather: must}
							for _, m := range some {
								part.Members = append(part.Members, m.Name)
							}
							r.Parts = append(r.Parts, part)
						}
						return r
					}
					s.warmUp(b, next())
					s.fresh(b)
					planEach(b, s.snapshot, nodes, next)
					name := fmt.Sprintf("EqualParts/%d/%d", nodes, members)
					if form == "group=8" {
						measured[name] = perOp(b)
					} else {
						b.ReportMetric(perOp(b)/measured[name], "x-groups")
					}
				})
			}
		}
	}
}

// BenchmarkReplicas plans gangs of eight parts, each of a leader with two slots and seven members with one within a unit, in shapes that
// were planned on the snapshot before; and the same with each part in a unit, or a leaf, of its own, with one or each alone in its unit, or,
// in a fuller cluster, all in eight units.
func BenchmarkReplicas(b *testing.B) {
	apart := func(layer string) gang.Limit {
		return gang.Limit{Layer: layer, Kind: gang.Apart, Most: 1, OfParts: true}
	}
	for _, row := range []struct {
		fill, name string
		limits     []gang.Limit
		alone      int // parts alone in their units, each by a limit of its own
	}{
		{"frag70", "", nil, 0},
		{"frag70", "/parts-apart=unit-1", []gang.Limit{apart("unit")}, 0},
		{"frag70", "/parts-apart=leaf-1", []gang.Limit{apart("leaf")}, 0},
		{"clean70", "/fill=clean70", nil, 0},
		{"clean70", "/fill=clean70/alone=unit", nil, 1},
		{"clean70", "/fill=clean70/parts-alone=unit", []gang.Limit{{Layer: "unit", Kind: gang.Alone, OfParts: true}}, 0},
		{"clean70", "/fill=clean70/each-alone=unit", nil, 8},
		{"frag97", "/fill=frag97", nil, 0},
		{"frag97", "/fill=frag97/within=unit-8", []gang.Limit{{Layer: "unit", Kind: gang.Within, Most: 8}}, 0},
	} {
		b.Run("nodes=102400/gang=8x8/state=warm"+row.name, func(b *testing.B) {
			s := streamOf(b, fill{nodes: 102400, name: row.fill, slots: 8})
			next := func() *gang.Request {
				r := replicas(request(s.fleet.Shape, 64, 0), row.limits)
				for i := range row.alone {
					r.Parts[i].Limits = []gang.Limit{{Layer: "unit", Kind: gang.Alone}}
				}
				return r
			}
			s.warmUp(b, next())
			s.fresh(b)
			planEach(b, s.snapshot, 102400, next)
			if row.limits == nil && row.alone == 0 {
				measured["Replicas/"+row.fill] = perOp(b)
			} else {
				b.ReportMetric(perOp(b)/measured["Replicas/"+row.fill], "x-no-limit")
			}
		})
	}
}

// replicas divides a gang of 64 into eight parts.
func replicas(r *gang.Request, limits []gang.Limit) *gang.Request {
	leader := twoRoles(r, 1).Members[0].Shape
	for i := range 8 {
		part := gang.Part{Name: fmt.Sprint("replica-", i), Gather: []gang.Rule{{Layer: "unit", Strength: gang.MustGather}}}
		r.Members[8*i].Shape = leader
		for _, m := range r.Members[8*i : 8*i+8] {
			part.Members = append(part.Members, m.Name)
		}
		r.Parts = append(r.Parts, part)
	}
	r.Limits = limits
	return r
}
