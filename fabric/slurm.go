package fabric

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/muster-sched/muster/internal/hostlist"
	"github.com/muster-sched/muster/topology"
)

// switches is a tree of switches while it is read: Slurm's, topograph's.
type switches struct {
	r     *reading
	name  string // of the topology
	order []string
	of    map[string]*switchLine
	deep  bool // some switches are too deep, and what is below them was not looked at
}

// switchLine is what is said of one switch.
type switchLine struct {
	file            string
	line            int
	children, nodes []string
	parent          string
	tier            int // 0: not looked at yet
}

func (r *reading) switches(name string) *switches {
	return &switches{r: r, name: name, of: map[string]*switchLine{}}
}

// add enters a switch; one of a name that is taken is an error.
func (s *switches) add(name string, at switchLine) {
	if name == "" {
		s.r.fail(Error{File: at.file, Line: at.line, Field: "switch", Reason: "without a name"})
		return
	}
	if old := s.of[name]; old != nil {
		s.r.fail(Error{File: at.file, Line: at.line, Field: name, Reason: "duplicate name: line " + itoa(old.line) + " has it too"})
		return
	}
	s.of[name] = &at
	s.order = append(s.order, name)
}

// finish makes the tree.
func (s *switches) finish() {
	owner := map[string]string{} // switch of a node
	for _, name := range s.order {
		at := s.of[name]
		for _, child := range at.children {
			switch c := s.of[child]; {
			case child == name:
				s.r.find(Finding{Itself, s.name, name, ""})
			case c == nil:
				s.fail(name, child, "unknown switch")
			case c.parent == name:
			case c.parent != "":
				s.fail(name, child, "is below "+c.parent+" too")
			default:
				c.parent = name
			}
		}
		if len(at.children) > 0 && len(at.nodes) > 0 {
			s.fail(name, "", "has switches and nodes")
		}
		kept := at.nodes[:0]
		for _, n := range at.nodes {
			if other, is := owner[n]; is && other != name {
				s.r.find(Finding{TwoLeaves, s.name, n, name})
				continue // the first one has it
			}
			owner[n] = name
			kept = append(kept, n)
		}
		at.nodes = kept
	}
	var roots []topology.Domain
	for _, name := range s.order {
		if s.of[name].parent == "" {
			roots = append(roots, s.domain(name, 0))
		}
	}
	for _, name := range s.order {
		if s.of[name].tier == 0 && !s.deep {
			s.fail(name, "", "is in a cycle of switches, or below one")
		}
	}
	if len(s.r.errs) == 0 && len(s.order) > 0 {
		s.r.build(s.name, s.of[s.order[0]].file, topology.Spec{Roots: roots})
	}
}

func (s *switches) fail(name, value, reason string) {
	at := s.of[name]
	s.r.fail(Error{File: at.file, Line: at.line, Field: name, Value: value, Reason: reason})
}

// domain is a switch with what is below it. Its tier is one above the highest below.
func (s *switches) domain(name string, depth int) topology.Domain {
	at := s.of[name]
	d := topology.Domain{Name: name, Tier: 1, Nodes: at.nodes}
	at.tier = 1
	if depth == topology.MaxLayers {
		s.deep = true
		s.fail(name, "", "more than "+itoa(topology.MaxLayers)+" switches below each other")
		return d
	}
	for _, child := range at.children {
		if c := s.of[child]; c == nil || c.parent != name || c.tier > 0 {
			continue // which is told
		}
		below := s.domain(child, depth+1)
		d.Tier = max(d.Tier, below.Tier+1)
		d.Children = append(d.Children, below)
	}
	if len(d.Children) == 0 && len(d.Nodes) == 1 {
		s.r.find(Finding{LoneHost, s.name, name, d.Nodes[0]})
	}
	at.tier = d.Tier
	return d
}

// readSlurmConf reads Slurm's topology.conf, of the plugins tree and block, and what `scontrol show topology` prints of them.
func readSlurmConf(r *reading, files []File) {
	tree, blocks := r.switches(r.name), r.blocks(r.name)
	for _, f := range files {
		for at, line := range confLines(f.Data) {
			r.confLine(tree, blocks, f.Name, at, line)
		}
	}
	if len(tree.order) > 0 && len(blocks.list) > 0 {
		r.fail(Error{File: files[0].Name, Reason: "switches and blocks in one file: Slurm has one plugin at a time"})
		return
	}
	tree.finish()
	blocks.finish()
}

