// Package validity answers: does a plan keep every rule, and does it say the truth about itself? It knows nothing of
// how plans are made. It recomputes everything from the plain description of the cluster, in the longest and dullest
// way, and is meant for tests.
package validity

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/placement"
)

// check is the work of one call: the arguments, what follows from them, and the defects found.
type check struct {
	before *cluster.Spec
	spec   *cluster.Spec // with the victims gone
	req    *gang.Request
	res    *placement.Result

	net     *Network
	nodes   map[string]*cluster.Node
	own     []cluster.Running
	members map[string]*gang.Member
	beside  bool      // something that is held in domains binds
	parts   *Division // nil: the gang has no groups, or equal ones of members of one shape
	defects []error
}

func (c *check) failf(format string, args ...any) {
	c.defects = append(c.defects, fmt.Errorf(format, args...))
}

// Check tells all defects of the result of planning the request in the cluster, joined; nil if there are none. Of
// better results it looks for those alone that leave a domain or a node of this one empty. O(nodes + members^2).
func Check(spec cluster.Spec, req *gang.Request, res *placement.Result) error {
	return checked(spec, req, res, false)
}

// CheckTogether is Check for one of several gangs that were planned together, which may use more than it would alone.
func CheckTogether(spec cluster.Spec, req *gang.Request, res *placement.Result) error {
	return checked(spec, req, res, true)
}

func checked(spec cluster.Spec, req *gang.Request, res *placement.Result, together bool) error {
	was := spec
	spec = Seen(spec, req)
	net, ok := NewNetwork(&spec, req)
	if !ok {
		return fmt.Errorf("no topology %q", req.Tree)
	}
	after := Without(&spec, func(ref cluster.MemberRef) bool {
		return slices.ContainsFunc(res.Victims, func(v placement.Victim) bool { return v.MemberRef == ref })
	})
	c := &check{before: &spec, spec: &after, req: req, res: res, net: net, own: Own(&spec, req), beside: len(BindingHolds(&was, req)) > 0}
	c.nodes, c.members = map[string]*cluster.Node{}, map[string]*gang.Member{}
	for i := range spec.Nodes {
		c.nodes[spec.Nodes[i].Name] = &spec.Nodes[i]
	}
	for i := range req.Members {
		c.members[req.Members[i].Name] = &req.Members[i]
	}
	if len(req.Parts) > 0 || c.mixed() {
		c.parts = Divide(req, c.own)
	}
	c.assignments()
	if len(c.defects) > 0 {
		return errors.Join(c.defects...) // nothing below makes sense with unknown members or nodes
	}
	c.victims()
	c.count()
	c.nodeRules()
	c.capacity()
	c.quotas()
	c.waitsFor()
	c.gather()
	c.multiples()
	c.limits()
	c.report()
	c.ring()
	c.domains(&was)
	if !together && !c.beside { // there another plan may be the best
		c.spared()
	}
	return errors.Join(c.defects...)
}

// assignments are members of the request, each once, none that runs, on known nodes, in rank order.
func (c *check) assignments() {
	seen := map[string]bool{}
	for _, r := range c.own {
		seen[r.Member] = true
	}
	ranks := Ranks(c.req, c.own)
	levels := c.levels()
	var outermost []*Division
	if c.parts != nil {
		outermost = c.parts.Groups(1)
	}
	last := -1
	for _, a := range c.res.Assignments {
		switch {
		case c.members[a.Member] == nil:
			c.failf("%s is no member of the request", a.Member)
		case seen[a.Member]:
			c.failf("%s is placed twice, or runs already", a.Member)
		case c.nodes[a.Node] == nil:
			c.failf("%s is on node %q, which does not exist", a.Member, a.Node)
		case a.Rank != ranks[a.Member]:
			c.failf("%s has rank %d, want %d", a.Member, a.Rank, ranks[a.Member])
		case a.Rank <= last:
			c.failf("%s with rank %d comes after rank %d", a.Member, a.Rank, last)
		}
		group := -1
		switch {
		case c.parts != nil:
			group = slices.IndexFunc(outermost, func(g *Division) bool { return slices.Contains(g.Members, a.Member) })
		case len(levels) > 0:
			group = a.Rank / levels[0].Size
		}
		if a.Group != group {
			c.failf("%s has group %d, want %d", a.Member, a.Group, group)
		}
		seen[a.Member], last = true, a.Rank
	}
	if c.res.Gang != c.req.Name || c.res.Tree != c.net.name {
		c.failf("the result is for gang %q in tree %q", c.res.Gang, c.res.Tree)
	}
}

// count holds when MinMember members run in the end, of those that are alike the lowest ranks first, and all new members of a group or none.
func (c *check) count() {
	if c.parts != nil {
		c.minima()
		return
	}
	all := len(c.req.Members) + len(c.own)
	least := c.req.MinMember
	if least == 0 {
		least = all
	}
	total := len(c.res.Assignments) + len(c.own)
	if total < least {
		c.failf("%d members in the end, want at least %d", total, least)
	}
	if len(c.res.Assignments) == 0 {
		c.failf("no member is placed")
	}
	placed := map[int]bool{}
	for _, a := range c.res.Assignments {
		placed[a.Rank] = true
	}
	var left []int
	ranks := Ranks(c.req, c.own)
	c.lowestFirst(slices.SortedFunc(maps.Keys(c.members), func(a, b string) int { return ranks[a] - ranks[b] }))
	for name := range c.members {
		if !placed[ranks[name]] {
			left = append(left, ranks[name])
		}
	}
	for _, level := range Levels(c.req, all) {
		torn := map[int]bool{}
		for _, rank := range left {
			torn[rank/level.Size] = true
		}
		for _, a := range c.res.Assignments {
			if torn[a.Rank/level.Size] {
				c.failf("rank %d is placed, and not all of its group of %d", a.Rank, level.Size)
			}
		}
	}
}

