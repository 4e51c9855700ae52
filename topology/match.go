package topology

import (
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/muster-sched/muster"
)

// LabelSelector chooses nodes that carry all MatchLabels and fulfil all MatchExpressions. One that says nothing is
// refused.
type LabelSelector struct {
	// MatchLabels are labels that the node carries with these values.
	MatchLabels map[string]string
	// MatchExpressions are conditions that hold besides.
	MatchExpressions []LabelExpression
}

// LabelExpression compares the label Key with Values.
type LabelExpression struct {
	// Key is the label that is looked at.
	Key string
	// Operator is In, NotIn, Exists or DoesNotExist. NotIn holds for a node without the label.
	Operator string
	// Values are given for In and NotIn only.
	Values []string
}

// matcher finds the nodes that selectors choose. Its orders are made when a selector first needs them.
type matcher struct {
	nodes   []LabeledNode
	names   []string
	index   nameIndex
	sorted  []string                      // names in bytewise order, for regular expressions
	byLabel map[string]map[string][]int32 // nodes by key and value
	defects *defects
}

func newMatcher(nodes []LabeledNode, d *defects) *matcher {
	m := &matcher{nodes: nodes, names: make([]string, len(nodes)), byLabel: map[string]map[string][]int32{}, defects: d}
	for i, n := range nodes {
		m.names[i] = n.Name
	}
	m.index = checkNodeNames(m.names, d)
	return m
}

func (m *matcher) known(node string) bool {
	_, ok := m.index.find(m.names, node)
	return ok
}

// choose lists the nodes that a selector with exactly one criterion chooses; a name is taken as it is.
func (m *matcher) choose(field string, s Selector) []string {
	switch {
	case s.ExactName != "":
		return []string{s.ExactName}
	case s.Regex != "":
		re, err := regexp.Compile(s.Regex)
		if err != nil {
			m.defects.add(field, s.Regex, "regex: "+err.Error())
			return nil
		}
		return m.byRegex(re)
	default:
		if why := s.Labels.defect(); why != "" {
			m.defects.add(field, "", "label selector: "+why)
			return nil
		}
		return m.bySelector(s.Labels)
	}
}

// byRegex tests the names that begin with the literal that the expression is anchored to, all names if it is not.
func (m *matcher) byRegex(re *regexp.Regexp) []string {
	if m.sorted == nil {
		m.sorted = slices.Sorted(slices.Values(m.names))
	}
	prefix := anchoredPrefix(re.String())
	first, _ := slices.BinarySearch(m.sorted, prefix)
	var chosen []string
	for _, name := range m.sorted[first:] {
		if !strings.HasPrefix(name, prefix) {
			break
		}
		if re.MatchString(name) {
			chosen = append(chosen, name)
		}
	}
	return chosen
}

// anchoredPrefix is a literal that every match of the pattern makes the text begin with; empty if none is plain to see.
func anchoredPrefix(pattern string) string {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil || re.Op != syntax.OpConcat || len(re.Sub) < 2 || re.Sub[0].Op != syntax.OpBeginText {
		return ""
	}
	lit := re.Sub[1]
	if lit.Op != syntax.OpLiteral || lit.Flags&syntax.FoldCase != 0 {
		return ""
	}
	if slices.Contains(lit.Rune, utf8.RuneError) { // it also matches bytes that are no UTF-8
		return ""
	}
	return string(lit.Rune)
}

// bySelector tests the nodes that carry one of the required labels, all nodes if none is required.
func (m *matcher) bySelector(s *LabelSelector) []string {
	var chosen []string
	test := func(i int32) {
		if s.matches(m.nodes[i].Labels) {
			chosen = append(chosen, m.names[i])
		}
	}
	if key, values, ok := s.required(); ok {
		for _, value := range values {
			for _, i := range m.withLabel(key)[value] {
				test(i)
			}
		}
		return chosen
	}
	for i := range m.nodes {
		test(int32(i))
	}
	return chosen
}

// withLabel lists the nodes that carry the label, by value.
func (m *matcher) withLabel(key string) map[string][]int32 {
	if m.byLabel[key] == nil {
		byValue := map[string][]int32{}
		for i, n := range m.nodes {
			if v, ok := n.Labels[key]; ok {
				byValue[v] = append(byValue[v], int32(i))
			}
		}
		m.byLabel[key] = byValue
	}
	return m.byLabel[key]
}

// required is a label that every chosen node carries with one of the values.
func (s *LabelSelector) required() (key string, values []string, ok bool) {
	for k, v := range s.MatchLabels {
		if !ok || muster.CompareNatural(k, key) < 0 {
			key, values, ok = k, []string{v}, true
		}
	}
	if ok {
		return key, values, true
	}
	for _, e := range s.MatchExpressions {
		if e.Operator == "In" {
			return e.Key, slices.Compact(slices.Sorted(slices.Values(e.Values))), true
		}
	}
	return "", nil, false
}

func (s *LabelSelector) matches(labels map[string]string) bool {
	for k, want := range s.MatchLabels {
		if v, ok := labels[k]; !ok || v != want {
			return false
		}
	}
	for _, e := range s.MatchExpressions {
		v, ok := labels[e.Key]
		holds := false
		switch e.Operator {
		case "In":
			holds = ok && slices.Contains(e.Values, v)
		case "NotIn":
			holds = !ok || !slices.Contains(e.Values, v)
		case "Exists":
			holds = ok
		case "DoesNotExist":
			holds = !ok
		}
		if !holds {
			return false
		}
	}
	return true
}

// defect says what is wrong with the selector, empty if nothing is.
func (s *LabelSelector) defect() string {
	if len(s.MatchLabels) == 0 && len(s.MatchExpressions) == 0 {
		return "empty selector"
	}
	if _, ok := s.MatchLabels[""]; ok {
		return "a label has no key"
	}
	for _, e := range s.MatchExpressions {
		if e.Key == "" {
			return "a label has no key"
		}
		switch e.Operator {
		case "In", "NotIn":
			if len(e.Values) == 0 {
				return e.Operator + " without values for label " + e.Key
			}
		case "Exists", "DoesNotExist":
			if len(e.Values) > 0 {
				return e.Operator + " with values for label " + e.Key
			}
		default:
			return "unknown operator " + e.Operator + " for label " + e.Key
		}
	}
	return ""
}
