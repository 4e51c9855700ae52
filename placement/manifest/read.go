package manifest

import (
	"cmp"
	"errors"
	"maps"
	"slices"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/placement/manifest/internal/budgets"
	"github.com/muster-sched/muster/placement/manifest/internal/lists"
	"github.com/muster-sched/muster/placement/manifest/internal/nodes"
	"github.com/muster-sched/muster/placement/manifest/internal/object"
	"github.com/muster-sched/muster/placement/manifest/internal/quotas"
	"github.com/muster-sched/muster/placement/manifest/internal/runs"
)

// Read reads all files together; the order of files and of objects changes nothing but the order of errors. All
// defects are reported, joined, each an [*Error]; a document that cannot be parsed is one. Unknown kinds and unknown
// fields are no defects. A name in the options that nobody has is a [muster.InvalidError]. O(bytes + n log n) for n objects; the files
// are not kept.
func Read(files []File, opt Options) (*Input, error) {
	var notices, ofGangs object.Notices
	objects := object.NewSet(isRead, &notices)
	changed, err := readFiles(objects, files, &opt)
	if err != nil {
		return nil, err
	}
	b := newBase(opt, objects, &notices)
	b.read()
	r := newReader(b, objects, &ofGangs, nil)
	r.link()
	r.gangs.forget(opt.WithoutGangs)
	b.quotas.Build(r.queuesUsed())
	out := r.finishAll()
	if len(out.fatal) > 0 {
		return nil, errors.Join(sortErrors(out.fatal)...)
	}
	input := b.input([]*outcome{out}, objects.Skipped)
	input.Replaced, input.WithoutNodes, input.Returned = objects.Replaced, changed.Without, changed.Returned
	return input, nil
}

// defects are those that fail the whole input or, with KeepGoing, those that do not. Those of objects of waiting gangs are the gangs' then,
// and neither.
func defects(objects *object.Set, keepGoing bool, waiting []*draft) (fatal, spared []object.Located) {
	if !keepGoing {
		return objects.Errors(nil), nil
	}
	kept := map[*object.Object]bool{}
	for _, d := range waiting {
		own, behind := d.concerned()
		for _, o := range slices.Concat(own, behind) {
			kept[o] = true
		}
	}
	return nil, objects.Errors(kept)
}

// input is what the base says, and what readings of gangs found that share no name.
func (b *base) input(found []*outcome, skipped map[object.KindCount]int) *Input {
	input := &Input{Unread: b.quotas.Unread, Notices: b.told()}
	bound, held, keys := budgets.Counts{}, nodes.Held{}, map[string]bool{}
	unknown := b.objects.Unknown()
	var waiting []Gang
	var spared []object.Located
	var standings []standing
	for _, f := range found {
		waiting, spared = append(waiting, f.waiting...), append(append(spared, f.fatal...), f.spared...)
		input.Spec.Running, input.Empty = append(input.Spec.Running, f.running...), append(input.Empty, f.empty...)
		input.Spec.Holds = append(input.Spec.Holds, f.holds...)
		input.Ending = append(input.Ending, f.ending...)
		input.Notices, standings = append(input.Notices, f.notices...), append(standings, f.standings...)
		input.Spec.Demand = quotas.AddDemand(input.Spec.Demand, f.demand)
		bound.Add(f.bound)
		held.Add(f.held)
		maps.Copy(keys, f.keys)
		unknown = lists.Add(unknown, f.unknown)
		for gang, names := range f.owners {
			lists.Enter(&input.Owners, gang, names)
		}
	}
	for key, n := range unknown {
		input.Notices = append(input.Notices, key.Told(n))
	}
	sortQueue(waiting)
	input.Gangs = waiting
	input.Spec.Trees, input.Spec.Quotas = b.trees.Lookup(keys).All(), b.quotas.Tree
	input.Spec.Nodes, input.Spec.Budgets = b.zones.Counted(held), b.budgets.Allowed(bound)
	slices.SortFunc(input.Spec.Running, runs.ByName)
	slices.SortFunc(input.Spec.Holds, runs.HoldsByName)
	input.enterStanding(standings, &b.opt)
	slices.SortFunc(input.Empty, muster.CompareNatural)
	slices.SortFunc(input.Ending, muster.CompareNatural)
	slices.SortFunc(input.Notices, muster.CompareNatural)
	input.Defects = sortErrors(spared)
	for s, n := range skipped {
		input.Skipped = append(input.Skipped, Skipped{s.Kind, s.Version, n})
	}
	slices.SortFunc(input.Skipped, func(a, b Skipped) int {
		return cmp.Or(muster.CompareNatural(a.Kind, b.Kind), muster.CompareNatural(a.APIVersion, b.APIVersion))
	})
	return input
}

// isRead says whether objects of an API group and kind are read.
func isRead(group, kind string) bool {
	name := group + "/" + kind
	return clusterKinds[name] != nil || gangKinds[name] != nil || isOwner(group, kind)
}
