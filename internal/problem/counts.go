package problem

import "github.com/muster-sched/muster/internal/layout"

// Counts lists the numbers of new members that may be placed, ascending.
func (p *Problem) Counts() []int { return p.Wholes(max(1, p.Least), p.Admitted) }

// Wholes lists the numbers of new members from low to high that rules allow, whatever room there is: with groups only whole ones,
// the last stay out first.
func (p *Problem) Wholes(low, high int) []int {
	total := len(p.Pending)
	var counts []int
	unit := int64(1)
	if p.Multiple != nil {
		unit = p.Multiple[p.View.RootTop]
		low = max(low, int(p.Forced.At(layout.Root)))
	}
	add := func(n int) {
		if n >= low && n <= high && int64(n+len(p.Running))%unit == 0 {
			counts = append(counts, n)
		}
	}
	if len(p.Levels) == 0 {
		for n := low; n <= min(total, high); n++ {
			add(n)
		}
		return counts
	}
	size := int(p.Levels[0].Size)
	for n := 1; n <= total; n++ {
		if n == total || p.Pending[n].Rank/size != p.Pending[n-1].Rank/size {
			add(n)
		}
	}
	return counts
}
