// Package plugin answers: how does kube-scheduler place a whole pod group by one plan? In the cycle of a pod group (1.37) it generates the one placement
// that Muster plans for the topmost group, pins every pod to its node of it, and where somebody has to leave for the group evicts these and
// nominates the places until they are gone.
package plugin

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/placement/manifest"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/sets"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/muster-sched/muster/hosts/kubernetes/internal/args"
	"github.com/muster-sched/muster/hosts/kubernetes/internal/evict"
	"github.com/muster-sched/muster/hosts/kubernetes/internal/planner"
)

// Name is that of the plugin in configurations.
const Name = "Muster"

// Plugin plans the groups of a scheduler.
type Plugin struct {
	handle  fwk.Handle
	args    *args.Args
	planner *planner.Planner
	evict   *evict.Evictions
	observe Observer
}

// Observer is told what each cycle took; tests and the demo set it. Nil: nobody.
type Observer interface {
	// Planned tells how long the snapshot took to follow, how long the plan, and what became of it.
	Planned(group string, sync, plan time.Duration, res *placement.Result, err error)
	// Mirrored tells of the nodes whose free amounts were compared with those of the scheduler, and what differed.
	Mirrored(nodes int, differences []string)
}

var (
	_ fwk.PlacementGeneratePlugin  = &Plugin{}
	_ fwk.PreEnqueuePlugin         = &Plugin{}
	_ fwk.PreFilterPlugin          = &Plugin{}
	_ fwk.FilterPlugin             = &Plugin{}
	_ fwk.SignPlugin               = &Plugin{}
	_ fwk.ReservePlugin            = &Plugin{}
	_ fwk.PodGroupPostFilterPlugin = &Plugin{}
	_ fwk.EnqueueExtensions        = &Plugin{}
)

// New is the factory for the scheduler's registry.
func New(ctx context.Context, obj runtime.Object, handle fwk.Handle) (fwk.Plugin, error) {
	return NewObserved(nil)(ctx, obj, handle)
}

// NewObserved is a factory of plugins that tell somebody what they do.
func NewObserved(observe Observer) func(context.Context, runtime.Object, fwk.Handle) (fwk.Plugin, error) {
	return func(ctx context.Context, obj runtime.Object, handle fwk.Handle) (fwk.Plugin, error) {
		read, err := args.Decode(obj)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", Name, err)
		}
		of, err := planner.New(ctx, handle, read.Options())
		if err != nil {
			return nil, fmt.Errorf("%s: %w", Name, err)
		}
		return &Plugin{handle: handle, args: read, planner: of, evict: evict.New(handle, Name), observe: observe}, nil
	}
}

// Name is that in configurations.
func (p *Plugin) Name() string { return Name }

// plan is what a cycle found for a topmost group. The groups below it and all their pods share it.
type plan struct {
	found *planner.Plan
	tried sets.Set[string] // pods whose node was asked for
	kept  sets.Set[string] // pods that got it
}

// Clone shares the plan.
func (p *plan) Clone() fwk.StateData { return p }

// planKey is where the state of a cycle has its plan.
const planKey fwk.StateKey = "muster.dev/plan"

func planOf(state interface {
	Read(fwk.StateKey) (fwk.StateData, error)
},
) *plan {
	if data, err := state.Read(planKey); err == nil {
		return data.(*plan)
	}
	return nil
}

// GeneratePlacements plans the topmost group, and gives a group the nodes of its plan as its only placement. A group that is refused, or waits for others
// to leave, keeps all nodes: its pods are refused one by one, so that the queue knows by whom, and what may help. So does a group that
// leaves its pods to themselves.
func (p *Plugin) GeneratePlacements(ctx context.Context, state fwk.PodGroupCycleState, group fwk.PodGroupInfo, parent *fwk.Placement) (*fwk.GeneratePlacementsResult, *fwk.Status) {
	var of *plan
	if up := state.GetParentPlacementCycleState(); up != nil {
		of = planOf(up.GetPodGroupSchedulingCycle())
	}
	if of == nil { // the topmost, or one that a group without rules leaves to itself
		var err error
		if of, err = p.plan(ctx, group); err != nil {
			return nil, fwk.AsStatus(err)
		}
	}
	if of == nil {
		return &fwk.GeneratePlacementsResult{Placements: []*fwk.Placement{parent}}, nil
	}
	state.Write(planKey, of)
	placement := parent
	if of.found.Reason == "" {
		var err error
		if placement, err = p.placementOf(group, of); err != nil {
			return nil, fwk.AsStatus(err)
		}
		if len(placement.Nodes) == 0 { // nobody of an elastic group below has a place
			placement = parent
		}
	}
	return &fwk.GeneratePlacementsResult{Placements: []*fwk.Placement{placement}}, nil
}

func (p *Plugin) placementOf(group fwk.PodGroupInfo, of *plan) (*fwk.Placement, error) {
	out := &fwk.Placement{Name: of.found.Gang.Request.Name}
	if of.found.Result.Domain != nil {
		out.Name = fmt.Sprintf("%v", of.found.Result.Domain)
	}
	seen := sets.New[string]()
	for _, pod := range group.GetUnscheduledPods() {
		node, ok := of.found.Nodes[planner.NameOf(pod)]
		if !ok || seen.Has(node) {
			continue
		}
		seen.Insert(node)
		info, err := p.planner.Nodes().Get(node)
		if err != nil {
			return nil, err
		}
		out.Nodes = append(out.Nodes, info)
	}
	return out, nil
}

// plan follows the snapshot, and plans a group on it. It is nil for pods that are no gang.
func (p *Plugin) plan(ctx context.Context, group fwk.PodGroupInfo) (*plan, error) {
	infos, err := p.planner.Nodes().List()
	if err != nil {
		return nil, err
	}
	start := time.Now()
	if err := p.planner.Mirror.Sync(infos); err != nil {
		return nil, err
	}
	name := group.GetNamespace() + "/" + group.GetName()
	g, err := p.planner.Mirror.Gang(name, group.GetUnscheduledPods(), objectsOf(group))
	if err != nil {
		return nil, err
	}
	synced := time.Now()
	if differences, compared := p.planner.Check(ctx, infos); compared && p.observe != nil {
		p.observe.Mirrored(len(infos), differences)
	}
	if g == nil {
		return nil, nil
	}
	planning := time.Now()
	out := &plan{found: p.planner.Plan(ctx, g, group.GetUnscheduledPods()), tried: sets.New[string](), kept: sets.New[string]()}
	if p.observe != nil {
		p.observe.Planned(name, synced.Sub(start), time.Since(planning), out.found.Result, out.found.Err)
	}
	if out.found.Err != nil {
		out.found.Reason = p.reason(g, out.found.Err)
	}
	return out, nil
}

// reason is a refusal in one line, behind the code of the first fact of its explanation.
func (p *Plugin) reason(g *manifest.Gang, err error) string {
	if !errors.Is(err, placement.ErrUnschedulable) {
		return fmt.Sprintf("invalid: %v", err)
	}
	req := g.Request
	req.Policy = p.args.Policy
	e := placement.Explain(p.planner.Mirror.Cluster(), &req, placement.ExplainOptions{Plans: -1, Err: err})
	text := strings.TrimPrefix(err.Error(), "unschedulable: ")
	if len(e.Facts) == 0 {
		return text
	}
	return fmt.Sprintf("%s: %s", e.Facts[0].Code, text)
}
