package render

import (
	"bufio"
	"cmp"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/muster-sched/muster/internal/printed"
	"github.com/muster-sched/muster/placement"
)

// PlacesText writes, of each outcome that has places, a table with the domain right above the nodes: a line for members whose ranks follow
// each other, as far as their names and nodes are ranges. The text of plans has these tables too.
func PlacesText(w io.Writer, outcomes []Outcome) error {
	b := bufio.NewWriter(w)
	for i := range outcomes {
		if o := &outcomes[i]; o.Places != nil {
			printed.Fprintf(b, "places of %s\n", o.Gang)
			writePlaces(b, o)
		}
	}
	return b.Flush()
}

// writePlaces writes the table of one gang. Groups and domains have a column where there are some; who is in none has a dash there.
func writePlaces(w io.Writer, o *Outcome) {
	zones := map[string]string{}
	if o.Result != nil {
		for _, a := range o.Result.Assignments {
			zones[a.Member] = zonesText(sharesOf(a.NUMA))
		}
	}
	parts := partNames(o.Request)
	rows := [][]string{{"rank", "member", "node", "group", "domain"}}
	for all := o.Places; len(all) > 0; {
		end := 1
		for end < len(all) && all[end].Rank == all[0].Rank+end && all[end].Group == all[0].Group && aboveNode(&all[end]) == aboveNode(&all[0]) {
			end++
		}
		rows = append(rows, placeRows(o, all[:end], parts, zones)...)
		all = all[end:]
	}
	for column := 4; column > 2; column-- {
		if !slices.ContainsFunc(rows[1:], func(row []string) bool { return row[column] != "-" }) {
			for i := range rows {
				rows[i] = slices.Delete(rows[i], column, column+1)
			}
		}
	}
	writeColumns(w, rows)
}

// placeRows are the lines of members of one group and one domain whose ranks follow each other.
func placeRows(o *Outcome, all []placement.Place, parts, zones map[string]string) (rows [][]string) {
	group, domain := "-", cmp.Or(aboveNode(&all[0]), "-")
	if n := all[0].Group; n >= 0 {
		group = strconv.Itoa(n)
		if o.Result != nil { // its letter in the drawing
			group += " " + string(letter(o.Result, n))
		}
		if name := parts[all[0].Member]; name != "" {
			group += " " + name
		}
	}
	var list []seated
	for i := range all {
		list = append(list, seated{all[i].Member, all[i].Node, zones[all[i].Member]})
	}
	rank := all[0].Rank
	for _, s := range stretches(list) {
		ranks := strconv.Itoa(rank)
		if n := len(s.members); n > 1 {
			ranks += "-" + strconv.Itoa(rank+n-1)
		}
		rank += len(s.members)
		rows = append(rows, []string{ranks, s.who(), s.where(), group, domain})
	}
	return rows
}

// aboveNode is the domain right above the node of a member, empty if there is none.
func aboveNode(p *placement.Place) string {
	if n := len(p.Domains); n > 1 {
		return strings.Join(p.Domains[n-2].Domain, "/")
	}
	return ""
}

// places are the same for JSON.
func places(all []placement.Place) []object {
	out := make([]object, 0, len(all))
	for i := range all {
		p := &all[i]
		doc := object{{"member", p.Member}, {"node", p.Node}, {"rank", p.Rank}}
		if p.Group >= 0 {
			doc = append(doc, field{"group", p.Group})
		}
		domains := make([]object, 0, len(p.Domains))
		for _, d := range p.Domains {
			domains = append(domains, object{{"layer", d.Layer}, {"tier", d.Tier}, {"domain", strings.Join(d.Domain, "/")}})
		}
		labels, env := object{}, object{}
		for _, l := range p.Labels() {
			labels = append(labels, field{l.Key, l.Value})
		}
		for _, v := range p.Env() {
			name, value, _ := strings.Cut(v, "=")
			env = append(env, field{name, value})
		}
		out = append(out, append(doc, field{"domains", domains}, field{"labels", labels}, field{"env", env}))
	}
	return out
}
