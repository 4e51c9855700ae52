package labels

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strconv"

	"github.com/muster-sched/muster/gang"
)

// none is the number of no expression.
const none = math.MaxInt

// Term is all expressions of a term, by their keys. Expressions have numbers, in their order.
type Term struct {
	labels map[string]*rule
	name   *rule    // of the node; nil: nothing
	order  []string // keys of labels, as they come
	needs  []need   // keys that must be there, by the number of the first expression that needs them
	never  int      // the first expression about a field that no node has
	keys   []string // by the number of an expression
}

type need struct {
	at  int
	key string
}

// rule is what the expressions about one key say, by their numbers: which is the first that fails?
type rule struct {
	needs  int            // that the key is there
	absent int            // that it is not
	broken int            // that mean nothing
	not    map[string]int // by value: that exclude it
	in     []int          // that name values
	within map[string]int // by value: how many of these name it, from the first on
	number int            // that compare numbers
	above  []bound        // Gt, each that asks for more than those before
	below  []bound        // Lt, each that asks for less
}

type bound struct {
	than int64
	at   int
}

// nodeName is the only field of a node that expressions may be about.
const nodeName = "metadata.name"

func newTerm() *Term { return &Term{never: none} }

// Selector is a selector of labels: all that are equal, and expressions. Without either it matches everything. O(values).
func Selector(equal map[string]string, terms ...gang.NodeTerm) *Term {
	t := newTerm()
	for _, key := range slices.Sorted(maps.Keys(equal)) {
		t.add(gang.NodeTerm{Labels: []gang.Expression{{Key: key, Operator: gang.In, Values: []string{equal[key]}}}})
	}
	for i := range terms {
		t.add(terms[i])
	}
	t.sortNeeds()
	return t
}

// isEmpty says whether a term has no expressions: it matches nothing.
func isEmpty(t gang.NodeTerm) bool { return len(t.Labels) == 0 && len(t.Fields) == 0 }

// add adds expressions behind those that are there.
func (t *Term) add(more gang.NodeTerm) {
	for i := range more.Labels {
		e := &more.Labels[i]
		r := t.labels[e.Key]
		if r == nil {
			if t.labels == nil {
				t.labels = map[string]*rule{}
			}
			r = newRule()
			t.labels[e.Key], t.order = r, append(t.order, e.Key)
		}
		r.add(e, len(t.keys))
		t.keys = append(t.keys, e.Key)
	}
	for i := range more.Fields {
		e := &more.Fields[i]
		switch {
		case e.Key != nodeName:
			t.never = min(t.never, len(t.keys))
		case t.name == nil:
			t.name = newRule()
			fallthrough
		default:
			t.name.add(e, len(t.keys))
		}
		t.keys = append(t.keys, e.Key)
	}
}

// sortNeeds lists the keys that must be there, once all expressions are added.
func (t *Term) sortNeeds() {
	t.needs = nil
	for _, key := range t.order {
		if at := t.labels[key].needs; at < none {
			t.needs = append(t.needs, need{at, key})
		}
	}
	slices.SortFunc(t.needs, func(a, b need) int { return cmp.Compare(a.at, b.at) })
}

// Labels goes through the keys of labels that the term is about, in the order in which they come.
func (t *Term) Labels() []string { return t.order }

// Matches says whether a node, or anything with labels, fulfils all expressions. O(labels), or of the keys of the term if these are fewer.
func (t *Term) Matches(node string, labels map[string]string) bool {
	return t.fails(node, labels) == none
}

// Misses is the key of the first expression that fails, empty for none.
func (t *Term) Misses(node string, labels map[string]string) string {
	if at := t.fails(node, labels); at < none {
		return t.keys[at]
	}
	return ""
}

// fails is the first expression that fails.
func (t *Term) fails(node string, labels map[string]string) int {
	at := t.never
	if t.name != nil {
		at = min(at, t.name.fails(node))
	}
	for _, n := range t.needs { // at most one more than there are labels
		if _, is := labels[n.key]; !is {
			at = min(at, n.at)
			break
		}
	}
	if len(t.labels) <= len(labels) {
		for key, r := range t.labels {
			if value, is := labels[key]; is {
				at = min(at, r.fails(value))
			}
		}
		return at
	}
	for key, value := range labels {
		if r := t.labels[key]; r != nil {
			at = min(at, r.fails(value))
		}
	}
	return at
}

func newRule() *rule { return &rule{needs: none, absent: none, broken: none, number: none} }

// add adds an expression with a higher number than all before.
func (r *rule) add(e *gang.Expression, at int) {
	switch e.Operator {
	case gang.In:
		if r.within == nil {
			r.within = make(map[string]int, len(e.Values))
		}
		for _, v := range e.Values {
			if r.within[v] == len(r.in) {
				r.within[v]++
			}
		}
		r.in = append(r.in, at)
	case gang.NotIn:
		if r.not == nil {
			r.not = make(map[string]int, len(e.Values))
		}
		for _, v := range e.Values {
			if _, is := r.not[v]; !is {
				r.not[v] = at
			}
		}
		return // which holds where the key is missing
	case gang.DoesNotExist:
		r.absent = min(r.absent, at)
		return
	case gang.Exists:
	case gang.Gt, gang.Lt:
		r.addBound(e, at)
	default:
		r.broken = min(r.broken, at)
	}
	r.needs = min(r.needs, at)
}

// addBound adds a comparison of numbers.
func (r *rule) addBound(e *gang.Expression, at int) {
	var than int64
	err := strconv.ErrSyntax
	if len(e.Values) == 1 {
		than, err = strconv.ParseInt(e.Values[0], 10, 64)
	}
	if err != nil {
		r.broken = min(r.broken, at)
		return
	}
	r.number = min(r.number, at)
	if e.Operator == gang.Gt {
		if n := len(r.above); n == 0 || than > r.above[n-1].than {
			r.above = append(r.above, bound{than, at})
		}
		return
	}
	if n := len(r.below); n == 0 || than < r.below[n-1].than {
		r.below = append(r.below, bound{than, at})
	}
}

// fails is the first expression that fails for a value. O(log bounds).
func (r *rule) fails(value string) int {
	at := min(r.absent, r.broken)
	if n, is := r.not[value]; is {
		at = min(at, n)
	}
	if n := r.within[value]; n < len(r.in) {
		at = min(at, r.in[n])
	}
	if r.number == none {
		return at
	}
	has, err := strconv.ParseInt(value, 10, 64)
	if err != nil {
		return min(at, r.number)
	}
	if i, _ := slices.BinarySearchFunc(r.above, has, func(b bound, has int64) int { return cmp.Compare(b.than, has) }); i < len(r.above) {
		at = min(at, r.above[i].at)
	}
	if i, _ := slices.BinarySearchFunc(r.below, has, func(b bound, has int64) int { return cmp.Compare(has, b.than) }); i < len(r.below) {
		at = min(at, r.below[i].at)
	}
	return at
}

// values are those that all expressions which name values name; nil, and false: none names any.
func (r *rule) values() (list []string, named bool) {
	for v, n := range r.within {
		if n == len(r.in) {
			list = append(list, v)
		}
	}
	return list, len(r.in) > 0
}
