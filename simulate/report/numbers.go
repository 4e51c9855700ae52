package report

import (
	"fmt"
	"strconv"
	"strings"
)

// whole is a number with commas: 1,234,567.
func whole(n int64) string {
	digits := strconv.FormatInt(n, 10)
	var b strings.Builder
	for i, d := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 && digits[i-1] != '-' {
			b.WriteByte(',')
		}
		b.WriteRune(d)
	}
	return b.String()
}

// tenths is a number of tenths.
func tenths(n int64) string { return fmt.Sprintf("%s.%d", whole(n/10), n%10) }

// glue is a space at which no line ends: it stands between a number and its unit.
const glue = "\u00a0"

// percent is a number of thousandths.
func percent(n int64) string { return tenths(n) + glue + "%" }

// unit is a unit of time, and how many seconds it has.
type unit struct {
	name    string
	seconds int64
}

// units are those in which times are told, each from twice itself on.
var units = []unit{{"s", 1}, {"min", 60}, {"h", 3600}, {"d", 24 * 3600}}

// unitFor is the largest unit of which a time has at least two.
func unitFor(seconds int64) unit {
	for i := len(units) - 1; i > 0; i-- {
		if seconds >= 2*units[i].seconds {
			return units[i]
		}
	}
	return units[0]
}

// lasting is a time in a unit that suits it, rounded down to a tenth.
func lasting(seconds int64) string {
	u := unitFor(seconds)
	if u.seconds == 1 {
		return whole(seconds) + glue + u.name
	}
	return tenths(seconds/u.seconds*10+seconds%u.seconds*10/u.seconds) + glue + u.name
}

// axis is one from 0 on, with steps at round numbers.
type axis struct {
	step, steps int64
}

// axisTo is an axis that reaches a number, with at most so many steps; at least one.
func axisTo(n, most int64) axis {
	for scale := int64(1); ; scale *= 10 {
		for _, of := range []int64{1, 2, 5} {
			if step := of * scale; n/step < most || n/step == most && n%step == 0 {
				return axis{step, max(1, (n+step-1)/step)}
			}
		}
	}
}

// end is the last number of the axis.
func (a axis) end() int64 { return a.step * a.steps }

// labels are the numbers at the steps, 0 first.
func (a axis) labels(text func(int64) string) (all []string) {
	for i := range a.steps + 1 {
		all = append(all, text(i*a.step))
	}
	return all
}

// sizeOf is how many members gangs have of at most so many, in classes each of which is so many times twice as large as the one below: 1, 2, 3-4, 5-8, and so on.
func sizeOf(members, doublings int) string {
	least := members>>doublings + 1
	if least == members {
		return whole(int64(members))
	}
	return whole(int64(least)) + "-" + whole(int64(members))
}
