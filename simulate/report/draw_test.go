package report

import (
	"fmt"
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/go-analyze/charts"

	"github.com/muster-sched/muster/simulate"
)

// An axis begins at 0, reaches what it is for in round steps, and no step is for nothing.
func TestAxes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, most := rapid.Int64Range(0, 1<<50).Draw(t, "n"), rapid.Int64Range(1, 9).Draw(t, "most")
		a := axisTo(n, most)
		require.GreaterOrEqual(t, a.end(), n)
		require.LessOrEqual(t, a.steps, most)
		require.True(t, a.steps == 1 || a.end()-a.step < n)
		require.Regexp(t, `^[125]0*$`, strconv.FormatInt(a.step, 10))
		require.Equal(t, "0", a.labels(whole)[0])
	})
	require.Equal(t, axis{200, 5}, axisTo(1000, 5))
	require.Equal(t, axis{500, 3}, axisTo(1001, 5))
}

// Numbers are told with commas, times in a unit that suits them.
func TestNumbers(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1,000", -1234567: "-1,234,567", 123456: "123,456"} {
		require.Equal(t, want, whole(n))
	}
	for seconds, want := range map[int64]string{0: "0 s", 119: "119 s", 120: "2.0 min", 7199: "119.9 min", 7200: "2.0 h", 172799: "47.9 h", 172800: "2.0 d"} {
		require.Equal(t, regexp.MustCompile(" ").ReplaceAllString(want, glue), lasting(seconds))
	}
	require.Equal(t, []string{"1", "2", "3-4", "65-128"}, []string{sizeOf(1, 1), sizeOf(2, 1), sizeOf(4, 1), sizeOf(128, 1)})
	require.Equal(t, []string{"1-4", "5-32"}, []string{sizeOf(4, 3), sizeOf(32, 3)})
}

var (
	texts = regexp.MustCompile(`<text [^>]*>([^<]*)</text>`)
	rects = regexp.MustCompile(`d="M (\d+) (\d+)\nL (\d+) (\d+)\nL (\d+) (\d+)[^"]*" style="[^"]*fill:var\(--c(\d)\)`)
)

// All labels are in a plot, escaped, however many bars there are; and a bar is as high as its value is on an axis from 0 on.
func TestDrawing(t *testing.T) {
	for sizes := 1; sizes <= mostSizes; sizes++ {
		for _, places := range []int{0, 1, 30} {
			if places == 30 && sizes == 1 {
				continue // an axis has a step
			}
			d := drawing{title: `"t"`, places: places, upward: axis{200, 4}, text: whole, colors: []charts.Color{ofLine(0), ofLine(1)}}
			values := sizes
			if places > 1 {
				values = (sizes-1)*places + 1
			}
			d.values = [][]float64{make([]float64, values), make([]float64, values)}
			for i := range d.values[0] {
				d.values[0][i], d.values[1][i] = 400, 800
			}
			var want []string
			for i := range sizes {
				d.labels = append(d.labels, fmt.Sprint("<", i))
				want = append(want, fmt.Sprint("&lt;", i))
			}
			svg, err := d.svg()
			require.NoError(t, err)
			var got []string
			for _, m := range texts.FindAllStringSubmatch(svg, -1) {
				got = append(got, m[1])
			}
			require.ElementsMatch(t, append(want, "0", "200", "400", "600", "800"), got, "%d sizes, places %d", sizes, places)
			require.Contains(t, svg, `aria-label="&#34;t&#34;"`)
			require.NotContains(t, svg, "rgb")
			if places > 0 {
				continue
			}
			heights := map[string]int{}
			for _, m := range rects.FindAllStringSubmatch(svg, -1) {
				top, _ := strconv.Atoi(m[2])
				bottom, _ := strconv.Atoi(m[6])
				heights[m[7]] = bottom - top
			}
			require.Len(t, heights, 2)
			require.InDelta(t, heights["1"], 2*heights["0"], 2)
		}
	}
}

// A line has at each place the last number that was noted by then, and ends where its run does; a bar goes up to the least of the runs of its name, and its range to the most.
func TestValues(t *testing.T) {
	of := func(moved int, asked ...int64) *simulate.Report {
		return &simulate.Report{MovedMembers: moved, Series: &simulate.Series{From: 5, Step: 2, Asked: asked, Gangs: make([]int, len(asked))}}
	}
	p := page{runs: []Run{{"a", of(10, 0, 3, 1, 2)}, {"b", of(7, 4, 5)}, {"a", of(30)}, {"a", of(20)}}, doublings: 1}
	p.names = p.named()
	d := p.waiting().plot
	require.Equal(t, []string{"0", "1", "2", "3", "4", "5", "6 s"}, d.labels)
	require.Equal(t, axis{1, 5}, d.upward)
	require.Equal(t, []charts.Color{ofLine(0), ofLine(1)}, d.colors)
	for k, asked := range [][]int64{{0, 3, 1, 2}, {4, 5}} {
		require.Len(t, d.values[k], 6*d.places+1)
		for i, v := range d.values[k] {
			if at := i / d.places / 2; at < len(asked) {
				require.InDelta(t, asked[at], v, 0, i)
			} else {
				require.InDelta(t, absent, v, 0, i)
			}
		}
	}
	d = p.moved().plot
	require.Equal(t, [][]float64{{10, 0}, {0, 7}, {20, 0}}, d.values)
	require.Equal(t, []charts.Color{ofLine(0), ofLine(1), ofRange}, d.colors)
	require.Equal(t, axis{10, 3}, d.upward)
	require.Equal(t, "In the mean over the runs of a name: most by <b>a</b>: 20; least by <b>b</b>: 7.", p.sayMembers(moved, ""))
}
