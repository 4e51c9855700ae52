package moves

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// fabric is how clusters are drawn: units of so many amounts in pods of so many units, filled to a share.
type fabric struct {
	pods, units int
	room        int64
	load        float64
	amounts     int64 // a member holds up to so many
	lost        bool
}

// draw fills a fabric with gangs of sizes that are even in their logarithms: in a unit, if they fit into one, else in a pod; some of the small ones in a pod as well.
func (f fabric) draw(r *rand.Rand) *Problem {
	n := f.pods * f.units
	p := &Problem{Free: make([]int64, n), Tiers: [][]int32{nil, nil, {0}}, Steps: 1 << 14}
	for u := range n {
		p.Free[u], p.Tiers[0] = f.room, append(p.Tiers[0], int32(u))
		if u%f.units == 0 {
			p.Tiers[1] = append(p.Tiers[1], int32(u))
		}
	}
	left := int64(f.load * float64(int64(n)*f.room))
	size := func() int64 { return int64(math.Exp2(r.Float64() * math.Log2(float64(2*f.room+1)))) }
	for range 20 * n {
		g := Gang{}
		members, amount := size(), 1+r.Int64N(f.amounts)
		if members*amount > left {
			continue
		}
		if members*amount > f.room || r.IntN(4) == 0 {
			g.Tier = 1
		}
		if f.lost {
			g.Lost = int64(r.IntN(3))
		}
		g.Fixed = r.IntN(12) == 0
		if g.Parts = p.place(r, g.Tier, members, amount); g.Parts != nil {
			p.Gangs = append(p.Gangs, g)
			left -= members * amount
		}
	}
	want := Want{Tier: r.IntN(2), Amount: 1 + r.Int64N(f.room)}
	if want.Tier == 1 {
		want.Amount = f.room + r.Int64N(f.room*int64(f.units-1)+1)
	}
	p.Wants = []Want{want}
	switch r.IntN(4) {
	case 0:
		p.Wants[0].Amount = 0
		if r.IntN(2) == 0 && want.Tier == 0 {
			p.Wants = append(p.Wants, p.Wants[0])
		}
	case 1:
		p.Wants[0].Domains = []int32{int32(r.IntN(len(p.Tiers[want.Tier])))}
	}
	return p
}

// place puts a gang into a random domain of a tier that has room for it, at random units; nil: none has.
func (p *Problem) place(r *rand.Rand, tier int, members, amount int64) (parts []Part) {
	t := newTree(len(p.Free), p.Tiers)
	at := r.Perm(len(p.Tiers[tier]))
	for _, d := range at {
		x := t.from[tier] + int32(d)
		fits := int64(0)
		for u := t.first[x]; u < t.end[x]; u++ {
			fits += p.Free[u] / amount
		}
		if fits < members {
			continue
		}
		for left := members; left > 0; {
			u := t.first[x] + int32(r.IntN(int(t.end[x]-t.first[x])))
			if n := min(left, p.Free[u]/amount, 1+r.Int64N(left)); n > 0 {
				left -= n
				p.Free[u] -= n * amount
				if i := slices.IndexFunc(parts, func(q Part) bool { return q.Unit == u }); i >= 0 {
					parts[i].Members += n
				} else {
					parts = append(parts, Part{u, n, amount})
				}
			}
		}
		slices.SortFunc(parts, func(a, b Part) int { return int(a.Unit - b.Unit) })
		return parts
	}
	return nil
}

func (p *Problem) String() (text string) {
	text = fmt.Sprintf("free %v, tiers %v, wants %v, most %d\n", p.Free, p.Tiers, p.Wants, p.Most)
	for g, of := range p.Gangs {
		text += fmt.Sprintf("  %d: %+v\n", g, of)
	}
	return text
}

// least is the least cost by trying all ways to put each gang into units, one after the other; never: there is none.
func least(p *Problem) Cost {
	b := brute{p: p, t: newTree(len(p.Free), p.Tiers), free: slices.Clone(p.Free), best: never}
	for _, g := range p.Gangs {
		for _, part := range g.Parts {
			b.free[part.Unit] += part.Members * part.Amount
		}
	}
	b.want(0, Cost{})
	return b.best
}

type brute struct {
	p    *Problem
	t    *tree
	free []int64
	best Cost
}

// want gives the i-th want a place.
func (b *brute) want(i int, cost Cost) {
	if i == len(b.p.Wants) {
		b.gang(0, cost)
		return
	}
	w := b.p.Wants[i]
	for d := range b.p.Tiers[w.Tier] {
		x := b.t.from[w.Tier] + int32(d)
		if w.Domains != nil && !slices.Contains(w.Domains, int32(d)) {
			continue
		}
		if w.Amount > 0 {
			b.spread(b.t.first[x], b.t.end[x], w.Amount, 1, func([]int64) { b.want(i+1, cost) }, nil)
			continue
		}
		was := slices.Clone(b.free)
		if taken := b.free[b.t.first[x]] < 0; taken {
			continue // it is another one's
		}
		for u := b.t.first[x]; u < b.t.end[x]; u++ {
			b.free[u] = -1
		}
		b.want(i+1, cost)
		copy(b.free, was)
	}
}

