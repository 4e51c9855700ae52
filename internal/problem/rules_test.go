// What do rules, multiples and sizes become, and which are refused?

package problem_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/draws"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/model"
	"github.com/muster-sched/muster/numa"
)

// gatherOf are rules by definition: the tightest MustGather binds, and each tier up to the bound is a worth of its own, or those that are
// preferred are. outer is the bound around them.
func gatherOf(v *layout.View, rules []gang.Rule, outer int32) (g model.Gather) {
	g.Must, g.Own = outer, -1
	worths := map[int32]bool{}
	for _, r := range rules { // the lowest PreferGather
		if tier, _ := v.TierNamed(r.Layer); r.Strength == gang.PreferGather && (g.Finest == 0 || tier < g.Finest-1) {
			g.Finest = tier + 1
		}
	}
	for _, r := range rules {
		tier, _ := v.TierNamed(r.Layer)
		switch r.Strength {
		case gang.MustGather:
			if tier = min(tier, v.RootTop-1); g.Own < 0 || tier < g.Own {
				g.Own, g.Name = tier, r.Layer
			}
			g.Hard, g.Must = g.Hard || tier <= outer, min(g.Must, tier)
		case gang.PreferGather:
			worths[tier] = true
		}
	}
	if len(worths) == 0 {
		for t := range v.RootTop {
			if slices.Contains(v.Tiers, t) {
				worths[t] = true
			}
		}
	}
	g.Finest = min(g.Finest, g.Must+1)
	worths[g.Must] = true
	for t := range worths {
		if t = min(t, g.Must); !slices.Contains(g.Worths, t) {
			g.Worths = append(g.Worths, t)
		}
	}
	slices.Sort(g.Worths)
	return g
}

// Rules are tiers, and those of groups are bound as tightly as what surrounds them.
func TestRulesBecomeTiers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spec := draws.Cluster(t, draws.Tiny)
		layers := draws.LayerNames(&spec)
		req := request(8, func(req *gang.Request) {
			req.Groups = []gang.Groups{{Size: 4}, {Size: 2}}[:rapid.IntRange(0, 2).Draw(t, "levels")]
		})
		rules := func() (out []gang.Rule) {
			for range rapid.IntRange(0, 3).Draw(t, "rules") {
				strength := rapid.SampledFrom([]gang.Strength{gang.MustGather, gang.PreferGather}).Draw(t, "strength")
				r := gang.Rule{Layer: rapid.SampledFrom(append(layers, "7")).Draw(t, "layer"), Strength: strength}
				if !slices.ContainsFunc(out, func(o gang.Rule) bool { return o.Layer == r.Layer && o.Strength == strength }) {
					out = append(out, r)
				}
			}
			return out
		}
		req.Gather = rules()
		for i := range req.Groups {
			req.Groups[i].Gather = rules()
		}
		p := drawn(t, spec, req)
		want := gatherOf(p.Model.View, req.Gather, p.Model.View.RootTop)
		require.Equal(t, want, p.Model.Gather)
		hard := want.Hard
		for i, g := range req.Groups {
			want = gatherOf(p.Model.View, g.Gather, want.Must)
			require.Equal(t, model.Level{Size: int64(g.Size), Gather: want}, p.Model.Levels[i])
			hard = hard || want.Hard
		}
		require.Equal(t, hard, p.Model.Hard, "some rule keeps members from the root")
	})
}

// Members that run in a domain force as many new ones there as complete its multiple, those forced below it included, and no more.
func TestMultiplesForceMembers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spec, req := drawGang(t)
		req.Groups = nil
		for _, layer := range draws.LayerNames(&spec) {
			if rapid.Bool().Draw(t, "with a multiple") {
				req.Gather = append(req.Gather, gang.Rule{Layer: layer, Multiple: rapid.IntRange(2, 3).Draw(t, "multiple")})
			}
		}
		p := drawn(t, spec, req)
		m := &p.Model
		if len(req.Gather) == 0 {
			require.Nil(t, m.Multiple)
			require.Equal(t, int64(1), m.Unit(layout.Root))
			return
		}
		for tier := range m.View.RootTop + 1 {
			all := int64(1)
			for _, r := range req.Gather {
				if at, _ := m.View.TierNamed(r.Layer); at <= tier && all%int64(r.Multiple) != 0 {
					all *= int64(r.Multiple) // 2 and 3 have no common divisor
				}
			}
			require.Equal(t, all, m.Multiple[tier])
		}
		var forced func(x layout.Vertex) int64
		forced = func(x layout.Vertex) (n int64) {
			if !m.View.IsNode(x) {
				lo, end := m.View.Kids(x)
				for c := lo; c < end; c++ {
					n += forced(c)
				}
			}
			if up := m.View.Above(x); up >= 0 {
				for (m.Siblings.At(x)+n)%m.Unit(up) != 0 {
					n++
				}
			}
			require.Equal(t, n, m.Forced.At(x))
			return n
		}
		forced(layout.Root)
	})
}

