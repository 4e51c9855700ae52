package benchmarks_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster/fabric"
)

// fabricFiles describes a fat tree of so many hosts, 32 on a leaf and 32 leaves below a spine, in a format; of InfiniBand and UFM each host
// has four rails, each to a leaf of its own.
func fabricFiles(format string, hosts int) []fabric.File {
	var b bytes.Buffer
	leaves, spines := (hosts+31)/32, (hosts+1023)/1024
	one := func() []fabric.File { return []fabric.File{{Name: format, Data: b.Bytes()}} }
	switch format {
	case "slurm":
		fmt.Fprintf(&b, "SwitchName=core Switches=spine[0-%d]\n", spines-1)
		for s := range spines {
			fmt.Fprintf(&b, "SwitchName=spine%d Switches=leaf[%d-%d]\n", s, s*32, min(s*32+31, leaves-1))
		}
		for l := range leaves {
			fmt.Fprintf(&b, "SwitchName=leaf%d Nodes=node[%d-%d]\n", l, l*32, min(l*32+31, hosts-1))
		}
	case "slurm-yaml":
		b.WriteString("- topology: net\n  tree:\n    switches:\n")
		fmt.Fprintf(&b, "    - {switch: core, children: 'spine[0-%d]'}\n", spines-1)
		for s := range spines {
			fmt.Fprintf(&b, "    - {switch: spine%d, children: 'leaf[%d-%d]'}\n", s, s*32, min(s*32+31, leaves-1))
		}
		for l := range leaves {
			fmt.Fprintf(&b, "    - {switch: leaf%d, nodes: 'node[%d-%d]'}\n", l, l*32, min(l*32+31, hosts-1))
		}
	case "topograph":
		fmt.Fprintf(&b, "switches:\n")
		for s := range spines {
			fmt.Fprintf(&b, "  spine%d: {switches: [leaf%d", s, s*32)
			for l := s*32 + 1; l < min(s*32+32, leaves); l++ {
				fmt.Fprintf(&b, ", leaf%d", l)
			}
			b.WriteString("]}\n")
		}
		b.WriteString("blocks:\n")
		for l := range leaves {
			fmt.Fprintf(&b, "- {switch: leaf%d, nodes: 'node[%d-%d]', annotations: {accelerator.topograph.run/domain: d%d}}\n", l, l*32, min(l*32+31, hosts-1), l)
		}
	case "table":
		b.WriteString("host,spine,leaf\n")
		for h := range hosts {
			fmt.Fprintf(&b, "node%d,spine%d,leaf%d\n", h, h/1024, h/32)
		}
	case "cables":
		b.WriteString("switch,peer,peer_kind\n")
		for h := range hosts {
			fmt.Fprintf(&b, "leaf%d,node%d,node\n", h/32, h)
		}
		for l := range leaves {
			fmt.Fprintf(&b, "leaf%d,spine%d,switch\n", l, l/32)
		}
	case "list":
		b.WriteString("[")
		for l := range leaves {
			fmt.Fprintf(&b, `{"layer":1,"name":"leaf%d","parents":["spine%d"],"children":["node%d"`, l, l/32, l*32)
			for h := l*32 + 1; h < min(l*32+32, hosts); h++ {
				fmt.Fprintf(&b, `,"node%d"`, h)
			}
			b.WriteString("]},\n")
		}
		for s := range spines {
			fmt.Fprintf(&b, "{\"layer\":2,\"name\":\"spine%d\",\"parents\":[]}%s\n", s, map[bool]string{true: ","}[s < spines-1])
		}
		b.WriteString("]")
	case "ufm":
		b.WriteString("[")
		for h := range hosts {
			for rail := range 4 {
				fmt.Fprintf(&b, `%s{"description":"Computer IB Port","tier":0,"system_name":"node%d","node_description":"node%d HCA-%d","peer_node_name":"leaf%d-%d"}`,
					map[bool]string{true: ",\n"}[h+rail > 0], h, h, rail+1, h/32, rail)
			}
		}
		b.WriteString("]")
	case "ibnetdiscover":
		for l := range leaves {
			for rail := range 4 {
				fmt.Fprintf(&b, "\nSwitch\t65 \"S-%x%d\"\t\t# \"leaf%d-%d\" enhanced port 0 lid 1 lmc 0\n", l, rail, l, rail)
				for h := l * 32; h < min(l*32+32, hosts); h++ {
					fmt.Fprintf(&b, "[%d]\t\"H-%x%d\"[1](%x) \t\t# \"node%d mlx5_%d\" lid 647 4xNDR\n", h%32+1, h, rail, h, h, rail)
				}
				fmt.Fprintf(&b, "[40]\t\"S-f%x\"[%d]\t\t# \"spine%d\" lid 2 4xNDR\n", l/32, l%32+1, l/32)
			}
		}
	case "lldp":
		var files []fabric.File
		for h := range hosts {
			files = append(files, fabric.File{Name: fmt.Sprintf("node%d.json", h), Data: fmt.Appendf(nil,
				`{"lldp":{"interface":[{"eth0":{"via":"LLDP","chassis":{"leaf%d":{"id":{"type":"mac","value":"aa"},"capability":[{"type":"Bridge","enabled":true}]}},"port":{"id":{"type":"ifname","value":"swp1"}}}}]}}`, h/32)})
		}
		return files
	case "netq":
		b.WriteString(`[{"nodes":[{"compounded_nodes":[`)
		for l := range leaves {
			fmt.Fprintf(&b, `{"id":"l%d","name":"leaf%d","device_type":"switch"},`, l, l)
		}
		for h := range hosts {
			fmt.Fprintf(&b, `%s{"id":"n%d","name":"node%d","device_type":"server"}`, map[bool]string{true: ","}[h > 0], h, h)
		}
		b.WriteString(`]}],"links":[`)
		for h := range hosts {
			fmt.Fprintf(&b, `%s{"src":"n%d","target":"l%d"}`, map[bool]string{true: ","}[h > 0], h, h/32)
		}
		b.WriteString("]}]")
	case "node-labels", "labels":
		b.WriteString("[")
		for h := range hosts {
			fmt.Fprintf(&b, `%s{"kind":"Node","metadata":{"name":"node%d","labels":{"kubernetes.io/hostname":"node%d","fabric.topograph.run/tier-0":"leaf%d","fabric.topograph.run/tier-1":"spine%d"}}}`,
				map[bool]string{true: ",\n"}[h > 0], h, h, h/32, h/1024)
		}
		b.WriteString("]")
		if format == "labels" {
			return append(one(), fabric.File{Name: "discovery", Data: []byte(`{"source":"label","enabled":true,"config":{"networkTopologyTypes":{"net":[{"nodeLabel":"fabric.topograph.run/tier-1"},{"nodeLabel":"fabric.topograph.run/tier-0"},{"nodeLabel":"kubernetes.io/hostname"}]}}}`)})
		}
	}
	return one()
}

// BenchmarkFabric reads a network of 100,000 hosts in every format.
func BenchmarkFabric(b *testing.B) {
	const hosts = 100_000
	for _, format := range fabric.Formats() {
		b.Run(fmt.Sprintf("format=%s/hosts=%d", format, hosts), func(b *testing.B) {
			files := fabricFiles(format, hosts)
			bytesRead := 0
			for _, f := range files {
				bytesRead += len(f.Data)
			}
			b.ReportAllocs()
			for b.Loop() {
				got, err := fabric.Read(fabric.Format(format), files, fabric.Options{KeepGoing: true})
				require.NoError(b, err)
				require.Equal(b, hosts, got.Trees[len(got.Trees)-1].Tree.NumNodes())
			}
			b.ReportMetric(float64(bytesRead)/1e6/(b.Elapsed().Seconds()/float64(b.N)), "MB/s")
		})
	}
}
