package fabric

import (
	"bufio"
	"bytes"
	"regexp"
	"strings"
)

// What ibnetdiscover prints of a device, of one of its links, and what stands in a description that is no name of a machine.
var (
	ibDevice = regexp.MustCompile(`^(Switch|Ca|Rt)\s+\d+\s+"([^"]+)"\s+#\s+"([^"]*)"`)
	ibLink   = regexp.MustCompile(`^\[\d+\](?:\[[^\]]*\])?(?:\([0-9a-f]+\))?\s+"([^"]+)"\[\d+\](?:\([0-9a-f]+\))?(?:\s+#\s+"([^"]*)")?`)
	ibHCA    = regexp.MustCompile(`(?i)^(\S+)\s+(?:HCA-\d+|mlx\d+_\d+|ibp?\S*|hfi\d+_\d+|bnxt_re\d+)\s*$`)
	ibSwitch = regexp.MustCompile(`^(?:MF0;)?([^:;]+)(?::[^:]*)?$`)
)

// notMachines are names that machines have before somebody gives them one.
var notMachines = []string{"localhost", "localhost.localdomain", "ubuntu", "debian", "linux", "node", "host", "(none)"}

// readIBNetDiscover reads what ibnetdiscover prints of an InfiniBand network. An adapter belongs to the machine that its description
// begins with; those without such a name, aggregation nodes of switches and routers are left out.
func readIBNetDiscover(r *reading, files []File) {
	for _, f := range files {
		b := &ibReader{r: r, cables: r.cables(), names: map[string]string{}, descriptions: map[string]string{}, seen: map[string]int{}}
		b.read(f)
		b.finish()
	}
}

// ibReader is a listing while it is read. Devices are known by their GUIDs, `S-...` and `H-...`.
type ibReader struct {
	r            *reading
	cables       *cables
	order        []string
	names        map[string]string // by GUID; empty: left out
	descriptions map[string]string
	links        [][2]string
	seen         map[string]int // GUIDs that call themselves alike
}

func (b *ibReader) read(f File) {
	lines := bufio.NewScanner(bytes.NewReader(f.Data))
	lines.Buffer(nil, 1<<20)
	device := ""
	n := 0
	for lines.Scan() {
		n++
		line := strings.TrimRight(lines.Text(), " \t\r")
		if m := ibDevice.FindStringSubmatch(line); m != nil {
			device = m[2]
			b.describe(device, m[3])
			continue
		}
		switch {
		case strings.HasPrefix(line, "["):
			m := ibLink.FindStringSubmatch(line)
			switch {
			case device == "":
				b.r.fail(Error{File: f.Name, Line: n, Value: line, Reason: "a link before any device"})
			case m == nil:
				b.r.fail(Error{File: f.Name, Line: n, Value: line, Reason: "a link that cannot be read"})
			default:
				b.describe(m[1], m[2])
				b.links = append(b.links, [2]string{device, m[1]})
			}
		case line == "":
			device = ""
		case strings.HasPrefix(line, "#"), strings.Contains(line, "="):
		case strings.HasPrefix(line, "Switch"), strings.HasPrefix(line, "Ca"), strings.HasPrefix(line, "Rt"):
			b.r.fail(Error{File: f.Name, Line: n, Value: line, Reason: "a device that cannot be read"})
		default:
			b.r.fail(Error{File: f.Name, Line: n, Value: line, Reason: "neither a device nor a link"})
		}
	}
	if err := lines.Err(); err != nil {
		b.r.fail(Error{File: f.Name, Line: n + 1, Reason: err.Error()})
	}
	if len(b.order) == 0 && len(b.r.errs) == 0 {
		b.r.fail(Error{File: f.Name, Reason: "no device: not what ibnetdiscover prints"})
	}
}

// describe notes what a device calls itself; what it says itself and what its neighbours say is the same.
func (b *ibReader) describe(id, text string) {
	if _, known := b.descriptions[id]; !known {
		b.order = append(b.order, id)
	}
	if b.descriptions[id] == "" {
		b.descriptions[id] = text
	}
}

// finish names the devices, and makes the tree.
func (b *ibReader) finish() {
	switches := map[string][]string{} // GUIDs by name
	for _, id := range b.order {
		if text := b.descriptions[id]; strings.HasPrefix(id, "S-") {
			name := id
			if m := ibSwitch.FindStringSubmatch(text); m != nil && text != "" {
				name = strings.TrimSpace(m[1])
			}
			b.names[id] = name
			switches[name] = append(switches[name], id)
		} else {
			b.names[id] = b.machine(id, text)
		}
	}
	for name, ids := range switches {
		if len(ids) > 1 { // of one model that nobody has named
			for _, id := range ids {
				b.names[id] = name + " " + id
			}
		}
	}
	tells := map[string]bool{}
	for _, l := range b.links {
		tells[l[0]] = true
	}
	for _, l := range b.links {
		if l[0] == l[1] {
			b.r.find(Finding{Itself, b.r.name, b.names[l[0]], ""})
			continue
		}
		one, other := b.names[l[0]], b.names[l[1]]
		if one == "" || other == "" {
			continue
		}
		from, to := b.cables.device(one, !strings.HasPrefix(l[0], "S-")), b.cables.device(other, !strings.HasPrefix(l[1], "S-"))
		b.cables.tells[from] = true
		b.cables.link(from, to)
	}
	b.cables.finish("")
}

// machine is the name of the machine of an adapter; empty: it tells none.
func (b *ibReader) machine(id, text string) string {
	m := ibHCA.FindStringSubmatch(text)
	switch {
	case !strings.HasPrefix(id, "H-"), strings.Contains(text, "Aggregation Node"):
		return ""
	case m == nil:
		b.r.find(Finding{UnknownName, b.r.name, strings.Join(strings.Fields(text), " "), id})
		return ""
	}
	for _, other := range notMachines {
		if strings.EqualFold(m[1], other) {
			b.r.find(Finding{UnknownName, b.r.name, m[1], id})
			return ""
		}
	}
	return m[1]
}
