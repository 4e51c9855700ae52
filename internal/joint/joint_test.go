package joint_test

import (
	"fmt"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/bounds"
	"github.com/muster-sched/muster/internal/drawn"
	"github.com/muster-sched/muster/internal/joint"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/problem"
	"github.com/muster-sched/muster/internal/room"
	"github.com/muster-sched/muster/internal/search"
	"github.com/muster-sched/muster/internal/snapshot"
)

const cpu = muster.CPU

// gangs are those that ask for the same shapes.
var gangs = []string{"job", "other"}

// drawSpec draws a cluster of nodes with devices and CPU, some of them with a label.
func drawSpec(t *rapid.T) cluster.Spec {
	spec := drawn.Crowd(t, rapid.IntRange(1, 16).Draw(t, "size"), false)
	if rapid.Bool().Draw(t, "empty racks") {
		spec.Running = spec.Running[:min(2, len(spec.Running))]
	}
	for i := range spec.Nodes {
		n := &spec.Nodes[i]
		n.Allocatable[cpu] = rapid.Int64Range(0, 9).Draw(t, "CPU")
		if rapid.Bool().Draw(t, "labelled") {
			n.Labels = map[string]string{"fast": "yes"}
		}
	}
	return spec
}

// drawGang draws a gang of two or three shapes, that perhaps is to be alone, or runs in part.
func drawGang(t *rapid.T, spec *cluster.Spec) *gang.Request {
	req := &gang.Request{Name: "job"}
	plain := rapid.Bool().Draw(t, "plain")
	for i := range rapid.IntRange(2, 3).Draw(t, "shapes") {
		s := &gang.Shape{Resources: muster.Resources{"gpu": rapid.Int64Range(1, 4).Draw(t, "devices")}}
		if s.Resources[cpu] = rapid.Int64Range(0, 3).Draw(t, "asks CPU"); plain {
			s.Resources = muster.Resources{"gpu": 1 << i}
		}
		if rapid.IntRange(0, 3).Draw(t, "where") == 0 {
			s.Selector = map[string]string{"fast": "yes"}
		}
		req.Members = append(req.Members, gang.Member{Name: strconv.Itoa(i), Shape: s})
	}
	if layer := rapid.SampledFrom([]string{"", "", "node", "rack"}).Draw(t, "alone"); layer != "" {
		req.Limits = []gang.Limit{{Kind: gang.Alone, Layer: layer}}
	}
	for i, name := range gangs {
		if rapid.IntRange(0, 2).Draw(t, "runs") == 0 {
			r := drawn.Running(t, 1000+i, len(spec.Nodes), false)
			r.Gang, r.Member, r.Leaving, r.MinMember = name, "runs", false, 0
			spec.Running = append(spec.Running, r)
		}
	}
	return req
}

// boundOf is the bound of a gang on a snapshot; the caller ends the problem.
func boundOf(t require.TestingT, c *snapshot.Snapshot, req *gang.Request) (*joint.Bound, *problem.Problem) {
	p, err := search.New(c, req, nil, bounds.Search{})
	require.NoError(t, err)
	return joint.Of(p, p.OfRoles()), p
}

// held is the most weight that a vertex is said to hold.
func held(b *joint.Bound, x layout.Vertex) int64 {
	w := int64(0)
	for b.Holds(x, w+1) {
		w++
	}
	return w
}

// heaviest is the most weight that some members have that fit on a node together, tried one after the other.
func heaviest(roles []*problem.Problem, node *cluster.Node, weights []int64, free map[string]int64) int64 {
	if len(roles) == 0 {
		return 0
	}
	best := heaviest(roles[1:], node, weights[1:], free)
	s, after := roles[0].Room.Shapes[0], map[string]int64{}
	for key, value := range s.Selector {
		if node.Labels[key] != value {
			return best
		}
	}
	for name, n := range free {
		after[name] = n - s.Resources[name]
	}
	if after["gpu"] < 0 || after[cpu] < 0 && s.Resources[cpu] > 0 {
		return best
	}
	return max(best, weights[0]+heaviest(roles, node, weights, after))
}

