package report

import (
	"bytes"
	"fmt"
	"html"
	"strings"

	"github.com/muster-sched/muster/simulate"
)

// head is how a page begins: what it looks like by day and by night, in windows of any width.
const head = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>How long gangs wait</title>
<style>
:root { color-scheme: light dark; --page: #ffffff; --text: #24292f; --soft: #57606a; --axis: #8c959f; --grid: #d8dee4; --range: #d0d7de;
  --c0: #0969da; --c1: #bc4c00; --c2: #1a7f37; --c3: #8250df; --c4: #bf3989; --c5: #9a6700; --c6: #0e7490; --c7: #57606a }
@media (prefers-color-scheme: dark) {
  :root { --page: #0d1117; --text: #e6edf3; --soft: #9198a1; --axis: #6e7681; --grid: #30363d; --range: #484f58;
    --c0: #58a6ff; --c1: #f0883e; --c2: #3fb950; --c3: #bc8cff; --c4: #f778ba; --c5: #d29922; --c6: #39c5cf; --c7: #9198a1 }
}
* { box-sizing: border-box }
body { margin: 0 auto; padding: 1rem; max-width: 78rem; background: var(--page); color: var(--text); font: 1rem/1.45 system-ui, sans-serif; overflow-wrap: anywhere }
h1 { font-size: 1.6rem; margin: 0 0 .5rem }
h2 { font-size: 1.05rem; margin: 0 0 .25rem }
p { margin: 0 0 .5rem; max-width: 50rem }
.soft, .legend, figcaption p { color: var(--soft); font-size: .9rem }
.table { overflow-x: auto; margin: 1rem 0 }
table { border-collapse: collapse; font-variant-numeric: tabular-nums }
th, td { padding: .3rem .6rem; text-align: right; border-bottom: 1px solid var(--grid); white-space: nowrap }
th { font-weight: 600; color: var(--soft) }
th.name, td.name { text-align: left; white-space: normal; min-width: 9rem; overflow-wrap: break-word }
@media (max-width: 44rem) {
  table, tbody, tr, td { display: block }
  th { display: none }
  tr { display: grid; grid-template-columns: repeat(3, 1fr); padding: .5rem 0; border-bottom: 1px solid var(--grid) }
  td { text-align: left; border: 0; padding: .1rem .4rem .1rem 0; display: flex; flex-direction: column; justify-content: space-between }
  td.name { grid-column: 1 / -1; display: block }
  td::before { content: attr(data-of); display: block; color: var(--soft); font-size: .8rem; white-space: normal }
  td.name::before { content: none }
}
.plots { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 27rem), 1fr)); gap: 2rem 1.5rem }
figure { margin: 0; min-width: 0; display: flex; flex-direction: column }
figure svg { display: block; width: 100%; height: auto; max-width: 40rem; overflow: visible; margin-top: auto }
.legend { list-style: none; display: flex; flex-wrap: wrap; gap: .15rem 1rem; padding: 0; margin: 0 0 .4rem }
.mark { display: inline-block; min-width: 1.4em; padding: 0 .3em; border-radius: .3em; color: var(--page); text-align: center; font-size: .8em; font-weight: 600; background: var(--soft) }
.c0 { background: var(--c0) } .c1 { background: var(--c1) } .c2 { background: var(--c2) } .c3 { background: var(--c3) }
.c4 { background: var(--c4) } .c5 { background: var(--c5) } .c6 { background: var(--c6) } .c7 { background: var(--c7) }
</style>
</head>
<body>
<h1>How long gangs wait</h1>
`

// write writes the page.
func (p *page) write(b *bytes.Buffer) error {
	b.WriteString(head)
	for _, sentence := range p.about {
		fmt.Fprintf(b, "<p class=\"soft\">%s</p>\n", html.EscapeString(sentence))
	}
	fmt.Fprintf(b, "<p>%s</p>\n", p.summary())
	p.table(b)
	b.WriteString("<div class=\"plots\">\n")
	for _, f := range p.figures() {
		fmt.Fprintf(b, "<figure id=\"%s\">\n<figcaption><h2>%s</h2><p>%s</p></figcaption>\n", html.EscapeString(f.id), html.EscapeString(f.title), f.said)
		if f.plot != nil {
			p.legend(b, f.note)
			svg, err := f.plot.svg()
			if err != nil {
				return err
			}
			b.WriteString(svg)
			b.WriteString("\n")
		}
		b.WriteString("</figure>\n")
	}
	b.WriteString("</div>\n</body>\n</html>\n")
	return nil
}

// mark is the number of a name, in the colour of its line.
func mark(i int) string {
	color := ""
	if i < Lines {
		color = fmt.Sprintf(" c%d", i)
	}
	return fmt.Sprintf(`<span class="mark%s">%d</span>`, color, i+1)
}

// legend says which colour is whose.
func (p *page) legend(b *bytes.Buffer, note string) {
	if note != "" {
		fmt.Fprintf(b, "<p class=\"soft\">%s</p>\n", html.EscapeString(note))
	}
	if len(p.names) == 1 {
		return
	}
	b.WriteString("<ul class=\"legend\">")
	for i := range p.drawn() {
		fmt.Fprintf(b, "<li>%s %s</li>", mark(i), html.EscapeString(p.names[i].text))
	}
	b.WriteString("</ul>\n")
}

// table has a line for each name.
func (p *page) table(b *bytes.Buffer) {
	b.WriteString("<div class=\"table\"><table>\n<tr><th class=\"name\">name</th>")
	heads := []string{"wait, mean", "95 of 100 at most", "longest", "in use", "wider", "moved"}
	if p.seeds() {
		heads = append([]string{"runs"}, heads...)
	}
	fmt.Fprintf(b, "<th>%s</th></tr>\n", strings.Join(heads, "</th><th>"))
	for i := range p.names {
		n := &p.names[i]
		_, used, _ := n.extent((*simulate.Report).Utilisation)
		_, wide, _ := n.extent(wider)
		_, went, _ := n.extent(moved)
		cells := []string{lasting(n.waited.Mean), lasting(n.waited.P95), lasting(n.waited.Max), percent(used), percent(wide), whole(went)}
		if p.seeds() {
			cells = append([]string{whole(int64(len(n.reports)))}, cells...)
		}
		fmt.Fprintf(b, "<tr><td class=\"name\">%s %s</td>", mark(i), html.EscapeString(n.text))
		for k, cell := range cells {
			fmt.Fprintf(b, "<td data-of=\"%s\">%s</td>", heads[k], cell)
		}
		b.WriteString("</tr>\n")
	}
	b.WriteString("</table></div>\n")
	if p.seeds() {
		b.WriteString("<p class=\"soft\">How long gangs wait is told of those of all runs of a name together; what is in use, wider and moved are means over its runs.</p>\n")
	}
}
