package render

import (
	"strings"

	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/explain"
	"github.com/muster-sched/muster/placement"
)

// explanation is what [placement.Explain] found, as JSON: verdict, codes, fragmentation, relaxations, notTried, and the number of plans
// that were made. A change is told in the words of the input, so that a program can apply it; a path is joined by slashes.
func explanation(e *placement.Explanation) object {
	codes, tiers, changes, notTried := []object{}, []object{}, []object{}, []object{}
	for i := range e.Facts {
		f := &e.Facts[i]
		codes = append(codes, object{{"code", string(f.Code)}, {"detail", detail(f)}, {"proven", f.Proven}})
	}
	for i := range e.Fragmentation {
		tiers = append(tiers, fragmentation(&e.Fragmentation[i]))
	}
	for i := range e.Relaxations {
		r := &e.Relaxations[i]
		changes = append(changes, object{
			{"kind", string(kindOfChange(r))}, {"change", changeOf(e.Gang, r)}, {"least", r.Least}, {"plan", trialPlan(&r.Plan)},
		})
	}
	for _, n := range e.NotTried {
		notTried = append(notTried, object{{"kind", string(n.Kind)}, {"reason", n.Reason}})
	}
	return append(
		verdictObject("verdict", e.Verdict),
		field{"codes", codes},
		field{"fragmentation", tiers},
		field{"relaxations", changes},
		field{"notTried", notTried},
		field{"plans", e.Plans},
	)
}

// verdictObject has a verdict in the words of the status of a plan, and what these leave open: on what condition it is placed, or that it is
// invalid.
func verdictObject(key string, v placement.Verdict) object {
	switch v {
	case placement.VerdictPlaced:
		return object{{key, statusPlaced}}
	case placement.VerdictWaits, placement.VerdictNeedsVictims:
		return object{{key, statusPlaced}, {"condition", string(v)}}
	case placement.VerdictInvalid:
		return object{{key, statusUnschedulable}, {"condition", string(v)}}
	case placement.VerdictRefused:
	}
	return object{{key, statusUnschedulable}}
}

// detail has the counts that belong to a code, zeros included, and what else there is.
func detail(f *explain.Fact) object {
	d, doc := &f.Detail, object{}
	switch f.Code {
	case explain.CodeInvalid, explain.CodeSteps, explain.CodeNoResource:
	case explain.CodePreemptionForbidden, explain.CodePriority, explain.CodeProtected:
		doc = append(doc, field{"members", d.Members}, field{"gangs", d.Gangs})
	case explain.CodeCordon, explain.CodeNotReady, explain.CodeTaint, explain.CodeSelector, explain.CodeHostFilter, explain.CodeClosed,
		explain.CodeOccupied, explain.CodeZonePolicy, explain.CodeZoneExclusive, explain.CodeZoneCapacity:
		doc = append(doc, field{"nodes", d.Nodes}, field{"slots", d.Slots})
	case explain.CodeCapacity, explain.CodeFragmentation:
		doc = append(doc, field{"wanted", d.Wanted}, field{"fits", d.Fits}, field{"slots", d.Slots})
	default:
		doc = append(doc, field{"wanted", d.Wanted}, field{"fits", d.Fits})
	}
	for _, text := range []struct{ key, value string }{{"rule", d.Rule}, {"part", d.Part}, {"quota", d.Quota}, {"resource", d.Resource}, {"nearest", d.Nearest}, {"reason", d.Reason}} {
		if text.value != "" {
			doc = append(doc, field{text.key, text.value})
		}
	}
	if len(d.Short) > 0 {
		deficit := object{}
		for _, s := range d.Short {
			deficit = append(deficit, field{s.Resource, s.By})
		}
		doc = append(doc, field{"deficit", deficit})
	}
	for _, counts := range []struct {
		key  string
		list []explain.KeyCount
	}{{"keys", d.Keys}, {"resources", d.Resources}} {
		of := object{}
		for _, k := range counts.list {
			of = append(of, field{k.Key, k.Nodes})
		}
		if len(of) > 0 {
			doc = append(doc, field{counts.key, of})
		}
	}
	if len(d.Names) > 0 {
		doc = append(doc, field{"together", d.Names})
	}
	return doc
}

func fragmentation(d *explain.Fragmentation) object {
	holders := []object{}
	for _, h := range d.HeldBy {
		of := field{"gang", h.Gang}
		if h.Node != "" {
			of = field{"node", h.Node}
		}
		holder := object{of, {"slots", h.Slots}}
		if h.From != 0 {
			holder = append(holder, field{"from", h.From})
		}
		holders = append(holders, holder)
	}
	return object{
		{"tier", d.Tier},
		{"layer", d.Layer},
		{"slots", d.Slots},
		{"best", object{{"domain", strings.Join(d.Domain, "/")}, {"slots", d.Best}}},
		{"missing", d.Missing},
		{"heldBy", holders},
	}
}

// trialPlan is the plan that a change leads to.
func trialPlan(p *explain.Plan) object {
	doc := append(
		verdictObject("status", verdictOf(p)),
		field{"tier", p.Tier},
		field{"layer", p.Layer},
		field{"domain", strings.Join(p.Domain, "/")},
		field{"strategy", p.Strategy},
		field{"members", p.Members},
	)
	if len(p.WaitsFor) > 0 {
		doc = append(doc, field{"waitsFor", podsOf(p.WaitsFor)})
	}
	return append(doc, field{"victims", podsOf(p.Victims)})
}

// verdictOf says what becomes of the gang by a trial plan, in the words of the verdicts.
func verdictOf(p *explain.Plan) placement.Verdict {
	switch {
	case len(p.Victims) > 0:
		return placement.VerdictNeedsVictims
	case len(p.WaitsFor) > 0:
		return placement.VerdictWaits
	}
	return placement.VerdictPlaced
}

func podsOf(refs []cluster.MemberRef) []object {
	found := []object{}
	for _, m := range refs {
		found = append(found, object{{"pod", PodName(m)}, {"gang", m.Gang}})
	}
	return found
}

// kindOfChange is the kind of what is to change: of several changes, whatever their kinds, that of a combination.
func kindOfChange(r *explain.Relaxation) explain.Kind {
	if len(r.And) > 0 {
		return explain.KindCombination
	}
	return r.Kind
}

// changeOf is what to change of a gang, or around it; of a combination all changes.
func changeOf(gang string, r *explain.Relaxation) object {
	if len(r.And) == 0 {
		return change(gang, &r.Change)
	}
	all := []object{{{"kind", string(r.Kind)}, {"change", change(gang, &r.Change)}}}
	for i := range r.And {
		all = append(all, object{{"kind", string(r.And[i].Kind)}, {"change", change(gang, &r.And[i])}})
	}
	return object{{"changes", all}}
}
