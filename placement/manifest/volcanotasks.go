package manifest

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

// Tasks of Volcano: roles of a Job, of which a PodGroup or the Job may need so many each.

// task is a role of a Volcano Job; size is that of its partitions, 0 if it has none.
type task struct {
	name        string
	replicas    int
	size, least int
	available   int // replicas that must be among those placed; 0: what the gang needs says all
	rules       []gang.Rule
}

// addTasks gives the parts of which a task is all what is needed of it, and tasks that are in no group a part. It says whether each task is in
// one. O(members + tasks).
func (d *draft) addTasks(parts []member.Part, tasks []task) (with []member.Part, ok bool) {
	homes, mixed, known := homesOfTasks(parts)
	if d.min == 0 || d.min == known {
		return parts, true // all are needed
	}
	own := map[string]int{} // where the parts of tasks are that are in no group
	for i := range tasks {
		t := d.taskLeft(&tasks[i])
		in := homes[t.name]
		switch {
		case t.available == 0:
		case len(in) > 1:
			return parts, false
		case len(in) == 0 || parts[in[0]].Loose:
			own[t.name] = len(parts) + len(with)
			with = append(with, member.Part{Name: "task " + t.name, AllOf: "task " + t.name, Bundle: true, Need: t.available})
		case mixed[in[0]]:
			return parts, false
		default:
			p := &parts[in[0]]
			p.Need, p.AllOf = max(p.Need, t.available), "task "+t.name
		}
	}
	with = append(parts, with...)
	for i := range parts {
		if p := &with[i]; p.Loose {
			p.Members = slices.DeleteFunc(slices.Clone(p.Members), func(m *member.Member) bool {
				at, is := own[m.Said(taskLabel)]
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
			name := m.Said(taskLabel)
			if in := homes[name]; len(in) == 0 || in[len(in)-1] != at {
				homes[name] = append(in, at)
			}
			mixed[at] = mixed[at] || name != all[0].Said(taskLabel)
		}
	}
	return homes, mixed, known
}

// taskLeft is a task without its replicas that have succeeded, which its minimum counts.
func (d *draft) taskLeft(t *task) *task {
	left := *t
	left.available = max(0, t.available-d.over.byRole[t.name])
	return &left
}

// taskMinima reads how many pods of each task a PodGroup needs, as far as that binds.
func taskMinima(d *draft, f object.Field) []task {
	var tasks []task
	sum := 0
	for name, e := range f.Entries() {
		n, _ := e.Whole(0)
		tasks, sum = append(tasks, task{name: name, available: n}), sum+n
	}
	slices.SortFunc(tasks, func(a, b task) int { return muster.CompareNatural(a.name, b.name) })
	if sum > d.min {
		return nil
	}
	return tasks
}

// sumOfMinima is how many members a Job needs that does not say: as many as its tasks do; 0: all.
func sumOfMinima(tasks []task) int {
	sum, all := 0, 0
	for i := range tasks {
		t := &tasks[i]
		all += t.replicas
		switch {
		case t.available > 0:
			sum += t.available
		case t.size > 0 && t.least > 0:
			sum += t.least * t.size
		default:
			sum += t.replicas
		}
	}
	if sum >= all {
		return 0
	}
	return sum
}

// bindTasks drops the minima of tasks that do not bind: as in Volcano, all of them where they sum up to more than the gang
// needs.
func bindTasks(d *draft, tasks []task) {
	sum, all := 0, 0
	for i := range tasks {
		sum, all = sum+tasks[i].available, all+tasks[i].replicas
	}
	if need := cmp.Or(d.min, all); sum > need || need == all {
		for i := range tasks {
			tasks[i].available = 0
		}
	}
}

// Labels of the pods that a Job makes.
const (
	taskLabel      = "volcano.sh/task-spec"
	taskIndexLabel = "volcano.sh/task-index"
	partitionLabel = "volcano.sh/partition-id"
)

// label gives replicas the labels that the controller writes, those of a partition the same.
func (t *task) label(members []*member.Member, template map[string]string) {
	var labels map[string]string
	for i, m := range members {
		if i == 0 || t.size > 0 && i%t.size == 0 {
			labels = map[string]string{}
			maps.Copy(labels, template)
			if labels[taskLabel] = t.name; t.size > 0 {
				labels[partitionLabel] = strconv.Itoa(i / t.size)
			}
		}
		m.Labels = labels
	}
}

// arrangeTasks makes the partitions groups. Tasks without partitions, and pods of no task, are the gang's own members.
func arrangeTasks(d *draft, tasks []task, members []*member.Member) member.Part {
	byTask := map[string][]*member.Member{}
	for _, m := range members {
		name := m.Said(taskLabel)
		if !slices.ContainsFunc(tasks, func(t task) bool { return t.name == name }) {
			name = ""
		}
		if name == "" && len(tasks) == 1 && tasks[0].size > 0 { // its pods are all there are
			name = tasks[0].name
		}
		byTask[name] = append(byTask[name], m)
	}
	var parts []member.Part
	for i := range tasks {
		t := d.taskLeft(&tasks[i])
		of := byTask[t.name]
		switch {
		case t.size > 0:
			p := d.bundle("task "+t.name, t.partitions(of), t.least, t.size)
			p.Need, p.AllOf = max(p.Need, t.available), "task "+t.name
			parts = append(parts, p)
		case t.available > 0:
			parts = append(parts, member.Part{Name: "task " + t.name, AllOf: "task " + t.name, Bundle: true, Members: of, Need: t.available})
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
func (t *task) partitions(members []*member.Member) []member.Part {
	byID := map[int][]*member.Member{}
	for i, m := range members {
		id := i / t.size
		if index, ok := object.Ordinal(m.Said(taskIndexLabel)); ok {
			id = index / t.size
		}
		if label, ok := object.Ordinal(m.Said(partitionLabel)); ok {
			id = label
		}
		byID[id] = append(byID[id], m)
	}
	var out []member.Part
	for _, id := range slices.Sorted(maps.Keys(byID)) {
		p := member.Part{Name: t.name + "/" + strconv.Itoa(id), Rules: t.rules, Members: byID[id]}
		size := t.size
		if rest := t.replicas - id*t.size; rest > 0 {
			size = min(size, rest)
		}
		out = append(out, p.Whole(size))
	}
	return out
}
