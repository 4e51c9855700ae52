package fabric

import (
	"strings"

	"github.com/muster-sched/muster/topology"
)

// readTopograph reads a model of NVIDIA's topograph: switches with the switches below them, and blocks of nodes with their switch. What
// blocks say of accelerators is a topology of its own, called `accelerator`.
func readTopograph(r *reading, files []File) {
	s := r.switches(r.name)
	accelerators := Levels{Topology: "accelerator", Labels: []string{domainLabel, subDomainLabel}}
	var nodes []topology.LabeledNode
	sub := false
	for _, f := range files {
		for _, root := range r.documents(f) {
			for name, sw := range root.get("switches").entries() {
				line := switchLine{file: f.Name, line: sw.line}
				for child := range sw.get("switches").all(false) {
					line.children = append(line.children, child.required())
				}
				s.add(name, line)
			}
			for b := range root.get("blocks").all(false) {
				names := s.block(b)
				domain, inner := accelerator(b)
				sub = sub || inner != ""
				for _, n := range names {
					nodes = append(nodes, topology.LabeledNode{Name: n, Labels: map[string]string{domainLabel: domain, subDomainLabel: inner}})
				}
			}
		}
	}
	for _, name := range s.order { // leaves need no entry
		for _, child := range s.of[name].children {
			if s.of[child] == nil {
				s.add(child, switchLine{file: s.of[name].file, line: s.of[name].line})
			}
		}
	}
	s.finish()
	if !sub {
		accelerators.Labels = accelerators.Labels[:1]
	}
	r.fromLabels(accelerators, nodes, "")
}

// The labels by which topograph tells of accelerators.
const (
	domainLabel    = "accelerator.topograph.run/domain"
	subDomainLabel = "accelerator.topograph.run/sub-domain"
)

// block gives a switch the nodes of a block.
func (s *switches) block(b field) (names []string) {
	for list := range b.get("nodes").all(true) {
		names = append(names, list.hosts()...)
	}
	name := b.get("switch").required()
	if name == "" {
		return names
	}
	if s.of[name] == nil {
		s.add(name, switchLine{file: b.file, line: b.line})
	}
	s.of[name].nodes = append(s.of[name].nodes, names...)
	return names
}

// accelerator is what a block says of accelerators, under keys of whichever prefix that begins with `accelerator.`.
func accelerator(b field) (domain, sub string) {
	for _, in := range []string{"annotations", "labels"} {
		for key, value := range b.get(in).entries() {
			if !strings.HasPrefix(key, "accelerator.") {
				continue
			}
			switch _, end, _ := strings.Cut(key, "/"); end {
			case "domain":
				domain = value.text()
			case "sub-domain":
				sub = value.text()
			}
		}
	}
	return domain, sub
}
