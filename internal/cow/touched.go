package cow

// touched is the log of nodes that changed since an index was made: the nodes of one change, and before it the log that
// this change went on with. Logs that were equal stay one, and none refers to a snapshot, so that snapshots nobody
// holds are collected. A nil log is empty.
type touched struct {
	nodes  []int32 // not empty
	before *touched
	total  int // of nodes in the whole log, those that changed twice counted twice
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
