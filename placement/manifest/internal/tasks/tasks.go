// Package tasks answers: which parts do the tasks of Volcano, and the policies for subgroups, make of the members of a gang, and how many of each are needed?
//
// Members come in rank order. What it returns belongs to the caller; the members are not changed, but for the labels that [Task.Label] gives them.
package tasks

import (
	"cmp"
	"maps"
	"slices"
	"strconv"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/placement/manifest/internal/member"
	"github.com/muster-sched/muster/placement/manifest/internal/object"
)

// Task is a role of a Volcano Job; Size is that of its partitions, 0 if it has none, and Least how many of these are needed.
type Task struct {
	Name        string
	Replicas    int
	Size, Least int
	Available   int // replicas that must be among those placed; 0: what the gang needs says all
	Rules       []gang.Rule
}

// Needs is what a gang needs: so many members, 0: all, of which some of each task are over already.
type Needs struct {
	Members int
	Over    map[string]int
}

// Add gives the parts of which a task is all what is needed of it, and tasks that are in no group a part. It says whether each task is in
// one. O(members + tasks).
func (n Needs) Add(parts []member.Part, tasks []Task) (with []member.Part, ok bool) {
	homes, mixed, known := homesOfTasks(parts)
	if n.Members == 0 || n.Members == known {
		return parts, true // all are needed
	}
	own := map[string]int{} // where the parts of tasks are that are in no group
	for i := range tasks {
		t := n.left(&tasks[i])
		in := homes[t.Name]
		switch {
		case t.Available == 0:
		case len(in) > 1:
			return parts, false
		case len(in) == 0 || parts[in[0]].Loose:
			own[t.Name] = len(parts) + len(with)
			with = append(with, member.Part{Name: "task " + t.Name, AllOf: "task " + t.Name, Bundle: true, Need: t.Available})
		case mixed[in[0]]:
			return parts, false
		default:
			p := &parts[in[0]]
			p.Need, p.AllOf = max(p.Need, t.Available), "task "+t.Name
		}
	}
	with = append(parts, with...)
	for i := range parts {
		if p := &with[i]; p.Loose {
			p.Members = slices.DeleteFunc(slices.Clone(p.Members), func(m *member.Member) bool {
				at, is := own[m.Said(TaskLabel)]
				if is {
					with[at].Members = append(with[at].Members, m)
				}
				return is
			})
		}
	}
	return slices.DeleteFunc(with, func(p member.Part) bool { return p.Loose && len(p.Members) == 0 }), true
}

// homesOfTasks are the parts with pods of each task, those with pods of several, and how many pods there are.
func homesOfTasks(parts []member.Part) (homes map[string][]int, mixed []bool, known int) {
	homes, mixed = map[string][]int{}, make([]bool, len(parts))
	for at := range parts {
		all := parts[at].All()
		known += len(all)
		for _, m := range all {
			name := m.Said(TaskLabel)
			if in := homes[name]; len(in) == 0 || in[len(in)-1] != at {
				homes[name] = append(in, at)
			}
			mixed[at] = mixed[at] || name != all[0].Said(TaskLabel)
		}
	}
	return homes, mixed, known
}

// left is a task without its replicas that have succeeded, which its minimum counts.
func (n Needs) left(t *Task) *Task {
	left := *t
	left.Available = max(0, t.Available-n.Over[t.Name])
	return &left
}

// Minima reads how many pods of each task a PodGroup needs, as far as that binds.
func Minima(needed int, f object.Field) []Task {
	var tasks []Task
	sum := 0
	for name, e := range f.Entries() {
		n, _ := e.Whole(0)
		tasks, sum = append(tasks, Task{Name: name, Available: n}), sum+n
	}
	slices.SortFunc(tasks, func(a, b Task) int { return muster.CompareNatural(a.Name, b.Name) })
	if sum > needed {
		return nil
	}
	return tasks
}

