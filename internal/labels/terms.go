// Package labels answers: which of many selectors match a node, or anything with labels? A [Term] is a selector whose expressions are
// brought into maps once; [Terms] finds those that match without a comparison with each.
//
// Nothing here changes once it is made.
package labels

import (
	"fmt"
	"iter"

	"github.com/muster-sched/muster/gang"
)

// Terms finds which of many terms match. Each stands at one label that all have whom it matches, or at one name: of those that it asks
// for the one that fewest other terms ask for, so that a node is not compared with terms of which it has no more than a common label.
type Terms struct {
	terms []*Term
	at    map[handle][]int
	rest  []int // that ask for no label
}

// handle is a label with its value, any value of a label, or the name of a node.
type handle struct {
	kind       handleKind
	key, value string
}

type handleKind int8

const (
	withValue handleKind = iota
	withKey
	withName
)

// Of finds terms of nodes. O(values).
func Of(list []gang.NodeTerm) Terms {
	terms := make([]*Term, len(list))
	for i := range list {
		if isEmpty(list[i]) {
			terms[i] = &Term{keys: []string{""}} // matches nothing, for no key
			continue
		}
		terms[i] = newTerm()
		terms[i].add(list[i])
		terms[i].sortNeeds()
	}
	return Index(terms)
}

// Index finds terms. The slice is kept.
func Index(terms []*Term) Terms {
	x := Terms{terms: terms}
	if len(terms) <= common {
		for i := range terms {
			x.rest = append(x.rest, i)
		}
		return x
	}
	x.at = map[handle][]int{}
	asked := map[handle]int{}
	for _, t := range terms {
		t.handles(func(all []handle) {
			for _, h := range all {
				asked[h]++
			}
		})
	}
	for i, t := range terms {
		if t.never < none {
			continue
		}
		var best []handle
		least := none // so many terms ask for the one of best that most ask for
		t.handles(func(all []handle) {
			most := 0
			for _, h := range all {
				most = max(most, asked[h])
			}
			if most < least {
				best, least = all, most
			}
		})
		if least == none {
			x.rest = append(x.rest, i)
		}
		for _, h := range best {
			x.at[h] = append(x.at[h], i)
		}
	}
	return x
}

// handles lists, for each key that a term asks for, those of which one is had by whom it matches.
func (t *Term) handles(yield func(all []handle)) {
	list := func(kind handleKind, key string, r *rule) {
		values, named := r.values()
		switch {
		case named:
			all := make([]handle, len(values))
			for i, v := range values {
				all[i] = handle{kind, key, v}
			}
			yield(all)
		case kind == withValue && r.needs < none:
			yield([]handle{{withKey, key, ""}})
		}
	}
	if t.name != nil {
		list(withName, "", t.name)
	}
	for _, key := range t.order {
		list(withValue, key, t.labels[key])
	}
}

// MayMatch goes through the terms that a node, or anything with labels, may match, in no order. O(labels + terms).
func (x *Terms) MayMatch(node string, labels map[string]string) iter.Seq[int] {
	return func(yield func(i int) bool) {
		look := func(list []int) bool {
			for _, i := range list {
				if !yield(i) {
					return false
				}
			}
			return true
		}
		if !look(x.rest) || len(x.at) == 0 || !look(x.at[handle{withName, "", node}]) {
			return
		}
		for key, value := range labels {
			if !look(x.at[handle{withValue, key, value}]) || !look(x.at[handle{withKey, key, ""}]) {
				return
			}
		}
	}
}

// First is the first of the terms, of which there is one at least.
func (x *Terms) First() *Term { return x.terms[0] }

// Matching goes through the terms that match a node, or anything with labels, in no order. O(labels + terms that could match).
func (x *Terms) Matching(node string, labels map[string]string) iter.Seq[int] {
	return func(yield func(i int) bool) {
		for i := range x.MayMatch(node, labels) {
			if x.terms[i].Matches(node, labels) && !yield(i) {
				return
			}
		}
	}
}

// mostTerms is how many terms of an affinity, or preferences, may have to be compared with one node, as the labels that they ask for do not
// tell them apart.
const mostTerms = 256

// WhyTooMany is what is wrong with more.
var WhyTooMany = fmt.Sprintf("more than %d terms that no label tells apart: each would be compared with each node", mostTerms)

// TooMany says whether terms are too many that no label tells apart. O(values).
func TooMany(list []gang.NodeTerm) bool {
	if len(list) <= mostTerms {
		return false
	}
	x := Of(list)
	return x.reach() > mostTerms
}

// common is how many terms may ask for one label without counting as many.
const common = 8

// reach is how many terms may have to be compared with one node, whatever labels it has; few at one label do not count: then each label is
// looked at so often at most. O(values).
func (x *Terms) reach() int {
	most := map[handle]int{} // by kind and key
	for h, list := range x.at {
		if len(list) > common {
			h.value = ""
			most[h] = max(most[h], len(list))
		}
	}
	sum := len(x.rest)
	for _, n := range most {
		sum += n
	}
	return sum
}
