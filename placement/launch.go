// Which labels and which environment does a member's place give its pod?

package placement

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/internal/layout"
)

// LabelPrefix and EnvPrefix begin the names of all labels and variables of a [Place].
const (
	LabelPrefix = "muster.dev/"
	EnvPrefix   = "MUSTER_"
)

// longestLabel is how many characters Kubernetes allows in the value of a label, and in its name behind the prefix.
const longestLabel = 63

// Label is a label of a pod.
type Label struct{ Key, Value string }

// Labels are those of the member's pod, in natural order of their keys, each with [LabelPrefix]:
//
//	rank, world-size         Gang
//	local-rank, local-size   Local
//	node-rank, nodes         Host
//	group                    the outermost group, where there are groups
//	group-rank, group-size   the member in it
//	group-1, group-1-rank,   the same of the next level, group-2 of the one after it
//	group-1-size
//	part                     the name of the part, where it has one
//	domain-LAYER             the domain of each switch layer that it is in: the path, with dots between the names
//
// Every value can be that of a Kubernetes label. Where a part or a path is none, or a name in a path has a dot itself, other characters are
// dashes, no more than 46 characters are left, and 16 hexadecimal digits of a hash follow, so that two domains have two values. The same
// holds for a layer in a key, without a hash; where two layers of a topology would have one key or one variable, all but the one of the
// lowest tier have their tier behind, `domain-rack-2`.
//
// O(groups + domains); the slice is the caller's.
func (p *Place) Labels() []Label {
	var out []Label
	all := p.attributes()
	slices.SortFunc(all, func(a, b attribute) int { return muster.CompareNatural(a.key, b.key) })
	for _, a := range all {
		value := a.text
		if a.path != nil {
			value = pathLabel(a.path)
		} else if a.named {
			value = nameLabel(value, value)
		}
		out = append(out, Label{LabelPrefix + a.key, value})
	}
	return out
}

// Env is the same as an environment: NAME=VALUE, where the name is [EnvPrefix] and the key of the label in upper case, `_` in place of what
// is neither letter nor digit. Paths have slashes between the names, and names stand as they are: MUSTER_DOMAIN_LEAF=spine0/leaf1. In
// natural order of the names. O(groups + domains); the slice is the caller's.
func (p *Place) Env() []string {
	var out []string
	all := p.attributes()
	slices.SortFunc(all, func(a, b attribute) int { return muster.CompareNatural(envName(a.key), envName(b.key)) })
	for _, a := range all {
		value := a.text
		if a.path != nil {
			value = strings.Join(a.path, "/")
		}
		out = append(out, envName(a.key)+"="+value)
	}
	return out
}

// attribute is what a label and a variable say.
type attribute struct {
	key   string
	text  string
	path  []string // of a domain, in place of text
	named bool     // the text is a name that somebody chose
}

// attributes are all that a place has.
func (p *Place) attributes() []attribute {
	if p == nil {
		return nil
	}
	out := make([]attribute, 0, 7+3*len(p.Groups)+len(p.Domains))
	number := func(key string, n int) { out = append(out, attribute{key: key, text: strconv.Itoa(n)}) }
	number("rank", p.Gang.Rank)
	number("world-size", p.Gang.Size)
	number("local-rank", p.Local.Rank)
	number("local-size", p.Local.Size)
	number("node-rank", p.Host.Rank)
	number("nodes", p.Host.Size)
	for level, g := range p.Groups {
		key := "group"
		if level > 0 {
			key = fmt.Sprintf("group-%d", level)
		}
		number(key, g.Group)
		number(key+"-rank", g.Member.Rank)
		number(key+"-size", g.Member.Size)
	}
	if p.Part != "" {
		out = append(out, attribute{key: "part", text: p.Part, named: true})
	}
	taken := map[string]bool{}
	for _, d := range slices.Backward(p.Domains) {
		if d.Tier <= 0 || len(d.Domain) == 0 { // a pod knows its node
			continue
		}
		key := d.key
		if key == "" {
			key = layerKey(d.Layer, d.Tier, taken)
		}
		out = append(out, attribute{key: key, path: d.Domain})
	}
	return out
}

// layerKeys are the keys of the switch layers of a topology, by tier. They are those of all its places, whichever layers a branch lacks.
func layerKeys(v *layout.View) map[int32]string {
	keys, taken := make(map[int32]string, len(v.Layers)), make(map[string]bool, len(v.Layers))
	for _, l := range v.Layers { // tiers ascending
		tier := int32(l.Tier)
		keys[tier] = layerKey(v.LayerName(tier), l.Tier, taken)
	}
	return keys
}

// layerKey is the key of a layer, apart from those that are taken by the names of their variables, to which it adds its own.
func layerKey(layer string, tier int, taken map[string]bool) string {
	whole := "domain-" + labelText(layer)
	key := cut(whole, longestLabel)
	for n := 0; taken[envName(key)]; n++ {
		end := fmt.Sprintf("-%d", tier)
		if n > 0 { // another layer is called so
			end += fmt.Sprintf("-%d", n)
		}
		key = cut(whole, longestLabel-len(end)) + end
	}
	taken[envName(key)] = true
	return key
}

// envName is the name of the variable of a key.
func envName(key string) string {
	return EnvPrefix + strings.Map(func(r rune) rune {
		if isAlphanumeric(r) {
			return r
		}
		return '_'
	}, strings.ToUpper(key))
}

// pathLabel is the value of a label for a path.
func pathLabel(path []string) string {
	if slices.ContainsFunc(path, func(name string) bool { return strings.Contains(name, ".") }) {
		return hashed(strings.Join(path, "."), strings.Join(path, "\x00"))
	}
	return nameLabel(strings.Join(path, "."), strings.Join(path, "\x00"))
}

// nameLabel is a text if it can be the value of a label, else what is like it, told apart by the hash of the source.
func nameLabel(text, source string) string {
	if text == cut(labelText(text), longestLabel) && text == strings.TrimLeft(text, "-_.") {
		return text
	}
	return hashed(text, source)
}

// hashed is as much of a text as can be in a label, and the hash (FNV-1a) of the source.
func hashed(text, source string) string {
	h := fnv.New64a()
	_, _ = h.Write([]byte(source)) // it never fails
	digits := fmt.Sprintf("%016x", h.Sum64())
	if text = cut(strings.TrimLeft(labelText(text), "-_."), longestLabel-1-len(digits)); text == "" {
		return digits
	}
	return text + "-" + digits
}

// labelText has dashes in place of what no label may have.
func labelText(text string) string {
	return strings.Map(func(r rune) rune {
		if isAlphanumeric(r) || r == '-' || r == '_' || r == '.' {
			return r
		}
		return '-'
	}, text)
}

// cut leaves at most n characters of a text of single bytes, and a letter or digit at its end.
func cut(text string, n int) string { return strings.TrimRight(text[:min(len(text), n)], "-_.") }

func isAlphanumeric(r rune) bool {
	return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
}
