package preempt

import (
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"
)

type opt struct {
	Cost         [2]int
	Found, Least bool
}

func TestThrowOptimum(t *testing.T) {
	n, _ := strconv.Atoi(os.Getenv("N"))
	if n == 0 {
		t.Skip()
	}
	var out []opt
	for _, p := range crowds(n) {
		var o opt
		o.Cost, o.Found, o.Least = within(t, p)
		out = append(out, o)
		b, _ := json.Marshal(out)
		os.WriteFile("/tmp/optimum.json", b, 0o600)
	}
}

func TestThrowQuality(t *testing.T) {
	b, _ := os.ReadFile("/tmp/optimum.json")
	var opts []opt
	json.Unmarshal(b, &opts)
	steps, _ := strconv.Atoi(os.Getenv("STEPS"))
	var sum, longest time.Duration
	var proven, best, known, better, over150 int
	var ended, members [2]int
	i := 0
	for c, p := range crowds(len(opts)) {
		o := opts[i]
		i++
		p.Steps = steps
		st := cpu()
		s := Solve(*p)
		took := cpu() - st
		sum += took
		longest = max(longest, took)
		if took > 150*time.Millisecond {
			over150++
		}
		if s.Proven {
			proven++
		}
		cost := [2]int{s.Cost.GangsEnded, s.Cost.Members}
		if o.Least {
			known++
			if cost == o.Cost {
				best++
			}
			ended[0] += cost[0]
			ended[1] += o.Cost[0]
			members[0] += cost[1]
			members[1] += o.Cost[1]
		}
		if os.Getenv("V") != "" && (o.Least && cost != o.Cost || !s.Proven || took > 150*time.Millisecond) {
			fmt.Println(i-1, c, len(p.Gangs), len(p.Candidates), p.Units, cost, o, s.LowerBound.GangsEnded, s.LowerBound.Members, s.Proven, s.Steps, took)
		}
	}
	fmt.Println("steps", steps, "n", i, "proven", proven, "known", known, "best", best, "better", better, "ended", ended, "members", members, "longest", longest, "over150", over150, "sum", sum)
}
