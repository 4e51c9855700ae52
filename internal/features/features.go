// Package features answers: what of a problem is not plain, and which shortcut understands it?
//
// A shortcut is a faster way to the answer that rules of docs/order.md give. Its row in the table says which features it understands. It is taken only
// where a problem has no other, so a new rule or a new key, which has a bit of its own, is refused by every shortcut until its row says otherwise.
// What depends on the vertex at hand the shortcut looks at by itself.
package features

// Set has a bit for everything about a problem that may change an answer.
type Set uint64

// The features. Of a problem that is cut into groups those up to Beyond are known last.
const (
	Groups      Set = 1 << iota // equal groups of one level
	Nested                      // equal groups of several levels
	Short                       // the last group has fewer members
	Begun                       // some members of a group run, others are placed
	Beyond                      // the tree is full: some members lie outside
	Flat                        // slots are counted for the request alone
	Sibling                     // members of the gang run
	Friend                      // members of the affinity key run
	Multiple                    // members below a vertex come in multiples
	Scored                      // hosts or shapes prefer nodes
	Spread                      // policies other than BestFit
	Balanced                    //
	ByScore                     //
	Aligned                     // members want zones
	Apart                       // at most so many members in a domain
	ApartGroups                 // at most so many groups in a domain
	Uncounted                   // a limit on groups of which the index knows nothing
	Within                      // at most so many domains of a layer
	Roles                       // members of several shapes, or in parts
	Layers                      // the span counts below the children too
	Wasteful                    // nodes differ in what a member spoils of their devices
	end
)

// All are the features that there are.
const All = end - 1

// known are the features for which each shortcut has been looked at. A new one is not among them, so that it is refused until a row says `| New`.
const known = Groups | Nested | Short | Begun | Beyond | Flat | Sibling | Friend | Multiple | Scored | Spread | Balanced | ByScore | Aligned | Apart | ApartGroups |
	Uncounted | Within | Roles | Layers | Wasteful

// Unknown stands for a feature that nobody has heard of yet.
const Unknown Set = 1 << 63

// When is f, or nothing unless it is so.
func (f Set) When(so bool) Set {
	if so {
		return f
	}
	return 0
}

// Has says whether all of some features are there.
func (f Set) Has(some Set) bool { return f&some == some }

// notOrdinary is what tells vertices apart beside their slots, and zones.
const notOrdinary = Beyond | Flat | Sibling | Friend | Multiple | Scored | Spread | Balanced | ByScore | Layers

// Shortcut is a row of the table.
type Shortcut int

// The shortcuts, by the packages that they are in, from the bottom up.
const (
	SumInPlane Shortcut = iota
	ExtraPlain
	ExtraExact
	ByTwoNumbers
	CountNodes
	KeptIndex
	CountGroups
	PlainBest
	NarrowBest
	GroupBest
	AllWorse
	IndexedSpan
	FewestBelow
	IsWider
	FillPlain
	FillNarrow
	PickBelow
	FillZoned
	PlaceGroups
	PlaceSplit
	ShortTier
	BySpan
	RepeatFront
	Count // of shortcuts
)

// Row says of a shortcut which function it is, and which features it understands.
type Row struct {
	Package, Function string
	Understands       Set
}

// Table has the rows. A function that is here says `Same answer as order:` with the rules whose answer it gives.
var Table = [Count]Row{
	SumInPlane:   {"internal/front", "sumInPlane", known},
	ExtraPlain:   {"internal/sets", "extraPlain", known &^ (Friend | Scored | ByScore | Layers | Wasteful)},
	ExtraExact:   {"internal/sets", "extraExact", known &^ (Friend | Scored | Spread | Balanced | ByScore | Layers | Wasteful)},
	ByTwoNumbers: {"internal/frontsets", "byTwoNumbers", known &^ Spread},
	CountNodes:   {"internal/room", "countNodes", known},
	KeptIndex:    {"internal/room", "table", known &^ (Multiple | Flat)},
	CountGroups:  {"internal/gather", "count", known &^ (Begun | Flat | Uncounted)},
	PlainBest:    {"internal/gather", "plainBest", known &^ (notOrdinary | Groups | Nested | Short | Begun)},
	NarrowBest:   {"internal/gather", "narrowBest", known&^(notOrdinary|Groups|Nested|Short|Begun|ApartGroups|Uncounted) | Layers},
	GroupBest:    {"internal/gather", "groupBest", known &^ (notOrdinary | Nested | Begun)},
	AllWorse:     {"internal/gather", "allWorse", known &^ (Flat | Sibling | Layers)},
	IndexedSpan:  {"internal/gather", "indexedSpan", known &^ (Beyond | Flat | Sibling)},
	FewestBelow:  {"internal/gather", "fewestBelow", known &^ (Beyond | Flat | Sibling | Groups | Nested)},
	IsWider:      {"internal/gather", "isWider", known &^ (Flat | Sibling)},
	FillPlain:    {"internal/gather", "fillPlain", known &^ notOrdinary},
	FillNarrow:   {"internal/gather", "fillNarrow", known&^(notOrdinary|Groups|Nested|Short|Begun|ApartGroups|Uncounted) | Layers},
	PickBelow:    {"internal/gather", "pickBelow", known &^ (notOrdinary | Groups | Nested | Aligned | Wasteful)},
	FillZoned:    {"internal/gather", "fillZoned", known &^ (notOrdinary | Apart | Wasteful)},
	PlaceGroups:  {"internal/gather", "placeGroups", known &^ (notOrdinary | Nested | Begun | ApartGroups)},
	PlaceSplit:   {"internal/gather", "placeSplit", known &^ (notOrdinary | Nested | Begun)},
	ShortTier:    {"internal/gather", "shortTier", known&^(notOrdinary|Nested|Begun) | Layers},
	BySpan:       {"internal/fronts", "bySpan", known},
	RepeatFront:  {"internal/fronts", "repeatFront", known},
}

// Takes says whether a shortcut may be taken for a problem with these features.
func (s Shortcut) Takes(f Set) bool { return (f|extra())&^Table[s].Understands == 0 && allowed(s) }
