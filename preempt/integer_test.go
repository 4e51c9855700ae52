package preempt

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// crowd is how crowded clusters are drawn: nodes in domains of so many, with so many devices. Units ask for some devices,
// members hold up to so many; a share of the devices of a domain is asked for.
type crowd struct {
	nodes, domain int
	devices, unit int64
	holds         int64
	size          int
	share         float64
}

// draw fills a cluster with gangs at random places, nine devices of ten.
func (c crowd) draw(seed uint64) *Problem {
	r := rand.New(rand.NewPCG(seed, uint64(c.nodes)))
	p := &Problem{
		Units: int64(float64(int64(c.domain)*(c.devices/c.unit)) * c.share), Request: []int64{c.unit}, Tiers: [][]int32{nil, nil},
		First: 1, Last: 0, Strategies: []Strategy{{Gang: 1}}, Exact: true,
	}
	for n := range c.holds {
		p.Holdings = append(p.Holdings, Holding{Amounts: []int64{n + 1}})
	}
	free, left := make([]int64, c.nodes), int64(c.nodes)*c.devices
	for pos := range c.nodes {
		p.Tiers[0] = append(p.Tiers[0], int32(pos))
		if pos%c.domain == 0 {
			p.Tiers[1] = append(p.Tiers[1], int32(pos))
		}
		free[pos] = c.devices
	}
	for most := left / 10; left > most; {
		size, hold, g := 1+r.IntN(c.size), 1+r.Int64N(c.holds), int32(len(p.Gangs))
		running := 0
		for range size {
			pos := r.IntN(c.nodes)
			for i := 0; i < c.nodes && free[pos] < hold; i++ {
				pos = (pos + 1) % c.nodes
			}
			if free[pos] < hold {
				continue
			}
			free[pos], left, running = free[pos]-hold, left-hold, running+1
			p.Candidates = append(p.Candidates, Candidate{Position: int32(pos), Gang: g, Holding: int32(hold - 1), Started: 1 + r.Int64N(1_000_000)})
		}
		if running == 0 {
			break
		}
		minimum := max(1, running-r.IntN(2))
		p.Gangs = append(p.Gangs, Gang{Priority: 1, Surplus: running - minimum, Whole: true, Running: running, Ends: true})
	}
	slices.SortStableFunc(p.Candidates, func(a, b Candidate) int { return int(a.Position - b.Position) })
	for i := range p.Candidates {
		p.Candidates[i].Order = int32(i)
	}
	for pos := range c.nodes {
		p.Nodes = append(p.Nodes, Node{Free: []int64{free[pos]}})
	}
	return p
}

// program is the problem as an integer program: gangs that end count more than members.
func program(p *Problem) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Minimize\n cost:")
	for g := range p.Gangs {
		fmt.Fprintf(&b, " + %d g%d\n", len(p.Candidates)+1, g)
	}
	for i := range p.Candidates {
		fmt.Fprintf(&b, " + m%d\n", i)
	}
	fmt.Fprintf(&b, "Subject To\n one:")
	domains := p.Tiers[1]
	for d := range domains {
		fmt.Fprintf(&b, " + d%d", d)
	}
	fmt.Fprintf(&b, " = 1\n room:")
	for n := range p.Nodes {
		fmt.Fprintf(&b, " + u%d\n", n)
	}
	fmt.Fprintf(&b, " >= %d\n", p.Units)
	most := map[int]int64{}
	for n, of := range p.Nodes {
		fmt.Fprintf(&b, " n%d: %d u%d", n, p.Request[0], n)
		most[n] = of.Free[0]
		for i, c := range p.Candidates {
			if int(c.Position) == n {
				fmt.Fprintf(&b, " - %d m%d", p.Holdings[c.Holding].Amounts[0], i)
				most[n] += p.Holdings[c.Holding].Amounts[0]
			}
		}
		d, exact := slices.BinarySearch(domains, int32(n))
		if !exact {
			d--
		}
		most[n] /= p.Request[0]
		fmt.Fprintf(&b, " <= %d\n in%d: u%d - %d d%d <= 0\n", of.Free[0], n, n, most[n], d)
	}
	for g, of := range p.Gangs {
		var members []string
		for i, c := range p.Candidates {
			if int(c.Gang) == g {
				members = append(members, fmt.Sprintf("m%d", i))
				fmt.Fprintf(&b, " w%d: m%d - g%d >= 0\n", i, i, g)
			}
		}
		fmt.Fprintf(&b, " s%d: %s - %d g%d <= %d\n", g, strings.Join(members, " + "), of.Running-of.Surplus, g, of.Surplus)
	}
	fmt.Fprintf(&b, "Bounds\n")
	for n := range p.Nodes {
		fmt.Fprintf(&b, " 0 <= u%d <= %d\n", n, most[n])
	}
	fmt.Fprintf(&b, "General\n")
	for n := range p.Nodes {
		fmt.Fprintf(&b, " u%d\n", n)
	}
	fmt.Fprintf(&b, "Binary\n")
	for d := range domains {
		fmt.Fprintf(&b, " d%d\n", d)
	}
	for g := range p.Gangs {
		fmt.Fprintf(&b, " g%d\n", g)
	}
	for i := range p.Candidates {
		fmt.Fprintf(&b, " m%d\n", i)
	}
	fmt.Fprintf(&b, "End\n")
	return b.String()
}

