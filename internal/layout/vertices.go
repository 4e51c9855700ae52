package layout

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