// SumOfMinima is how many members a Job needs that does not say: as many as its tasks do; 0: all.
func SumOfMinima(tasks []Task) int {
	sum, all := 0, 0
	for i := range tasks {
		t := &tasks[i]
		all += t.Replicas
		switch {
		case t.Available > 0:
			sum += t.Available
		case t.Size > 0 && t.Least > 0:
			sum += t.Least * t.Size
		default:
			sum += t.Replicas
		}
	}
	if sum >= all {
		return 0
	}
	return sum
}

// Bind drops the minima of tasks that do not bind: as in Volcano, all of them where they sum up to more than the gang
// needs.
func (n Needs) Bind(tasks []Task) {
	sum, all := 0, 0
	for i := range tasks {
		sum, all = sum+tasks[i].Available, all+tasks[i].Replicas
	}
	if need := cmp.Or(n.Members, all); sum > need || need == all {
		for i := range tasks {
			tasks[i].Available = 0
		}
	}
}

// Labels of the pods that a Job makes.
const (
	TaskLabel      = "volcano.sh/task-spec"
	taskIndexLabel = "volcano.sh/task-index"
	partitionLabel = "volcano.sh/partition-id"
)

// Label gives replicas the labels that the controller writes, those of a partition the same.
func (t *Task) Label(members []*member.Member, template map[string]string) {
	var labels map[string]string
	for i, m := range members {
		if i == 0 || t.Size > 0 && i%t.Size == 0 {
			labels = map[string]string{}
			maps.Copy(labels, template)
			if labels[TaskLabel] = t.Name; t.Size > 0 {
				labels[partitionLabel] = strconv.Itoa(i / t.Size)
			}
		}
		m.Labels = labels
	}
}

// Arrange makes the partitions groups. Tasks without partitions, and pods of no task, are the gang's own members.
func (n Needs) Arrange(tasks []Task, members []*member.Member) member.Part {
	byTask := map[string][]*member.Member{}
	for _, m := range members {
		name := m.Said(TaskLabel)
		if !slices.ContainsFunc(tasks, func(t Task) bool { return t.Name == name }) {
			name = ""
		}
		if name == "" && len(tasks) == 1 && tasks[0].Size > 0 { // its pods are all there are
			name = tasks[0].Name
		}
		byTask[name] = append(byTask[name], m)
	}
	var parts []member.Part
	for i := range tasks {
		t := n.left(&tasks[i])
		of := byTask[t.Name]
		switch {
		case t.Size > 0:
			p := n.bundle("task "+t.Name, t.partitions(of), t.Least, t.Size)
			p.Need, p.AllOf = max(p.Need, t.Available), "task "+t.Name
			parts = append(parts, p)
		case t.Available > 0:
			parts = append(parts, member.Part{Name: "task " + t.Name, AllOf: "task " + t.Name, Bundle: true, Members: of, Need: t.Available})
		default:
			parts = append(parts, member.Part{Loose: true, Members: of})
		}
	}
	parts = append(parts, member.Part{Loose: true, Members: byTask[""]})
	if !slices.ContainsFunc(parts, func(p member.Part) bool { return p.Bundle }) {
		return member.Part{Members: members}
	}
	return member.Join(slices.DeleteFunc(parts, func(p member.Part) bool { return p.Loose && len(p.Members) == 0 }))
}

// partitions are groups of consecutive replicas: those of a partition's label, else of the index of the replica, else as they come.
func (t *Task) partitions(members []*member.Member) []member.Part {
	byID := map[int][]*member.Member{}
	for i, m := range members {
		id := i / t.Size
		if index, ok := object.Ordinal(m.Said(taskIndexLabel)); ok {
			id = index / t.Size
		}
		if label, ok := object.Ordinal(m.Said(partitionLabel)); ok {
			id = label
		}
		byID[id] = append(byID[id], m)
	}
	var out []member.Part
	for _, id := range slices.Sorted(maps.Keys(byID)) {
		p := member.Part{Name: t.Name + "/" + strconv.Itoa(id), Rules: t.Rules, Members: byID[id]}
		size := t.Size
		if rest := t.Replicas - id*t.Size; rest > 0 {
			size = min(size, rest)
		}
		out = append(out, p.Whole(size))
	}
	return out
}
