package topology

import (
	"fmt"
	"slices"
	"strings"

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
	steps   int // of all selectors, see maxMatchSteps
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

// choose lists the nodes that a selector with exactly one criterion chooses; a name is taken as it is. Once the steps are spent nothing is
// chosen, which is a defect of the one that spends them.
func (m *matcher) choose(field string, s Selector) (chosen []string) {
	switch {
	case s.ExactName != "":
		return []string{s.ExactName}
	case m.steps > maxMatchSteps:
		return nil
	case s.Regex != "":
		re, reason := compile(s.Regex, &m.steps)
		if reason != "" {
			const most = 120 // of a value that is told
			m.defects.add(field, s.Regex[:min(len(s.Regex), most)], reason)
			return nil
		}
		if re != nil {
			chosen = m.byRegex(re)
		}
	default:
		if why := s.Labels.defect(); why != "" {
			m.defects.add(field, "", "label selector: "+why)
			return nil
		}
		chosen = m.bySelector(s.Labels)
	}
	if m.steps > maxMatchSteps {
		m.defects.add(field, "", fmt.Sprintf("selector: more than %d steps for the regexes and label selectors of all", maxMatchSteps))
		return nil
	}
	return chosen
}

// byRegex tests the names that begin with the literal that the expression is anchored to, all names if it is not.
func (m *matcher) byRegex(re *pattern) []string {
	if m.sorted == nil {
		m.sorted = slices.Sorted(slices.Values(m.names))
	}
	first, _ := slices.BinarySearch(m.sorted, re.prefix)
	var chosen []string
	for _, name := range m.sorted[first:] {
		if m.steps > maxMatchSteps || !strings.HasPrefix(name, re.prefix) {
			break
		}
		if re.matches(name, &m.steps) {
			m.steps += perChosen
			chosen = append(chosen, name)
		}
	}
	return chosen
}

// bySelector tests the nodes that carry one of the required labels, all nodes if none is required.
func (m *matcher) bySelector(s *LabelSelector) []string {
	var chosen []string
	cost := 1 + len(s.MatchLabels)
	for _, e := range s.MatchExpressions {
		cost += 1 + len(e.Values)
	}
	test := func(i int32) {
		if m.steps += cost; m.steps > maxMatchSteps {
			return
		}
		if s.matches(m.nodes[i].Labels) {
			m.steps += perChosen
			chosen = append(chosen, m.names[i])
		}
	}
	if key, values, ok := s.required(); ok {
		for _, value := range values {
			m.steps++
			for _, i := range m.withLabel(key)[value] {
				test(i)
			}
		}
		return chosen
	}
	for i := range m.nodes {
		if test(int32(i)); m.steps > maxMatchSteps {
			break
		}
	}
	return chosen
}

// withLabel lists the nodes that carry the label, by value.
func (m *matcher) withLabel(key string) map[string][]int32 {
	if m.byLabel[key] == nil {
		m.steps += len(m.nodes)
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