var objective = regexp.MustCompile(`Objective:\s+cost = (\d+)`)

// optimum asks a general solver for the least numbers of gangs that end, and then of members that leave.
func optimum(t *testing.T, p *Problem) (gangs, members int) {
	dir := t.TempDir()
	in, out := filepath.Join(dir, "problem.lp"), filepath.Join(dir, "solution")
	require.NoError(t, os.WriteFile(in, []byte(program(p)), 0o600))
	text, err := exec.Command("glpsol", "--lp", in, "-o", out).CombinedOutput()
	require.NoError(t, err, string(text))
	solution, err := os.ReadFile(out)
	require.NoError(t, err)
	require.Contains(t, string(solution), "INTEGER OPTIMAL")
	cost, err := strconv.Atoi(string(objective.FindSubmatch(solution)[1]))
	require.NoError(t, err)
	return cost / (len(p.Candidates) + 1), cost % (len(p.Candidates) + 1)
}

// What is proven is the optimum of an integer program, no bound is above it, and nearly all is proven.
func TestGangsEqualIntegerProgram(t *testing.T) {
	if _, err := exec.LookPath("glpsol"); err != nil {
		t.Skip("there is no glpsol (package glpk-utils)")
	}
	const seeds = 10
	for _, row := range []crowd{
		{nodes: 24, domain: 24, devices: 1, unit: 1, holds: 1, size: 3, share: 0.5},
		{nodes: 64, domain: 64, devices: 1, unit: 1, holds: 1, size: 3, share: 0.5},
		{nodes: 24, domain: 24, devices: 2, unit: 2, holds: 1, size: 4, share: 0.5},
		{nodes: 64, domain: 16, devices: 2, unit: 2, holds: 1, size: 4, share: 0.5},
		{nodes: 48, domain: 16, devices: 8, unit: 8, holds: 4, size: 6, share: 0.3},
		{nodes: 64, domain: 16, devices: 8, unit: 2, holds: 4, size: 6, share: 0.5},
	} {
		proven, best, ended := 0, 0, 0
		var ours, theirs time.Duration
		for seed := range uint64(seeds) {
			p := row.draw(seed)
			require.NoError(t, p.Validate())
			start := time.Now()
			got := Solve(*p)
			ours += time.Since(start)
			start = time.Now()
			gangs, members := optimum(t, p)
			theirs += time.Since(start)
			cost, bound, want := [2]int{got.Cost.GangsEnded, got.Cost.Members}, [2]int{got.LowerBound.GangsEnded, got.LowerBound.Members}, [2]int{gangs, members}
			require.LessOrEqual(t, slices.Compare(bound[:], want[:]), 0, "%+v, seed %d: bound %v, optimum %v", row, seed, bound, want)
			require.GreaterOrEqual(t, slices.Compare(cost[:], want[:]), 0, "%+v, seed %d: cost %v, optimum %v", row, seed, cost, want)
			if cost == want {
				best++
			}
			if got.Proven {
				require.Equal(t, want, cost, "%+v, seed %d", row, seed)
				proven++
			}
			ended += gangs
		}
		t.Logf("%+v: %.1f gangs end; best in %d, proven in %d of %d; mean %v, solver %v", row, float64(ended)/seeds, best, proven, seeds, ours/seeds, theirs/seeds)
		require.GreaterOrEqual(t, best, seeds-1)
		require.GreaterOrEqual(t, proven, seeds-1)
	}
}
