package fabric

import (
	"strings"

	"github.com/muster-sched/muster/internal/document"
	"github.com/muster-sched/muster/topology"
)

// Source is an entry of the list `networkTopologyDiscovery` by which Volcano is told where to look for its topology: data, nothing
// is looked up.
type Source struct {
	// Kind is what is asked: `label`, `ufm`, `roce`.
	Kind    string
	Enabled bool
	// Interval is as it is written, such as `10m`.
	Interval string
	// Credentials name a secret, `namespace/name`; empty: none. Secrets themselves are refused.
	Credentials string
	// Endpoint is where a fabric manager answers.
	Endpoint string
	// Levels are the topologies of the source `label`, in the order of the file.
	Levels []Levels
}

// ReadDiscovery reads the configuration of Volcano's discovery: the list itself, a mapping or text with it, or the ConfigMap of its
// controller. Unknown sources and keys are errors. O(bytes).
func ReadDiscovery(f File) ([]Source, error) {
	r := &reading{}
	sources := r.discovery(f)
	if !holdsAnything(f) {
		r.fail(Error{File: f.Name, Reason: "holds nothing"})
	}
	if _, err := r.fabric(); err != nil {
		return nil, err
	}
	return sources, nil
}

const discoveryKey = "networkTopologyDiscovery"

func (r *reading) discovery(f File) (sources []Source) {
	for _, root := range r.documents(f) {
		sources = append(sources, r.sourcesIn(root, 0)...)
	}
	return sources
}

// sourcesIn finds the list in a value; text of a ConfigMap may hold it as a document of its own.
func (r *reading) sourcesIn(f field, depth int) (sources []Source) {
	switch {
	case f.isList():
		for e := range f.all(false) {
			sources = append(sources, e.source())
		}
	case !f.isMapping():
	case f.get("source").present():
		sources = append(sources, f.source())
	case f.get(discoveryKey).present():
		for e := range f.get(discoveryKey).all(false) {
			sources = append(sources, e.source())
		}
	case f.get("kind").present() && depth == 0:
		for _, e := range f.get("data").entries() {
			if !strings.Contains(e.text(), discoveryKey) {
				continue
			}
			text := []byte(e.text())
			for _, d := range document.Parse("x.yaml", text, document.Inside(text)) {
				if d.Err != nil {
					e.v = nil // which is long
					e.fail("line " + itoa(d.Err.Line) + " of the text: " + d.Err.Reason)
					continue
				}
				d.Root.SetLines(e.line)
				sources = append(sources, r.sourcesIn(e.at(e.path, d.Root), depth+1)...)
			}
		}
	}
	return sources
}

// source reads one entry.
func (f field) source() (s Source) {
	for key, e := range f.entries() {
		switch key {
		case "source":
			s.Kind = e.text()
		case "enabled":
			s.Enabled = e.flag()
		case "interval":
			s.Interval = e.text()
		case "credentials":
			ref := e.get("secretRef")
			if s.Credentials = ref.get("name").required(); ref.get("namespace").present() {
				s.Credentials = ref.get("namespace").text() + "/" + s.Credentials
			}
			for inner, secret := range e.entries() {
				if inner != "secretRef" {
					secret.v = nil // to tell it would be to spread it
					secret.fail("credentials are given by secretRef only")
				}
			}
		case "config":
		default:
			e.fail("unknown field")
		}
	}
	config := f.get("config")
	switch s.Kind {
	case "ufm", "roce":
		s.Endpoint = config.get("endpoint").text()
	case "label":
		for name, e := range config.get("networkTopologyTypes").entries() {
			s.Levels = append(s.Levels, e.levels(name))
		}
	case "":
		f.get("source").fail("missing")
	default:
		f.get("source").fail("unknown, must be label, ufm or roce")
	}
	return s
}

// levels reads a type: a list of labels, or a mapping of them and of the nodes that have it.
func (f field) levels(name string) Levels {
	l := Levels{Topology: name}
	list := f
	if f.isMapping() {
		list = f.get("levels")
		for key, value := range f.get("nodeSelector").get("matchLabels").entries() {
			if l.Only == nil {
				l.Only = map[string]string{}
			}
			l.Only[key] = value.text()
		}
	}
	for e := range list.all(false) {
		l.Labels = append(l.Labels, e.get("nodeLabel").required())
	}
	if n := len(l.Labels); n > 0 {
		l.Labels = l.Labels[:n-1] // the last one is the node itself
	}
	return l
}

// readLabels makes the topologies that the sources `label` of configurations tell, of the nodes in the other files.
func readLabels(r *reading, files []File) {
	var nodes []topology.LabeledNode
	type told struct {
		file   string
		source Source
	}
	var sources []told
	for _, f := range files {
		for _, root := range r.documents(f) {
			if found := nodesIn(root); found != nil {
				nodes = append(nodes, found...)
				continue
			}
			for _, s := range r.sourcesIn(root, 0) {
				sources = append(sources, told{f.Name, s})
			}
		}
	}
	if len(sources) == 0 {
		r.fail(Error{Field: discoveryKey, Reason: "missing: no file says which labels make a topology"})
	}
	for _, s := range sources {
		if s.source.Kind != "label" || !s.source.Enabled {
			continue
		}
		for _, l := range s.source.Levels {
			r.fromLabels(l, nodes, s.file)
		}
	}
}

// nodesIn are the Nodes in an object, a List or a list of objects; nil: there are none.
func nodesIn(f field) (nodes []topology.LabeledNode) {
	items := f
	if f.isMapping() {
		if items = f.get("items"); f.get("kind").present() && f.get("kind").text() == "Node" {
			n := topology.LabeledNode{Name: f.get("metadata").get("name").required(), Labels: map[string]string{}}
			for key, value := range f.get("metadata").get("labels").entries() {
				n.Labels[key] = value.text()
			}
			return []topology.LabeledNode{n}
		}
	}
	if !items.isList() {
		return nil
	}
	for e := range items.all(false) {
		if e.isMapping() {
			nodes = append(nodes, nodesIn(e)...)
		}
	}
	return nodes
}
