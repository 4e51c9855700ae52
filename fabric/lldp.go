package fabric

import (
	"path"
	"strings"

	"github.com/muster-sched/muster/internal/document"
)

// readLLDP reads the neighbours of devices as `lldpctl -f json` (or json0) prints them: a file for each device, which is called like it.
// Who is a neighbour with the capability Bridge or Router, or has neighbours that are hosts, is a switch, whoever else tells
// is a host.
func readLLDP(r *reading, files []File) {
	type neighbour struct {
		of, name string
		bridge   bool
	}
	var seen []neighbour
	var devices []string
	for _, f := range files {
		device := strings.TrimSuffix(path.Base(strings.ReplaceAll(f.Name, `\`, "/")), ".gz")
		device = strings.TrimSuffix(strings.TrimSuffix(device, ".json"), ".json0")
		devices = append(devices, device)
		for _, root := range r.documents(f) {
			for name, bridge := range root.neighbours() {
				seen = append(seen, neighbour{device, name, bridge})
			}
		}
	}
	isSwitch, tells := map[string]bool{}, map[string]bool{}
	for _, d := range devices {
		tells[d] = true
	}
	for _, n := range seen {
		isSwitch[n.name] = isSwitch[n.name] || n.bridge
	}
	for _, n := range seen { // a station is told by a switch
		if !isSwitch[n.name] && !n.bridge {
			isSwitch[n.of] = true
		}
	}
	c := r.cables()
	device := func(name string) int {
		id := c.device(name, !isSwitch[name])
		c.tells[id] = tells[name]
		return id
	}
	for _, d := range devices {
		device(d)
	}
	for _, n := range seen {
		c.link(device(n.of), device(n.name))
	}
	c.finish("")
}

// neighbours are the names of the devices that an answer lists, and whether each forwards frames. The forms of lldpctl differ: one element
// may stand for a list of it, and json0 has names as values where json has them as keys.
func (f field) neighbours() func(yield func(string, bool) bool) {
	return func(yield func(string, bool) bool) {
		for lldp := range f.get("lldp").all(true) {
			for list := range lldp.get("interface").all(true) {
				for i := range list.interfaces() {
					for chassis := range i.get("chassis").all(true) {
						if name, at := chassis.chassisName(); name != "" && !yield(name, at.forwards()) {
							return
						}
					}
				}
			}
		}
	}
}

// interfaces are those in an element of a list: itself, or the values of its keys.
func (f field) interfaces() func(yield func(field) bool) {
	return func(yield func(field) bool) {
		if !f.isMapping() || f.get("chassis").present() || f.get("name").present() {
			yield(f)
			return
		}
		for _, e := range f.entries() {
			for one := range e.all(true) {
				if !yield(one) {
					return
				}
			}
		}
	}
}

// chassisName is what a neighbour calls itself, and where it is described. One without a name goes by its id.
func (f field) chassisName() (string, field) {
	if f.isMapping() && !f.get("id").present() && !f.get("name").present() {
		for key, e := range f.entries() {
			return key, e
		}
	}
	for _, key := range []string{"name", "id"} {
		for e := range f.get(key).all(true) {
			if e.isMapping() {
				e = e.get("value")
			}
			if text := e.text(); text != "" {
				return text, f
			}
		}
	}
	f.fail("a neighbour without a name or an id")
	return "", f
}

// forwards says whether a neighbour has the capability of a bridge or a router, and it is on.
func (f field) forwards() bool {
	for c := range f.get("capability").all(true) {
		kind := c.get("type").text()
		if on := c.get("enabled"); (kind == "Bridge" || kind == "Router") && (!on.present() || on.v.Kind == document.Boolean && on.flag()) {
			return true
		}
	}
	return false
}

// readNetQ reads what NetQ, a manager of Ethernet networks, answers: the graph of switches and machines, and the machines with the domains
// of NVLink that they are in, which are a topology of their own, called `accelerator`.
func readNetQ(r *reading, files []File) {
	c := r.cables()
	domains := map[string][]string{}
	for _, f := range files {
		for _, root := range r.documents(f) {
			for e := range root.all(true) {
				if e.get("links").present() || e.get("nodes").present() {
					c.graph(e)
					continue
				}
				name, domain := e.get("Name").required(), e.get("DomainUUID").required()
				domains[domain] = append(domains[domain], name)
			}
		}
	}
	c.finish("")
	r.accelerators(domains)
}

// graph reads the devices of a graph and its links, which know devices by ids.
func (c *cables) graph(e field) {
	ids := map[string]int{}
	for tier := range e.get("nodes").all(false) {
		for d := range tier.get("compounded_nodes").all(false) {
			if id, name := d.get("id").required(), d.get("name").required(); id != "" && name != "" {
				ids[id] = c.device(name, d.get("device_type").text() != "switch")
			}
		}
	}
	for l := range e.get("links").all(false) {
		one, other := l.get("src"), l.get("target")
		from, known := ids[one.required()]
		if !known {
			one.fail("no node has this id")
		}
		to, is := ids[other.required()]
		if !is {
			other.fail("no node has this id")
		}
		if known && is {
			c.link(from, to)
		}
	}
}
