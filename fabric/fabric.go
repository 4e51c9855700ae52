// Package fabric answers: which trees do cables, labels and files of a network make, and what is odd about them? It reads what
// fabric managers, switches, workload managers and clouds know of a network, and writes trees in the formats that others read. It
// is given bytes: it has no network and opens no file.
//
// Of cables a tree is made like this. Switches with hosts are leaves, at level 1; a switch next to one of level n, and to none below,
// is at level n+1. Leaves that share hosts are one unit, at tier 1: the rails of a host go to several. A domain of tier n is what
// hangs together by switches up to level n; cables between switches of one level join nothing. A domain is called as the first
// of its highest switches, in natural order.
package fabric

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/internal/document"
	"github.com/muster-sched/muster/internal/printed"
	"github.com/muster-sched/muster/topology"
)

// File is an input: what it is called in messages, and its bytes. The neighbours of a device (LLDP) are in a file that is called like
// the device, without folder and ending.
type File struct {
	Name string
	Data []byte
}

// Options change what is refused. The zero value is the default.
type Options struct {
	// KeepGoing takes what is usable where something is odd; else every [Finding] is an error.
	KeepGoing bool
	// Planes says what becomes of hosts that are on several networks of switches. Empty: they are refused.
	Planes Planes
	// Name is that of a tree which the source does not name. Empty: that of the format.
	Name string
}

// Planes says how networks that share hosts, but no switch, become trees.
type Planes string

// What becomes of planes.
const (
	// EachPlane makes a tree of each, called `NAME-plane-1` and so on in natural order of their switches.
	EachPlane Planes = "each"
	// OnePlane makes one tree of all: leaves that share hosts are one unit, of whichever plane.
	OnePlane Planes = "one"
)

// Fabric is what was read. It belongs to the caller.
type Fabric struct {
	// Trees in natural order of their names.
	Trees []cluster.NamedTree
	// Findings are what is odd, with [Options.KeepGoing], in the order of kinds, then ends.
	Findings []Finding
}

// Finding is something odd about a network, named with both ends.
type Finding struct {
	Kind Kind
	// Tree is the name of the tree that it is in.
	Tree string
	// One and Other are the ends: hosts, switches or domains. Other may be empty.
	One, Other string
}

// Kind is what is odd.
type Kind string

// The kinds of findings.
const (
	TwoLeaves     Kind = "a host on two leaves"                  // that no other host is on together: One is the host, Other the second leaf
	MissingRail   Kind = "a host without a rail"                 // One is the host, Other a leaf that half of the hosts of its unit or more are on
	NoUplink      Kind = "a leaf without uplink"                 // One is the leaf, Other a leaf that has one
	OneSide       Kind = "a link seen from one side only"        // One sees Other, which has told of its links and not of this one
	Itself        Kind = "a switch that names itself"            // One
	UnequalDepths Kind = "unequal depths"                        // One and Other are domains without a parent of different tiers, or a domain and its parent with a tier between them
	LoneHost      Kind = "a leaf of one host"                    // One is the leaf, Other the host
	SideLink      Kind = "a link between switches of one level"  // it joins nothing
	UnknownName   Kind = "a name that several machines may have" // One is the name, Other where it is; such machines are left out
	NoLeaf        Kind = "a host without a switch"               // One
	NoHosts       Kind = "a switch without hosts"                // One: none can be reached by way of it
	Ambiguous     Kind = "a label that does not tell the domain" // One is a node that lacks the one above, Other the value that several domains have
	Skipped       Kind = "an entry that makes no domain"         // One is the entry
	Empty         Kind = "a file that holds nothing"             // One is the file
)

// String is `a leaf of one host: leaf-3 and node-9`.
func (f Finding) String() string {
	text := string(f.Kind) + ": " + f.One
	if f.Other != "" {
		text += " and " + f.Other
	}
	if f.Tree != "" {
		text += " (topology " + f.Tree + ")"
	}
	return printed.Text(text)
}

// Error says what cannot be used, and where. It is joined with others.
type Error struct {
	// File is the name of the file; Line is 0 if unknown.
	File string
	Line int
	// Field is the path of the field, or the key of a line, and Value what stands there; either may be empty.
	Field, Value string
	Reason       string
}

// Error reads `topology.conf: line 3: Nodes "n[1-": a bracket that does not end`; a nil error is the empty text.
func (e *Error) Error() string {
	if e == nil {
		return ""
	}
	var b strings.Builder
	if e.File != "" {
		b.WriteString(e.File + ": ")
	}
	if e.Line > 0 {
		fmt.Fprintf(&b, "line %d: ", e.Line)
	}
	what := e.Field
	if e.Value != "" {
		const most = 120
		value := e.Value
		if len(value) > most {
			value = strings.ToValidUTF8(value[:most], "") + "..."
		}
		what = strings.TrimSpace(fmt.Sprintf("%s %q", what, value))
	}
	if what != "" {
		b.WriteString(what + ": ")
	}
	return printed.Text(b.String() + e.Reason)
}

