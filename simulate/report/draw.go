package report

import (
	"fmt"
	"html"
	"strings"

	"github.com/go-analyze/charts"
)

// The size of a plot in its own units: a narrow window shows it a little smaller, a wide one larger.
const (
	plotWidth  = 440
	plotHeight = 250
	fontSize   = 9.5 // points, which the library makes a third more of
	widestBar  = 36
)

// absent is the value of a line where it is not.
var absent = charts.GetNullValue()

// The library writes colours into each path. Each part of a plot has one here that stands for a variable of the page, which is another one by night.
var (
	ofAxis  = charts.Color{R: 1, G: 1, B: 1, A: 255}
	ofGrid  = charts.Color{R: 1, G: 1, B: 2, A: 255}
	ofText  = charts.Color{R: 1, G: 1, B: 3, A: 255}
	ofRange = charts.Color{R: 1, G: 1, B: 4, A: 255}
)

// ofLine is the colour of a name.
func ofLine(i int) charts.Color { return charts.Color{R: 1, G: 2, B: uint8(i), A: 255} }

// variables are those colours, and the variables that they stand for.
func variables() *strings.Replacer {
	pairs := []string{
		ofAxis.String(), "var(--axis)", ofGrid.String(), "var(--grid)", ofText.String(), "var(--text)", ofRange.String(), "var(--range)",
		"font-family:'Roboto Medium',sans-serif", "",
	}
	for i := range Lines {
		pairs = append(pairs, ofLine(i).String(), fmt.Sprintf("var(--c%d)", i))
	}
	return strings.NewReplacer(pairs...)
}

// drawing is a plot: lists of values, one for each line or each colour of bars, over the places of a horizontal axis that has labels at its steps.
type drawing struct {
	title  string // for those who cannot see it
	labels []string
	places int // how many values there are from one label to the next; 0: bars
	upward axis
	text   func(int64) string // of the vertical axis
	values [][]float64
	colors []charts.Color
	stack  bool // bars stand on each other
}

// svg draws it.
func (d *drawing) svg() (string, error) {
	theme := charts.MakeTheme(charts.ThemeOption{
		AxisStrokeColor: ofAxis, AxisSplitLineColor: ofGrid, TextColor: ofText, BackgroundColor: charts.ColorTransparent, SeriesColors: d.colors,
	})
	p := charts.NewPainter(charts.PainterOptions{OutputFormat: charts.ChartOutputSVG, Width: plotWidth, Height: plotHeight, Theme: theme})
	font := charts.FontStyle{FontSize: fontSize, FontColor: ofText}
	// Labels are given, and their number: the library leaves none out then. It does not escape them.
	upward := escaped(d.upward.labels(d.text))
	vertical := charts.ValueAxisOption{
		Min: charts.Ptr(0.0), Max: charts.Ptr(float64(d.upward.end())), Labels: upward, LabelCount: len(upward), LabelFontStyle: font,
	}
	labels := escaped(d.labels)
	along := charts.CategoryAxisOption{Labels: labels, LabelCount: len(labels), LabelFontStyle: font}
	padding := charts.Box{Left: 4, Top: 10, Right: 10, Bottom: 4, IsSet: true}
	var err error
	if d.places == 0 {
		opt := charts.NewBarChartOptionWithData(d.values)
		opt.Theme, opt.Padding, opt.CategoryAxis, opt.ValueAxis, opt.StackSeries = theme, padding, along, []charts.ValueAxisOption{vertical}, &d.stack
		opt.Legend.Show, opt.BarSize = charts.Ptr(false), widestBar
		err = p.BarChart(opt)
	} else {
		along.Labels = make([]string, (len(labels)-1)*d.places+1)
		for i, label := range labels {
			along.Labels[i*d.places] = label
		}
		if along.BoundaryGap = charts.Ptr(d.places == 1); d.places > 1 {
			along.LabelOffset.Left = -6 // they begin at their step; two digits stand below it then
		}
		opt := charts.NewLineChartOptionWithData(d.values)
		opt.Theme, opt.Padding, opt.XAxis, opt.YAxis = theme, padding, along, []charts.YAxisOption{vertical}
		opt.Legend.Show, opt.Symbol, opt.LineStrokeWidth = charts.Ptr(false), charts.SymbolNone, 1.6
		if d.places == 1 { // each value counts
			opt.Symbol = charts.SymbolDot
		}
		err = p.LineChart(opt)
	}
	if err != nil {
		return "", err
	}
	out, err := p.Bytes()
	if err != nil {
		return "", err
	}
	_, inside, _ := strings.Cut(string(out), ">") // the first element is made anew: it needs no names of formats within a page
	return fmt.Sprintf(`<svg role="img" aria-label="%s" viewBox="0 0 %d %d">%s`, html.EscapeString(d.title), plotWidth, plotHeight, variables().Replace(inside)), nil
}

// escaped are labels as they stand in a page.
func escaped(labels []string) (all []string) {
	for _, label := range labels {
		all = append(all, html.EscapeString(label))
	}
	return all
}
