package search_test

import (
	"errors"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/muster-sched/muster/placement"
)

func TestExplore(t *testing.T) {
	secs, _ := strconv.Atoi(os.Getenv("EXPLORE"))
	if secs == 0 {
		t.Skip()
	}
	seed, _ := strconv.Atoi(os.Getenv("SEED"))
	r := rand.New(rand.NewPCG(uint64(seed), 2))
	type found struct {
		list []byte
		took time.Duration
	}
	var pool []found
	end := time.Now().Add(time.Duration(secs) * time.Second)
	n, invalid := 0, 0
	for time.Now().Before(end) {
		list := make([]byte, 200)
		for i := range list {
			list[i] = byte(r.IntN(256))
		}
		if len(pool) > 0 && r.IntN(3) > 0 {
			copy(list, pool[r.IntN(len(pool))].list)
			for range 1 + r.IntN(4) {
				list[r.IntN(60)] = byte(r.IntN(256))
			}
		}
		spec, req := drawn(list)
		c, err := placement.NewCluster(spec)
		if err != nil {
			t.Fatal(err)
		}
		req.NeverPreempts = req.NeverPreempts || os.Getenv("NEVER") != ""
		start := time.Now()
		res, err := placement.Plan(c, req)
		took := time.Since(start)
		if n++; err != nil && !errors.Is(err, placement.ErrUnschedulable) {
			invalid++
			if invalid < 4 {
				t.Log(err)
			}
			continue
		}
		if len(pool) < 12 || took > pool[len(pool)-1].took {
			pool = append(pool, found{list, took})
			for i := len(pool) - 1; i > 0 && pool[i].took > pool[i-1].took; i-- {
				pool[i], pool[i-1] = pool[i-1], pool[i]
			}
			pool = pool[:min(len(pool), 12)]
			if pool[0].took == took {
				t.Log(n, took, len(spec.Nodes), len(req.Members), len(req.Parts), len(req.Groups), res != nil, err)
				t.Logf("%q", list[:80])
			}
		}
	}
	t.Log(n, invalid)
}

func TestOne(t *testing.T) {
	list, err := strconv.Unquote(os.Getenv("ONE"))
	if list == "" {
		t.Skip()
	}
	if err != nil {
		t.Fatal(err)
	}
	spec, req := drawn([]byte(list))
	c, err := placement.NewCluster(spec)
	if err != nil {
		t.Fatal(err)
	}
	req.NeverPreempts = req.NeverPreempts || os.Getenv("NEVER") != ""
	start := time.Now()
	res, err := placement.Plan(c, req)
	t.Log(time.Since(start), len(spec.Nodes), len(spec.Trees), len(req.Members), len(req.Parts), req.Groups, req.Gather, req.MinMember, res != nil, err)
	for i := range req.Members {
		if s := req.Members[i].Shape; s != nil && (i == 0 || s != req.Members[i-1].Shape) {
			t.Log(i, s.Resources, s.NUMA.Policy)
		}
	}
	for _, p := range req.Parts {
		t.Log(p.Name, len(p.Members), p.Gather, p.MinMember, len(p.Parts), p.Tree)
	}
}
