package reference

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/muster-sched/muster/internal/draws"

	"pgregory.net/rapid"

	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/placement"
)

// A refusal of a gang in parts names the first MustGather that refuses it by itself, else the first without which it would be placed.
func TestBindingRuleOfParts(t *testing.T) { holdsFor(t, drawAllOfParts, bindingAgrees) }

// drawAllOfParts draws a gang in parts of which all members must be placed, in no quota; what limits imply is no rule of its own.
func drawAllOfParts(t *rapid.T) Input {
	in := mixed(func(t *rapid.T) Input {
		in := drawParts(t)
		in.Request.Quota = ""
		return in
	})(t)
	req := &in.Request
	*req = withOwnParts(*req)
	req.MinMember, req.MinParts = 0, 0
	draws.KeepAlone(req)
	var all func(parts []gang.Part)
	all = func(parts []gang.Part) {
		for i := range parts {
			parts[i].MinMember, parts[i].MinParts, parts[i].Limits = 0, 0, nil
			for k := range parts[i].Groups {
				parts[i].Groups[k].Limits = nil
			}
			parts[i].Gather = withMust(t, parts[i].Gather, !parts[i].NoGroup)
			all(parts[i].Parts)
		}
	}
	all(req.Parts)
	return in
}

// withMust binds a group to a domain of some layer more often than not.
func withMust(t *rapid.T, rules []gang.Rule, group bool) []gang.Rule {
	is := func(r gang.Rule) bool { return r.Strength == gang.MustGather }
	if !group || slices.ContainsFunc(rules, is) || !draws.Chance(t, 60, "must") {
		return rules
	}
	return append(slices.Clip(rules), gang.Rule{Layer: rapid.SampledFrom([]string{"0", "1"}).Draw(t, "layer"), Strength: gang.MustGather})
}

func bindingAgrees(in Input) ([]string, error) {
	if !HasParts(&in) {
		return []string{"one group"}, nil
	}
	_, err := plan(in, &in.Request)
	var why *placement.Unschedulable
	if !errors.As(err, &why) || !strings.HasPrefix(why.Rule, "MustGather") {
		return []string{"no rule"}, nil
	}
	rules := mustsOf(&in)
	if len(rules) < 2 || len(rules) > 8 {
		return []string{"one rule, or too many"}, nil
	}
	want, kind, err := binding(in, rules)
	if err != nil {
		return nil, err
	}
	switch {
	case want == "" && slices.Contains(rules, why.Rule):
		return []string{"several rules at once"}, nil
	case want != why.Rule:
		return nil, fmt.Errorf("names %q, want %q (%s) of %q", why.Rule, want, kind, rules)
	case want != rules[0]:
		kind += ", not the first"
	}
	return []string{kind}, nil
}

// binding is the rule to be named, found by planning with some of them.
func binding(in Input, rules []string) (rule, kind string, err error) {
	placed := func(kept func(said string) bool) bool {
		some := in
		some.Request = onlyMusts(&in, kept)
		a, solveErr := SolveParts(some)
		if err == nil && solveErr != nil {
			err = solveErr
		}
		return err == nil && a.Placed
	}
	for _, r := range rules {
		if !placed(func(said string) bool { return said == r }) {
			return r, "by itself", err
		}
	}
	for _, r := range rules {
		if placed(func(said string) bool { return said != r }) {
			return r, "beside others", err
		}
	}
	return "", "", err
}

// mustsOf lists the MustGathers of a gang as a refusal calls them, outer ones before those in them, each text once.
func mustsOf(in *Input) (said []string) {
	onlyMusts(in, func(rule string) bool {
		if !slices.Contains(said, rule) {
			said = append(said, rule)
		}
		return true
	})
	return said
}

// onlyMusts is the request with some of its MustGathers.
func onlyMusts(in *Input, kept func(said string) bool) gang.Request {
	req := in.Request
	only := func(rules []gang.Rule, tree, of string) []gang.Rule {
		if tree == otherTree {
			of = " of " + tree + of
		}
		var must, other []gang.Rule
		for _, r := range rules {
			if r.Strength == gang.MustGather {
				must = append(must, r)
			} else {
				other = append(other, r)
			}
		}
		if len(must) == 0 {
			return rules
		}
		tightest := slices.MinFunc(must, func(a, b gang.Rule) int { return cmp.Compare(tierIn(in, a.Layer), tierIn(in, b.Layer)) })
		if kept("MustGather " + tightest.Layer + of) {
			return rules
		}
		return other
	}
	levels := func(groups []gang.Groups, tree string) []gang.Groups {
		groups = slices.Clone(groups)
		for i := range groups {
			groups[i].Gather = only(groups[i].Gather, tree, fmt.Sprintf(" for groups of %d", groups[i].Size))
		}
		return groups
	}
	var inner func(parts []gang.Part, around string) []gang.Part
	inner = func(parts []gang.Part, around string) []gang.Part {
		parts = slices.Clone(parts)
		for i := range parts {
			p := &parts[i]
			tree := cmp.Or(p.Tree, around)
			if !p.NoGroup {
				p.Gather = only(p.Gather, tree, " for part "+p.Name)
			}
			p.Groups, p.Parts = levels(p.Groups, tree), inner(p.Parts, tree)
		}
		return parts
	}
	req.Gather = only(req.Gather, "", "")
	req.Groups, req.Parts = levels(req.Groups, ""), inner(req.Parts, "")
	return req
}

// tierIn is the tier of a layer of the tree, also if it is given by its tier, or of the other tree.
func tierIn(in *Input, layer string) int {
	if i := slices.Index([]string{"row", "hall"}, layer); i >= 0 {
		return i + 1
	}
	for _, l := range draws.Layers(&in.Spec) {
		if l.Name == layer {
			return l.Tier
		}
	}
	n, _ := strconv.Atoi(layer)
	return n
}
