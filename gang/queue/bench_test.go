package queue_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/muster-sched/muster/gang/queue"
)

// BenchmarkQueue is a queue of 100,000 gangs of ten priorities: op=add puts them all in, in random order, op=fail takes the head and
// puts it back as failed.
func BenchmarkQueue(b *testing.B) {
	const n = 100_000
	random := rand.New(rand.NewPCG(1, 2))
	gangs := make([]queue.Entry, n)
	for i := range gangs {
		gangs[i] = queue.Entry{Name: fmt.Sprint("ns/gang-", i), UID: fmt.Sprint(random.Uint64()), Priority: random.Int64N(10), Created: random.Int64N(n / 10)}
	}
	fill := func(b *testing.B) *queue.Queue {
		q := &queue.Queue{}
		for _, g := range gangs {
			if err := q.Add(g); err != nil {
				b.Fatal(err)
			}
		}
		return q
	}
	b.Run("gangs=100000/op=add", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			fill(b)
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/gang")
	})
	b.Run("gangs=100000/op=fail", func(b *testing.B) {
		b.ReportAllocs()
		q := fill(b)
		now := int64(n)
		for b.Loop() {
			g, _ := q.Next(now)
			now++
			q.Failed(g.Name, now, 0)
		}
	})
}