// heaviestByPosition tries all nodes; nothing fits where others run in a domain that is the gang's alone.
func heaviestByPosition(spec cluster.Spec, p *problem.Problem, b *joint.Bound) (out []int64) {
	for pos := range p.Model.View.Nodes {
		n := &spec.Nodes[slices.IndexFunc(spec.Nodes, func(n cluster.Node) bool { return n.Name == p.Snapshot.Lineage.Names[p.Model.View.Node(pos)] })]
		free, shared := map[string]int64{"gpu": n.Allocatable["gpu"], cpu: n.Allocatable[cpu]}, false
		for _, r := range spec.Running {
			if r.Node == n.Name {
				free["gpu"] -= r.Resources["gpu"]
			}
			at := p.Model.View.NodeVertex(p.Model.View.At(p.Snapshot.Member(r.Gang, r.Member).Node))
			for _, l := range p.Request.Limits {
				tier, _ := p.Model.View.TierNamed(l.Layer)
				shared = shared || r.Gang != p.Request.Name && p.Model.View.Highest(at, tier) == p.Model.View.Highest(p.Model.View.NodeVertex(pos), tier)
			}
		}
		most := int64(0)
		if !shared {
			most = heaviest(p.OfRoles(), n, b.Weights, free)
		}
		out = append(out, most)
	}
	return out
}

// drawAll draws a cluster and a gang for it.
func drawAll(t *rapid.T) (cluster.Spec, *gang.Request, *snapshot.Snapshot) {
	spec := drawSpec(t)
	req := drawGang(t, &spec)
	c, err := snapshot.New(spec)
	if err != nil {
		t.Skip("who runs may have no room")
	}
	return spec, req, c
}

// Nothing that fits is refused, a bound of each role by itself is no tighter, and every question about domains is answered by the same numbers.
func TestBoundRefusesNothingThatFits(t *testing.T) {
	tight := 0
	rapid.Check(t, func(t *rapid.T) {
		spec, req, c := drawAll(t)
		for _, req.Name = range gangs { // to each the members of the other are others
			b, p := boundOf(t, c, req)
			tight += checkBound(t, heaviestByPosition(spec, p, b), p, b)
			checkQuestions(t, p.Model.View, b)
			p.Done()
		}
	})
	require.Positive(t, tight, "no bound is ever reached")
}

// checkBound compares a bound with what fits by position, and counts the vertices for which it is reached.
func checkBound(t require.TestingT, fits []int64, p *problem.Problem, b *joint.Bound) (tight int) {
	v := p.Model.View
	for x := range layout.Vertex(v.NumDomains()) + v.Nodes {
		sum := int64(0)
		for pos := v.First(x); pos < v.EndOf(x); pos++ {
			sum += fits[pos]
		}
		require.GreaterOrEqual(t, held(b, x), sum, "weights %v", b.Weights)
		tight += int(room.Bit(held(b, x) == sum && sum > 0))
		if isPlain(p.Request) {
			require.Equal(t, sum, held(b, x), "what each asks for divides what the next one does")
		}
		apart := int64(0)
		for r, one := range p.OfRoles() {
			slots := one.Room.Nodes().Table()
			apart += slots.At(x) * b.Weights[r]
		}
		if len(p.Request.Limits) == 0 {
			require.LessOrEqual(t, held(b, x), apart)
		}
	}
	return tight
}

// isPlain says whether shapes ask for devices alone, each for twice what the one before asks for.
func isPlain(req *gang.Request) bool {
	for i, m := range req.Members {
		if m.Shape.Resources["gpu"] != 1<<i || m.Shape.Resources[cpu] > 0 || i == 0 && m.Shape.Selector != nil {
			return false
		}
	}
	return len(req.Limits) == 0
}

// checkQuestions compares what is said of domains with what each holds.
func checkQuestions(t require.TestingT, v *layout.View, b *joint.Bound) {
	for x := range layout.Vertex(v.NumDomains()) {
		var sums []int64
		lo, end := v.Kids(x)
		for c := lo; c < end; c++ {
			sums = append(sums, held(b, c))
		}
		slices.Sort(sums)
		slices.Reverse(sums)
		total, n := int64(0), 0
		for weight := int64(1); weight <= held(b, x); weight++ {
			for total < weight {
				total, n = total+sums[n], n+1
			}
			require.Equal(t, n, b.Children(x, weight))
			small := slices.IndexFunc(sums, func(w int64) bool { return w < weight })
			require.Equal(t, (small+len(sums)+1)%(len(sums)+1), b.WithRoom(x, weight))
		}
	}
	for _, tier := range v.SwitchTiers() {
		roomiest, most := layout.Vertex(-1), int64(-1)
		for _, d := range v.DomainsOf(tier) {
			if w := held(b, d); w > most {
				roomiest, most = d, w
			}
		}
		require.Equal(t, roomiest, b.Roomiest(tier))
		for weight := int64(1); weight <= most+1; weight++ {
			with := slices.DeleteFunc(v.DomainsOf(tier), func(d layout.Vertex) bool { return !b.Holds(d, weight) })
			require.ElementsMatch(t, with, slices.Collect(b.Domains(tier, func() int64 { return weight })))
			require.Equal(t, len(with) > 0, b.HeldAt(tier, weight))
		}
	}
}

