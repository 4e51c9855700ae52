package report

import (
	"slices"

	"github.com/muster-sched/muster/simulate"
)

// spots is about how many values a line has.
const spots = 480

// figure is a plot with what is said of it.
type figure struct {
	id, title string
	said      string // HTML
	note      string // what stands beside the legend; empty: nothing
	plot      *drawing
}

// figures are all of them, in order; those of which there is nothing to see have no plot.
func (p *page) figures() []figure {
	all := []figure{p.waiting(), p.bySize("mean", "How long gangs wait in the mean, by members", func(s *simulate.Spread) int64 { return s.Mean })}
	all = append(all, p.bySize("late", "How long 95 of 100 gangs wait at most, by members", func(s *simulate.Spread) int64 { return s.P95 }))
	for _, layer := range p.layers() {
		all = append(all, p.fits(layer))
	}
	all = append(all, p.wider(), p.moved())
	if slices.ContainsFunc(p.names, func(n name) bool { _, _, most := n.extent(evicted); return most > 0 }) {
		all = append(all, p.evicted())
	}
	return all
}

// longest is how long the series of all names that are drawn are, in seconds.
func (p *page) longest() (seconds int64) {
	for i := range p.drawn() {
		if s := p.names[i].series; s != nil {
			seconds = max(seconds, int64(len(s.Gangs)-1)*s.Step)
		}
	}
	return seconds
}

// over is a plot of numbers over time, of those names that have any; of says what they are. Nil: none has, or all are 0.
func (p *page) over(title string, of func(*simulate.Series) func(i int) int64) *drawing {
	seconds := p.longest()
	u := unitFor(seconds)
	along := axisTo((seconds+u.seconds-1)/u.seconds, 6)
	d := &drawing{title: title, places: int(spots / along.steps), text: whole}
	d.labels = along.labels(whole)
	d.labels[len(d.labels)-1] += " " + u.name
	most := int64(0)
	count := int64(d.places) * along.steps
	for k := range p.drawn() {
		s := p.names[k].series
		if s == nil {
			continue
		}
		at := of(s)
		if at == nil {
			continue
		}
		for i := range s.Gangs {
			most = max(most, at(i))
		}
		line := make([]float64, count+1)
		for i := range line { // the last number that is known by then; nothing once all is over
			line[i] = absent
			if last := int64(i) * along.end() * u.seconds / count / s.Step; last < int64(len(s.Gangs)) {
				line[i] = float64(at(int(last)))
			}
		}
		d.values, d.colors = append(d.values, line), append(d.colors, ofLine(k))
	}
	if d.upward = axisTo(most, 5); most == 0 {
		return nil
	}
	return d
}

// waiting is what waits over time.
func (p *page) waiting() figure {
	title := "What waits: " + p.unit + " asked for, over time"
	return figure{id: "waiting", title: title, said: p.sayWaiting(), note: p.sayDrawn(), plot: p.over(title, func(s *simulate.Series) func(int) int64 {
		return func(i int) int64 { return s.Asked[i] }
	})}
}

// layer is a layer of some topology.
type layer struct {
	tier int
	name string
}

// text is what a domain of the layer is called.
func (l layer) text() string {
	switch {
	case l.tier == 0:
		return "on one node"
	case l.name == "":
		return "anywhere"
	}
	return "in one domain of " + l.name
}

// of is how much of a series fits in the layer; nil: it is not known.
func (l layer) of(s *simulate.Series) func(i int) int64 {
	for k := range s.Fits {
		if f := &s.Fits[k]; f.Tier == l.tier && f.Layer == l.name {
			return func(i int) int64 { return int64(f.Members[i]) }
		}
	}
	return nil
}

// layers are those, of the names that are drawn, in one domain of which more than one member fits at some time.
func (p *page) layers() (all []layer) {
	there := map[layer]bool{}
	for i := range p.drawn() {
		s := p.names[i].series
		if s == nil {
			continue
		}
		for _, f := range s.Fits {
			l := layer{f.Tier, f.Layer}
			for _, n := range f.Members {
				if n > 1 && !there[l] {
					there[l] = true
					all = append(all, l)
				}
			}
		}
	}
	return all
}

