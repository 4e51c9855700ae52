package owners

import (
	"strconv"

	"github.com/muster-sched/muster/internal/document"
)

// leaderWorkerSet reads a LeaderWorkerSet: each replica is a gang of a leader and its workers.
func (r *reading) leaderWorkerSet() []Gang {
	spec := r.root.Get("spec")
	group := spec.Get("leaderWorkerTemplate")
	size, replicas := r.whole(group.Get("size"), 1), r.whole(spec.Get("replicas"), 1)
	if !r.fits(spec.Get("replicas"), replicas, size) {
		return nil
	}
	var gangs []Gang
	for i := range replicas {
		gangs = append(gangs, r.replica(i, size))
	}
	return gangs
}

// replica is the gang of a replica, which has one more while a new version is rolled out.
func (r *reading) replica(i, size int) Gang {
	spec := r.root.Get("spec")
	group := spec.Get("leaderWorkerTemplate")
	worker, leader := group.Get("workerTemplate"), group.Get("leaderTemplate")
	if !leader.Present() {
		leader = worker
	}
	name := r.name + "-" + strconv.Itoa(i)
	workers := numbered(name, size)
	if size > 0 {
		workers = workers[1:] // the leader has their place, and goes by the name of the group
	}
	return Gang{Name: name, Metadata: r.root.Get("metadata"), Roles: []Role{
		{Name: "leader", Members: []Member{{Name: name}}, Template: leader},
		{Name: "worker", Members: workers, Template: worker, Later: spec.Get("startupPolicy").text() == "LeaderReady"},
	}}
}

// ReadReplicas are the gangs of further replicas of a LeaderWorkerSet, which has them while a new version is rolled out.
func ReadReplicas(name string, root At, replicas []int) (gangs []Gang) {
	r := &reading{name: name, root: root}
	size := r.whole(root.Get("spec").Get("leaderWorkerTemplate").Get("size"), 1)
	if size > MaxMembers {
		return nil
	}
	for _, i := range replicas {
		gangs = append(gangs, r.replica(i, size))
	}
	return gangs
}

// rayCluster reads the spec of a RayCluster: its head and groups of workers, of which the least suffice.
func (r *reading) rayCluster(spec At) []Gang {
	if !spec.Present() {
		return nil
	}
	head := r.withAutoscaler(spec, spec.Get("headGroupSpec").Get("template"))
	g := Gang{Name: r.name, Least: 1, Roles: []Role{{
		Name: "headgroup", Members: []Member{{Name: r.name + "-head"}}, Template: head, Rules: head.Get("metadata"), Least: 1,
	}}}
	for _, group := range spec.Get("workerGroupSpecs").items() {
		if s := group.Get("suspend").Value; s != nil && s.Kind == document.Boolean && s.Text == "true" {
			continue // it has no pods
		}
		hosts, replicas := max(1, r.whole(group.Get("numOfHosts"), 1)), r.whole(group.Get("replicas"), 0)
		least := r.whole(group.Get("minReplicas"), 0)
		if least == 0 {
			least = replicas
		}
		replicas = max(replicas, least)
		if most := group.Get("maxReplicas"); most.Present() {
			replicas = min(replicas, max(r.whole(most, replicas), 0))
			least = min(least, replicas)
		}
		if !r.fits(group.Get("replicas"), replicas, hosts) {
			continue
		}
		role := Role{Name: group.Get("groupName").text(), Template: group.Get("template"), Least: least * hosts}
		role.Rules = role.Template.Get("metadata")
		for i, m := range numbered(r.name+"-"+role.Name, replicas*hosts) {
			role.Members = append(role.Members, Member{Name: m.Name, Child: i / hosts})
		}
		if hosts > 1 {
			role.Child, role.Whole = hosts, true
		}
		g.Least += role.Least
		g.Roles = append(g.Roles, role)
	}
	return []Gang{g}
}

// withAutoscaler is the template of a head with the container that the operator adds where the cluster scales itself.
func (r *reading) withAutoscaler(spec, head At) At {
	on := spec.Get("enableInTreeAutoscaling").Value
	if on == nil || on.Text != "true" || !head.Present() {
		return head
	}
	resources := spec.Get("autoscalerOptions").Get("resources").Value
	if resources == nil {
		amounts := mapping()
		for _, of := range [][2]string{{"cpu", "500m"}, {"memory", "512Mi"}} {
			if r.reports(of[0]) {
				amounts = with(amounts, of[0], text(of[1]))
			}
		}
		resources = mapping("limits", amounts, "requests", amounts)
	}
	inner := head.Get("spec")
	list := &document.Value{Kind: document.List, Line: head.Line}
	if c := inner.Get("containers").Value; c != nil && c.Kind == document.List {
		list.Items = append(list.Items, c.Items...)
	}
	list.Items = append(list.Items, mapping("name", text("autoscaler"), "resources", resources))
	if inner.Value == nil {
		inner.Value = mapping()
	}
	head.Value = with(head.Value, "spec", with(inner.Value, "containers", list))
	return head
}

// mapping is a value of keys and what stands there.
func mapping(entries ...any) *document.Value {
	v := &document.Value{Kind: document.Mapping}
	for i := 0; i+1 < len(entries); i += 2 {
		v.Keys, v.Items = append(v.Keys, entries[i].(string)), append(v.Items, entries[i+1].(*document.Value))
	}
	return v
}

func text(s string) *document.Value { return &document.Value{Kind: document.Text, Text: s} }

// podGang reads a PodGang of Grove: pods by name, in groups that need so many each.
func (r *reading) podGang() []Gang {
	g := Gang{Name: r.name, Class: r.root.Get("spec").Get("priorityClassName")}
	for _, group := range r.root.Get("spec").Get("podgroups").items() {
		role := Role{Name: group.Get("name").text(), Absent: true, Rules: group}
		for _, ref := range group.Get("podReferences").items() {
			role.Members = append(role.Members, Member{Name: ref.Get("name").text()})
		}
		role.Least = r.whole(group.Get("minReplicas"), len(role.Members))
		g.Least += role.Least
		g.Roles = append(g.Roles, role)
	}
	return []Gang{g}
}
