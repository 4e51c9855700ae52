package preempt

import (
	"iter"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// crowds draws clusters of 64 to 1,024 nodes, in which 10 to 200 gangs run.
func crowds(n int) iter.Seq2[crowd, *Problem] {
	return func(yield func(crowd, *Problem) bool) {
		r := rand.New(rand.NewPCG(1, 1))
		for seed := uint64(0); n > 0; seed++ {
			c := crowd{
				nodes: 64 << r.IntN(5), domain: []int{16, 32, 64}[r.IntN(3)], devices: []int64{1, 2, 8}[r.IntN(3)],
				share: 0.3 + 0.3*r.Float64(), size: 4 + r.IntN(12),
			}
			c.unit, c.holds = 1+r.Int64N(c.devices), 1+r.Int64N(max(1, c.devices/2))
			p := c.draw(seed)
			if len(p.Gangs) < 10 || len(p.Gangs) > 200 || p.Units < 1 {
				continue
			}
			if n--; !yield(c, p) {
				return
			}
		}
	}
}

// within asks a general solver for the least numbers of gangs that end, and then of members that leave. It has three
// seconds: what it has found then may be more.
func within(t *testing.T, p *Problem) (cost [2]int, found, least bool) {
	dir := t.TempDir()
	in, out := filepath.Join(dir, "problem.lp"), filepath.Join(dir, "solution")
	require.NoError(t, os.WriteFile(in, []byte(program(p)), 0o600))
	text, err := exec.Command("glpsol", "--lp", in, "-o", out, "--tmlim", "3").CombinedOutput()
	require.NoError(t, err, string(text))
	solution, err := os.ReadFile(out)
	require.NoError(t, err)
	least = strings.Contains(string(solution), "INTEGER OPTIMAL")
	if !least && !strings.Contains(string(solution), "INTEGER NON-OPTIMAL") {
		return cost, false, false
	}
	n, err := strconv.Atoi(string(objective.FindSubmatch(solution)[1]))
	require.NoError(t, err)
	return [2]int{n / (len(p.Candidates) + 1), n % (len(p.Candidates) + 1)}, true, least
}

// tallied is how sets compare with those of an integer program, where that is solved.
type tallied struct {
	all, proven, known, best int
	ended, members           [2]int // ours and the program's, where it is solved
	longest                  time.Duration
}

// Nearly all sets are the best, and most are known to be, in clusters of many sizes.
func TestCrowdsEqualIntegerProgram(t *testing.T) {
	if _, err := exec.LookPath("glpsol"); err != nil {
		t.Skip("there is no glpsol (package glpk-utils)")
	}
	if testing.Short() {
		t.Skip("a general solver takes seconds")
	}
	clusters := 24
	if n, err := strconv.Atoi(os.Getenv("MUSTER_CLUSTERS")); err == nil {
		clusters = n
	}
	var sum tallied
	for c, p := range crowds(clusters) {
		start := time.Now()
		got := Solve(*p)
		sum.longest = max(sum.longest, time.Since(start))
		require.True(t, got.Found, "%+v", c)
		if got.Cost.Members == 0 {
			continue // there is room already
		}
		sum.all++
		if got.Proven {
			sum.proven++
		}
		want, found, least := within(t, p)
		cost, bound := [2]int{got.Cost.GangsEnded, got.Cost.Members}, [2]int{got.LowerBound.GangsEnded, got.LowerBound.Members}
		if found {
			require.LessOrEqual(t, slices.Compare(bound[:], want[:]), 0, "%+v: bound %v, found %v", c, bound, want)
		}
		if !least {
			continue
		}
		require.GreaterOrEqual(t, slices.Compare(cost[:], want[:]), 0, "%+v: cost %v, optimum %v", c, cost, want)
		sum.known++
		if cost == want {
			sum.best++
		}
		for i, n := range [2]int{cost[0], want[0]} {
			sum.ended[i] += n
		}
		for i, n := range [2]int{cost[1], want[1]} {
			sum.members[i] += n
		}
	}
	t.Logf("%d clusters, %d proven; the program is solved in %d, %d of these equal; gangs that end %v, members %v; at most %v", sum.all, sum.proven, sum.known, sum.best, sum.ended, sum.members, sum.longest)
	require.GreaterOrEqual(t, 100*sum.best, 95*sum.known)
	require.GreaterOrEqual(t, 100*sum.proven, 80*sum.all)
	require.LessOrEqual(t, 100*sum.ended[0], 102*sum.ended[1])
	require.LessOrEqual(t, 100*sum.members[0], 102*sum.members[1])
}
