package fabric

import (
	"bytes"
	"strings"

	"github.com/muster-sched/muster/internal/document"
)

// Detect says in which format a file is written, by what stands at its beginning and which keys it has; empty: in none that it knows.
// Labels alone tell no format: whether they are to be read by a configuration or by known families the caller must say.
func Detect(f File) Format {
	text := bytes.TrimLeft(bytes.TrimPrefix(f.Data, []byte("\xef\xbb\xbf")), " \t\r\n")
	first, _, _ := strings.Cut(string(text[:min(len(text), 4096)]), "\n")
	switch {
	case bytes.Contains(text, []byte("\nSwitch\t")), bytes.Contains(text, []byte("\nCa\t")), bytes.HasPrefix(text, []byte("Switch\t")):
		return "ibnetdiscover"
	case strings.HasSuffix(strings.TrimSuffix(f.Name, ".gz"), ".csv"):
		if columns := "," + strings.TrimSpace(first) + ","; strings.Contains(columns, ",peer_kind,") {
			return "cables"
		}
		return "table"
	}
	for line := range strings.Lines(string(text)) {
		if begin, _, is := strings.Cut(strings.ToLower(strings.TrimSpace(line)), "="); is {
			switch strings.TrimSpace(begin) {
			case "switchname", "blockname", "aggregatedblock":
				return "slurm"
			}
		}
	}
	for _, d := range document.Parse(f.Name, f.Data, &document.Budget{}) {
		if d.Err == nil && d.Root != nil {
			return detect(d.Root)
		}
	}
	return ""
}

// detect is the format of a document.
func detect(v *document.Value) Format {
	if v.Kind == document.List {
		if len(v.Items) == 0 {
			return ""
		}
		return detect(v.Items[0])
	}
	for _, by := range []struct {
		key    string
		format Format
	}{
		{"lldp", "lldp"},
		{"topology", "slurm-yaml"},
		{"layer", "list"},
		{"peer_node_name", "ufm"},
		{"source_guid", "ufm"},
		{"system_name", "ufm"},
		{"links", "netq"},
		{"DomainUUID", "netq"},
		{"blocks", "topograph"},
		{"switches", "topograph"},
	} {
		if v.Get(by.key) != nil {
			return by.format
		}
	}
	return ""
}
