package permit_test

import (
	"fmt"
	"testing"

	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/gang/permit"
)

// BenchmarkLifecycle lets gangs of 1,024 members go, one of 100 that are known: every member is reserved, the last one lets all go,
// and all are bound. ns/event is the mean over those 2,048 events.
func BenchmarkLifecycle(b *testing.B) {
	const members, gangs = 1024, 100
	start := &permit.Lifecycle{}
	step := func(l *permit.Lifecycle, e permit.Event) *permit.Lifecycle {
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
		start = step(start, permit.Event{Kind: permit.GangChanged, Gang: name, Terms: gang.Terms{MinMember: members}})
		for _, m := range names {
			start = step(start, permit.Event{Kind: permit.MemberSeen, Gang: name, Member: m})
		}
	}
	b.Run(fmt.Sprintf("gangs=%d/members=%d", gangs, members), func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			l := start
			for _, kind := range []permit.EventKind{permit.MemberReserved, permit.MemberBound} {
				for _, m := range names {
					l = step(l, permit.Event{Kind: kind, Gang: "ns/gang-50", Member: m})
				}
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(2*members), "ns/event")
	})
}
