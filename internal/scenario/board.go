package scenario

import (
	"fmt"
	"slices"
	"strings"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/numa"
	"github.com/muster-sched/muster/topology"
)

// device is the resource that one character of a cell stands for.
const device = "gpu"

// What a character of a cell says; lower-case letters are members of the running gang of that name.
const (
	free    = '.'
	taken   = 'x'
	out     = '#'
	leaving = '~'
	unknown = '?'
)

// Rows of these names are no domains: nodes outside the tree, and nodes directly below the root of a topology without
// layers.
const (
	outsideLabel = "outside"
	rootLabel    = "root"
)

// board is a drawn cluster: its rows as written, and for every slot of every node the member that holds it.
type board struct {
	layers   []string // widest first
	rows     []row
	slots    map[string][]cluster.MemberRef // by node; the zero value is free
	zones    map[string]ends                // by node
	cordoned map[string]bool
	leaves   map[cluster.MemberRef]bool // drawn as leaving
}

// row is a line of the drawing: a domain and, if it is a lowest one, its nodes.
type row struct {
	indent int
	label  string // `name` or `name:layer`
	tier   int
	nodes  []string
}

func (r row) name() string {
	name, _, _ := strings.Cut(r.label, ":")
	return name
}

// attributes of a running gang, from a `running` block.
type attributes struct {
	size     int
	affinity string
	index    []int
	numa     numa.Policy
	quota    string
	pinned   bool

	priority    int64
	least       int
	started     []int // by member
	ends        []int // likewise; the last one holds for all behind it
	budgets     []string
	unevictable bool
	alone       string
	tolerated   bool
}

// parseBoard reads a drawing. A domain's layer follows from its indentation, or from `name:layer`.
func parseBoard(text string, layers []string, gangs map[string]attributes) (*board, error) {
	b := &board{
		layers: layers, slots: map[string][]cluster.MemberRef{}, cordoned: map[string]bool{},
		leaves: map[cluster.MemberRef]bool{}, zones: map[string]ends{},
	}
	p := &numbering{gangs: gangs, members: map[string]int{}}
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		if len(fields) == 0 {
			continue
		}
		r := row{indent: indentation(line), label: fields[0]}
		var err error
		if r.tier, err = b.tierOf(r); err != nil {
			return nil, err
		}
		for _, cell := range fields[1:] {
			node := fmt.Sprintf("node-%d", p.nodes)
			p.nodes++
			r.nodes = append(r.nodes, node)
			if err := b.addNode(node, cell, p); err != nil {
				return nil, err
			}
		}
		b.rows = append(b.rows, r)
	}
	return b, nil
}

func indentation(line string) int { return (len(line) - len(strings.TrimLeft(line, " "))) / 2 }

func (b *board) tierOf(r row) (int, error) {
	_, layer, given := strings.Cut(r.label, ":")
	depth := r.indent
	if given {
		depth = slices.Index(b.layers, layer)
	}
	if r.label != outsideLabel && r.label != rootLabel && (depth < 0 || depth >= len(b.layers)) {
		return 0, fmt.Errorf("row %q lies in no layer", r.label)
	}
	return len(b.layers) - depth, nil
}

// numbering gives nodes and members their names, in order of appearance.
type numbering struct {
	gangs   map[string]attributes
	nodes   int
	members map[string]int
}

func (p *numbering) next(gang string) cluster.MemberRef {
	n := p.members[gang]
	p.members[gang]++
	return cluster.MemberRef{Gang: gang, Member: fmt.Sprintf("%s-%d", gang, n)}
}

func (b *board) addNode(node, cell string, p *numbering) error {
	cell, b.zones[node] = readZones(cell)
	refs := make([]cluster.MemberRef, len(cell))
	for i := 0; i < len(cell); {
		c, n := cell[i], 1
		switch {
		case c == free:
		case c == unknown && b.zones[node] != nil:
			refs[i] = somebody
		case c == out:
			b.cordoned[node] = true
		case c == taken, c == leaving:
			plain := p.next(map[byte]string{taken: "other", leaving: "leaving"}[c])
			refs[i] = cluster.MemberRef{Gang: plain.Member, Member: plain.Member}
			b.leaves[refs[i]] = c == leaving
		case 'a' <= c && c <= 'z':
			ref := p.next(string(c))
			n = max(1, p.gangs[string(c)].size)
			if !strings.HasPrefix(cell[i:], strings.Repeat(string(c), n)) {
				return fmt.Errorf("cell %q: a member of gang %c has %d slots", cell, c, n)
			}
			for j := range n {
				refs[i+j] = ref
			}
		default:
			return fmt.Errorf("cell %q: what is %q?", cell, c)
		}
		i += n
	}
	b.slots[node] = refs
	return nil
}

