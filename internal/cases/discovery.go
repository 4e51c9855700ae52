package cases

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/muster-sched/muster/fabric"
	"github.com/muster-sched/muster/topology"
)

// isDiscovery says whether a case is about where trees come from.
func isDiscovery(c *Case) bool { return c.Raw["config"] != nil || c.Raw["ports"] != nil }

// found is a domain as cases write it.
type found struct {
	Tier     int
	TierName string
	Value    string
	Children []found
	Nodes    []string
}

// discoveryDiffers says what differs between the trees that a case wants and those that are read; empty: nothing.
func discoveryDiffers(c *Case) string {
	format, files := fabric.Format("ufm"), []fabric.File{{Name: "ports.json", Data: c.Raw["ports"]}}
	if config := c.Raw["config"]; config != nil {
		nodes, err := json.Marshal(c.Objects)
		if err != nil {
			return err.Error()
		}
		format, files = "labels", []fabric.File{{Name: "discovery.json", Data: config}, {Name: "nodes.json", Data: nodes}}
	}
	got, err := fabric.Read(format, files, fabric.Options{KeepGoing: true})
	var want struct {
		Topologies []struct {
			Topology string
			Roots    []found
		}
		Error *struct{ Object, About string }
	}
	if bad := json.Unmarshal(c.Want, &want); bad != nil {
		return bad.Error()
	}
	switch {
	case want.Error != nil && err == nil:
		return "is not refused"
	case want.Error != nil:
		if !strings.Contains(err.Error(), want.Error.Object) || !strings.Contains(err.Error(), want.Error.About) {
			return "refused for something else: " + err.Error()
		}
		return ""
	case err != nil:
		return err.Error()
	}
	var wanted, trees []string
	for _, t := range want.Topologies {
		wanted = append(wanted, t.Topology+" "+oneText(t.Roots))
	}
	for _, t := range got.Trees {
		trees = append(trees, t.Name+" "+oneText(foundIn(t.Tree, topology.Root, format == "labels")))
	}
	slices.Sort(wanted)
	slices.Sort(trees)
	if !slices.Equal(wanted, trees) {
		return fmt.Sprintf("trees %q, want %q", trees, wanted)
	}
	return ""
}

// foundIn are the domains below one, with what only labels tell.
func foundIn(t *topology.Tree, of topology.DomainID, labels bool) (out []found) {
	first, last := t.Children(of)
	for d := first; d < last; d++ {
		f := found{Tier: t.Tier(d), Children: foundIn(t, d, labels)}
		if labels {
			f.TierName, f.Value = t.LayerName(t.Tier(d)), t.Name(d)
		}
		if len(f.Children) == 0 {
			from, to := t.Nodes(d)
			for n := from; n < to; n++ {
				f.Nodes = append(f.Nodes, t.NodeName(n))
			}
		}
		out = append(out, f)
	}
	return out
}

// oneText is equal for equal sets of domains.
func oneText(domains []found) string {
	texts := make([]string, len(domains))
	for i, d := range domains {
		slices.Sort(d.Nodes)
		texts[i] = fmt.Sprintf("{%d %q %q %q %s}", d.Tier, d.TierName, d.Value, d.Nodes, oneText(d.Children))
	}
	slices.Sort(texts)
	return strings.Join(texts, " ")
}
