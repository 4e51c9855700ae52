package reference

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/validity"
	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/quota"
)

// Members that are told apart by nothing that matters are placed like members of one shape.
func TestRolesThatDoNotDifferAreOneShape(t *testing.T) {
	holdsFor(t, drawRoles, func(in Input) ([]string, error) {
		dropZones(&in.Spec) // those of one shape are put into zones at once
		dropCPU(&in)        // of one shape what is wasted counts, of roles it does not: docs/order.md, section 3
		// Of one shape slots are floored to multiples, of roles they are not: docs/order.md, section 7.
		in.Request.Gather = slices.DeleteFunc(slices.Clone(in.Request.Gather), func(r gang.Rule) bool { return r.Multiple > 0 && r.Strength == "" })
		for i := range in.Request.Groups { // a group that is alone on a node is one unit of several shapes
			in.Request.Groups[i].Limits = nil
		}
		for i := range in.Request.Gather {
			in.Request.Gather[i].Multiple = 0
		}
		return nil, sameAsOneShape(in)
	})
}

// dropCPU takes away what feeds devices: nobody asks for it either, and where no device has any nothing is wasted.
func dropCPU(in *Input) {
	for i := range in.Spec.Nodes {
		in.Spec.Nodes[i].Allocatable = maps.Clone(in.Spec.Nodes[i].Allocatable)
		delete(in.Spec.Nodes[i].Allocatable, muster.CPU)
	}
	in.Request.Shape.Resources = withoutCPU(in.Request.Shape.Resources)
	for i := range in.Request.Members {
		if shape := in.Request.Members[i].Shape; shape != nil {
			other := *shape
			other.Resources = withoutCPU(shape.Resources)
			in.Request.Members[i].Shape = &other
		}
	}
}

func withoutCPU(r muster.Resources) muster.Resources {
	r = maps.Clone(r)
	if r == nil {
		r = muster.Resources{}
	}
	delete(r, muster.CPU)
	r["gpu"] = max(r["gpu"], 1) // who asks for nothing has any number of slots
	return r
}

func sameAsOneShape(in Input) error {
	prefers := func(m gang.Member) bool { return len(m.Shape.Preferred) > 0 }
	if in.Request.Policy != "" && in.Request.Policy != gang.BestFit || in.Request.Score != nil || len(validity.Own(&in.Spec, &in.Request)) > 0 ||
		slices.ContainsFunc(in.Request.Members, prefers) {
		return nil // roles are placed by plainer rules, without scores: docs/order.md, section 7
	}
	for i := range in.Request.Members {
		shape := *in.Request.Members[i].Shape
		shape.NUMA = gang.NUMA{}
		in.Request.Members[i].Shape = &shape
	}
	shapes := [2]gang.Shape{*in.Request.Members[0].Shape, *in.Request.Members[0].Shape}
	shapes[1].Tolerations = append(slices.Clip(shapes[1].Tolerations), gang.Toleration{Key: "nobody has it", Exists: true})
	one := in.Request
	one.Members = slices.Clone(in.Request.Members)
	for i := range in.Request.Members {
		in.Request.Members[i].Shape, one.Members[i].Shape = &shapes[i%2], &shapes[0]
	}
	roles, errRoles := plan(in, &in.Request)
	plain, errPlain := plan(in, &one)
	if (errRoles == nil) != (errPlain == nil) {
		return fmt.Errorf("by role: %s, as one shape: %s", fmt.Sprint(errRoles), fmt.Sprint(errPlain))
	}
	if errRoles != nil {
		return sameRefusal(errRoles, errPlain)
	}
	if validity.CountsDomains(&one) && !validity.LimitsNeedParts(&in.Spec, &one) { // one shape is divided among the domains that are counted: limits.8
		worthOfRoles, err := worthOf(&in, roles)
		if err != nil {
			return err
		}
		worthOfOne, err := worthOf(&in, plain)
		if err != nil {
			return err
		}
		if !slices.Equal(worthOfRoles, worthOfOne) || len(roles.Assignments) != len(plain.Assignments) {
			return fmt.Errorf("by role: %sas one shape: %s", resultText(roles, nil), resultText(plain, nil))
		}
		return nil
	}
	addsToOthers := len(plain.WaitsFor) > 0 && len(plain.Assignments) > one.MinMember && one.MinMember > 0 // members that are added where the least number left room
	if isNarrower(&in, plain, roles) || addsToOthers && len(plain.Assignments) != len(roles.Assignments) {
		return nil
	}
	count := map[string]int{}
	for _, a := range roles.Assignments {
		count[a.Node]++
	}
	for _, a := range plain.Assignments {
		count[a.Node]--
	}
	for node, n := range count {
		if n != 0 {
			return fmt.Errorf("%d more on %s by role\nby role: %sas one shape: %s", n, node, resultText(roles, nil), resultText(plain, nil))
		}
	}
	return nil
}

// isNarrower says whether a plan of one shape uses less than one of roles: of one shape all layers are compared, of roles the children of each domain.
func isNarrower(in *Input, one, roles *placement.Result) bool {
	net, _ := validity.NewNetwork(&in.Spec, &in.Request)
	return slices.Compare(spanFromRoot(net, one), spanFromRoot(net, roles)) < 0
}

// spanFromRoot counts the vertices in use, layer by layer, a node being one of each layer that is missing above it.
func spanFromRoot(net *validity.Network, r *placement.Result) (span []int) {
	tiers := []int{0}
	for _, l := range net.Layers() {
		tiers = append(tiers, l.Tier)
	}
	for _, tier := range slices.Backward(tiers) {
		used := map[string]bool{}
		for _, a := range r.Assignments {
			used[net.Maximal(a.Node, tier).ID] = true
		}
		span = append(span, len(used))
	}
	return span
}

// sameRefusal compares two refusals. Of several MustGathers that of a gang of one shape names the gang's own first, whether or not another one binds.
func sameRefusal(errRoles, errPlain error) error {
	var roles, plain *placement.Unschedulable
	if !errors.As(errRoles, &roles) || !errors.As(errPlain, &plain) {
		return fmt.Errorf("by role: %w, as one shape: %w", errRoles, errPlain)
	}
	a, b := *roles, *plain
	if strings.HasPrefix(a.Rule, "MustGather") && strings.HasPrefix(b.Rule, "MustGather") {
		a.Rule = b.Rule
	}
	if x, y := a.RefusedBy, b.RefusedBy; x != nil && y != nil && x.Rule == quota.RuleMin && x.Rule == y.Rule {
		same := *y
		same.Short = x.Short // of the lowest ranks by role, else of the set with the fewest that are not preemptible: refusals.2
		b.RefusedBy = &same
	}
	if a.Error() != b.Error() {
		return fmt.Errorf("by role: %w, as one shape: %w", errRoles, errPlain)
	}
	return nil
}