// tree builds the topology that the rows draw.
func (b *board) tree() (*topology.Tree, error) {
	spec := topology.Spec{Layers: []topology.Layer{{Name: "node"}}}
	for i, name := range b.layers {
		spec.Layers = append(spec.Layers, topology.Layer{Name: name, Tier: len(b.layers) - i})
	}
	var rows []row
	for _, r := range b.rows {
		switch r.label {
		case outsideLabel:
			spec.Outside = append(spec.Outside, r.nodes...)
		case rootLabel:
			spec.Nodes = append(spec.Nodes, r.nodes...)
		default:
			rows = append(rows, r)
		}
	}
	spec.Roots = domains(rows)
	return topology.New(spec)
}

// domains turns rows into domains: what is indented deeper than the first row, until the next one like it, lies below it.
func domains(rows []row) []topology.Domain {
	var found []topology.Domain
	for i := 0; i < len(rows); {
		end := i + 1
		for end < len(rows) && rows[end].indent > rows[i].indent {
			end++
		}
		found = append(found, topology.Domain{
			Name: rows[i].name(), Tier: rows[i].tier, Nodes: rows[i].nodes, Children: domains(rows[i+1 : end]),
		})
		i = end
	}
	return found
}

// spec turns the drawing into a cluster.
func (b *board) spec(gangs map[string]attributes) (cluster.Spec, error) {
	tree, err := b.tree()
	if err != nil {
		return cluster.Spec{}, err
	}
	var spec cluster.Spec
	if tree.NumNodes() > 0 { // else all that is drawn is outside, and there is no topology
		spec.Trees = []cluster.NamedTree{{Name: "default", Tree: tree}}
	}
	count := map[string]int{}
	for _, r := range b.rows {
		for _, node := range r.nodes {
			slots := b.slots[node]
			n := cluster.Node{
				Name: node, Allocatable: muster.Resources{device: int64(len(slots))}, Cordoned: b.cordoned[node],
			}
			if zones := b.zones[node]; zones != nil {
				zones.describe(&n, slots)
			}
			spec.Nodes = append(spec.Nodes, n)
			spec.Running = append(spec.Running, b.running(node, gangs, count)...)
		}
	}
	return spec, nil
}

// running lists the members on one node; count says how many of each gang came before.
func (b *board) running(node string, gangs map[string]attributes, count map[string]int) []cluster.Running {
	var members []cluster.Running
	for i, ref := range b.slots[node] {
		if ref.Gang == "" || ref == somebody {
			continue
		}
		gang, told := gangs[ref.Gang]
		if !told {
			gang.least = -1
		}
		if i > 0 && b.slots[node][i-1] == ref {
			members[len(members)-1].Resources[device]++
			continue
		}
		m := cluster.Running{
			Gang: ref.Gang, Member: ref.Member, Node: node, Resources: muster.Resources{device: 1},
			Leaving: b.leaves[ref], AffinityKey: gang.affinity,
			NUMA:  b.zones[node].shares(b.slots[node], ref, gang.numa),
			Quota: gang.quota, NonPreemptible: gang.pinned, Unevictable: gang.unevictable,
			Priority: gang.priority, MinMember: gang.least, Budgets: gang.budgets,
			Alone: gang.alone, Tolerated: gang.tolerated,
		}
		if n := count[ref.Gang]; n < len(gang.started) {
			m.Started = int64(gang.started[n])
		}
		if n := min(count[ref.Gang], len(gang.ends)-1); n >= 0 {
			m.End = int64(gang.ends[n])
		}
		if n := count[ref.Gang]; n < len(gang.index) {
			m.Index, m.Indexed = gang.index[n], true
		}
		count[ref.Gang]++
		members = append(members, m)
	}
	return members
}
