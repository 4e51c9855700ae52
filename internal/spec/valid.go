// Does an answer keep every rule?

package spec

import (
	"errors"
	"fmt"
	"slices"

	"github.com/muster-sched/muster/internal/index"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/model"
)

// Valid says which rules an answer breaks: how many members are placed, what nodes take, where the gang and its groups lie, multiples
// and limits. It looks at positions alone, and shares nothing with [Best].
func Valid(m *model.Model, a *model.Answer) error {
	c := &checker{m: m, a: a, r: a.Of.Room.(*Room)}
	for i, pos := range a.Positions {
		c.members = append(c.members, placedMember{m.Pending[i], pos})
	}
	c.fresh = len(c.members)
	for r := range m.Running.All() {
		c.members = append(c.members, placedMember{r.Rank, r.Pos})
	}
	c.numbers()
	c.nodes()
	c.domains()
	c.multiples()
	c.limits()
	return errors.Join(c.broken...)
}

// placedMember is a member, new or running.
type placedMember struct {
	rank int
	pos  int32
}

// checker collects what is broken.
type checker struct {
	m       *model.Model
	a       *model.Answer
	r       *Room
	members []placedMember // the new ones first
	fresh   int            // so many
	broken  []error
}

func (c *checker) hold(so bool, format string, args ...any) {
	if !so {
		c.broken = append(c.broken, fmt.Errorf(format, args...))
	}
}

// numbers checks how many members are placed, and that no group is torn.
func (c *checker) numbers() {
	n := c.fresh
	c.hold(c.m.Least <= n && n <= c.m.Admitted, "%d members, at least %d and at most %d may be", n, c.m.Least, c.m.Admitted)
	if len(c.m.Levels) > 0 && 0 < n && n < len(c.m.Pending) {
		size := int(c.m.Levels[0].Size)
		c.hold(c.m.Pending[n-1]/size != c.m.Pending[n]/size, "a group is torn at rank %d", c.m.Pending[n])
	}
}

// nodes checks that each has room for its new members.
func (c *checker) nodes() {
	on := map[int32]int64{}
	for _, x := range c.members[:c.fresh] {
		on[x.pos]++
	}
	for pos, n := range on {
		takes := c.r.Takes[pos]
		if c.m.Hard && pos >= c.m.View.FirstPos[c.m.View.Outside] || c.r.spared && c.r.Others[pos] {
			takes = 0
		}
		c.hold(c.m.View.Contains(c.r.Inside, c.m.View.NodeVertex(pos)), "position %d is not inside %d", pos, c.r.Inside)
		c.hold(n <= takes, "%d members at %d, which takes %d", n, pos, takes)
	}
}

// domains checks where the gang lies, and each of its groups.
func (c *checker) domains() {
	v := c.m.View
	c.hold(v.TierOf(c.a.Domain) <= c.a.Tier && c.a.Tier <= c.m.Gather.Must, "domain %d, tier %d, at most %d", c.a.Domain, c.a.Tier, c.m.Gather.Must)
	for _, x := range c.members {
		c.hold(v.Contains(c.a.Domain, v.NodeVertex(x.pos)), "position %d is not in domain %d", x.pos, c.a.Domain)
	}
	for _, l := range c.m.Levels {
		for group, positions := range c.groups(l.Size) {
			if !slices.ContainsFunc(c.members[:c.fresh], func(x placedMember) bool { return int64(x.rank)/l.Size == group }) && len(positions) == 1 {
				continue
			}
			reached := v.TierOf(v.Lowest(positions))
			c.hold(reached <= l.Gather.Must, "group %d of %d reaches tier %d, at most %d", group, l.Size, reached, l.Gather.Must)
		}
	}
}

// groups are the positions of the members of each group of a size.
func (c *checker) groups(size int64) map[int64][]int32 {
	out := map[int64][]int32{}
	for _, x := range c.members {
		out[int64(x.rank)/size] = append(out[int64(x.rank)/size], x.pos)
	}
	return out
}

// count is how many of some positions lie below a vertex.
func (c *checker) count(x layout.Vertex, positions []int32) (n int64) {
	for _, pos := range positions {
		n += int64(bit(c.m.View.Contains(x, c.m.View.NodeVertex(pos))))
	}
	return n
}

// all are the positions of all members.
func (c *checker) all() (out []int32) {
	for _, x := range c.members {
		out = append(out, x.pos)
	}
	return out
}

// multiples checks every vertex below the root, and the gang.
func (c *checker) multiples() {
	v := c.m.View
	if c.m.Multiple == nil {
		return
	}
	c.hold(int64(len(c.members))%c.m.Multiple[v.RootTop] == 0, "%d members in all, no multiple of %d", len(c.members), c.m.Multiple[v.RootTop])
	for x := layout.Vertex(1); int(x) < v.NumDomains()+int(v.Nodes); x++ {
		n, unit := c.count(x, c.all()), c.m.Multiple[v.TierOf(v.Above(x))-1]
		c.hold(n%unit == 0, "%d members below %d, no multiple of %d", n, x, unit)
	}
}

// limits checks the domains of which limits speak.
func (c *checker) limits() {
	l := c.m.Limits
	if l == nil {
		return
	}
	c.hold(!c.r.Company || c.m.Running.Len() == 0, "others are where members must be alone")
	for _, limit := range l.Apart {
		for _, d := range c.domainsOf(limit) {
			n := c.count(d, c.all())
			c.hold(n <= limit.Most, "%d members in domain %d, at most %d", n, d, limit.Most)
		}
	}
	for _, limit := range l.Within {
		used := int64(0)
		for _, d := range c.domainsOf(limit) {
			used += int64(bit(c.count(d, c.all()) > 0))
		}
		c.hold(used <= limit.Most, "%d domains of tier %d, at most %d", used, limit.Tier, limit.Most)
	}
	for i, level := range c.m.Levels {
		for _, limit := range l.Groups[i] {
			for _, d := range c.domainsOf(limit) {
				n := int64(0)
				for _, positions := range c.groups(level.Size) {
					n += int64(bit(c.count(d, positions) > 0))
				}
				c.hold(n <= limit.Most, "%d groups of %d in domain %d, at most %d", n, level.Size, d, limit.Most)
			}
		}
	}
}

// domainsOf are those that a limit counts in.
func (c *checker) domainsOf(limit index.Cap) []layout.Vertex { return c.m.View.DomainsOf(limit.Tier) }