func (c *check) nodeRules() {
	for _, a := range c.res.Assignments {
		node := c.nodes[a.Node]
		if cause := Refusal(c.spec, c.req, ShapeOf(c.req, c.members[a.Member]), node); cause != "" {
			c.failf("%s is on %s: %s", a.Member, a.Node, cause)
		}
		if slices.Contains(c.req.Refused, gang.Refusal{Member: a.Member, Node: a.Node}) {
			c.failf("%s is on %s, which is refused for it", a.Member, a.Node)
		}
	}
}

// capacity holds when every node that takes a member has room, and zones, once the victims and the awaited members are gone.
func (c *check) capacity() {
	for name := range c.used() {
		if defect := c.noRoom(name, c.res.WaitsFor); defect != "" {
			c.failf("%s: %s", name, defect)
		}
	}
}

func (c *check) used() map[string]bool {
	used := map[string]bool{}
	for _, a := range c.res.Assignments {
		used[a.Node] = true
	}
	return used
}

// noRoom says what the node lacks for the new members when these running ones leave; empty if nothing. A resource that
// no new member asks for is nobody's concern.
func (c *check) noRoom(node string, gone []placement.Waited) string {
	need, members := muster.Resources{}, 0
	for _, a := range c.res.Assignments {
		if a.Node == node {
			members++
			for r, amount := range ShapeOf(c.req, c.members[a.Member]).Resources {
				need[r] += amount
			}
		}
	}
	if c.req.Slots != nil {
		return map[bool]string{true: "more members than the host has slots for"}[members > c.req.Slots(node)]
	}
	on := c.staying(node, gone)
	for _, r := range need.Names() {
		if free, bounded := Free(c.nodes[node], r, on); bounded && need[r] > max(free, 0) {
			return "too little " + r
		}
	}
	return c.zonesKept(c.nodes[node], on)
}

// staying are the running members on a node, but for some.
func (c *check) staying(node string, gone []placement.Waited) (on []cluster.Running) {
	for _, r := range c.spec.Running {
		ref := cluster.MemberRef{Gang: r.Gang, Member: r.Member}
		leaves := slices.ContainsFunc(gone, func(w placement.Waited) bool { return w.MemberRef == ref })
		if r.Node == node && !leaves {
			on = append(on, r)
		}
	}
	return on
}

// waitsFor are leaving members, none of which could stay.
func (c *check) waitsFor() {
	if c.req.IgnoreLeaving && len(c.res.WaitsFor) > 0 {
		c.failf("waits for %v although leaving members are to be ignored", c.res.WaitsFor)
	}
	alone := c.aloneThen()
	for i, w := range c.res.WaitsFor {
		j := slices.IndexFunc(c.spec.Running, func(r cluster.Running) bool {
			return r.Gang == w.Gang && r.Member == w.Member
		})
		switch {
		case j < 0 || !c.spec.Running[j].Leaving:
			c.failf("waits for %s %s, which is not leaving", w.Gang, w.Member)
		case c.spec.Running[j].Node != w.Node:
			c.failf("waits for %s %s on %s, it is on %s", w.Gang, w.Member, w.Node, c.spec.Running[j].Node)
		case len(c.unwelcome(slices.Delete(slices.Clone(c.res.WaitsFor), i, i+1), alone)) > 0: // it may not stay
		case w.Gang == c.req.Name && slices.ContainsFunc(c.res.Assignments, func(a placement.Assignment) bool { return a.Member == w.Member }): // its name is taken
		case c.beside: // what they leave may be for others, for whom the rest is held
		case !c.used()[w.Node]:
			c.failf("waits for %s %s on %s, which it does not use", w.Gang, w.Member, w.Node)
		case c.noRoom(w.Node, slices.Delete(slices.Clone(c.res.WaitsFor), i, i+1)) == "" && (c.spec.Running[j].NUMA == nil || !c.inTurns(w.Node)):
			c.failf("waits for %s %s without need", w.Gang, w.Member)
		}
	}
}

// located gives the ranks of all members, new and running, their nodes.
func (c *check) located() map[int]string {
	ranks := Ranks(c.req, c.own)
	at := map[int]string{}
	for _, r := range c.own {
		at[ranks[r.Member]] = r.Node
	}
	for _, a := range c.res.Assignments {
		at[a.Rank] = a.Node
	}
	return at
}

// groups are the nodes of every group of this size, in the order of ranks.
func groups(at map[int]string, size int) [][]string {
	var out [][]string
	byGroup := map[int][]string{}
	for _, rank := range slices.Sorted(maps.Keys(at)) {
		byGroup[rank/size] = append(byGroup[rank/size], at[rank])
	}
	for _, g := range slices.SortedFunc(maps.Keys(byGroup), cmp.Compare[int]) {
		out = append(out, byGroup[g])
	}
	return out
}