// Read makes trees of files of a format. All defects are reported, joined, each an [*Error]; with them, unless Options.KeepGoing
// is set, every finding. Files that all hold nothing
// are an error; those that tell of no topology, such as a list without entries, make none. O(bytes + n log n) for n hosts and links; the files are not kept.
func Read(format Format, files []File, opt Options) (*Fabric, error) {
	how := formats[format]
	if how.read == nil {
		return nil, &Error{Field: "format", Value: string(format), Reason: "unknown, must be one of " + strings.Join(Formats(), ", ")}
	}
	r := &reading{opt: opt, name: cmp.Or(opt.Name, string(format))}
	if kept := r.withContent(files); len(kept) > 0 || len(files) == 0 {
		how.read(r, kept)
	}
	return r.fabric()
}

// withContent are the files that hold something. Of some files one that does not is odd; alone it is an error.
func (r *reading) withContent(files []File) (kept []File) {
	none := !slices.ContainsFunc(files, holdsAnything)
	for _, f := range files {
		switch {
		case holdsAnything(f):
			kept = append(kept, f)
		case none:
			r.fail(Error{File: f.Name, Reason: "holds nothing"})
		default:
			r.find(Finding{Kind: Empty, One: f.Name})
		}
	}
	return kept
}

// holdsAnything says whether a file has content. A list without entries is the answer of a source that knows of none.
func holdsAnything(f File) bool { return !document.IsEmpty(f.Data) || document.IsEmptyList(f.Data) }

// Formats lists the formats that are read, in natural order.
func Formats() []string {
	var names []string
	for f, how := range formats {
		if how.read != nil {
			names = append(names, string(f))
		}
	}
	slices.SortFunc(names, muster.CompareNatural)
	return names
}

// reading is what is found in files.
type reading struct {
	opt      Options
	name     string // of a tree without one
	errs     []*Error
	trees    []cluster.NamedTree
	findings []Finding
	names    int // in hostlists
	budget   document.Budget
}

func (r *reading) fail(e Error) {
	const most = 1000 // who has more is not helped by them
	if len(r.errs) < most {
		r.errs = append(r.errs, &e)
	}
}

func (r *reading) find(f Finding) { r.findings = append(r.findings, f) }

// build makes a tree of a topology. One without domains and nodes is left out.
func (r *reading) build(name, file string, spec topology.Spec) {
	if len(spec.Roots)+len(spec.Nodes) == 0 {
		return
	}
	tree, err := topology.New(spec)
	if err != nil {
		r.refuse(file, err)
		return
	}
	r.keep(name, file, tree)
}

// keep keeps a tree, whose name must be its own.
func (r *reading) keep(name, file string, tree *topology.Tree) {
	if slices.ContainsFunc(r.trees, func(t cluster.NamedTree) bool { return t.Name == name }) {
		r.fail(Error{File: file, Field: "topology", Value: name, Reason: "duplicate name"})
		return
	}
	r.trees = append(r.trees, cluster.NamedTree{Name: name, Tree: tree})
	r.findDepths(name, tree)
}

// refuse takes an error of package topology apart.
func (r *reading) refuse(file string, err error) {
	var joined interface{ Unwrap() []error }
	if errors.As(err, &joined) {
		for _, e := range joined.Unwrap() {
			r.refuse(file, e)
		}
		return
	}
	e := Error{File: file, Reason: err.Error()}
	var invalid *muster.InvalidError
	if errors.As(err, &invalid) {
		e = Error{File: file, Field: invalid.Field, Value: invalid.Value, Reason: invalid.Reason}
	}
	r.fail(e)
}

// findDepths finds domains whose parents skip a tier, and roots that are not level.
func (r *reading) findDepths(name string, t *topology.Tree) {
	highest := topology.NoDomain
	first, last := t.Children(topology.Root)
	for d := first; d < last; d++ {
		if highest < 0 || t.Tier(d) > t.Tier(highest) {
			highest = d
		}
	}
	for d := range t.All() {
		up := t.Parent(d)
		switch {
		case d == topology.Root:
		case up != topology.Root && t.Tier(up) > t.Tier(d)+1:
			r.find(Finding{UnequalDepths, name, pathOf(t, d), pathOf(t, up)})
		case up == topology.Root && t.Tier(d) < t.Tier(highest):
			r.find(Finding{UnequalDepths, name, pathOf(t, d), pathOf(t, highest)})
		}
	}
}

func pathOf(t *topology.Tree, d topology.DomainID) string { return strings.Join(t.Path(d), "/") }

// fabric is what was found, or why it is refused.
func (r *reading) fabric() (*Fabric, error) {
	slices.SortFunc(r.trees, func(a, b cluster.NamedTree) int { return muster.CompareNatural(a.Name, b.Name) })
	slices.SortFunc(r.findings, func(a, b Finding) int {
		return cmp.Or(strings.Compare(string(a.Kind), string(b.Kind)), muster.CompareNatural(a.Tree, b.Tree),
			muster.CompareNatural(a.One, b.One), muster.CompareNatural(a.Other, b.Other))
	})
	r.findings = slices.Compact(r.findings)
	if !r.opt.KeepGoing {
		for _, f := range r.findings {
			r.fail(Error{Reason: f.String()})
		}
	}
	r.errs = slices.CompactFunc(r.errs, func(a, b *Error) bool { return *a == *b })
	if len(r.errs) == 0 {
		return &Fabric{Trees: r.trees, Findings: r.findings}, nil
	}
	errs := make([]error, len(r.errs))
	for i, e := range r.errs {
		errs[i] = e
	}
	return nil, errors.Join(errs...)
}
