package fabric

import (
	"strconv"
	"strings"
)

func itoa(n int) string { return strconv.Itoa(n) }

// readUFM reads what a UFM server answers: its ports, or its systems and the links between them, each a JSON list. Of ports those of
// computers count: they say which machine is wired to which switch, and no more. Then leaves that share machines are one domain of
// tier 1, and one of tier 2 holds all.
func readUFM(r *reading, files []File) {
	u := &ufm{ports: r.cables(), systems: map[string]string{}, isHost: map[string]bool{}}
	for _, f := range files {
		for _, root := range r.documents(f) {
			for e := range root.all(true) {
				u.entry(e)
			}
		}
	}
	if len(u.links) == 0 {
		u.ports.finish(r.name)
		return
	}
	c := r.cables()
	for _, e := range u.links {
		a, b := u.end(e, "source"), u.end(e, "destination")
		if a != "" && b != "" {
			c.link(c.device(a, u.isHost[a]), c.device(b, u.isHost[b]))
		}
	}
	c.finish("")
}

// ufm is what a server answers, while it is read.
type ufm struct {
	ports   *cables
	systems map[string]string // names by GUID
	isHost  map[string]bool
	links   []field
}

// entry reads a port or a system, and keeps a link.
func (u *ufm) entry(e field) {
	switch {
	case !e.isMapping():
		if e.present() {
			e.fail("neither a port nor a system nor a link")
		}
	case e.get("source_guid").present() || e.get("destination_guid").present():
		u.links = append(u.links, e)
	case e.get("type").present():
		name := e.get("system_name").required()
		for _, key := range []string{"guid", "system_guid"} {
			if id := e.get(key).text(); id != "" {
				u.systems[guid(id)] = name
			}
		}
		u.isHost[name] = strings.EqualFold(e.get("type").text(), "host")
	case e.get("peer_node_name").present() || e.get("system_name").present():
		u.ports.port(e)
	default:
		e.fail("neither a port nor a system nor a link")
	}
}

// end is the system at an end of a link: by its GUID or, where no system has that, as an adapter of a machine, or a port of a switch,
// describes itself: `node-7 mlx5_0`, `leaf-1:19`.
func (u *ufm) end(link field, end string) string {
	id := link.get(end + "_guid")
	if name := u.systems[guid(id.text())]; name != "" {
		return name
	}
	text := link.get(end + "_port_node_description").text()
	if m := ibHCA.FindStringSubmatch(text); m != nil {
		u.isHost[m[1]] = true
		return m[1]
	}
	name, _, _ := strings.Cut(text, ":")
	if name == "" {
		id.fail("no system has this GUID")
	}
	return name
}

// guid is an id as it is compared: without what may stand before it.
func guid(text string) string { return strings.TrimPrefix(strings.ToLower(text), "0x") }

// port reads a port of a computer. One without a peer has no cable.
func (c *cables) port(e field) {
	if !strings.Contains(e.get("description").text(), "Computer") {
		return
	}
	host, peer := e.get("system_name").required(), e.get("peer_node_name").text()
	if host == "" || peer == "" {
		return
	}
	c.link(c.device(host, true), c.device(peer, false))
}
