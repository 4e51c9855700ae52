package cases

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/gang/permit"
	"github.com/muster-sched/muster/gang/queue"
)

// gangKinds are the kinds of cases about the order of the queue and about who is let go when.
var gangKinds = []string{"lifecycle", "queue"}

// gangCase is a case of these kinds.
type gangCase struct {
	Kind  string
	Gangs []struct {
		Name        string
		MinMember   int
		Members     []string
		Mode        gang.Mode
		MatchPolicy gang.MatchPolicy
		Group       []string
		WaitTime    int64
		UID         string
		Created     int64
		LastFailure *int64
	}
	Events []gangEvent
	Queue  []queuedPod
	Order  []string
}

// gangEvent is an event, the members that it must be answered by, by action, and who is where after it, by gang.
type gangEvent struct {
	T         int64
	Event     permit.EventKind
	Pod, Gang string
	Want      map[string][]string
	State     map[string]map[string][]string
}

type queuedPod struct {
	Pod, UID, Gang    string
	Priority, Created int64
	Index             *int
}

// gangsDiffer judges a case, with gangs and pods in both directions.
func gangsDiffer(c *Case) string {
	var g gangCase
	if err := c.decode(&g); err != nil {
		return err.Error()
	}
	differ := g.eventsDiffer
	if g.Kind == "queue" {
		differ = g.orderDiffers
	}
	if why := differ(); why != "" {
		return why
	}
	slices.Reverse(g.Gangs)
	slices.Reverse(g.Queue)
	return differ()
}

// eventsDiffer goes through the events, all gangs and members known before.
func (g *gangCase) eventsDiffer() string {
	state, gangOf := &permit.Lifecycle{}, map[string]string{}
	var err error
	for _, from := range g.Gangs {
		for _, member := range from.Members {
			gangOf[member] = from.Name
			state, _, err = state.Step(permit.Event{Kind: permit.MemberSeen, Gang: from.Name, Member: member})
			if err != nil {
				return err.Error()
			}
		}
		state, _, err = state.Step(permit.Event{Kind: permit.GangChanged, Gang: from.Name, Terms: gang.Terms{
			MinMember: from.MinMember, Mode: from.Mode, Match: from.MatchPolicy, Group: from.Group, WaitTime: from.WaitTime,
		}})
		if err != nil {
			return err.Error()
		}
	}
	for i, e := range g.Events {
		next, actions, err := state.Step(permit.Event{Kind: e.Event, Time: e.T, Gang: cmp.Or(e.Gang, gangOf[e.Pod]), Member: e.Pod})
		if err != nil {
			return fmt.Sprintf("event %d: %v", i, err)
		}
		if got := answers(actions); !reflect.DeepEqual(got, e.Want) {
			return fmt.Sprintf("event %d, %s %s: want %v, got %v", i, e.Event, e.Pod, e.Want, got)
		}
		if got := g.standing(next); !reflect.DeepEqual(got, e.State) {
			return fmt.Sprintf("state after event %d, %s %s: want %v, got %v", i, e.Event, e.Pod, e.State, got)
		}
		state = next
	}
	return ""
}

// answers are the members of each action. What goes back to the queue is not compared: cases say who fails, not who tries again.
func answers(actions []permit.Action) map[string][]string {
	got := map[string][]string{}
	for _, a := range actions {
		for _, ref := range a.Members {
			got[string(a.Kind)] = append(got[string(a.Kind)], ref.Member)
		}
	}
	return got
}

// standing says who is where, without empty lists.
func (g *gangCase) standing(state *permit.Lifecycle) map[string]map[string][]string {
	got := map[string]map[string][]string{}
	for _, from := range g.Gangs {
		s, _ := state.Gang(from.Name)
		lists := map[string][]string{"waiting": s.Waiting, "allowed": s.Allowed, "bound": s.Bound}
		maps.DeleteFunc(lists, func(_ string, names []string) bool { return len(names) == 0 })
		got[from.Name] = lists
	}
	return got
}

// orderDiffers needs one order of a queue of gangs, whose members are put in order by themselves, and of a list of pods.
func (g *gangCase) orderDiffers() string {
	pods, gangs, members := g.pods()
	var waiting queue.Queue
	for _, queued := range gangs {
		if err := waiting.Add(*queued); err != nil {
			return err.Error()
		}
	}
	var byGang, byPod []string
	for queued := range waiting.All() {
		list := members[queued.Name]
		slices.SortFunc(list, func(a, b *gang.Member) int { return queue.CompareMembers(a, b) })
		for _, m := range list {
			byGang = append(byGang, m.Name)
		}
	}
	slices.SortFunc(pods, func(a, b pod) int { return queue.ComparePods(a.gang, a.member, b.gang, b.member) })
	for _, p := range pods {
		byPod = append(byPod, p.member.Name)
	}
	if !slices.Equal(byGang, g.Order) || !slices.Equal(byPod, g.Order) {
		return fmt.Sprintf("order: want %v, got %v by gang, %v by pod", g.Order, byGang, byPod)
	}
	return ""
}

// pod is a member with its gang.
type pod struct {
	gang   *queue.Entry
	member *gang.Member
}

// pods reads a queue: a gang has the lowest priority of its members, a plain pod is a gang of one.
func (g *gangCase) pods() (pods []pod, gangs map[string]*queue.Entry, members map[string][]*gang.Member) {
	gangs, members = map[string]*queue.Entry{}, map[string][]*gang.Member{}
	for _, from := range g.Gangs {
		queued := &queue.Entry{Name: from.Name, UID: from.UID, Created: from.Created}
		if from.LastFailure != nil {
			queued.LastFailure, queued.Failed = *from.LastFailure, true
		}
		gangs[from.Name] = queued
	}
	for _, from := range g.Queue {
		m := &gang.Member{Name: from.Pod}
		if from.Index != nil {
			m.Index, m.Indexed = *from.Index, true
		}
		name := cmp.Or(from.Gang, from.Pod)
		if gangs[name] == nil {
			gangs[name] = &queue.Entry{Name: name, UID: from.UID, Created: from.Created}
		}
		if queued := gangs[name]; len(members[name]) == 0 || from.Priority < queued.Priority {
			queued.Priority = from.Priority
		}
		members[name] = append(members[name], m)
		pods = append(pods, pod{gangs[name], m})
	}
	return pods, gangs, members
}
