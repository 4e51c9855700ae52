// Where does a gang go that nobody thinks about?

package placers

import (
	"hash/fnv"
	"io"
	"math/bits"
	"math/rand/v2"

	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/simulate"
)

// Random puts members, one after the other, on nodes drawn from those with room, each as likely as the others. It knows no topology, uses nodes outside it too, and places gangs that
// must gather as if they need not. What is drawn follows from the seed and the name of the gang alone. It is no other scheduler's rule, but the least that any should be better than.
// O(nodes * resources + members).
type Random struct{ Seed uint64 }

// CanAsk implements [Asked].
func (Random) CanAsk(req *gang.Request) bool { return plain(req, false) }

// Place implements [simulate.Placer].
func (r Random) Place(c *placement.Cluster, req *gang.Request) (*simulate.Place, error) {
	return place(c, req, r.CanAsk(req), true, byRank, func(b *board, _ gathering, members int64) []share {
		return r.draw(b, req.Name, members)
	})
}

func (r Random) draw(b *board, name string, members int64) (out []share) {
	if b.slots[0] < members {
		return nil
	}
	h := fnv.New64a()
	_, _ = io.WriteString(h, name) // a hash takes everything
	chance := rand.NewPCG(r.Seed, h.Sum64())
	var open []share // nodes with room, and how much
	for i := range b.names {
		if n := b.slots[b.vertex(i)]; n > 0 {
			open = append(open, share{i, n})
		}
	}
	for range members {
		hi, _ := bits.Mul64(chance.Uint64(), uint64(len(open)))
		s := &open[hi]
		out = append(out, share{s.node, 1})
		if s.count--; s.count == 0 {
			*s, open = open[len(open)-1], open[:len(open)-1]
		}
	}
	return out
}
