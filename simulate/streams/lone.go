package streams

import (
	"fmt"
	"math/rand/v2"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/simulate"
)

// Lone says how many gangs of a stream are a single pod that takes a part of a member. They come in place of gangs and run as long as these would: what is drawn for them changes nothing of the
// others, and those of a lower Percent are lone at a higher one too. As they take less, the gangs come at shorter intervals for the same load.
type Lone struct {
	// Percent is how many of 100 gangs are such pods, each gang with the same chance; 0: none.
	Percent int
	// Resource is what a pod asks for, from 1 to Most of it, each amount as often; Most is at most what a member asks for. It asks for nothing else, and is in all the same as a gang of one member.
	Resource string
	Most     int64
}

// check is the defect of it beside the shape of members; nil: there is none.
func (l *Lone) check(shape *gang.Shape) error {
	switch {
	case l.Percent < 0 || l.Percent > 100:
		return muster.Invalid("generated.Lone.Percent", l.Percent, "not from 0 to 100")
	case l.Percent > 0 && (l.Most < 1 || l.Most > 1<<40 || l.Most > shape.Resources[l.Resource]):
		return muster.Invalid("generated.Lone.Most", l.Most, fmt.Sprintf("not from 1 to the %d %q that a member asks for, or above 2^40", shape.Resources[l.Resource], l.Resource))
	}
	return nil
}

// mean is what gangs take in the mean, in thousandths of a member, if those with members take so much.
func (l *Lone) mean(members int64, shape *gang.Shape) int64 {
	if l.Percent == 0 {
		return members
	}
	lone := 500 * (l.Most + 1) / shape.Resources[l.Resource]
	return max(1, (members*int64(100-l.Percent)+lone*int64(l.Percent))/100)
}

// draw makes a gang a lone pod, or leaves it. As many numbers are drawn in either case.
func (l *Lone) draw(r *rand.PCG, j *simulate.Job, shape *gang.Shape, gather func(members int) []gang.Rule) {
	if l.Percent == 0 {
		return
	}
	chance, amount := r.Uint64()%100, 1+int64(r.Uint64()%uint64(l.Most))
	if chance >= uint64(l.Percent) {
		return
	}
	own := *shape
	own.Resources = muster.Resources{l.Resource: amount}
	j.Request.Shape, j.Request.Members, j.Class = own, j.Request.Members[:1:1], fmt.Sprint("lone ", amount)
	if gather != nil {
		j.Request.Gather = gather(1)
	}
}
