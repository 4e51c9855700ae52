package render

import (
	"strconv"
	"strings"

	"github.com/muster-sched/muster/internal/hostlist"
	"github.com/muster-sched/muster/internal/printed"
)

// mostSpans is how many spans of numbers a range has, so that it is no longer than a line.
const mostSpans = 8

// seated is a member on a node, and what else is to be told of it there.
type seated struct{ member, node, beside string }

// stretchOfSeats are members in their order on nodes in theirs, so many on each.
type stretchOfSeats struct {
	members, nodes []string
	each           int
	beside         string
}

// who reads `worker-[0-15]`, where reads `n[01-16]`, with several members on each of some nodes `n[1-2] (8 each)`.
func (s *stretchOfSeats) who() string { return ranged(s.members) }

func (s *stretchOfSeats) where() string {
	text := ranged(s.nodes)
	if s.each > 1 && len(s.nodes) > 1 {
		text += " (" + strconv.Itoa(s.each) + " each)"
	}
	return text + s.beside
}

// sharesNode says whether others are on the same single node.
func (s *stretchOfSeats) sharesNode(next *stretchOfSeats) bool {
	return len(s.nodes) == 1 && len(next.nodes) == 1 && s.nodes[0] == next.nodes[0] && s.beside == next.beside
}

// ranged writes names that are alike as a range. A name in which a range could be read is quoted.
func ranged(names []string) string {
	if len(names) == 1 && strings.ContainsAny(names[0], hostlist.Special) {
		return strconv.Quote(names[0])
	}
	return printed.Text(hostlist.InOrder(names))
}

// folded writes names in their order, those that are alike as ranges.
func folded(names []string) (out []string) {
	for len(names) > 0 {
		n := hostlist.Alike(names, mostSpans)
		out, names = append(out, ranged(names[:n])), names[n:]
	}
	return out
}

// stretches cuts a list into what one range of members and one of nodes say, each member once and in its order. O(len(list)).
func stretches(list []seated) (out []stretchOfSeats) {
	members := make([]string, len(list))
	var nodes []string // of each run of members on one node
	var runs []int
	for i, s := range list {
		members[i] = s.member
		if i > 0 && list[i-1].node == s.node && list[i-1].beside == s.beside {
			runs[len(runs)-1]++
			continue
		}
		nodes, runs = append(nodes, s.node), append(runs, 1)
	}
	first, run := 0, 0  // what is not told yet
	alike, near := 0, 0 // ends of what is alike from there on
	for first < len(list) {
		if first >= alike {
			alike = first + hostlist.Alike(members[first:], mostSpans)
		}
		if run >= near {
			near = run + hostlist.Alike(nodes[run:], mostSpans)
		}
		each, last := runs[run], run+1
		if each > alike-first { // others on this node have other names
			each, last = alike-first, run
			runs[run] -= each
		}
		end := first + each
		for last > run && last < near && runs[last] == each && end+each <= alike && list[end].beside == list[first].beside {
			end, last = end+each, last+1
		}
		out = append(out, stretchOfSeats{members: members[first:end], nodes: nodes[run:max(last, run+1)], each: each, beside: list[first].beside})
		first, run = end, last
	}
	return out
}

// through reads `leaf-01-01..04`: the first of a run of names and the last one, without what both begin with, up to a mark or a number. Names
// without such a beginning stand whole, `left .. right`.
func through(first, last string) string {
	same := 0
	for same < min(len(first), len(last)) && first[same] == last[same] {
		same++
	}
	for same > 0 && !isMark(first[same-1]) && !(startsNumber(first, same) && startsNumber(last, same)) {
		same--
	}
	if same == 0 || same == len(last) {
		return first + " .. " + last
	}
	return first + ".." + last[same:]
}

// startsNumber says whether digits begin at a place of a name.
func startsNumber(name string, at int) bool {
	isDigit := func(b byte) bool { return b >= '0' && b <= '9' }
	return at < len(name) && isDigit(name[at]) && !isDigit(name[at-1])
}

// isMark says whether a byte stands between the parts of a name.
func isMark(b byte) bool { return b == '-' || b == '.' || b == '_' || b == '/' }