// gang puts the g-th gang, and those behind it, into domains.
func (b *brute) gang(g int, cost Cost) {
	if !cost.less(b.best) {
		return
	}
	if g == len(b.p.Gangs) {
		b.best = cost
		return
	}
	of := &b.p.Gangs[g]
	now, members := make([]int64, len(b.free)), int64(0)
	for _, part := range of.Parts {
		now[part.Unit] += part.Members
		members += part.Members
	}
	home := b.t.home(of)
	tier := b.t.tier[home]
	if of.Gathers {
		tier = of.Tier
	}
	for d := range b.p.Tiers[tier] {
		x := b.t.from[tier] + int32(d)
		if of.Fixed && x != home {
			continue
		}
		b.spread(b.t.first[x], b.t.end[x], members, of.Parts[0].Amount, func(at []int64) {
			moved := int64(0)
			for u := range now {
				moved += max(0, now[u]-at[u])
			}
			next := cost
			if moved > 0 {
				next = cost.plus(Cost{of.Lost, moved, 1})
			}
			if moved > 0 && of.Fixed || b.p.Most > 0 && next.Members > b.p.Most {
				return
			}
			b.gang(g+1, next)
		}, nil)
	}
}

// spread goes through all ways to put members into units.
func (b *brute) spread(from, end int32, members, amount int64, f func(at []int64), at []int64) {
	if at == nil {
		at = make([]int64, len(b.free))
	}
	if members == 0 {
		f(at)
		return
	}
	if from == end {
		return
	}
	for n := int64(0); n <= members && n*amount <= max(0, b.free[from]); n++ {
		at[from] = n
		b.free[from] -= n * amount
		b.spread(from+1, end, members-n, amount, f, at)
		b.free[from] += n * amount
		at[from] = 0
	}
}

func TestSolveEqualsAllWays(t *testing.T) {
	best, proven, some, none := 0, 0, 0, 0
	cases := 3000
	if testing.Short() {
		cases = 300
	}
	for seed := range cases {
		r := rand.New(rand.NewPCG(uint64(seed), 1))
		f := fabric{pods: 1 + r.IntN(2), units: 1 + r.IntN(2), room: 1 + r.Int64N(4), load: 0.5 + r.Float64()/2, amounts: 1, lost: r.IntN(3) == 0}
		if f.pods*f.units < 4 && r.IntN(2) == 0 {
			f.pods++
		}
		p := f.draw(r)
		if r.IntN(4) == 0 {
			p.Most = 1 + r.Int64N(5)
		}
		if len(p.Gangs) > 6 {
			continue
		}
		want, got := least(p), Solve(p)
		if want == never {
			none++
			require.False(t, got.Found, "seed %d: %v%+v", seed, p, got)
			if got.Never {
				proven++
			}
			continue
		}
		some++
		require.False(t, got.Never, "seed %d: %v%+v, want %v", seed, p, got, want)
		require.False(t, want.less(got.Bound), "seed %d: %v%+v, want %v", seed, p, got, want)
		if got.Found {
			require.False(t, got.Cost.less(want), "seed %d: %v%+v, want %v", seed, p, got, want)
			if got.Cost == want {
				best++
			}
			if got.Cost == got.Bound {
				proven++
			}
		}
	}
	t.Logf("%d with a way, %d the best; %d without; %d proven", some, best, none, proven)
	require.Greater(t, min(some, none), cases/20)
	require.GreaterOrEqual(t, 100*best, 98*some)
	require.GreaterOrEqual(t, 100*proven, 90*(some+none))
}

// Very many members of a gang leave as many at a time as can be told apart; what they free is not forgotten.
func TestManyMembersLeave(t *testing.T) {
	p := &Problem{
		Free: []int64{0, 9000}, Tiers: [][]int32{{0, 1}, {0}}, Steps: 1 << 14,
		Gangs: []Gang{{Tier: 1, Parts: []Part{{Unit: 0, Members: 9000, Amount: 1}}}},
		Wants: []Want{{Amount: 8000, Domains: []int32{0}}},
	}
	got := Solve(p)
	require.True(t, got.Found)
	require.Len(t, got.Moves, 1)
	require.GreaterOrEqual(t, got.Cost.Members, int64(8000))
	require.LessOrEqual(t, got.Bound.Members, int64(8000))
	require.Greater(t, got.Bound.Members, int64(7900))
}
