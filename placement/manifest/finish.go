package manifest

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/placement/manifest/internal/ignored"
	"github.com/muster-sched/muster/placement/manifest/internal/lists"
	"github.com/muster-sched/muster/placement/manifest/internal/member"
	"github.com/muster-sched/muster/placement/manifest/internal/object"
	"github.com/muster-sched/muster/placement/manifest/internal/quotas"
	"github.com/muster-sched/muster/placement/manifest/internal/trees"
)

// finishAll completes all gangs when the quotas are known, and tells what was found.
func (r *reader) finishAll() *outcome {
	r.gangs.formTeams()
	r.noteApart()
	var waiting []*draft
	for _, d := range r.gangs.drafts {
		if r.finish(d) {
			waiting = append(waiting, d)
		}
	}
	r.noteAdded()
	for _, d := range waiting {
		r.countIgnored(d)
		r.noteGated(d)
		r.check(d)
		r.addDemand(d)
	}
	joinTeams(waiting)
	return r.outcome(waiting)
}

// addDemand counts what a gang that waits asks for, whether it can be planned or not. One that is defective asks for nothing.
func (r *reader) addDemand(d *draft) {
	err := d.result.Err
	if d.quota == "" || r.base.quotas.Tree == nil || err != nil && !errors.Is(err, muster.ErrNotSupported) {
		return
	}
	r.demand = quotas.AddDemand(r.demand, map[string]muster.Resources{d.quota: d.asks})
}

// finish sorts out which members run and which wait, and makes the request. It says whether the gang waits.
func (r *reader) finish(d *draft) bool {
	d.adoptJob()
	members := d.promised
	if len(d.pods) > 0 {
		for _, m := range d.pods {
			d.seat(m)
		}
		d.takeAssigned()
		members = d.expect(d.pods)
		r.rules.rulesOfPods(d)
		r.rules.declaredByPods(d)
	}
	d.readTerms()
	d.stated = d.min
	if d.min = d.needs(); d.ends() {
		d.done = true
		members = slices.DeleteFunc(slices.Clone(members), func(m *member.Member) bool { return m.Node == "" })
		r.ending = append(r.ending, d.place().Title())
	}
	members = r.onNodes(d, members)
	member.SortMembers(members)
	joinQuota(&r.base.quotas, d, members)
	d.readClass(r.priorities, members)
	rank(r.priorities, d, members)
	d.protect(members)
	var leaving []*member.Member // who count for no gang
	members = slices.DeleteFunc(members, func(m *member.Member) bool {
		if m.Leaving {
			leaving = append(leaving, m)
		}
		return m.Leaving
	})
	whole := member.Part{Members: members}
	if d.arrange != nil {
		whole = d.arrange(d, members)
	}
	whole.CutUp(len(leaving))
	whole.Need = max(whole.Need, d.min)
	if d.min = whole.Needed(); len(whole.Parts) > 0 {
		members = whole.All()
		for i, m := range members {
			m.Index, m.Indexed = i, true
		}
	}
	d.result.Request.Name, d.lacks = d.name, whole.Lacking()
	r.run(d, members, leaving, d.min, r.closings(d, members, &whole))
	if d.runs > 0 && (r.base.opt.Movers || r.base.opt.Standing && !d.plain) {
		r.standing(d, members, &whole)
	}
	d.members = members
	d.waits = slices.ContainsFunc(members, func(m *member.Member) bool { return m.Node == "" })
	if d.waits {
		r.makeRequest(d, members, len(leaving), &whole)
	}
	return d.waits
}

