// Package args answers: what does a pluginConfig say? Both plugins read the same.
package args

import (
	"fmt"
	"slices"
	"strings"

	"github.com/muster-sched/muster/gang"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"

	"github.com/muster-sched/muster/hosts/kubernetes/internal/planner"
	"github.com/muster-sched/muster/hosts/kubernetes/mirror"
)

// Args are the pluginConfig of a plugin. The zero value is the default.
type Args struct {
	// Layers are keys of labels of nodes, widest first, that make the topology of clusters without an object that tells it.
	Layers []string `json:"layers,omitempty"`
	// Policy says which of equally tight places is taken: BestFit (the default), Spread or Balanced.
	Policy gang.Policy `json:"policy,omitempty"`
	// Resources are read beside pods, nodes, groups, classes and budgets, as `topologies.v1beta1.kueue.x-k8s.io`: topologies, quotas and zones of nodes.
	Resources []string `json:"resources,omitempty"`
	// PreemptionSteps bounds the search for victims; 0: the library's default.
	PreemptionSteps int `json:"preemptionSteps,omitempty"`
	// CheckMirror compares free amounts with the scheduler's in every cycle, and logs what differs. It is for tests: O(nodes) a cycle.
	CheckMirror bool `json:"checkMirror,omitempty"`
}

// Decode reads a pluginConfig, and validates it. Fields that nobody knows are errors.
func Decode(obj runtime.Object) (*Args, error) {
	args := &Args{}
	if obj != nil {
		raw, ok := obj.(*runtime.Unknown)
		if !ok {
			return nil, fmt.Errorf("pluginConfig: %T cannot be read", obj)
		}
		if err := yaml.UnmarshalStrict(raw.Raw, args); err != nil { // reads JSON as well
			return nil, fmt.Errorf("pluginConfig: %w", err)
		}
	}
	if args.Policy == "" {
		args.Policy = gang.BestFit
	}
	return args, args.validate().ToAggregate()
}

// Options are those of a planner.
func (a *Args) Options() planner.Options {
	return planner.Options{
		Mirror: mirror.Options{Layers: a.Layers}, Resources: a.Resources, Policy: a.Policy, Steps: a.PreemptionSteps, CheckMirror: a.CheckMirror,
	}
}

func (a *Args) validate() (errs field.ErrorList) {
	for i, key := range a.Layers {
		at := field.NewPath("layers").Index(i)
		for _, msg := range validation.IsQualifiedName(key) {
			errs = append(errs, field.Invalid(at, key, msg))
		}
		if slices.Index(a.Layers, key) < i {
			errs = append(errs, field.Duplicate(at, key))
		}
	}
	if policies := []gang.Policy{gang.BestFit, gang.Spread, gang.Balanced}; !slices.Contains(policies, a.Policy) {
		errs = append(errs, field.NotSupported(field.NewPath("policy"), a.Policy, policies))
	}
	for i, name := range a.Resources {
		if resource, _ := schema.ParseResourceArg(name); resource == nil || strings.Count(name, ".") < 2 {
			errs = append(errs, field.Invalid(field.NewPath("resources").Index(i), name, "must be like topologies.v1beta1.kueue.x-k8s.io"))
		}
	}
	if a.PreemptionSteps < 0 {
		errs = append(errs, field.Invalid(field.NewPath("preemptionSteps"), a.PreemptionSteps, "must not be negative"))
	}
	return errs
}
