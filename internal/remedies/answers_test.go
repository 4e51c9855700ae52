package remedies

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/explain"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/quota"
)

// answer is a small cluster, a gang that is refused in it, and all that makes it start.
type answer struct {
	name  string
	racks []string
	more  func(spec *cluster.Spec) // what else there is; nil: nothing
	job   gang.Request
	ask   func(req *gang.Request) // what else it asks for; nil: nothing
	want  []string
}

var answers = []answer{
	{
		name: "one member less", want: []string{"members min=3", "gangs a", "priority 1 preempts=true", "add 1 like n0 to room0/rack0"},
		racks: []string{".. .", "a"}, job: jobOf(4, 1),
	},
	{
		name: "the layer above", want: []string{"members min=1", "layer rack -> room", "gangs a", "priority 1 preempts=true", "add 1 like n0 to room0/rack0"},
		racks: []string{". a", ". a"}, job: jobOf(2, 1), ask: gathered("rack"),
	},
	{
		name: "no layer at all", want: []string{"members min=1", "layer rack -> none", "add 1 like n0 to room0/rack0"},
		racks: []string{".", "a", "."}, job: jobOf(2, 1), ask: gathered("rack"),
	},
	{
		name: "no groups", want: []string{"layer of level 1 rack -> room", "group of level 1 size=3", "add 1 like n0 to room0/rack0"},
		racks: []string{". .", ". a"}, job: jobOf(3, 1), ask: func(req *gang.Request) {
			req.Groups = []gang.Groups{{Size: 3, Gather: must("rack")}}
		},
	},
	{
		name: "groups on wider layers", want: []string{"members min=2", "group of level 1 size=2", "add 1 like n0 to room0/rack1"},
		racks: []string{". .", "."}, job: jobOf(4, 1), ask: func(req *gang.Request) {
			req.MinMember = 3
			req.Groups = []gang.Groups{{Size: 2, Gather: must("rack")}}
		},
	},
	{
		name: "no multiple", want: []string{"members min=2", "multiple 2 at rack", "add 1 like n0 to room0/rack0"},
		racks: []string{"...", "."}, job: jobOf(4, 1), ask: func(req *gang.Request) { req.Gather = []gang.Rule{{Layer: "rack", Multiple: 2}} },
	},
	{
		name: "two of a rack", want: []string{"members min=2", "limit Apart at rack -> 2"},
		racks: []string{"...", "."}, job: jobOf(3, 1), ask: limit(gang.Limit{Kind: gang.Apart, Layer: "rack", Most: 1}),
	},
	{
		name: "one rack more", want: []string{"members min=3", "limit Within at rack -> 3", "add 1 like n0 to room0/rack0"},
		racks: []string{". .", ".", "."}, job: jobOf(4, 1), ask: limit(gang.Limit{Kind: gang.Within, Layer: "rack", Most: 2}),
	},
	{
		name: "beside others", want: []string{"limit Alone at rack -> none", "gangs a", "priority 1 preempts=true"},
		racks: []string{"a."}, job: jobOf(1, 1), ask: limit(gang.Limit{Kind: gang.Alone, Layer: "rack"}),
	},
	{
		name: "beside who is alone", want: []string{"gangs a", "priority 1 preempts=true"},
		racks: []string{"a."}, job: jobOf(1, 1), more: func(spec *cluster.Spec) { spec.Running[0].Alone, spec.Running[0].AloneIn = "rack", "default" },
	},
	{
		name: "smaller members", want: []string{"members min=1", "request gpu=3 -> 2", "add 1 like n0 to room0/rack0"},
		racks: []string{"..... a"}, job: jobOf(2, 3),
	},
	{
		name: "smaller members on several nodes", want: []string{"members min=1", "request gpu=3 -> 1", "add 2 like n0 to room0/rack0"},
		racks: []string{"...a ..aa"}, job: jobOf(3, 3),
	},
	{
		name: "a node that returns", want: []string{"nodes n0", "gangs a", "priority 1 preempts=true", "add 1 like n0 to room0/rack0"},
		racks: []string{"#.. #. aa"}, job: jobOf(2, 1),
	},
	{
		name: "nodes that return to one rack", want: []string{"nodes n0,n1", "gangs a", "priority 1 preempts=true", "add 1 like n3 to room0/rack0"},
		racks: []string{"#. #.", "#. aa"}, job: jobOf(2, 1), ask: gathered("rack"),
	},
	{
		name: "a taint", want: []string{"taint spot=:NoSchedule"},
		racks: []string{".", "."}, job: jobOf(1, 1), more: func(spec *cluster.Spec) {
			spec.Nodes[0].Taints = []gang.Taint{{Key: "spot", Effect: gang.NoSchedule}}
			spec.Nodes[1].Taints = []gang.Taint{{Key: "spot", Effect: gang.NoSchedule}, {Key: "down", Effect: gang.NoExecute}}
		},
	},
	{
		name: "two taints", want: []string{"taint down=:NoExecute and taint spot=:NoSchedule"},
		racks: []string{"."}, job: jobOf(1, 1), more: func(spec *cluster.Spec) {
			spec.Nodes[0].Taints = []gang.Taint{{Key: "spot", Effect: gang.NoSchedule}, {Key: "down", Effect: gang.NoExecute}}
		},
	},
	{
		name: "a label", want: []string{"selector pool"},
		racks: []string{"."}, job: jobOf(1, 1), ask: func(req *gang.Request) { req.Shape.Selector = map[string]string{"pool": "x"} },
	},
	{
		name: "labels and affinities", want: []string{"selector pool and selector affinity"},
		racks: []string{"."}, job: jobOf(1, 1), ask: func(req *gang.Request) {
			req.Shape.Selector = map[string]string{"pool": "x"}
			req.Shape.Affinity = []gang.NodeTerm{{Labels: []gang.Expression{{Key: "zone", Operator: gang.Exists}}}}
		},
	},
	{
		name: "a maximum", want: []string{"members min=2", "quota team max=map[gpu:5] min=map[]", "gangs a", "priority 1 preempts=true"},
		racks: []string{"aa....."}, job: jobOf(3, 1), ask: inTeam, more: func(spec *cluster.Spec) {
			spec.Quotas = quotasOf(quota.Spec{Name: "org", Max: muster.Resources{"gpu": 7}}, quota.Spec{Name: "team", Max: muster.Resources{"gpu": 4}})
			count(spec, "a", "team")
		},
	},
	{
		name: "a share", want: []string{"members min=2", "quota org max=map[gpu:7] min=map[]", "gangs a"},
		racks: []string{"aaaa...."}, job: jobOf(3, 1), ask: inTeam, more: func(spec *cluster.Spec) {
			spec.Quotas = quotasOf(quota.Spec{Name: "org", Min: muster.Resources{"gpu": 4}, Max: muster.Resources{"gpu": 6}}, quota.Spec{Name: "team"}, quota.Spec{Name: "other", Min: muster.Resources{"gpu": 4}})
			count(spec, "a", "other")
		},
	},
	{
		name: "a share by halves", want: []string{"members min=2", "request gpu=2 -> 1", "quota team max=map[] min=map[gpu:4]"},
		racks: []string{"aa......"}, job: jobOf(3, 2), ask: inTeam, more: func(spec *cluster.Spec) {
			spec.Quotas = quotasOf(quota.Spec{Name: "org", Min: muster.Resources{"gpu": 8}, Max: muster.Resources{"gpu": 8}}, quota.Spec{Name: "team", Max: muster.Resources{"gpu": 6}}, quota.Spec{Name: "other", Max: muster.Resources{"gpu": 6}})
			spec.Demand = map[string]muster.Resources{"other": {"gpu": 4}}
			count(spec, "a", "other")
		},
	},
	{
		name: "a minimum", want: []string{"members min=1", "quota team max=map[] min=map[gpu:2]"},
		racks: []string{"...."}, job: jobOf(2, 1), ask: func(req *gang.Request) {
			req.Quota = "team"
			for i := range req.Members {
				req.Members[i].NonPreemptible = true
			}
		}, more: func(spec *cluster.Spec) {
			spec.Quotas = quotasOf(quota.Spec{Name: "org", Min: muster.Resources{"gpu": 2}}, quota.Spec{Name: "team", Min: muster.Resources{"gpu": 1}})
		},
	},
	{
		name: "taking back what is one's own", want: []string{"members min=1", "nodes n1", "quota team max=map[] min=map[gpu:2]", "gangs a", "add 1 like n0 to room0/rack0"},
		racks: []string{"aaaa", "#...."}, job: jobOf(2, 1), ask: func(req *gang.Request) { req.Quota, req.NeverPreempts = "team", false }, more: func(spec *cluster.Spec) {
			spec.Quotas = quotasOf(quota.Spec{Name: "org", Min: muster.Resources{"gpu": 4}}, quota.Spec{Name: "team", Min: muster.Resources{"gpu": 1}}, quota.Spec{Name: "other", Min: muster.Resources{"gpu": 1}})
			count(spec, "a", "other")
			for i := range spec.Running {
				spec.Running[i].MinMember = -1
			}
		},
	},
	{
		name: "gangs that end", want: []string{"gangs c", "priority 1 preempts=true", "add 1 like n0 to room0/rack0"},
		racks: []string{"ab cc", "de"}, job: jobOf(2, 1), ask: gathered("rack"),
	},
	{
		name: "a gang on a node that is too small for a member", want: []string{"request gpu=2 -> 1", "gangs a,b", "gangs of fewest members d,f,g", "priority 1 preempts=true", "add 2 like n0 to room0/rack0"},
		racks: []string{"b. b hba", ". fhg ed."}, job: jobOf(2, 2), ask: gathered("rack"),
	},
	{
		name: "the fewest gangs, the fewest members", want: []string{"gangs a", "gangs of fewest members b,c", "priority 1 preempts=true", "add 1 like n0 to room0/rack0"},
		racks: []string{"aaaa bc"}, job: jobOf(2, 1),
	},
	{
		name: "many gangs on one node", want: []string{"gangs a,b,c,d,e", "priority 1 preempts=true", "add 1 like n0 to room0/rack0"},
		racks: []string{"abcdefgh"}, job: jobOf(1, 5),
	},
	{
		name: "a priority", want: []string{"gangs a", "priority 8 preempts=true", "add 1 like n0 to room0/rack0"},
		racks: []string{"aa"}, job: jobOf(1, 1), more: func(spec *cluster.Spec) { spec.Running[0].Priority, spec.Running[1].Priority = 7, 7 },
	},
	{
		name: "a higher priority", want: []string{"gangs a", "priority 8 preempts=false", "add 1 like n0 to room0/rack0"},
		racks: []string{"ab"}, job: jobOf(1, 1), ask: func(req *gang.Request) { req.NeverPreempts = false }, more: func(spec *cluster.Spec) {
			spec.Running[0].Priority, spec.Running[1].Priority = 9, 7
		},
	},
	{
		name: "more nodes", want: []string{"gangs a,b", "priority 1 preempts=true", "add 2 like n0 to room0/rack0"},
		racks: []string{"aa", "b"}, job: jobOf(3, 1),
	},
	{
		name: "more nodes in one rack", want: []string{"members min=1", "add 1 like n0 to room0/rack0"},
		racks: []string{"aa.", "."}, job: jobOf(4, 1), ask: gathered("rack"),
	},
	{
		name: "members of a part", want: []string{"members parts=1", "members of tail min=1", "add 1 like n0 to room0/rack0"},
		racks: []string{". ."}, job: jobOf(3, 1), ask: func(req *gang.Request) {
			req.Parts = []gang.Part{{Name: "head", Members: []string{"job-0"}}, {Name: "tail", Members: []string{"job-1", "job-2"}}}
		},
	},
	{
		name: "a rule of a part", want: []string{"members parts=0", "members of tail min=1", "layer of tail rack -> room", "gangs a", "priority 1 preempts=true", "add 1 like n0 to room0/rack0"},
		racks: []string{".", ". a", "."}, job: jobOf(3, 1), ask: func(req *gang.Request) {
			req.Parts = []gang.Part{{Name: "tail", Members: []string{"job-1", "job-2"}, Gather: must("rack")}}
		},
	},
	{
		name: "less of several shapes", want: []string{"members min=1", "request gpu=3 -> 1"},
		racks: []string{".. ."}, job: jobOf(2, 2), ask: func(req *gang.Request) {
			req.Members[1].Shape = &gang.Shape{Resources: muster.Resources{"gpu": 3}}
		},
	},
	{
		name: "the minimum of the gang moves with that of a part", want: []string{"members of tail min=1 of 2", "add 1 like n0 to room0/rack0"},
		racks: []string{". ."}, job: jobOf(3, 1), ask: func(req *gang.Request) {
			req.MinMember = 3
			req.Parts = []gang.Part{{Name: "head", Members: []string{"job-0"}}, {Name: "tail", Members: []string{"job-1", "job-2"}}}
		},
	},
	{
		name: "pipelines", want: []string{"members min=2", "group of level 1 size=2", "add 1 like n0 to room0/rack0"},
		racks: []string{". . ."}, job: jobOf(4, 1), ask: func(req *gang.Request) { req.MinMember, req.PP = 3, 2 },
	},
	{
		name: "bytes", want: []string{"members min=1", "request memory=734003200 -> 357913941", "add 2 like n0 to room0/rack0"},
		racks: []string{"..."}, job: jobOf(3, 1), ask: asksFor("memory", 700<<20), more: has("memory", 1<<30),
	},
	{
		name: "bytes beside who may leave", want: []string{"members min=1", "request memory=734003200 -> 357913941", "add 2 like n0 to room0/rack0"},
		racks: []string{"..a"}, job: jobOf(3, 1), more: has("memory", 1<<30), ask: func(req *gang.Request) {
			asksFor("memory", 700<<20)(req)
			req.Priority, req.NeverPreempts = 1, false
		},
	},
	{
		name: "two resources at once", want: []string{"request cpu=4 -> 2 and request gpu=4 -> 2"},
		racks: []string{".."}, job: jobOf(1, 4), ask: asksFor("cpu", 4), more: has("cpu", 2),
	},
	{
		name: "fewer parts", want: []string{"members parts=1 and gangs a", "members parts=1 and priority 1 preempts=true", "members parts=1 and add 1 like n0 to room0/rack0"},
		racks: []string{". a"}, job: jobOf(3, 1), ask: func(req *gang.Request) {
			req.MinMember, req.MinParts = 2, 2
			req.Parts = []gang.Part{{Name: "x", Members: []string{"job-0"}}, {Name: "y", Members: []string{"job-1"}, Limits: []gang.Limit{{Kind: gang.Alone, Layer: "rack"}}}}
		},
	},
	{
		name: "fewer members of several shapes", want: []string{"members min=2", "request gpu=4 -> 1"},
		racks: []string{"..", "."}, job: jobOf(3, 1), ask: func(req *gang.Request) {
			req.Members[0].Shape = &gang.Shape{Resources: muster.Resources{"gpu": 4}}
		},
	},
	{
		name: "alone in a room", want: []string{"limit Alone at room -> none", "gangs c", "priority 1 preempts=true"},
		racks: []string{"a.", "b.", "c.", ".."}, job: jobOf(2, 1), ask: func(req *gang.Request) {
			req.Gather, req.Limits = must("rack"), []gang.Limit{{Kind: gang.Alone, Layer: "room"}}
		},
	},
	{
		name: "two kinds at once", want: []string{"nodes n0 and selector pool", "selector pool and gangs a", "selector pool and priority 1 preempts=true"},
		racks: []string{"#. a"}, job: jobOf(1, 1), ask: func(req *gang.Request) { req.Shape.Selector = map[string]string{"pool": "x"} },
	},
	{
		name: "who is leaving", want: []string{"members min=1", "gangs b", "priority 1 preempts=true", "add 1 like n0 to room0/rack0"},
		racks: []string{"ab"}, job: jobOf(2, 1), more: func(spec *cluster.Spec) { spec.Running[0].Leaving = true },
	},
}

