package topology

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/muster-sched/muster/internal/characters"
)

// FromJSON builds a tree from a JSON list of `{"layer": 1, "name": "s0", "parents": ["s2"], "children": ["node0"]}`,
// the form of the ConfigMap in Koordinator's first proposal. The layer is the tier, a number or a string of digits.
// Children are the names of other entries or of nodes: a name that no entry has is a node if it is in nodes, or if it is
// below tier 1, where nothing else can be; else it is an unknown child. A relation may be told by either side or both: a
// list that is left out says nothing, one that is given must not contradict the other side. Other fields are ignored.
//
// Nodes that no entry lists are named by [Tree.Outside], nodes that an entry lists and the input lacks by [Tree.Absent].
//
// All defects are reported, joined in natural order of names whatever the order of the list, each an
// [muster.InvalidError] with the field `domain <name>` and a reason with one of these words: cycle, two parents, node
// in two leaves, mixed members, unknown child, unknown parent, contradicts, tier, duplicate name. So are more than
// [MaxLayers] tiers, and what is no JSON of UTF-8: a character that is none might be any. O(n log n) for n names in all; the arguments are neither changed nor kept.
func FromJSON(data []byte, nodes []string) (*Tree, error) {
	var d defects
	index := checkNodeNames(nodes, &d)
	known := func(node string) bool {
		_, ok := index.find(nodes, node)
		return ok
	}
	l := jsonList{entries: readEntries(data, &d), names: map[string]bool{}, defects: &d}
	f := newForest("domain", l.vertices(known), &d)
	if err := d.err(); err != nil {
		return nil, err
	}
	outside, absent := f.leftOver(nodes, index)
	return New(Spec{Roots: f.roots(known), Outside: outside, Absent: absent})
}

// jsonEntry is one entry of the list. A nil list was left out.
type jsonEntry struct {
	Layer    jsonTier `json:"layer"`
	Name     string   `json:"name"`
	Parents  []string `json:"parents"`
	Children []string `json:"children"`
}

// jsonTier is a number or a string of digits. It keeps what it cannot read, so that the defect can name the entry.
type jsonTier struct {
	text string
	tier int
	ok   bool
}

func (t *jsonTier) UnmarshalJSON(data []byte) error {
	t.text = strings.Trim(string(data), `"`)
	tier, err := strconv.Atoi(t.text)
	t.tier, t.ok = tier, err == nil
	return nil
}

// readEntries reads what is a list of entries; what is not is a defect.
func readEntries(data []byte, d *defects) []jsonEntry {
	var raw []json.RawMessage
	err := json.Unmarshal(data, &raw)
	if err == nil {
		err = characters.Check(data)
	}
	if err != nil {
		d.add("topology", "", "json: "+err.Error())
		return nil
	}
	if raw == nil {
		d.add("topology", "null", "json: not a list")
	}
	entries := make([]jsonEntry, 0, len(raw))
	for i, r := range raw {
		var e jsonEntry
		if err := json.Unmarshal(r, &e); err != nil {
			d.add(fmt.Sprintf("topology[%d]", i), "", "json: "+err.Error())
			continue
		}
		entries = append(entries, e)
	}
	return entries
}

// jsonList turns entries into vertices: it tells nodes from domains and joins what the two sides of a relation say.
type jsonList struct {
	entries []jsonEntry
	names   map[string]bool
	defects *defects
}

// given collects lists that are not left out, by the name of the entry.
func (l *jsonList) given(list func(jsonEntry) []string) map[string]map[string]bool {
	sets := map[string]map[string]bool{}
	for _, e := range l.entries {
		names := list(e)
		if names == nil {
			continue
		}
		if sets[e.Name] == nil {
			sets[e.Name] = map[string]bool{}
		}
		for _, n := range names {
			sets[e.Name][n] = true
		}
	}
	return sets
}

func (l *jsonList) vertices(known func(node string) bool) []vertex {
	for _, e := range l.entries {
		l.names[e.Name] = true
	}
	toldAbove := l.toldAbove()
	parents := l.given(func(e jsonEntry) []string { return e.Parents })
	vertices := make([]vertex, 0, len(l.entries))
	for _, e := range l.entries {
		v := vertex{name: e.Name, tier: e.Layer.tier, children: slices.Clone(toldAbove[e.Name]), noTier: !e.Layer.ok}
		field := "domain " + e.Name
		if v.noTier {
			l.defects.add(field, e.Layer.text, "tier is not an integer")
		}
		for _, child := range e.Children {
			switch given, told := parents[child]; {
			case !l.names[child] && (known(child) || v.tier == 1):
				v.nodes = append(v.nodes, child)
			case told && !given[e.Name]:
				l.defects.add(field, child, "child contradicts: its parents do not list this domain")
			default:
				v.children = append(v.children, child)
			}
		}
		if len(v.nodes) > 0 && len(v.children) > 0 {
			l.defects.add(field, "", "mixed members: child domains and nodes")
		}
		vertices = append(vertices, v)
	}
	return vertices
}

// toldAbove lists the children of each domain as the children's parents lists tell, checked against the children lists
// that are given.
func (l *jsonList) toldAbove() map[string][]string {
	children := l.given(func(e jsonEntry) []string { return e.Children })
	above := map[string][]string{}
	for _, e := range l.entries {
		field := "domain " + e.Name
		for _, p := range e.Parents {
			given, told := children[p]
			switch {
			case !l.names[p]:
				l.defects.add(field, p, "unknown parent")
			case told && !given[e.Name]:
				l.defects.add(field, p, "parent contradicts: its children do not list this domain")
			default:
				above[p] = append(above[p], e.Name)
			}
		}
	}
	return above
}
