package report

import (
	"fmt"
	"html"
	"slices"
	"strings"

	"github.com/muster-sched/muster/simulate"
)

// html is a name as it stands in a page.
func (n *name) html() string {
	if n.text == "" {
		return "<b>no name</b>"
	}
	return "<b>" + html.EscapeString(n.text) + "</b>"
}

// found is a number of a name.
type found struct {
	of    *name
	value int64
}

// nothing says that all numbers are 0.
func nothing(all []found) bool {
	return !slices.ContainsFunc(all, func(f found) bool { return f.value != 0 })
}

// compared says who has the most and who the least; of one, what it has.
func compared(all []found, text func(int64) string) string {
	if len(all) == 0 {
		return ""
	}
	least, most := all[0], all[0]
	for _, f := range all {
		if f.value < least.value {
			least = f
		}
		if f.value > most.value {
			most = f
		}
	}
	switch {
	case len(all) == 1:
		return fmt.Sprintf("%s by %s.", text(most.value), most.of.html())
	case least.value == most.value:
		return fmt.Sprintf("%s by each of %d names.", text(most.value), len(all))
	}
	return fmt.Sprintf("most by %s: %s; least by %s: %s.", most.of.html(), text(most.value), least.of.html(), text(least.value))
}

// founds are a number of each of some names; of says whether a name has it.
func founds(names []name, of func(n *name) (int64, bool)) (all []found) {
	for k := range names {
		if v, is := of(&names[k]); is {
			all = append(all, found{&names[k], v})
		}
	}
	return all
}

// summary says how many runs there are, and how long gangs wait in the mean.
func (p *page) summary() string {
	var b strings.Builder
	b.WriteString(counted(len(p.runs), "run"))
	if p.seeds() {
		b.WriteString(" of " + counted(len(p.names), "name"))
	}
	b.WriteString(". ")
	if len(p.names) > Lines {
		fmt.Fprintf(&b, "Plots show the first %d names, the table has all. ", Lines)
	}
	b.WriteString("Gangs wait in the mean: ")
	b.WriteString(compared(founds(p.names, func(n *name) (int64, bool) { return n.waited.Mean, true }), lasting))
	return b.String()
}

// counted is how many there are of something.
func counted(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return whole(int64(n)) + " " + what
}

// notNoted is said where nothing is known over time.
const notNoted = "This was not noted in any run that is drawn."

// sayWaiting says how much waits at the peak.
func (p *page) sayWaiting() string {
	all := founds(p.drawn(), func(n *name) (most int64, is bool) {
		if n.series == nil {
			return 0, false
		}
		for _, asked := range n.series.Asked {
			most = max(most, asked)
		}
		return most, true
	})
	switch {
	case all == nil:
		return notNoted
	case nothing(all):
		return "No gang waits at any instant that was noted."
	}
	return "At the peak of each: " + compared(all, whole)
}

// sayFits says how large a gang fits in the mean over time.
func (p *page) sayFits(l layer) string {
	return "In the mean over time: " + compared(founds(p.drawn(), func(n *name) (sum int64, is bool) {
		if n.series == nil {
			return 0, false
		}
		at := l.of(n.series)
		if at == nil {
			return 0, false
		}
		for i := range n.series.Gangs {
			sum += at(i)
		}
		return sum * 10 / int64(len(n.series.Gangs)), true
	}), tenths)
}

// saySize says gangs of which size wait longest.
func (p *page) saySize(of func(*simulate.Spread) int64) string {
	var who *name
	longest, members := int64(-1), 0
	for k := range p.drawn() {
		for i := range p.names[k].sizes {
			c := &p.names[k].sizes[i]
			if v := of(&c.Waited); v > longest {
				longest, members, who = v, c.Members, &p.names[k]
			}
		}
	}
	switch {
	case who == nil:
		return "No gang started."
	case longest == 0:
		return lasting(0) + " for gangs of all sizes."
	}
	return fmt.Sprintf("Longest by %s: %s, gangs of %s.", who.html(), lasting(longest), membersOf(sizeOf(members, p.doublings)))
}

// membersOf is the size of a gang in words.
func membersOf(size string) string {
	if size == "1" {
		return "1 member"
	}
	return size + " members"
}

// sayWider says which share of gangs lies wider than its ideal.
func (p *page) sayWider() string {
	all := founds(p.drawn(), func(n *name) (int64, bool) {
		_, mean, _ := n.extent(wider)
		return mean, true
	})
	const rule = "A gang lies wider than its ideal if it starts in a domain of a wider layer than it would by its own rules if nobody else were there. Of those that started: "
	if nothing(all) {
		return rule + "none, or less than one of a thousand."
	}
	return rule + compared(all, percent)
}

// sayMembers says how many members there are of a kind, or that there are none.
func (p *page) sayMembers(of func(*simulate.Report) int64, none string) string {
	all := founds(p.drawn(), func(n *name) (int64, bool) {
		_, mean, _ := n.extent(of)
		return mean, true
	})
	if nothing(all) {
		return none
	}
	over := "In all: "
	if p.seeds() {
		over = "In the mean over the runs of a name: "
	}
	return over + compared(all, whole)
}

// sayDrawn says which run of several a line is.
func (p *page) sayDrawn() string {
	if !p.seeds() {
		return ""
	}
	return "Of several runs of a name one is drawn."
}

// sayRanges says what bars are.
func (p *page) sayRanges() string {
	said := "Bars are numbered as the names are."
	if p.seeds() {
		said += " A bar has its colour up to the least of the runs of its name, and is pale from there to the most."
	}
	return said
}
