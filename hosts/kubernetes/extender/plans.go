package extender

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/placement/manifest"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
)

// attempts is how many plans are made for a pod whose node is not offered, in which it goes to another one; then all nodes that are not offered are
// left out at once, for its whole gang.
const attempts = 8

// plan is what was decided for a gang, or for all that start together with it.
type plan struct {
	gangs   map[string]*planned
	made    time.Time
	version int  // of the cluster that it was made on
	held    bool // its room is kept
}

// planned is the plan of one gang. Exactly one of result and err is set.
type planned struct {
	request gang.Request
	result  *placement.Result
	err     error
	nodes   map[string]string // by member
}

// settled says whether members may go to their nodes: nobody has to leave before.
func (p *plan) settled() bool {
	for _, g := range p.gangs {
		if g.result == nil || len(g.result.Victims) > 0 || g.result.Waits() {
			return false
		}
	}
	return true
}

// refusal is what the scheduler did not offer for members of a gang. A node that is full for one member may be meant for another: the scheduler has
// nominated that one for it.
type refusal struct {
	pairs map[gang.Refusal]bool
	nodes map[string]bool // for all members
	since time.Time
}

// answer is where a pod may go.
type answer struct {
	err      error
	anywhere bool   // it is in no gang
	node     string // empty: nowhere
	reason   string // why it may not go elsewhere
}

// ask says where a pod may go of the nodes that are offered.
func (s *State) ask(ctx context.Context, pod *v1.Pod, nodes []string) answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	g, err := s.gangOf(pod)
	switch {
	case err != nil:
		return answer{err: err}
	case g.Plain:
		return answer{anywhere: true}
	}
	name := g.Request.Name
	isOffered := make(map[string]bool, len(nodes))
	for _, n := range nodes {
		isOffered[n] = true
	}
	for attempt := 0; ; attempt++ {
		p, err := s.plan(ctx, g)
		if err != nil {
			return answer{err: err}
		}
		mine := p.gangs[name]
		node := mine.nodes[pod.Name]
		switch {
		case mine.err != nil && s.reconsider(name, pod.Name, isOffered):
			s.drop(p)
			continue
		case mine.err != nil:
			return answer{reason: s.why(name, mine.err)}
		case !p.settled():
			return answer{reason: waitsText(p)}
		case node == "":
			return answer{reason: fmt.Sprintf("muster: %s starts with %d members, without this one", name, len(mine.nodes))}
		case isOffered[node]:
			return answer{node: node, reason: "muster: the plan of " + name + " has " + node + " for it"}
		case attempt > attempts+1:
			return answer{err: fmt.Errorf("muster: %s: the plan has %s for %s, which is left out", name, node, pod.Name)}
		}
		for _, n := range mine.nodes {
			if !isOffered[n] {
				s.refusalOf(name).pairs[gang.Refusal{Member: pod.Name, Node: n}] = true
			}
		}
		if attempt >= attempts {
			for n := range s.cluster.Nodes() {
				if !isOffered[n.Name] {
					s.refusalOf(name).nodes[n.Name] = true
				}
			}
		}
		s.drop(p)
	}
}

// why says in a line why a gang is refused.
func (s *State) why(name string, err error) string {
	text := strings.ReplaceAll(err.Error(), "\n", "; ")
	if !strings.Contains(text, name) {
		text = name + ": " + text
	}
	if r := s.refused[name]; r != nil {
		without := maps.Clone(r.nodes)
		for pair := range r.pairs {
			without[pair.Node] = true
		}
		text += fmt.Sprintf(" (without %d nodes that the scheduler does not offer)", len(without))
	}
	return "muster: " + text
}

// waitsText says for whom a plan waits.
func waitsText(p *plan) string {
	var names []string
	for _, name := range sortedGangs(p) {
		if g := p.gangs[name]; g.result != nil {
			for _, v := range g.result.Victims {
				names = append(names, podName(v.Gang, v.Member).String())
			}
			for _, w := range g.result.WaitsFor {
				names = append(names, podName(w.Gang, w.Member).String())
			}
		} else {
			return fmt.Sprintf("muster: starts together with %s, which waits", name)
		}
	}
	rest := ""
	if len(names) > 4 {
		names, rest = names[:4], fmt.Sprintf(" and %d more", len(names)-4)
	}
	return fmt.Sprintf("muster: waits until %s%s are gone", strings.Join(names, ", "), rest)
}

// planned is the node that the last plan has for a pod; empty: none.
func (s *State) planned(ctx context.Context, pod *v1.Pod) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	g, err := s.gangOf(pod)
	if err != nil || g.Plain {
		return ""
	}
	p, err := s.plan(ctx, g)
	if err != nil || !p.settled() {
		return ""
	}
	return p.gangs[g.Request.Name].nodes[pod.Name]
}

// leaving are those who leave for a pod and its gang.
type leaving struct {
	anywhere bool                // it is in no gang
	node     string              // of the pod
	uids     map[string][]string // by node
}

// at is a node of some on which somebody leaves: that of the pod, else the first one of its gang. Where the pod's own is free it would otherwise have
// nobody evicted, and whoever of the gang was asked before the gang was there is not asked again until something happens.
func (l *leaving) at(is func(node string) bool) string {
	if len(l.uids[l.node]) > 0 && is(l.node) {
		return l.node
	}
	for _, node := range slices.SortedFunc(maps.Keys(l.uids), muster.CompareNatural) {
		if is(node) {
			return node
		}
	}
	return ""
}

