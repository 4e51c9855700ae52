package cli

import (
	"bytes"
	"cmp"
	"io"
	"strings"

	pages "github.com/muster-sched/muster/simulate/report"
)

// nameOf is what is special about a row among others: the values of what was swept, but for the seed, or else the discipline.
func nameOf(s sweeps, row *result) string {
	return cmp.Or(valuesOf(row, func(key string) bool { return key != "seed" && s.has(key) }), "discipline="+string(row.discipline))
}

// noteDrawn lets those rows note what happens as time goes by that a page draws: the first one of each of the first names.
func noteDrawn(s sweeps, rows []played) {
	names := map[string]bool{}
	for i := range rows {
		name := nameOf(s, &result{played: rows[i]})
		if len(names) < pages.Lines && !names[name] {
			names[name], rows[i].series = true, true
		}
	}
}

// html writes a page.
func (t *told) html(w io.Writer) error {
	var head bytes.Buffer
	t.head(&head)
	var runs []pages.Run
	for i := range t.results {
		runs = append(runs, pages.Run{Name: nameOf(t.sweeps, &t.results[i]), Report: t.results[i].report})
	}
	return pages.Write(w, strings.Split(strings.TrimSpace(head.String()), "\n"), runs)
}