// run lists the members that run, and the layers in whose domains they are alone. The gang needs at least so many of them, 0: all that are
// known.
func (r *reader) run(d *draft, members, leaving []*member.Member, least int, alone map[*member.Member]trees.Closing) {
	d.least = d.leastOf(least, len(members))
	doubtful := r.base.opt.KeepGoing && d.isDoubtful()
	for _, m := range slices.Concat(members, leaving) {
		if m.Node == "" {
			continue
		}
		if m.Obj != nil && m.Obj.Twin { // which of the two is meant nobody knows
			r.held.Close(m.Node)
			r.tellTwin(m)
			continue
		}
		in := r.closes(d, m, alone)
		wrong := r.base.opt.KeepGoing && len(m.Obj.Defects()) > 0
		if wrong && m.Obj.HasDefectIn("spec.containers", "spec.initContainers", "spec.overhead", "spec.resources") {
			r.held.Close(m.Node)
			r.notices.Add(fmt.Sprintf("node %s takes no others: what %s holds there cannot be read", m.Node, m.Obj.Title()))
		}
		m.Unevictable = m.Unevictable || doubtful || wrong
		if !m.Leaving {
			d.runs++
		}
		row := d.row(m)
		row.Budgets, row.Alone, row.AloneIn = r.base.budgets.Of(m.Obj, d.place().Namespace, m.Labels, m.Leaving, r.bound), in.Layer, in.Tree
		r.running = append(r.running, row)
	}
}

// leastOf is how many of so many members must run, where a minimum is known or, as 0, all are needed.
func (d *draft) leastOf(minimum, members int) int {
	switch {
	case d.plain:
		return 0
	case minimum == 0 || d.whole:
		return max(members, d.total)
	}
	return minimum
}

// row is a member that runs, as far as it and its gang say.
func (d *draft) row(m *member.Member) cluster.Running {
	return cluster.Running{
		Gang: d.name, Member: m.Name, Node: m.Node, Resources: m.Spec.Shape.Resources,
		Index: m.Index, Indexed: m.Indexed, Leaving: m.Leaving, NUMA: m.Zones,
		Quota: m.Quota, NonPreemptible: m.Pinned, Unevictable: m.Unevictable,
		Priority: m.Priority, MinMember: d.least, Started: m.Started, End: d.endOf(m),
		AffinityKey: m.AffinityKey, Tolerated: m.Tolerated,
	}
}

// holds are the places that are kept for members of a gang that waits: a scheduler has nominated them, once it made others leave there.
func (r *reader) holds(d *draft) (out []cluster.Hold) {
	for _, m := range d.pods {
		if m.Node != "" || m.Nominated == "" || d.result.Err != nil || m.Obj.Twin {
			continue
		}
		if r.objects.Names.Ask(object.NodeName(m.Nominated)); r.base.nodes.ByName[m.Nominated] != nil {
			out = append(out, cluster.Hold{
				Gang: d.name, Member: m.Name, Node: m.Nominated, Resources: m.Spec.Shape.Resources, Quota: m.Quota, NonPreemptible: m.Pinned,
				Priority: d.result.Request.Priority, Tolerated: m.Tolerated,
			})
		}
	}
	return out
}

// tellTwin tells, once, of a node that is closed for a pod of which there are several.
func (r *reader) tellTwin(m *member.Member) {
	text := fmt.Sprintf("node %s takes no others: %s is in the input twice, and nobody knows which of the two is there", m.Node, m.Obj.Title())
	if !r.twins[text] {
		lists.Enter(&r.twins, text, true)
		r.notices.Add(text)
	}
}

// isDoubtful says whether something is wrong with what the gang says, which may be a word that protects its members.
func (d *draft) isDoubtful() bool {
	return slices.ContainsFunc(slices.Concat(d.below, d.owners, []*object.Object{d.obj, d.jobObject()}), func(o *object.Object) bool {
		return len(o.Defects()) > 0
	})
}

