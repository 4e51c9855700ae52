package lives_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/gang/permit"
	"github.com/muster-sched/muster/placement/manifest/internal/lives"
)

func life(least int, members map[string]bool) *lives.Life {
	return &lives.Life{Terms: gang.Terms{MinMember: least}, Members: members}
}

// A gang comes, its members get nodes, some end and come anew, and it ends.
func TestLives(t *testing.T) {
	told := lives.Told{}
	ev := func(kind permit.EventKind, member string) permit.Event {
		return permit.Event{Kind: kind, Gang: "g", Member: member}
	}
	require.Equal(t, []permit.Event{
		{Kind: permit.GangChanged, Gang: "g", Terms: gang.Terms{MinMember: 2}},
		ev(permit.MemberSeen, "m-2"), ev(permit.MemberBound, "m-2"), ev(permit.MemberSeen, "m-10"),
	}, told.Become(nil, map[lives.Name]*lives.Life{{Of: "g"}: life(2, map[string]bool{"m-10": false, "m-2": true})}))
	require.Empty(t, told.Become([]lives.Name{{Of: "g"}}, map[lives.Name]*lives.Life{{Of: "g"}: life(2, map[string]bool{"m-10": false, "m-2": true})}))
	require.Equal(t, []permit.Event{ev(permit.MemberBound, "m-10")}, told.Member("g", "m-10", true))
	require.Empty(t, told.Member("g", "m-10", true))

	// Another pod of the same name has no node yet.
	require.Equal(t, []permit.Event{ev(permit.MemberDeleted, "m-2"), ev(permit.MemberSeen, "m-2"), ev(permit.MemberDeleted, "m-10")},
		told.Become([]lives.Name{{Of: "g"}}, map[lives.Name]*lives.Life{{Of: "g"}: life(2, map[string]bool{"m-2": false})}))
	require.Equal(t, []permit.Event{{Kind: permit.GangChanged, Gang: "g", Terms: gang.Terms{MinMember: 1}}},
		told.Become([]lives.Name{{Of: "g"}}, map[lives.Name]*lives.Life{{Of: "g"}: life(1, map[string]bool{"m-2": false})}))
	require.Equal(t, []permit.Event{ev(permit.MemberDeleted, "m-2")}, told.Member("g", "m-2", false))
	require.Empty(t, told.Member("g", "m-2", false))
	require.Empty(t, told.Member("nobody", "m", true))
	require.Equal(t, []permit.Event{{Kind: permit.GangDeleted, Gang: "g"}}, told.Become([]lives.Name{{Of: "g"}}, nil))
	require.Empty(t, told)
}

// A pod in no gang is told as one, by its whole name; a gang of that name is another one.
func TestPlainPods(t *testing.T) {
	told, name := lives.Told{}, lives.Name{Of: "ns/p", Plain: true}
	pod := func(bound bool) map[lives.Name]*lives.Life {
		return map[lives.Name]*lives.Life{name: {Members: map[string]bool{"p": bound}}}
	}
	require.Equal(t, []permit.Event{{Kind: permit.MemberSeen, Member: "ns/p"}}, told.Become(nil, pod(false)))
	require.Equal(t, []permit.Event{{Kind: permit.MemberBound, Member: "ns/p"}}, told.Become(nil, pod(true)))
	gangs := map[lives.Name]*lives.Life{{Of: "ns/p"}: life(1, map[string]bool{"p": true})}
	require.Equal(t, []permit.Event{
		{Kind: permit.MemberDeleted, Member: "ns/p"},
		{Kind: permit.GangChanged, Gang: "ns/p", Terms: gang.Terms{MinMember: 1}},
		{Kind: permit.MemberSeen, Gang: "ns/p", Member: "p"},
		{Kind: permit.MemberBound, Gang: "ns/p", Member: "p"},
	}, told.Become([]lives.Name{name}, gangs))
	require.Len(t, told.Become([]lives.Name{{Of: "ns/p"}}, nil), 2)
	require.Empty(t, told.Become([]lives.Name{{Of: "ns/p"}, name}, nil))
}
