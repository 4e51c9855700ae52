package moves

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// drawBorders draws units of equal room in domains of one or two tiers, and gangs in them: most are in one unit, the others anywhere in a domain.
func drawBorders(r *rand.Rand, pods, units int, room, largest int64) *Borders {
	n := pods * units
	p := &Borders{Tiers: [][]int32{nil, nil, {0}}, Steps: 1 << 10}
	free := slices.Repeat([]int64{room}, n)
	for u := range n {
		p.Room, p.Tiers[0] = append(p.Room, room), append(p.Tiers[0], int32(u))
		if u%units == 0 {
			p.Tiers[1] = append(p.Tiers[1], int32(u))
		}
	}
	for range 3 * n {
		in, first, most := map[int32]int64{}, int32(0), n
		if pod := r.IntN(pods); r.IntN(3) > 0 {
			first, most = int32(pod*units), units
		}
		if r.IntN(4) == 0 {
			first, most = first+int32(r.IntN(most)), 1
		}
		for range 1 + r.Int64N(largest) {
			if u := first + int32(r.IntN(most)); free[u] > 0 {
				free[u]--
				in[u]++
			}
		}
		if len(in) > 0 {
			p.Gangs = append(p.Gangs, Spread{Now: HeldOf(in), Was: HeldOf(in), Lost: int64(r.IntN(2) * r.IntN(3))})
		}
	}
	return p
}

func (p *Borders) String() (text string) {
	text = fmt.Sprintf("room %v, tiers %v, most %d\n", p.Room, p.Tiers, p.Most)
	for g, of := range p.Gangs {
		text += fmt.Sprintf("  %d: %+v\n", g, of)
	}
	return text
}

// holds counts anew what an answer says.
func (p *Borders) holds(t *testing.T, a *Across) {
	t.Helper()
	used, across, before, cost := make([]int64, len(p.Room)), make([]int, len(p.Room)), make([]int, len(p.Room)), Cost{}
	tree := newTree(len(p.Room), p.Tiers)
	for g := range p.Gangs {
		of, in := &p.Gangs[g], a.Then[g]
		require.Equal(t, total(of.Now), total(in), "%s%+v", p, a)
		tier := func(in []Held) int { return tree.tier[tree.over(in[0].Unit, in[len(in)-1].Unit, 0)] }
		require.LessOrEqual(t, tier(in), tier(of.Now), "%d gets wider: %s%+v", g, p, a)
		require.True(t, !of.Fixed && !of.MayNotMove || slices.Equal(in, of.Now))
		moved := int64(0)
		for _, h := range in {
			moved += max(0, h.Members-Members(of.Was, h.Unit))
			if !of.MayNotMove {
				used[h.Unit] += h.Members
			}
			across[h.Unit] += one(len(in) > 1)
		}
		for _, h := range of.Was {
			before[h.Unit] += one(len(of.Was) > 1)
		}
		if moved > 0 {
			cost = cost.plus(Cost{of.Lost, moved, 1})
			require.False(t, of.MayNotMove)
		}
	}
	sum, was := 0, 0
	for u, room := range p.Room {
		require.LessOrEqual(t, used[u], room)
		sum, was = sum+max(0, across[u]-2), was+max(0, before[u]-2)
	}
	require.Equal(t, []any{cost, was, sum}, []any{a.Cost, a.Before, a.After}, "%s%+v", p, a)
	require.True(t, p.Most == 0 || cost.Members <= p.Most)
	require.LessOrEqual(t, a.After, was, "%s%+v", p, a)
	if sum == 0 {
		require.LessOrEqual(t, a.Bound.Compare(cost), 0, "%s%+v", p, a)
	}
}

// At most two gangs lie across the border of each unit, however full they are.
func TestAtMostTwoGangsLieAcrossABorder(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		p := drawBorders(r, 1+r.IntN(3), 1+r.IntN(4), 1+r.Int64N(9), 1+r.Int64N(20))
		a := Uncross(p)
		p.holds(t, &a)
		require.Zero(t, a.After, "%s%+v", p, a)
	}
}

// Gangs that stay do, and no more move than may; what was moved before may move back.
func TestSomeStayAcrossBorders(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 1000 {
		p := drawBorders(r, 1+r.IntN(3), 1+r.IntN(4), 1+r.Int64N(9), 1+r.Int64N(20))
		for g := range p.Gangs {
			switch r.IntN(6) {
			case 0:
				p.Gangs[g].Fixed = true
			case 1:
				p.Gangs[g].MayNotMove = true
				for _, h := range p.Gangs[g].Now {
					p.Room[h.Unit] -= h.Members
				}
			}
		}
		if r.IntN(2) == 0 {
			p.Most = 1 + r.Int64N(8)
		}
		first := Uncross(p)
		p.holds(t, &first)
		for g := range p.Gangs {
			p.Gangs[g].Now, p.Gangs[g].Fixed = first.Then[g], false
		}
		again := Uncross(p)
		p.holds(t, &again)
		require.Equal(t, []any{first.Bound, first.Before, first.After}, []any{again.Bound, again.Before, again.Now}, "%s", p)
		require.LessOrEqual(t, again.After, again.Now)
	}
}

// leastAcross is the least cost of all ways by which no gangs are left beyond two.
func leastAcross(p *Borders) Cost {
	b, best := newNow(p), never
	tree := b.tree
	free := slices.Clone(p.Room)
	var put func(g int, cost Cost)
	put = func(g int, cost Cost) {
		if !cost.less(best) {
			return
		}
		if g == len(p.Gangs) {
			if b.list(); b.excess() == 0 {
				best = cost
			}
			return
		}
		of := p.Gangs[g].Now
		tier := tree.tier[tree.over(of[0].Unit, of[len(of)-1].Unit, 0)]
		var spread func(u int32, left int64, in []Held)
		spread = func(u int32, left int64, in []Held) {
			if left == 0 {
				if tree.tier[tree.over(in[0].Unit, in[len(in)-1].Unit, 0)] <= tier {
					b.at[g] = in
					put(g+1, cost.plus(b.costOf(int32(g), in)))
				}
				return
			}
			if int(u) == len(free) {
				return
			}
			for n := range min(left, free[u]) + 1 {
				next := in
				if n > 0 {
					next = append(slices.Clone(in), Held{u, n})
				}
				free[u] -= n
				spread(u+1, left-n, next)
				free[u] += n
			}
		}
		spread(0, total(of), nil)
	}
	put(0, Cost{})
	return best
}

// As few members as it can: seldom more than the fewest.
func TestGangsAreUncrossedAtLittleCost(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	least, proven, all := 0, 0, 0
	for all < 200 {
		p := drawBorders(r, 1+r.IntN(2), 2+r.IntN(2), 3+r.Int64N(2), 2+r.Int64N(5))
		if len(p.Gangs) > 7 {
			continue
		}
		a := Uncross(p)
		if p.holds(t, &a); a.Before == 0 {
			require.Zero(t, a.Cost, "%s%+v", p, a)
			continue
		}
		want := leastAcross(p)
		require.LessOrEqual(t, want.Compare(a.Cost), 0, "%+v is less: %s%+v", a.Cost, p, a)
		require.LessOrEqual(t, a.Bound.Compare(want), 0, "%+v is less: %s%+v", want, p, a)
		all++
		least, proven = least+one(a.Cost == want), proven+one(a.Cost == a.Bound)
	}
	t.Logf("of %d %d are the least, %d proven", all, least, proven)
	require.Greater(t, 100*least, 85*all)
	require.Greater(t, 100*proven, 65*all)
}
