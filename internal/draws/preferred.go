package draws

import (
	"pgregory.net/rapid"

	"github.com/muster-sched/muster/gang"
)

// Prefer makes most of the limits of some gangs preferred ones, those of parts and of their groups included.
func Prefer(t *rapid.T, req *gang.Request, percent int) {
	if !Chance(t, percent, "prefers limits of any part") {
		return
	}
	some := func(own []gang.Limit, groups []gang.Groups) {
		for i := range own {
			own[i].Preferred = Chance(t, 80, "preferred")
		}
		for i := range groups {
			for k := range groups[i].Limits {
				groups[i].Limits[k].Preferred = Chance(t, 80, "preferred")
			}
		}
	}
	some(req.Limits, req.Groups)
	var all func(parts []gang.Part)
	all = func(parts []gang.Part) {
		for i := range parts {
			some(parts[i].Limits, parts[i].Groups)
			all(parts[i].Parts)
		}
	}
	all(req.Parts)
}
