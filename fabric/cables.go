package fabric

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/muster-sched/muster"
)

// cables are the links of a network, as they are collected.
type cables struct {
	r     *reading
	ids   map[string]int
	names []string
	host  []bool
	tells []bool // has told of its own links
	links map[[2]int]bool
	order [][2]int // links, as the first end tells them
}

func (r *reading) cables() *cables {
	return &cables{r: r, ids: map[string]int{}, links: map[[2]int]bool{}}
}

// device is the number of a host or a switch. What is a host for somebody is one.
func (c *cables) device(name string, host bool) int {
	id, ok := c.ids[name]
	if !ok {
		id = len(c.names)
		c.ids[name] = id
		c.names, c.host, c.tells = append(c.names, name), append(c.host, host), append(c.tells, false)
	}
	c.host[id] = c.host[id] || host
	return id
}

// link notes that one device sees another one.
func (c *cables) link(one, other int) {
	if one == other {
		c.r.find(Finding{Itself, c.r.name, c.names[one], ""})
		return
	}
	if key := [2]int{one, other}; !c.links[key] {
		c.links[key] = true
		c.order = append(c.order, key)
	}
}

// finish makes trees of the cables: one or, by option, one a plane. Above, if there is a name, is a domain around all others.
func (c *cables) finish(above string) {
	for _, l := range c.order {
		if c.tells[l[1]] && !c.links[[2]int{l[1], l[0]}] {
			c.r.find(Finding{OneSide, c.r.name, c.names[l[0]], c.names[l[1]]})
		}
	}
	n := newNet(c)
	planes := n.planes()
	if len(planes) > 1 && c.r.opt.Planes == "" {
		c.r.fail(Error{Reason: fmt.Sprintf("the hosts are on %d networks of switches, such as those of %s and %s: choose a tree for each, or one for all (Options.Planes, -planes)",
			len(planes), n.names[planes[0][0]], n.names[planes[1][0]])})
		return
	}
	if len(planes) <= 1 || c.r.opt.Planes == OnePlane {
		n.tree(c.r, c.r.name, nil, above)
		return
	}
	for i, switches := range planes {
		in := map[int]bool{}
		for _, s := range switches {
			in[s] = true
		}
		n.tree(c.r, fmt.Sprintf("%s-plane-%d", c.r.name, i+1), in, above)
	}
}

// net is a network with its devices in natural order of names, so that the order of the input decides nothing.
type net struct {
	names []string
	host  []bool
	next  [][]int // neighbours of each device, ascending, each once
}

func newNet(c *cables) *net {
	order := make([]int, len(c.names))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return muster.CompareNatural(c.names[a], c.names[b]) })
	n := &net{names: make([]string, len(order)), host: make([]bool, len(order)), next: make([][]int, len(order))}
	at := make([]int, len(order))
	for i, old := range order {
		at[old], n.names[i], n.host[i] = i, c.names[old], c.host[old]
	}
	for _, l := range c.order {
		one, other := at[l[0]], at[l[1]]
		n.next[one], n.next[other] = append(n.next[one], other), append(n.next[other], one)
	}
	for i := range n.next {
		slices.Sort(n.next[i])
		n.next[i] = slices.Compact(n.next[i])
	}
	return n
}

// switchSets are the switches that hang together without hosts, and which of them have a link to another one.
func (n *net) switchSets() (s sets, linked []bool) {
	s, linked = newSets(len(n.names)), make([]bool, len(n.names))
	for one, next := range n.next {
		for _, other := range next {
			if !n.host[one] && !n.host[other] {
				s.join(one, other)
				linked[one] = true
			}
		}
	}
	return s, linked
}

// planes are the sets of switches that hang together without hosts and have hosts, if some host is on several of them. Switches
// without a link to another switch are none: of these nobody knows where they hang.
func (n *net) planes() (planes [][]int) {
	sets, linked := n.switchSets()
	shared := false
	index := map[int]int{} // of planes, by their sets
	for h := range n.names {
		first := -1
		for _, s := range n.next[h] {
			if !n.host[h] || n.host[s] || !linked[s] {
				continue
			}
			set := sets.of(s)
			if _, ok := index[set]; !ok {
				index[set] = len(index)
			}
			shared = shared || first >= 0 && first != set
			first = set
		}
	}
	if !shared {
		return nil
	}
	planes = make([][]int, len(index))
	for s := range n.names {
		if i, ok := index[sets.of(s)]; ok && !n.host[s] {
			planes[i] = append(planes[i], s)
		}
	}
	slices.SortFunc(planes, func(a, b []int) int { return cmp.Compare(a[0], b[0]) })
	return planes
}
