package layout

import "slices"

// WithAbove lists domains and all domains above them in the order of [Upwards]. It may overwrite the list given.
func (v *View) WithAbove(domains []Vertex) []Vertex {
	domains = Upwards(domains)
	for _, x := range domains {
		for up := v.Parent[x]; up >= 0; up = v.Parent[up] {
			domains = append(domains, up)
		}
	}
	return Upwards(domains)
}

// Upwards sorts domains so that children come before their parents, each once. It works in place.
func Upwards(domains []Vertex) []Vertex {
	slices.Sort(domains)
	domains = slices.Compact(domains)
	slices.Reverse(domains)
	return domains
}

// Tally counts something by vertex. A nil one has only zeros, and cannot be added to.
type Tally map[Vertex]int64

// At is the count of a vertex.
func (t Tally) At(x Vertex) int64 {
	return t[x]
}

// Add counts something at a vertex and at all above it.
func (t Tally) Add(v *View, x Vertex, n int64) {
	for ; x >= 0; x = v.Above(x) {
		t[x] += n
	}
}
