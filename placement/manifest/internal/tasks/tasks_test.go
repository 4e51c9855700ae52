package tasks

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster/placement/manifest/internal/member"
	"github.com/muster-sched/muster/placement/manifest/internal/object"
	"github.com/muster-sched/muster/placement/manifest/internal/selectors"
)

// members makes some of a task, with the labels of its replicas.
func members(t *Task) []*member.Member {
	var all []*member.Member
	for i := range t.Replicas {
		all = append(all, &member.Member{Name: fmt.Sprint(t.Name, "-", i), Spec: &member.Spec{}})
	}
	t.Label(all, map[string]string{"app": "a"})
	return all
}

// told writes parts as their names, what they need and who is in them.
func told(parts []member.Part) (out string) {
	for _, p := range parts {
		out += fmt.Sprintf("[%s %d/%d", p.Name, p.Need, p.NeedParts)
		for _, m := range p.Members {
			out += " " + m.Name
		}
		out += told(p.Parts) + "]"
	}
	return out
}

// A Job without a minimum needs what its tasks do; minima of tasks bind where they leave some member out, and are no more than what it needs.
func TestMinimaOfTasks(t *testing.T) {
	all := func() []Task {
		return []Task{{Name: "a", Replicas: 3, Available: 1}, {Name: "b", Replicas: 6, Size: 2, Least: 2}, {Name: "c", Replicas: 2}}
	}
	require.Equal(t, 1+4+2, SumOfMinima(all()))
	require.Zero(t, SumOfMinima(all()[2:]), "all are needed")
	for needed, left := range map[int]int{0: 0, 11: 0, 7: 1, 1: 1} {
		tasks := all()
		Needs{Members: needed}.Bind(tasks)
		require.Equal(t, left, tasks[0].Available, "of %d", needed)
	}
	tasks := all()
	tasks[2].Available = 2
	Needs{Members: 2}.Bind(tasks)
	require.Zero(t, tasks[0].Available, "more in sum than the gang needs")
}

// Partitions are told by label; of a task so many members are needed, less those that are over, and the others are the gang's own.
func TestPartsOfTasks(t *testing.T) {
	cut, some, plain := Task{Name: "p", Replicas: 5, Size: 2, Least: 1}, Task{Name: "s", Replicas: 2, Available: 2}, Task{Name: "q", Replicas: 1}
	all := append(append(members(&cut), members(&some)...), members(&plain)...)
	whole := Needs{Members: 4, Over: map[string]int{"s": 1}}.Arrange([]Task{cut, some, plain}, all)
	require.Equal(t, "[task p 0/1[p/0 0/0 p-0 p-1][p/1 0/0 p-2 p-3][p/2 0/0 p-4]][task s 1/0 s-0 s-1][ 0/0 q-0]", told(whole.Parts))
	require.Equal(t, "p", all[0].Labels[TaskLabel])
	require.Equal(t, "a", all[0].Labels["app"])
	require.Empty(t, Needs{}.Arrange([]Task{plain}, members(&plain)).Parts)
}

// Of policies the first that matches has a pod; a policy of which too few groups are known waits for more. A task that is all of a group, or in none, has
// its minimum there.
func TestGroupsOfPolicies(t *testing.T) {
	a, b := Task{Name: "a", Replicas: 2, Available: 2}, Task{Name: "b", Replicas: 1, Available: 1}
	all := append(members(&a), members(&b)...)
	for i, m := range all[:2] {
		m.Labels = map[string]string{TaskLabel: "a", "set": fmt.Sprint(10 - i)}
	}
	policies := []Policy{{Name: "x", Selector: selectors.ReadLabels(object.Field{}), Keys: []string{"set"}, Size: 1, Least: 3}}
	n := Needs{Members: 2}
	parts := n.SubGroups(policies, all)
	require.Equal(t, "[policy x 3/0[x/9 0/0 a-1][x/10 0/0 a-0]][ 0/0 b-0]", told(parts))
	with, ok := n.Add(parts, []Task{a, b})
	require.True(t, ok)
	require.Equal(t, "[policy x 3/0[x/9 0/0 a-1][x/10 0/0 a-0]][task b 1/0 b-0]", told(with))
	_, ok = n.Add([]member.Part{{Members: all}, {Members: all[:1]}}, []Task{a})
	require.False(t, ok, "a task in two groups")
}
