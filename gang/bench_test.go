package gang_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/muster-sched/muster/gang"
)

// BenchmarkQueue is a queue of 100,000 gangs of ten priorities: op=add puts them all in, in random order, op=fail takes the head and
// puts it back as failed.
func BenchmarkQueue(b *testing.B) {
	const n = 100_000
	random := rand.New(rand.NewPCG(1, 2))
	gangs := make([]gang.Queued, n)
	for i := range gangs {
		gangs[i] = gang.Queued{Name: fmt.Sprint("ns/gang-", i), UID: fmt.Sprint(random.Uint64()), Priority: random.Int64N(10), Created: random.Int64N(n / 10)}
	}
	fill := func(b *testing.B) *gang.Queue {
		q := &gang.Queue{}
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

// BenchmarkLifecycle lets gangs of 1,024 members go, one of 100 that are known: every member is reserved, the last one lets all go,
// and all are bound. ns/event is the mean over those 2,048 events.
func BenchmarkLifecycle(b *testing.B) {
	const members, gangs = 1024, 100
	start := &gang.Lifecycle{}
	step := func(l *gang.Lifecycle, e gang.Event) *gang.Lifecycle {
		next, _, err := l.Step(e)
		if err != nil {
			b.Fatal(err)
		}
		return next
	}
	names := make([]string, members)
	for i := range names {
		names[i] = fmt.Sprint("worker-", i)
	}
	for i := range gangs {
		name := fmt.Sprint("ns/gang-", i)
		start = step(start, gang.Event{Kind: gang.GangChanged, Gang: name, Terms: gang.Terms{MinMember: members}})
		for _, m := range names {
			start = step(start, gang.Event{Kind: gang.MemberSeen, Gang: name, Member: m})
		}
	}
	b.Run(fmt.Sprintf("gangs=%d/members=%d", gangs, members), func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			l := start
			for _, kind := range []gang.EventKind{gang.MemberReserved, gang.MemberBound} {
				for _, m := range names {
					l = step(l, gang.Event{Kind: kind, Gang: "ns/gang-50", Member: m})
				}
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(2*members), "ns/event")
	})
}
