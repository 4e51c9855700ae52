package problem

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/gang"
)

// What members ask for together is what they ask for one after the other, also where a sum has no room for that.
func TestAsksAreSums(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		p := &Problem{Request: &gang.Request{Quota: "q"}, Pinned: map[string]bool{}}
		for range 1 + r.IntN(3) {
			shape := &gang.Shape{Resources: muster.Resources{"cpu": int64(r.IntN(4)), "gpu": []int64{0, 1, math.MaxInt64 / 3}[r.IntN(3)]}}
			p.Room.Shapes = append(p.Room.Shapes, shape)
		}
		request, pinned := muster.Resources{}, muster.Resources{}
		for i := range 1 + r.IntN(9) {
			role := r.IntN(len(p.Room.Shapes))
			name := fmt.Sprint(i)
			p.Model.RoleOf, p.Model.Pending, p.names = append(p.Model.RoleOf, int32(role)), append(p.Model.Pending, i), append(p.names, name)
			request.Add(p.Room.Shapes[role].Resources)
			if r.IntN(2) == 0 {
				p.Pinned[name] = true
				pinned.Add(p.Room.Shapes[role].Resources)
			}
		}
		asks := p.Asks(len(p.Model.Pending))
		require.Equal(t, "q", asks.Quota)
		require.Equal(t, request, asks.Request)
		require.Equal(t, pinned, asks.Pinned)
	}
}