// A bound that follows changes of the cluster is the one of a cluster made anew.
func TestBoundFollowsChanges(t *testing.T) {
	followed := 0
	rapid.Check(t, func(t *rapid.T) {
		spec, req, c := drawAll(t)
		for i := range 3 {
			_, p := boundOf(t, c, req) // from here on its index is kept
			p.Done()
			var d cluster.Delta
			next := spec
			next.Running = slices.Clone(spec.Running)
			if n := len(next.Running); n > 0 && !slices.Contains(gangs, next.Running[n-1].Gang) && rapid.Bool().Draw(t, "goes") {
				d.Remove = []cluster.MemberRef{{Gang: next.Running[n-1].Gang, Member: next.Running[n-1].Member}}
				next.Running = next.Running[:n-1]
			}
			d.Place = []cluster.Running{drawn.Running(t, 2000+i, len(spec.Nodes), false)}
			next.Running = append(next.Running, d.Place...)
			after, err := c.Update(d)
			if err != nil {
				continue
			}
			anew, err := snapshot.New(next)
			require.NoError(t, err)
			got, p := boundOf(t, after, req)
			want, q := boundOf(t, anew, req)
			require.Equal(t, want.Weights, got.Weights)
			for x := range layout.Vertex(p.Model.View.NumDomains()) + p.Model.View.Nodes {
				require.Equal(t, held(want, x), held(got, x))
			}
			p.Done()
			q.Done()
			c, spec = after, next
			followed++
		}
	})
	require.Positive(t, followed)
}

// Members weigh what they ask for of the resource that all ask for, devices first; no weight is larger than 64.
func TestWeights(t *testing.T) {
	var spec cluster.Spec
	for i := range 40 {
		spec.Nodes = append(spec.Nodes, cluster.Node{Name: fmt.Sprint(i), Allocatable: muster.Resources{"gpu": 2000, cpu: 2000, muster.Memory: 1 << 40}})
	}
	c, err := snapshot.New(spec)
	require.NoError(t, err)
	for name, tc := range map[string]struct {
		asks []muster.Resources
		want []int64 // nil: there is no bound
	}{
		"devices before CPU":     {[]muster.Resources{{"gpu": 2, cpu: 1}, {"gpu": 6, cpu: 1}}, []int64{1, 3}},
		"CPU, as one has no GPU": {[]muster.Resources{{"gpu": 2, cpu: 4}, {cpu: 6}}, []int64{2, 3}},
		"nothing that all ask":   {[]muster.Resources{{"gpu": 2}, {cpu: 6}}, []int64{1, 1}},
		"far apart":              {[]muster.Resources{{"gpu": 1}, {"gpu": 1000}, {"gpu": 500}}, []int64{1, 62, 31}},
		"one shape":              {[]muster.Resources{{"gpu": 7}}, []int64{1}},
		"next to nothing":        {[]muster.Resources{{muster.Memory: 1}, {muster.Memory: 64}}, nil},
		"eight shapes": {[]muster.Resources{
			{"gpu": 1}, {"gpu": 2}, {"gpu": 3}, {"gpu": 4}, {"gpu": 5}, {"gpu": 6}, {"gpu": 7}, {"gpu": 8},
		}, []int64{1, 2, 3, 4, 5, 6, 7, 8}},
		"nine shapes": {[]muster.Resources{
			{"gpu": 1}, {"gpu": 2}, {"gpu": 3}, {"gpu": 4}, {"gpu": 5}, {"gpu": 6}, {"gpu": 7}, {"gpu": 8}, {"gpu": 9},
		}, nil},
	} {
		req := &gang.Request{Name: "job"}
		for i, asks := range tc.asks {
			req.Members = append(req.Members, gang.Member{Name: fmt.Sprint(i), Shape: &gang.Shape{Resources: asks}})
		}
		p, err := search.New(c, req, nil, bounds.Search{})
		require.NoError(t, err)
		roles := []*problem.Problem{p}
		if len(tc.asks) > 1 {
			roles = p.OfRoles()
		}
		for range 2 { // the second time it is remembered
			if b := joint.Of(p, roles); tc.want == nil {
				require.Nil(t, b, name)
			} else {
				require.Equal(t, tc.want, b.Weights, name)
			}
		}
		if len(tc.asks) > 1 && tc.want != nil {
			p.Request.Eligible = func(string) bool { return true }
			require.Nil(t, joint.Of(p, roles), "nobody else is told of these nodes")
			p.Request.Class = "these"
			require.NotNil(t, joint.Of(p, roles))
			p.Room.LeavingGone = true
			require.Nil(t, joint.Of(p, roles), "no other plan counts leaving members as gone")
		}
		p.Done()
	}
}