// onNodes drops members that were bound to nodes which are not in the input: they are lost, and hold nothing.
func (r *reader) onNodes(d *draft, members []*member.Member) []*member.Member {
	var out []*member.Member
	for _, m := range members {
		if m.Node != "" {
			r.objects.Names.Ask(object.NodeName(m.Node))
		}
		if m.Node != "" && r.base.nodes.ByName[m.Node] == nil {
			who := d.place().Title() + ": member " + m.Name
			if m.Obj != nil {
				who = m.Obj.Title()
			}
			r.notices.Add(fmt.Sprintf("%s is on node %s, which %s: it holds nothing", who, m.Node, r.base.objects.LostNode(m.Node)))
			continue
		}
		out = append(out, m)
	}
	return out
}

// makeRequest fills in the result of a gang that waits; so many more of its members are leaving.
func (r *reader) makeRequest(d *draft, members []*member.Member, leaving int, whole *member.Part) {
	q := &d.result.Request
	q.Tree, q.Gather, q.PP, q.DP = d.tree, member.Unique(d.gather), d.pp, d.dp
	q.MinMember, q.Total, q.Quota, q.NeverPreempts = d.min, d.total, d.quota, d.never
	q.AffinityKey, q.End = object.AgreedOn(member.PodsOf(members), affinityKey), d.lastEnd(members)
	if d.min <= len(members) { // else it waits for the others
		whole.Group(q)
	}
	d.readDurations(members)
	d.asks = muster.Resources{}
	var shapes shapes
	for _, m := range members {
		if m.Node != "" {
			continue
		}
		q.Members = append(q.Members, gang.Member{
			Name: m.Name, Index: m.Index, Indexed: m.Indexed, Shape: shapes.of(m), NonPreemptible: m.Pinned,
		})
		d.asks.Add(m.Spec.Shape.Resources)
		if m.Obj == nil {
			lists.Enter(&d.result.promised, m.Name, true)
		}
	}
	q.Tolerated = d.team == nil && !slices.ContainsFunc(members, func(m *member.Member) bool { return !m.Tolerated })
	d.kept = r.limit(d, members, q)
	shareShape(q)
	if whole := len(members) + leaving; q.Total == 0 && !divides(q, len(members)) && divides(q, whole) {
		q.Total = whole // those that are leaving have not been replaced yet
	}
	if d.statesTerms() {
		d.result.Terms, d.result.Total = d.terms, d.total
		d.result.Terms.MinMember = cmp.Or(d.min, len(members))
	}
}

// divides says whether the groups of a request can be those of so many members, none of them larger than the gang.
func divides(q *gang.Request, members int) bool {
	_, err := q.Levels(members)
	largest := q.PP
	for _, g := range q.Groups {
		largest = max(largest, g.Size)
	}
	return err == nil && largest <= members
}

// check decides whether the gang can be planned.
func (r *reader) check(d *draft) {
	q, at, why := &d.result.Request, d.place(), "" // why it is not supported
	errs := d.defects(r.base.opt.Strict)
	own := len(errs)
	note := func(e *object.Defect) {
		e.File, e.Document, e.Line, e.Object = at.File, at.Document, at.Root.Line, at.Title()
		at.Errors, errs = append(at.Errors, e), append(errs, errorOf(e))
	}
	if reason := r.treeOf(d, q); reason != "" && own == 0 {
		note(&object.Defect{Field: d.treeField.Path(), Value: d.tree, Reason: reason})
	}
	if r.base.opt.Strict {
		for _, rule := range object.SortedKeys(d.result.Ignored) {
			note(&object.Defect{Reason: fmt.Sprintf("%s is not modelled (%s)", rule, object.Plural(d.result.Ignored[rule], "pod"))})
		}
	}
	if r.base.opt.Durations && own == 0 && d.runs == 0 && d.result.Runs == 0 {
		note(noDuration())
	}
	if len(errs) == 0 {
		for _, e := range invalid(q, len(d.members)) {
			if e.Unsupported {
				why = e.Reason
				continue
			}
			note(&object.Defect{Field: e.Field, Value: e.Value, Reason: e.Reason, Cause: e})
		}
	}
	switch {
	case len(errs) > 0:
		d.result.Err = errors.Join(errs...)
	case why != "":
		d.result.Err = &Error{
			File: at.File, Document: at.Document, Line: at.Root.Line, Object: at.Title(),
			Reason: why, cause: muster.ErrNotSupported,
		}
	case d.lacks != nil:
		d.result.Err = &placement.Unschedulable{
			Gang: d.name, Refuser: placement.RefuserRule, Rule: placement.RuleMinMember + " of " + d.lacks.AllOf,
			Wanted: d.lacks.Need, Fits: len(d.lacks.All()), Proven: true,
		}
	default:
		return
	}
	d.result.Request = gang.Request{Name: q.Name, Priority: q.Priority, Members: q.Members}
}