// victims are those who leave for a pod.
func (s *State) victims(ctx context.Context, pod *v1.Pod) (*leaving, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	g, err := s.gangOf(pod)
	if err != nil || g.Plain {
		return &leaving{anywhere: true}, err
	}
	p, err := s.plan(ctx, g)
	if err != nil {
		return nil, err
	}
	out := &leaving{node: p.gangs[g.Request.Name].nodes[pod.Name], uids: map[string][]string{}}
	for _, name := range sortedGangs(p) { // of gangs that start together one names the victims of all
		if of := p.gangs[name]; of.result != nil {
			for _, v := range of.result.Victims {
				if uid := s.uids[podName(v.Gang, v.Member)]; uid != "" {
					out.uids[v.Node] = append(out.uids[v.Node], uid)
				}
			}
		}
	}
	return out, nil
}

// plan is the plan of a gang, that is remembered or made now.
func (s *State) plan(ctx context.Context, g *manifest.Gang) (*plan, error) {
	if p := s.plans[g.Request.Name]; p != nil {
		if p.settled() || p.version == s.version {
			return p, nil
		}
		s.drop(p) // what waits or was refused may fit by now
	}
	began := time.Now()
	p, reqs := s.draft(g)
	_, outcomes := placement.BatchContext(ctx, s.cluster, reqs) // what is planned is held, and not carried out
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("muster: nobody waits for this plan any more: %w", err)
	}
	for _, o := range outcomes {
		of := p.gangs[reqs[o.Index].Name]
		of.result, of.err = o.Result, o.Err
		if of.err == nil {
			for _, a := range o.Result.Assignments {
				of.nodes[a.Member] = a.Node
			}
		}
	}
	s.hold(p)
	s.metrics.durations.Observe(time.Since(began).Seconds())
	for name, of := range p.gangs {
		s.plans[name] = p
		s.metrics.planned(of.err == nil)
	}
	return p, nil
}

// draft is the plan before it is made, and the requests of the gangs that can be planned: of one gang, or of all that start together.
func (s *State) draft(g *manifest.Gang) (*plan, []*gang.Request) {
	unit := []*manifest.Gang{g}
	if together := g.Request.Together; together != "" {
		for _, other := range s.gangs {
			if other != g && other.Request.Together == together {
				unit = append(unit, other)
			}
		}
		slices.SortFunc(unit, func(a, b *manifest.Gang) int { return cmp.Compare(a.Request.Name, b.Request.Name) })
	}
	p := &plan{gangs: map[string]*planned{}, made: s.now(), version: s.version}
	var exclude []string
	for _, of := range unit {
		if r := s.refused[of.Request.Name]; r != nil {
			for n := range r.nodes {
				exclude = append(exclude, n)
			}
		}
	}
	slices.Sort(exclude)
	var reqs []*gang.Request
	for _, of := range unit {
		p.gangs[of.Request.Name] = &planned{request: of.Request, nodes: map[string]string{}, err: of.Err}
		if of.Err != nil {
			continue
		}
		req := of.Request
		req.Exclude = slices.Compact(slices.Concat(req.Exclude, exclude))
		if r := s.refused[req.Name]; r != nil {
			pairs := slices.SortedFunc(maps.Keys(r.pairs), func(a, b gang.Refusal) int {
				return cmp.Or(cmp.Compare(a.Member, b.Member), cmp.Compare(a.Node, b.Node))
			})
			req.Refused = slices.Concat(req.Refused, pairs)
		}
		reqs = append(reqs, &req)
	}
	return p, reqs
}

// hold keeps the room of a plan for its members. It may take what was held for gangs of a lower priority, whose plans end.
func (s *State) hold(p *plan) {
	if !p.settled() {
		return
	}
	holds := map[string][]cluster.Hold{}
	for name, g := range p.gangs {
		holds[name] = g.result.Holds()
	}
	next, err := s.cluster.Update(cluster.Delta{Holds: holds})
	if err != nil {
		s.metrics.failed(fmt.Errorf("a plan that cannot be held: %w", err))
		return
	}
	s.cluster, p.held = next, true
	for _, other := range s.plans {
		if other != p && other.held && !s.holds(other) {
			s.drop(other)
		}
	}
}

// holds says whether all room of a plan is still held for those of its members that wait.
func (s *State) holds(p *plan) bool {
	held := map[cluster.MemberRef]string{}
	for _, h := range s.cluster.Holds() {
		held[cluster.MemberRef{Gang: h.Gang, Member: h.Member}] = h.Node
	}
	for name, g := range p.gangs {
		for _, m := range s.members(name) {
			if node := g.nodes[m.Name]; node != "" && held[cluster.MemberRef{Gang: name, Member: m.Name}] != node {
				return false
			}
		}
	}
	return true
}

// members are those of a gang that wait.
func (s *State) members(name string) []gang.Member {
	if g := s.gangs[name]; g != nil {
		return g.Request.Members
	}
	return nil
}

// sameButBound says whether a gang asks for what it did when it was planned, but for members that have left the plan for their nodes.
func sameButBound(was, is gang.Request) bool {
	known := map[string]gang.Member{}
	for _, m := range was.Members {
		known[m.Name] = m
	}
	for _, m := range is.Members {
		if before, ok := known[m.Name]; !ok || !reflect.DeepEqual(before, m) {
			return false
		}
	}
	was.Members, is.Members = nil, nil
	return reflect.DeepEqual(was, is)
}

func sortedGangs(p *plan) (names []string) {
	for name := range p.gangs {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// podName is the pod of a member: the namespace is that of its gang.
func podName(gang, member string) types.NamespacedName {
	namespace, _, _ := strings.Cut(gang, "/")
	return types.NamespacedName{Namespace: namespace, Name: member}
}