// fits is how large a gang fits in one domain of a layer, over time.
func (p *page) fits(l layer) figure {
	title := "The largest gang that fits now " + l.text() + ", in members"
	return figure{id: "fits", title: title, said: p.sayFits(l), note: p.sayDrawn(), plot: p.over(title, l.of)}
}

// The most bars of a plot, and the most characters of its labels.
const (
	mostBars    = 36
	mostLetters = 48
)

// bySize is a number of waiting by the size of gangs: bars, or lines where there would be too many of them.
func (p *page) bySize(id, title string, of func(*simulate.Spread) int64) figure {
	f := figure{id: id, title: title, said: p.saySize(of)}
	sizes := p.sizes()
	if len(sizes) == 0 {
		return f
	}
	most := int64(0)
	d := &drawing{}
	if len(sizes)*len(p.drawn()) > mostBars {
		d.places = 1
	}
	widest := 0
	for _, members := range sizes {
		d.labels = append(d.labels, sizeOf(members, p.doublings))
		widest = max(widest, len(d.labels[len(d.labels)-1]))
	}
	if widest*len(sizes) > mostLetters {
		title += " (up to)"
		for i, members := range sizes {
			d.labels[i] = whole(int64(members))
		}
	}
	for k := range p.drawn() {
		bars := make([]float64, len(sizes))
		for i, members := range sizes {
			waited := p.names[k].size(members)
			v := of(&waited)
			bars[i], most = float64(v), max(most, v)
		}
		d.values, d.colors = append(d.values, bars), append(d.colors, ofLine(k))
	}
	if most == 0 {
		return f
	}
	u := unitFor(most)
	d.upward = axisTo((most+u.seconds-1)/u.seconds, 5)
	d.upward.step *= u.seconds
	d.text = func(n int64) string { return whole(n / u.seconds) }
	f.title = title + ", in " + u.name
	d.title, f.plot = f.title, d
	return f
}

// sizes are those of the gangs of all names that are drawn, ascending.
func (p *page) sizes() (all []int) {
	for k := range p.drawn() {
		for i := range p.names[k].sizes {
			all = append(all, p.names[k].sizes[i].Members)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// byName is a plot with a bar for each name: up to the least of its runs in its own colour, and from there to the most in that of a range. Nil: all are 0.
func (p *page) byName(title string, text func(int64) string, of func(*simulate.Report) int64) *drawing {
	names := p.drawn()
	d := &drawing{title: title, text: text, stack: true}
	ranges, most := make([]float64, len(names)), int64(0)
	for k := range names {
		low, _, high := names[k].extent(of)
		bars := make([]float64, len(names))
		bars[k], ranges[k], most = float64(low), float64(high-low), max(most, high)
		d.values, d.colors = append(d.values, bars), append(d.colors, ofLine(k))
		d.labels = append(d.labels, whole(int64(k+1)))
	}
	if most == 0 {
		return nil
	}
	d.values, d.colors = append(d.values, ranges), append(d.colors, ofRange)
	d.upward = axisTo(most, 5)
	return d
}

// wider is which share of gangs lies wider than it would if nobody else were there.
func (p *page) wider() figure {
	title := "Gangs wider than their ideal, in percent"
	d := p.byName(title, tenths, wider)
	if d != nil && d.upward.step%10 == 0 {
		d.text = func(n int64) string { return whole(n / 10) }
	}
	return figure{id: "wider", title: title, said: p.sayWider(), note: p.sayRanges(), plot: d}
}

// moved is how many members moved.
func (p *page) moved() figure {
	title := "Members that moved"
	return figure{id: "moved", title: title, said: p.sayMembers(moved, "Nobody moved."), note: p.sayRanges(), plot: p.byName(title, whole, moved)}
}

// evicted is how many members were evicted.
func (p *page) evicted() figure {
	title := "Members that were evicted"
	return figure{id: "evicted", title: title, said: p.sayMembers(evicted, ""), note: p.sayRanges(), plot: p.byName(title, whole, evicted)}
}