func must(layer string) []gang.Rule { return []gang.Rule{{Layer: layer, Strength: gang.MustGather}} }

func gathered(layer string) func(*gang.Request) {
	return func(req *gang.Request) { req.Gather = must(layer) }
}

func limit(l gang.Limit) func(*gang.Request) {
	return func(req *gang.Request) { req.Limits = []gang.Limit{l} }
}

func asksFor(resource string, amount int64) func(*gang.Request) {
	return func(req *gang.Request) {
		req.Shape.Resources = muster.Resources{"gpu": req.Shape.Resources["gpu"], resource: amount}
	}
}

func has(resource string, amount int64) func(*cluster.Spec) {
	return func(spec *cluster.Spec) {
		for i := range spec.Nodes {
			spec.Nodes[i].Allocatable[resource] = amount
		}
	}
}

func inTeam(req *gang.Request) { req.Quota = "team" }

// count counts a gang in a quota.
func count(spec *cluster.Spec, gang, quota string) {
	for i := range spec.Running {
		if spec.Running[i].Gang == gang {
			spec.Running[i].Quota = quota
		}
	}
}

// Each kind of change is an answer somewhere, and an answer has all that there is to say.
func TestAnswers(t *testing.T) {
	known := map[explain.Kind]bool{}
	for _, a := range answers {
		t.Run(a.name, func(t *testing.T) {
			spec, req := inRacks(a.racks...), a.job
			if a.more != nil {
				a.more(&spec)
			}
			if a.ask != nil {
				a.ask(&req)
			}
			require.Nil(t, fits(spec, &req), "it is refused")
			found, _ := remediesOf(t, spec, &req, nil)
			require.Equal(t, a.want, linesOf(found))
			for i := range found {
				known[found[i].Kind] = true
				known[explain.KindCombination] = known[explain.KindCombination] || len(found[i].And) > 0
			}
		})
	}
	for _, k := range explain.Kinds() {
		require.True(t, known[k], "nowhere is %s an answer", k)
	}
}