// defects are those of the objects whose defects are the gang's.
func (d *draft) defects(strict bool) (errs []error) {
	own, behind := d.concerned()
	for _, o := range own {
		// Copied from owners, whose rules its spec has, or that are read themselves.
		copied := o.Group == "kueue.x-k8s.io" || o.Group == quotas.KAI && d.hasRules() || o.IsCopy() && len(d.owners) > 0
		if o.Kind != "Pod" && !copied {
			o.RefuseUnasked(len(d.pods) > 0)
		}
	}
	for _, o := range slices.Concat(own, behind) {
		if strict {
			o.RefuseUnknown()
		}
		for _, e := range o.Errors {
			errs = append(errs, errorOf(e))
		}
	}
	return errs
}

// invalid lists what the request itself objects to. Its sizes are judged when enough members are known.
func invalid(q *gang.Request, known int) []*muster.InvalidError {
	err := q.Validate()
	if err == nil && known >= q.MinMember {
		_, err = q.Levels(max(known, q.Total))
	}
	if err == nil {
		return nil
	}
	return object.Invalids(err)
}

// countIgnored counts the rules of members that wait, but for those that the request keeps.
func (r *reader) countIgnored(d *draft) {
	for _, m := range d.members {
		if m.Node != "" {
			continue
		}
		rules := slices.AppendSeq(r.ignoredOfGang(d, m), maps.Keys(m.Spec.Ignored))
		rules = slices.DeleteFunc(rules, func(rule string) bool { return slices.Contains(d.kept, rule) })
		if !slices.Contains(rules, exclusiveTopology) { // which says it all
			rules = append(rules, r.addedBeside(d, m)...)
		}
		if r.isKeptAway(d, m, slices.Contains(d.kept, ignored.PodAntiAffinity)) {
			rules = append(rules, ignored.PodAntiAffinity)
		}
		for _, rule := range member.Unique(rules) {
			if d.result.Ignored == nil {
				d.result.Ignored = map[string]int{}
			}
			d.result.Ignored[rule]++
		}
	}
}

// ignoredOfGang counts rules of a waiting member that its gang or its owners have.
func (r *reader) ignoredOfGang(d *draft, m *member.Member) (found []string) {
	names := func(o *object.Object) bool {
		return o != nil && len(r.base.localQueues) > 0 && r.base.localQueues[o.Namespace+"/"+kueueQueue(o)]
	}
	if names(m.Obj) || names(d.obj) || d.job != nil && names(d.job.obj) {
		found = append(found, "kueueQuota")
	}
	if d.obj == nil && !d.plain && d.min == 0 && !slices.Contains(d.lost, absentOwner) {
		found = append(found, absentGroup)
	}
	if d.plain && slices.ContainsFunc(m.Obj.Owners, object.Reference.IsUnknown) {
		found = append(found, "unknownOwner")
	}
	if d.plain && r.objects.HasRules(m.Obj) {
		found = append(found, ownerTopology)
	}
	if len(exclusiveOf(m)) > 0 && !slices.Contains(d.lost, exclusiveTopology) {
		found = append(found, exclusiveTopology)
	}
	return append(found, d.lost...)
}
