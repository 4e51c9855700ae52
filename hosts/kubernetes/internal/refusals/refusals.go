// Package refusals answers: which nodes did filters of the scheduler refuse for members of a gang? A plan without these pairs comes next.
package refusals

import (
	"hash/fnv"
	"maps"
	"slices"

	"github.com/muster-sched/muster/gang"
	fwk "k8s.io/kube-scheduler/framework"
)

// Set are refusals by gang. Each counts until its node changes. The zero value is empty.
type Set struct {
	byGang map[string][]refusal
}

type refusal struct {
	gang.Refusal
	state state
}

// state is what refused: the node, and who was on it. Its generation does not say, since cycles put pods there and take them away again.
type state struct {
	version string
	pods    uint64
}

func stateOf(info fwk.NodeInfo) state {
	out := state{version: info.Node().ResourceVersion}
	for _, p := range info.GetPods() {
		h := fnv.New64a()
		_, _ = h.Write([]byte(p.GetPod().UID))
		out.pods += h.Sum64()
	}
	return out
}

// Add notes that a node of the snapshot was refused for a member.
func (s *Set) Add(name string, r gang.Refusal, nodes fwk.NodeInfoLister) {
	info, err := nodes.Get(r.Node)
	if err != nil {
		return // it is gone, and with it what refused
	}
	if s.byGang == nil {
		s.byGang = map[string][]refusal{}
	}
	s.byGang[name] = append(s.byGang[name], refusal{r, stateOf(info)})
}

// Keep forgets the refusals of all gangs but those that wait. O(gangs with refusals).
func (s *Set) Keep(waits func(gang string) bool) {
	maps.DeleteFunc(s.byGang, func(name string, _ []refusal) bool { return !waits(name) })
}

// Apply gives a request the refusals of its gang that still count: those of nodes that are as they were.
func (s *Set) Apply(req *gang.Request, nodes fwk.NodeInfoLister) {
	still := slices.DeleteFunc(s.byGang[req.Name], func(r refusal) bool {
		info, err := nodes.Get(r.Node)
		return err != nil || stateOf(info) != r.state
	})
	if len(still) == 0 {
		delete(s.byGang, req.Name)
		return
	}
	s.byGang[req.Name] = still
	req.Refused = slices.Clone(req.Refused)
	for _, r := range still {
		req.Refused = append(req.Refused, r.Refusal)
	}
}
