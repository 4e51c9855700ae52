// Package keys answers: in which order do places count what they differ in? A place is a domain, or a child of a vertex as a part of a set.
//
// The order is the order of the rows of [Table]. A new key is a row there, its feature in package features, which every shortcut refuses until its
// row says otherwise, and its number in the Value of a model. All comparisons of domains and of sets of children read the rows.
//
// What no row has is compared where it is found: how many groups stay whole, the span, how evenly a set is filled (sets.5), scores and paths.
package keys

import (
	"math/bits"

	"github.com/muster-sched/muster/internal/features"
)

// Key is a row of the table.
type Key uint8

// The keys, the first that tells two places apart decides.
const (
	Anchors Key = iota // running members of the affinity key
	Zones              // that the next member gets on a node
	Waste              // devices of a node that are free, and what a member spoils of them
	Packing            // slots. Between nodes under ByScore the host score comes first
	Count              // of keys
)

// Span is the key before which the span of a domain is compared (domain.3).
const Span = Zones

// Row says what a key is.
type Row struct {
	Domain string       // the rule by which domains are compared
	Set    string       // the rule by which sets of children are
	Needs  features.Set // where this is missing all places are equal; 0: nowhere
	Most   bool         // more is better
	// Nodes: it tells nodes apart and no domains, in a gang of one shape.
	Nodes bool
	// Sorted: sets that are equal in sum are compared by their largest child, then by the second largest, and so on; domains by their parents, and so on up.
	// Which of two numbers is better is up to the policy. A sorted key is no sum of a model.
	Sorted bool
}

// Table has the rows.
var Table = [Count]Row{
	Anchors: {Domain: "domain.2", Set: "sets.3", Needs: features.Friend, Most: true},
	Zones:   {Domain: "domain.4", Set: "sets.4", Needs: features.Aligned, Nodes: true},
	Waste:   {Domain: "domain.8", Set: "sets.9", Needs: features.Wasteful, Nodes: true},
	Packing: {Domain: "domain.5", Set: "sets.6", Sorted: true},
}

// Set is a set of keys.
type Set uint16

// Of are the keys that may tell places apart where a problem has these features. O(keys).
func Of(f features.Set) (s Set) {
	for k := range Count {
		if row := &Table[k]; f.Has(row.Needs) && !(row.Nodes && f.Has(features.Roles)) {
			s |= 1 << k
		}
	}
	return s
}

// First is the first key of a set that is not empty.
func (s Set) First() Key { return Key(bits.TrailingZeros16(uint16(s))) }

// Before are the keys of a set before another one, From those from it on.
func (s Set) Before(k Key) Set { return s & (1<<k - 1) }

// From is said at Before.
func (s Set) From(k Key) Set { return s &^ (1<<k - 1) }

// Without is a set without a key.
func (s Set) Without(k Key) Set { return s &^ (1 << k) }

// Values are what a place, or some places together, have of each key. The smaller one is the better one.
type Values [Count]int64
