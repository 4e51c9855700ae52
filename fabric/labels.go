package fabric

import (
	"slices"
	"strings"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/topology"
)

// hostname is the label that stands for the node itself.
const hostname = "kubernetes.io/hostname"

// Levels are the labels that make a topology, from the widest to the lowest, which is tier 1.
type Levels struct {
	// Topology is its name.
	Topology string
	// Labels are label keys, and the names of the layers; none stands for the node itself.
	Labels []string
	// Only are labels that a node must have to be in it; nil: all nodes may be.
	Only map[string]string
}

// FromLabels makes a topology of the labels of nodes, as Volcano's discovery does. A node climbs from the lowest label up and
// stops at the first that it lacks; without the lowest it is in no domain. A domain is its path: one value below two others
// is two domains. A node whose climb ends early is in the domain of those that agree with it as far as it goes, if there is just
// one, else in a domain of its own. An empty value is none. Defects are joined, each an [*Error]: no label, one twice, or more than [topology.MaxLayers]. Findings
// are as for [Read]. O(nodes * labels).
func FromLabels(levels Levels, nodes []topology.LabeledNode, opt Options) (*Fabric, error) {
	r := &reading{opt: opt}
	r.fromLabels(levels, nodes, "")
	return r.fabric()
}

// climb is a domain while labels are read: a value below another one.
type climb struct {
	value    string
	tier     int
	children map[string]*climb
	nodes    []string
}

func (c *climb) child(value string, tier int) *climb {
	if c.children == nil {
		c.children = map[string]*climb{}
	}
	if c.children[value] == nil {
		c.children[value] = &climb{value: value, tier: tier}
	}
	return c.children[value]
}

func (r *reading) fromLabels(levels Levels, nodes []topology.LabeledNode, file string) {
	most := len(levels.Labels)
	if most > topology.MaxLayers {
		reason := "a topology has at most " + itoa(topology.MaxLayers) + " layers"
		r.fail(Error{File: file, Field: levels.Topology, Value: itoa(most) + " labels", Reason: reason})
		return
	}
	seen := map[string]bool{}
	for _, key := range levels.Labels {
		if seen[key] || key == "" {
			r.fail(Error{File: file, Field: levels.Topology, Value: key, Reason: "duplicate label"})
			return
		}
		seen[key] = true
	}
	root := &climb{}
	ends := map[string][]*climb{} // domains of whole climbs by how they end, for climbs that end early
	var early [][]string          // climbs, the lowest value first
	at := map[string][]string{}   // nodes of early climbs
	for _, n := range nodes {
		values := levels.climb(n.Labels)
		switch {
		case len(values) == 0:
		case len(values) < most:
			key := strings.Join(values, "\x00")
			if at[key] == nil {
				early = append(early, values)
			}
			at[key] = append(at[key], n.Name)
		default:
			root.enter(values, ends).add(n.Name)
		}
	}
	// Those that go further first: the others may share their domains.
	slices.SortFunc(early, func(a, b []string) int {
		if len(a) != len(b) {
			return len(b) - len(a)
		}
		return muster.ComparePaths(a, b)
	})
	for _, values := range early {
		key := strings.Join(values, "\x00")
		found := ends[key]
		var d *climb
		if len(found) == 1 {
			d = found[0]
		} else {
			d = root.enter(values, ends)
			if len(found) > 1 {
				r.find(Finding{Ambiguous, levels.Topology, at[key][0], values[0]})
			}
		}
		d.nodes = append(d.nodes, at[key]...)
	}
	spec := topology.Spec{Layers: []topology.Layer{{Name: hostname, Tier: 0}}}
	for i, key := range levels.Labels {
		spec.Layers = append(spec.Layers, topology.Layer{Name: key, Tier: most - i})
	}
	spec.Roots = root.domains(levels.Labels, true)
	r.build(levels.Topology, file, spec)
}

// climb lists the values of a node from the lowest label up, to the first that it lacks.
func (l *Levels) climb(labels map[string]string) (values []string) {
	for key, value := range l.Only {
		if labels[key] != value {
			return nil
		}
	}
	for _, key := range slices.Backward(l.Labels) {
		value := labels[key]
		if value == "" {
			break
		}
		values = append(values, value)
	}
	return values
}

func (c *climb) add(node string) { c.nodes = append(c.nodes, node) }

// enter finds or makes the domain of a climb, whose widest domain is a root.
func (c *climb) enter(values []string, ends map[string][]*climb) *climb {
	d := c
	isNew := false
	for tier := len(values); tier >= 1; tier-- {
		value := values[tier-1]
		if tier == len(values) { // roots of different tiers may have one value
			value += "\x00" + strings.Repeat("+", tier)
		}
		isNew = d.children[value] == nil
		if d = d.child(value, tier); tier == len(values) {
			d.value = values[tier-1]
		}
	}
	if isNew {
		for n := range values {
			key := strings.Join(values[:n+1], "\x00")
			ends[key] = append(ends[key], d)
		}
	}
	return d
}

// domains are those below, in natural order. Roots of different tiers that have one value are called by their labels, too.
func (c *climb) domains(labels []string, roots bool) (out []topology.Domain) {
	values := map[string]int{}
	for _, d := range c.children {
		values[d.value]++
	}
	for _, d := range c.children {
		name := d.value
		if values[name] > 1 && roots {
			name = labels[len(labels)-d.tier] + "=" + name
		}
		out = append(out, topology.Domain{Name: name, Tier: d.tier, Children: d.domains(labels, false), Nodes: d.nodes})
	}
	return out
}
