package document

import (
	"strconv"

	"go.yaml.in/yaml/v4"
)

// converter turns a parsed YAML document into values. Aliases share the value of their anchor, but each costs what a
// walk over it would, so that a document which multiplies itself is refused before anybody walks it.
type converter struct {
	known  map[*yaml.Node]converted // anchors
	budget int                      // what aliases may still cost
	line   int                      // lines before the piece
	kept   *Budget
}

type converted struct {
	value *Value
	size  int
	open  bool // still being converted: an alias to it would be a cycle
}

// convert returns the value of a node and how many values a walk over it meets.
func (c *converter) convert(n *yaml.Node, depth int) (*Value, int, error) {
	if depth > maxDepth {
		return nil, 0, c.fail(n, errDeep.Error())
	}
	switch n.Kind {
	case yaml.DocumentNode:
		if len(n.Content) == 0 {
			return &Value{Line: c.line + n.Line}, 1, nil
		}
		return c.convert(n.Content[0], depth)
	case yaml.AliasNode:
		anchor, ok := c.known[n.Alias]
		if !ok || anchor.open {
			return nil, 0, c.fail(n, "alias *"+n.Value+" to a value around it")
		}
		if c.budget -= anchor.size; c.budget < 0 {
			return nil, 0, c.fail(n, "aliases multiply the document beyond ten times its size")
		}
		return anchor.value, anchor.size, nil
	}
	if n.Anchor != "" {
		c.known[n] = converted{open: true}
	}
	v, size, err := c.compose(n, depth)
	if n.Anchor != "" && err == nil {
		c.known[n] = converted{value: v, size: size}
	}
	return v, size, err
}

func (c *converter) compose(n *yaml.Node, depth int) (*Value, int, error) {
	v := &Value{Line: c.line + n.Line}
	if err := c.kept.keep(ofValue + len(n.Value)); err != nil {
		return nil, 0, c.fail(n, err.Error())
	}
	switch n.Kind {
	case yaml.MappingNode:
		size, err := c.mapping(v, n, depth)
		return v, size, err
	case yaml.SequenceNode:
		v.Kind = List
		size := 1
		for _, e := range n.Content {
			item, s, err := c.convert(e, depth+1)
			if err != nil {
				return nil, 0, err
			}
			v.Items, size = append(v.Items, item), size+s
		}
		return v, size, nil
	}
	v.Text = n.Value
	switch n.ShortTag() {
	case "!!null":
		v.Kind, v.Text = Null, ""
	case "!!bool":
		truth, err := strconv.ParseBool(n.Value)
		if err != nil {
			return nil, 0, c.fail(n, "neither true nor false")
		}
		v.Kind, v.Text = Boolean, strconv.FormatBool(truth)
	case "!!int":
		v.Kind = Integer
	case "!!float":
		v.Kind = Number
	default: // dates and everything that is not of JSON are text, as in Kubernetes
		v.Kind = Text
	}
	return v, 1, nil
}

// mapping fills in keys and values; those of merged mappings (`<<`) come after and give way.
func (c *converter) mapping(v *Value, n *yaml.Node, depth int) (int, error) {
	v.Kind = Mapping
	size := 1
	var merged []*Value
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, node := n.Content[i], n.Content[i+1]
		if key.Kind == yaml.AliasNode {
			key = key.Alias
		}
		if key.Kind != yaml.ScalarNode {
			return 0, c.fail(key, "a key is not text")
		}
		item, s, err := c.convert(node, depth+1)
		if err != nil {
			return 0, err
		}
		size += s
		if key.ShortTag() != "!!merge" {
			v.Keys, v.Items = append(v.Keys, key.Value), append(v.Items, item)
			continue
		}
		switch item.Kind {
		case Mapping:
			merged = append(merged, item)
		case List:
			merged = append(merged, item.Items...)
		default:
			return 0, c.fail(key, "what is merged is not a mapping")
		}
	}
	if key, ok := twice(v.Keys); ok {
		return 0, c.fail(n, "duplicate key "+strconv.Quote(key))
	}
	if len(merged) > 0 {
		merge(v, merged)
	}
	return size, nil
}

func merge(v *Value, from []*Value) {
	have := make(map[string]bool, len(v.Keys))
	for _, key := range v.Keys {
		have[key] = true
	}
	for _, m := range from {
		for i, key := range m.Keys {
			if !have[key] {
				have[key] = true
				v.Keys, v.Items = append(v.Keys, key), append(v.Items, m.Items[i])
			}
		}
	}
}

func (c *converter) fail(n *yaml.Node, reason string) *Error {
	return &Error{Line: c.line + n.Line, Reason: reason}
}
