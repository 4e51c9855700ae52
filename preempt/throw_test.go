package preempt

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"syscall"
	"testing"
	"time"
)

func cpu() time.Duration {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func TestThrowSolve(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	var proven, n int
	var longest, sum time.Duration
	only := os.Getenv("ONLY")
	steps, _ := strconv.Atoi(os.Getenv("STEPS"))
	for seed := range uint64(100) {
		nodes := 64 << r.IntN(5)
		c := crowd{nodes: nodes, domain: []int{16, 32, 64}[r.IntN(3)], devices: []int64{1, 2, 8}[r.IntN(3)], share: 0.3 + 0.3*r.Float64(), size: 4 + r.IntN(12)}
		c.unit, c.holds = 1+r.Int64N(c.devices), 1+r.Int64N(max(1, c.devices/2))
		if only != "" && only != fmt.Sprint(seed) {
			continue
		}
		p := c.draw(seed)
		if len(p.Gangs) < 10 || p.Units < 1 {
			continue
		}
		p.Steps = steps
		st := cpu()
		s := Solve(*p)
		took := cpu() - st
		longest = max(longest, took)
		sum += took
		n++
		if s.Proven {
			proven++
		}
		if took > 100*time.Millisecond || !s.Proven {
			fmt.Println(seed, c, len(p.Gangs), p.Units, s.Cost.GangsEnded, s.Cost.Members, s.LowerBound.GangsEnded, s.LowerBound.Members, s.Proven, s.Steps, took, took/time.Duration(s.Steps))
		}
	}
	fmt.Println(n, proven, longest, sum)
}