// confLines are the lines of a file of Slurm's without comments, a backslash at the end joins the next one; with their numbers.
func confLines(data []byte) func(yield func(int, string) bool) {
	return func(yield func(int, string) bool) {
		joined, start, n := "", 0, 0
		for raw := range strings.SplitSeq(string(data), "\n") {
			n++
			line, _, _ := strings.Cut(strings.TrimSuffix(raw, "\r"), "#")
			if joined == "" {
				start = n
			}
			if before, more := strings.CutSuffix(strings.TrimRight(line, " \t"), `\`); more {
				joined += before // what stands at the end of one line and the beginning of the next is one word
				continue
			}
			if line = strings.TrimSpace(joined + line); line != "" && !yield(start, line) {
				return
			}
			joined = ""
		}
		if joined = strings.TrimSpace(joined); joined != "" {
			yield(start, joined)
		}
	}
}

func (r *reading) confLine(tree *switches, blocks *blocks, file string, at int, line string) {
	values := map[string]string{}
	var first string
	for rest := strings.TrimLeft(line, " \t"); rest != ""; {
		var written, value, wrong string
		written, value, rest, wrong = assignment(rest)
		key := strings.ToLower(written)
		if first = cmp.Or(first, key); wrong != "" {
			r.fail(Error{File: file, Line: at, Value: cmp.Or(value, written), Reason: wrong})
			return
		}
		switch key {
		case "switchname", "switches", "nodes", "linkspeed", "blockname", "blocksizes", "level", "blockindex", "blocksize", "aggregatedblock":
		default:
			r.fail(Error{File: file, Line: at, Field: written, Reason: "unknown key"})
			return
		}
		if _, twice := values[key]; twice {
			r.fail(Error{File: file, Line: at, Field: written, Reason: "given twice"})
			return
		}
		values[key] = value
	}
	list := func(key, name string) []string {
		return r.hosts(file, at, name, values[key])
	}
	switch first {
	case "switchname":
		s := switchLine{file: file, line: at, children: list("switches", "Switches"), nodes: list("nodes", "Nodes")}
		if _, shown := values["level"]; shown && len(s.children) > 0 {
			s.nodes = nil // scontrol shows all below
		}
		tree.add(values[first], s)
	case "blockname":
		blocks.add(block{values[first], file, at, list("nodes", "Nodes")})
		blocks.show(values["blocksize"], file, at, false)
	case "aggregatedblock":
		blocks.show(values["blocksize"], file, at, true)
	case "blocksizes":
		blocks.sizes, blocks.file, blocks.line = strings.Split(values[first], ","), file, at
	default:
		r.fail(Error{File: file, Line: at, Value: line, Reason: "must begin with SwitchName, BlockName or BlockSizes"})
	}
}

// assignment cuts `KEY=VALUE` off a line: blanks may stand around the sign, and quotes around the value. wrong says what it is not.
func assignment(line string) (key, value, rest, wrong string) {
	const blanks = " \t"
	end := strings.IndexAny(line, "="+blanks)
	if end < 0 {
		return line, "", "", "not KEY=VALUE"
	}
	key = line[:end]
	after, is := strings.CutPrefix(strings.TrimLeft(line[end:], blanks), "=")
	if !is || key == "" {
		return key, "", "", "not KEY=VALUE"
	}
	after = strings.TrimLeft(after, blanks)
	if quoted, is := strings.CutPrefix(after, `"`); is {
		if value, rest, is = strings.Cut(quoted, `"`); !is {
			return key, after, "", "a quote that does not end"
		}
		return key, value, strings.TrimLeft(rest, blanks), ""
	}
	if end = strings.IndexAny(after, blanks); end < 0 {
		end = len(after)
	}
	return key, after[:end], strings.TrimLeft(after[end:], blanks), ""
}

// hosts expands a hostlist.
func (r *reading) hosts(file string, line int, name, list string) []string {
	names, err := hostlist.Expand(list)
	if err == nil {
		if r.names += len(names); r.names > maxNames {
			err = fmt.Errorf("more than %d names in all", maxNames)
		}
	}
	if err != nil {
		r.fail(Error{File: file, Line: line, Field: name, Value: list, Reason: err.Error()})
		return nil
	}
	return names
}

// maxNames bounds the names in the hostlists of all files together.
const maxNames = 4 << 20

// readSlurmYAML reads Slurm's topology.yaml, which has several topologies.
func readSlurmYAML(r *reading, files []File) {
	for _, f := range files {
		for _, root := range r.documents(f) {
			for e := range root.all(false) {
				r.slurmTopology(e)
			}
		}
	}
}

func (r *reading) slurmTopology(e field) {
	name := e.get("topology").required()
	for key, value := range e.entries() {
		switch key {
		case "topology", "cluster_default":
		case "tree":
			s := r.switches(name)
			for sw := range value.get("switches").all(false) {
				line := switchLine{file: e.file, line: sw.line}
				line.children, line.nodes = sw.get("children").hosts(), sw.get("nodes").hosts()
				s.add(sw.get("switch").required(), line)
			}
			s.finish()
		case "block":
			b := r.blocks(name)
			for size := range value.get("block_sizes").all(false) {
				b.sizes, b.file, b.line = append(b.sizes, size.text()), e.file, size.line
			}
			for bl := range value.get("blocks").all(false) {
				b.add(block{bl.get("block").required(), e.file, bl.line, bl.get("nodes").hosts()})
			}
			b.finish()
		case "flat":
			if value.flag() {
				r.find(Finding{Kind: Skipped, One: name, Other: "flat"})
			}
		default:
			r.fail(Error{File: e.file, Line: value.line, Field: value.path, Value: name, Reason: "not supported: a topology that is no tree and no blocks"})
		}
	}
}

// hosts expands a hostlist.
func (f field) hosts() []string { return f.r.hosts(f.file, f.line, f.path, f.text()) }
