package render

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"math/bits"
	"slices"
	"strings"

	"github.com/muster-sched/muster/internal/phrases"
	"github.com/muster-sched/muster/internal/printed"
	"github.com/muster-sched/muster/quota"
)

// QuotasText draws the quotas of a snapshot, one resource after the other: the tree, for each quota that governs the resource a bar,
// what it uses, what is pending in it, its minimum, share and maximum. The bars of one resource have one scale, the total or what is
// used or guaranteed, whichever is more: `#` is in use, `+` the rest of the share, `.` the rest of the maximum, and `|` stands where the
// minimum ends. O(quotas * resources).
func QuotasText(w io.Writer, s *quota.State) error {
	b := bufio.NewWriter(w)
	if s == nil {
		printed.Fprintln(b, "no quotas")
		return b.Flush()
	}
	total := s.Total()
	for i, resource := range total.Names() {
		if i == 0 {
			printed.Fprintln(b, "quotas: # used, + rest of the share, . rest of the maximum, | minimum")
		}
		printed.Fprintf(b, "%s, %s to divide\n", phrases.Resource(resource), phrases.Amount(resource, total[resource]))
		writeTable(b, quotaRows(s, resource, total[resource]))
	}
	return b.Flush()
}

// barWidth is the width of a bar.
const barWidth = 32

// quotaRows are the lines of one resource, a heading first.
func quotaRows(s *quota.State, resource string, total int64) [][]string {
	rows := [][]string{{"", "", "used", "demand", "min", "share", "max"}}
	depths, scale := depthsOf(s), max(total, 1)
	terms := map[string]quota.Terms{}
	for _, name := range s.Quotas() {
		for _, t := range s.Explain(name) {
			if t.Resource == resource {
				terms[name] = t
				scale = max(scale, t.Used)
				if t.Min < math.MaxInt64 {
					scale = max(scale, t.Min)
				}
			}
		}
	}
	for _, name := range depthFirst(s) {
		row := []string{strings.Repeat("  ", depths[name]) + name}
		if t, governed := terms[name]; governed {
			row = append(row, "["+bar(t, scale)+"]")
			for _, n := range []int64{t.Used, t.Demand, t.Min, t.Share, t.Max} {
				row = append(row, phrases.Amount(resource, n))
			}
		}
		rows = append(rows, row)
	}
	return rows
}

// bar draws what a quota has, so that each character stands for as much.
func bar(t quota.Terms, scale int64) string {
	at := func(amount int64) int { // rounded up: what is there shows
		if amount >= scale {
			return barWidth
		}
		high, low := bits.Mul64(uint64(amount), barWidth)
		width, rest := bits.Div64(high, low, uint64(scale))
		return int(width + min(1, rest))
	}
	text := []byte(strings.Repeat(" ", barWidth))
	for _, part := range []struct {
		char byte
		end  int
	}{{'.', at(t.Max)}, {'+', at(t.Share)}, {'#', at(t.Used)}} {
		for i := range part.end {
			text[i] = part.char
		}
	}
	if end := at(t.Min); end > 0 {
		text[end-1] = '|'
	}
	return string(text)
}

// writeTable puts rows into columns: names and bars to the left, numbers to the right.
func writeTable(w io.Writer, rows [][]string) {
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			row[i] = printed.Text(cell)
			widths[i] = max(widths[i], len(row[i]))
		}
	}
	for _, row := range rows {
		line := " "
		for i, cell := range row {
			if i < 2 {
				line += fmt.Sprintf(" %-*s", widths[i], cell)
			} else {
				line += fmt.Sprintf("  %*s", widths[i], cell)
			}
		}
		printed.Fprintln(w, strings.TrimRight(line, " "))
	}
}

// depthFirst lists quotas, each before those below it and these before the next.
func depthFirst(s *quota.State) []string {
	below := map[string][]string{}
	for _, name := range s.Quotas() { // children of one parent in natural order
		spec, _ := s.Spec(name)
		below[spec.Parent] = append(below[spec.Parent], name)
	}
	var out []string
	open := slices.Clone(below[""])
	for len(open) > 0 {
		name := open[0]
		out, open = append(out, name), slices.Concat(below[name], open[1:])
	}
	return out
}

// depthsOf is how many quotas lie above each.
func depthsOf(s *quota.State) map[string]int {
	depths := map[string]int{}
	for _, name := range s.Quotas() { // parents first
		if spec, _ := s.Spec(name); spec.Parent != "" {
			depths[name] = depths[spec.Parent] + 1
		}
	}
	return depths
}

// quotasObject is what [QuotasText] draws, as JSON.
func quotasObject(s *quota.State) object {
	tree := []object{}
	if s == nil {
		return object{{"total", object{}}, {"tree", tree}}
	}
	for _, name := range depthFirst(s) {
		spec, _ := s.Spec(name)
		resources := object{}
		for _, t := range s.Explain(name) {
			resources = append(resources, field{t.Resource, object{
				{"used", t.Used}, {"demand", t.Demand}, {"min", amountJSON(t.Min)}, {"share", amountJSON(t.Share)}, {"max", amountJSON(t.Max)},
			}})
		}
		tree = append(tree, object{{"quota", name}, {"parent", spec.Parent}, {"resources", resources}})
	}
	return object{{"total", amountsObject(s.Total())}, {"tree", tree}}
}
