package render

import (
	"bufio"
	"io"
	"strconv"
	"strings"

	"github.com/muster-sched/muster/internal/printed"
	"github.com/muster-sched/muster/placement"
)

// PlacesText writes, of each outcome that has places, a table: a line a member, with the domain right above its node.
func PlacesText(w io.Writer, outcomes []Outcome) error {
	b := bufio.NewWriter(w)
	for i := range outcomes {
		if o := &outcomes[i]; o.Places != nil {
			printed.Fprintf(b, "places of %s\n", o.Gang)
			writePlaces(b, o.Places)
		}
	}
	return b.Flush()
}

// writePlaces writes the table of one gang; who is in no group, or in no domain, has a dash there.
func writePlaces(w io.Writer, all []placement.Place) {
	rows := [][]string{{"rank", "member", "node", "group", "domain"}}
	for i := range all {
		p := &all[i]
		group, domain := "-", "-"
		if p.Group >= 0 {
			group = strconv.Itoa(p.Group)
		}
		if n := len(p.Domains); n > 1 {
			domain = strings.Join(p.Domains[n-2].Domain, "/")
		}
		rows = append(rows, []string{strconv.Itoa(p.Rank), p.Member, p.Node, group, domain})
	}
	writeColumns(w, rows)
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
