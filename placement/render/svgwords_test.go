package render

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster/placement"
)

// The panel of a refusal has the reasons of the text, broken and bounded; a second one with the same drawing refers to the first.
func TestPictureSaysWhyAGangIsRefused(t *testing.T) {
	c := racks(t, 2)
	one, two := planned(c, 80, 0), planned(c, 90, 0)
	two.Gang = "ns/<other>"
	svg := drawn(t, nil, one, two)
	text := strings.Join(words(svg), " ")
	require.Contains(t, text, "ns/job unschedulable: insufficient slots, 14 of 80 in block b0 (proven) best node b0/r0/node-1: room for 2 members "+
		"best rack b0/r1: room for 8 members of 8 nodes without room: 1 has too little gpu block &gt; rack &gt; node b0 r0")
	require.Contains(t, text, "ns/&lt;other&gt; unschedulable: insufficient slots, 14 of 90 in block b0 (proven) best node b0/r0/node-1: room for 2 members "+
		"best rack b0/r1: room for 8 members of 8 nodes without room: 1 has too little gpu The nodes are drawn above, for ns/job. ")
	require.Equal(t, 1, strings.Count(text, "node-7"))

	var why *placement.Unschedulable
	require.ErrorAs(t, one.Err, &why)
	why.Tiers = nil
	for i := range 40 {
		why.Tiers = append(why.Tiers, placement.TierFit{Tier: i, Members: i + 1, Domain: []string{strings.Repeat("long-", 100) + "\u202e"}})
	}
	for _, line := range words(drawn(t, nil, one)) {
		require.LessOrEqual(t, widthOf(line, plainSize), narrow-2*margin)
	}
	require.Len(t, reasons(&one), maxReasons)
	require.Contains(t, reasons(&one)[maxReasons-1], "and 36 lines more")
}

// A picture says in words what it shows, as a whole and of each node, and its page is behind it also where its style alone is looked at.
func TestPictureInWords(t *testing.T) {
	svg := drawn(t, racks(t, 1), planned(racks(t, 1), 2, 0), planned(racks(t, 1), 8, 0), Outcome{Gang: "ns/<b>\u202e", Err: errors.New("a")})
	require.Contains(t, svg, ` role="img" aria-labelledby="title desc"`)
	require.Contains(t, svg, `<title id="title">3 plans: ns/job, ns/job and others</title>`)
	require.Contains(t, svg, `<desc id="desc">ns/job: placed, 2 members in node b0/r0/node-1, strategy 1. Drawn: 4 nodes in block &gt; rack &gt; node. `+
		`ns/job: unschedulable: insufficient slots, 6 of 8 in rack b0/r0 (proven). Drawn: 4 nodes in block &gt; rack &gt; node. `+
		`ns/&lt;b&gt;\u202e: not planned: a. The cluster after the plans: 4 nodes, a slot is 1 of gpu.</desc>`)
	require.Contains(t, svg, "svg{background:#ffffff}")
	require.Contains(t, svg, "@media (prefers-color-scheme:dark){svg{background:#0d1117}")
	var many []Outcome
	for range 2 * maxPanels {
		o := planned(racks(t, 1), 2, 0)
		o.Gang = strings.Repeat("long/", 200)
		many = append(many, o)
	}
	_, desc, _ := strings.Cut(drawn(t, nil, many...), `<desc id="desc">`)
	desc, _, _ = strings.Cut(desc, "</desc>")
	require.LessOrEqual(t, widthIn(strings.ReplaceAll(desc, "&gt;", ">")), maxAlt)
	require.Contains(t, desc, "Not drawn: 8 gangs: 8 placed")
}

// A cell has room for victims only where its box has some, and a picture of many nodes is as wide as its boxes need.
func TestPicturesWasteNoRoom(t *testing.T) {
	o := evicting(t, 2)
	o.Result.Victims = o.Result.Victims[:1]
	p := &panel{outcome: &o}
	p.look(room{cellsInPanel, barsInPanel})
	lanes := map[string]bool{}
	for _, b := range p.boxes[0].kids {
		lanes[b.name] = p.cells.high(b) > p.cells.h
	}
	require.Equal(t, map[string]bool{"r0": true, "r1": false}, lanes)

	c := many(t, 512, 4, 16, 64)
	o = planned(c, 64, 0)
	wide, high := 0, 0
	_, err := fmt.Sscanf(drawn(t, nil, o), `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d"`, &wide, &high)
	require.NoError(t, err)
	require.Less(t, high, 900, "1450 at a width of 960")
	p = &panel{outcome: &o}
	p.look(room{cellsInPanel, barsInPanel})
	used, _ := p.cells.arrange(p.boxes, wide-2*margin)
	require.Equal(t, wide, used+2*margin)
}
