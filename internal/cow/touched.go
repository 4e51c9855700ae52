package cow

// touched is the log of nodes that changed since a value was made: the nodes of one change, and the log before it. Values
// of one age share one log. No log refers to a snapshot, so that snapshots are collected when nobody holds them. A nil
// log is empty.
type touched struct {
	nodes  []int32 // not empty
	before *touched
	total  int // nodes in the whole log; one that changed twice counts twice
}

func (t *touched) len() int {
	if t == nil {
		return 0
	}
	return t.total
}

// all collects the nodes, in no order. O(len).
func (t *touched) all() []int32 {
	out := make([]int32, 0, t.len())
	for ; t != nil; t = t.before {
		out = append(out, t.nodes...)
	}
	return out
}