// What a request says that has no meaning, or no support, is told by its field.
func TestRequestsThatAreRefused(t *testing.T) {
	groups := func(size int, gather ...gang.Rule) func(req *gang.Request) {
		return func(req *gang.Request) { req.Groups = []gang.Groups{{Size: size, Gather: gather}} }
	}
	for field, with := range map[string]func(req *gang.Request){
		"request.Tree":                      func(req *gang.Request) { req.Tree = "cables" },
		"request.Gather[1].Layer":           func(req *gang.Request) { req.Gather = []gang.Rule{must("rack"), must("hall")} },
		"request.Groups[0].Gather[0].Layer": groups(2, must("hall")),
		"request.Limits[0].Layer":           func(req *gang.Request) { req.Limits = []gang.Limit{{Kind: gang.Alone, Layer: "hall"}} },
		"request.Groups[0].Size": func(req *gang.Request) {
			req.Gather, req.Groups = []gang.Rule{multiple("rack", 3)}, []gang.Groups{{Size: 2, Gather: []gang.Rule{must("rack")}}}
		},
		"request.Parts[0].Tree":            func(req *gang.Request) { req.Parts = []gang.Part{{Name: "p", Tree: "cables"}} },
		"request.Parts[0].Gather[0].Layer": func(req *gang.Request) { req.Parts = []gang.Part{{Name: "p", Gather: []gang.Rule{must("hall")}}} },
		"request.Parts[0].Gather": func(req *gang.Request) {
			req.Parts = []gang.Part{{Name: "p", Tree: "feeds", Gather: []gang.Rule{multiple("feed", 2)}}}
		},
		"request.Parts[0].Groups[0].Gather[0].Layer": func(req *gang.Request) {
			req.Parts = []gang.Part{{Name: "p", Groups: []gang.Groups{{Size: 2, Gather: []gang.Rule{must("hall")}}}}}
		},
		"request.Parts[0].Groups[0].Size": func(req *gang.Request) {
			req.Parts = []gang.Part{{Name: "p", Members: []string{"m0", "m1", "m2"}, Groups: []gang.Groups{{Size: 2}, {Size: 1}}}}
		},
		"request.Parts[0].Parts[0].Limits[0].Layer": func(req *gang.Request) {
			req.Parts = []gang.Part{{Name: "p", Parts: []gang.Part{{Name: "q", Limits: []gang.Limit{{Kind: gang.Apart, Most: 1, Layer: "hall"}}}}}}
		},
		"request.Limits": func(req *gang.Request) {
			req.Parts = []gang.Part{{Name: "p", Tree: "feeds", Members: []string{"m0"}, Limits: []gang.Limit{{Kind: gang.Apart, Most: 1, Layer: "feed"}}}}
		},
	} {
		_, err := ask(t, hall(t), request(4, with), nil)
		var invalid *muster.InvalidError
		require.ErrorAs(t, err, &invalid, field)
		require.Equal(t, field, invalid.Field)
	}
	spec := hall(t)
	spec.Running = []cluster.Running{runs("g", "old", "a1")}
	_, err := ask(t, spec, request(3, func(req *gang.Request) {
		req.Gather, req.Groups = []gang.Rule{multiple("rack", 2)}, []gang.Groups{{Size: 2}}
	}), nil)
	require.ErrorContains(t, err, "of which members run")
	_, err = ask(t, hall(t), request(6, func(req *gang.Request) {
		req.Gather, req.Groups = []gang.Rule{multiple("rack", 3)}, []gang.Groups{{Size: 4, Gather: []gang.Rule{must("node")}}}
	}), nil)
	require.ErrorContains(t, err, "beside a short last group")
}

// Where the host tells slots, it is not known what several shapes, zones and victims would take.
func TestSlotsOfHostsAreOfOneShape(t *testing.T) {
	all := map[string]func(req *gang.Request){
		"":                          nil,
		"a gang in parts":           func(req *gang.Request) { req.Parts = []gang.Part{{Name: "p"}} },
		"members of several shapes": func(req *gang.Request) { req.Members[0].Shape = shape(2) },
		"groups that limits make parts": func(req *gang.Request) {
			req.Limits = []gang.Limit{{Kind: gang.Within, Layer: "rack", Most: 2}, {Kind: gang.Within, Layer: "node", Most: 2}}
		},
		"members or nodes with a NUMA policy":      func(req *gang.Request) { req.Shape.NUMA.Policy = numa.BestEffort },
		"a gang for which a tier is worth victims": func(req *gang.Request) { req.Preempt.ForTier = "rack" },
	}
	for feature, with := range all {
		_, err := ask(t, hall(t), request(4, func(req *gang.Request) {
			req.Slots = func(string) int { return 1 }
			if with != nil {
				with(req)
			}
		}), nil)
		if feature == "" {
			require.NoError(t, err)
		} else {
			require.ErrorContains(t, err, "of "+feature)
		}
	}
	spec := hall(t)
	spec.Nodes[3].NUMA = &cluster.NUMA{Policy: numa.Restricted, Zones: []numa.Zone{{}}}
	_, err := ask(t, spec, request(1, func(req *gang.Request) { req.Slots = func(string) int { return 1 } }), nil)
	require.ErrorContains(t, err, "NUMA policy")
	units := request(2, func(req *gang.Request) {
		req.Slots, req.Groups = func(string) int { return 1 }, []gang.Groups{{Size: 2, Gather: []gang.Rule{must("node")}}}
		req.Members[0].Shape = shape(2)
	})
	_, err = ask(t, hall(t), units, nil)
	require.ErrorContains(t, err, "members of several shapes")
}
