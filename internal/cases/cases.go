// Package cases judges the planner by cases: Kubernetes-style objects and what must become of them. A case is planned by
// the code of the plan command, and the fields that it expects are compared with the JSON that the command prints. Some
// kinds of cases are about the zones of one node, and judge package numa, others about quotas alone, and judge package quota, or about
// the queue and the permit lifecycle of gangs, and judge packages gang/queue and gang/permit, or about where trees come from, and
// judge package fabric.
package cases

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/internal/cli"
	"github.com/muster-sched/muster/internal/validity"
	"github.com/muster-sched/muster/placement/render"
)

// Case is one entry of a case file. Fields that only some kinds have stay in Raw.
type Case struct {
	Name    string
	Kind    string
	Objects []json.RawMessage
	Want    json.RawMessage
	Raw     map[string]json.RawMessage
}

// UnmarshalJSON keeps every field of the case.
func (c *Case) UnmarshalJSON(data []byte) error {
	var known struct {
		Name, Kind string
		Objects    []json.RawMessage
		Want       json.RawMessage
	}
	if err := json.Unmarshal(data, &known); err != nil {
		return err
	}
	c.Name, c.Kind, c.Objects, c.Want = known.Name, known.Kind, known.Objects, known.Want
	return json.Unmarshal(data, &c.Raw)
}

// decode reads the fields of the case into a struct.
func (c *Case) decode(into any) error {
	text, err := json.Marshal(c.Raw)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, into)
}

// Folder is where the cases are: MUSTER_CASES, relative to the repository, or ../shared/cases beside it. The root is the
// repository, seen from the package under test.
func Folder(root string) string {
	name := cmp.Or(os.Getenv("MUSTER_CASES"), "../shared/cases")
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(root, name)
}

// TestAlone judges the cases of a file but for some kinds, which are judged elsewhere: by another package, or with all other
// plans.
func TestAlone(t *testing.T, root, file string, elsewhere ...string) {
	path := filepath.Join(Folder(root), file)
	list, err := Load(path)
	if errors.Is(err, os.ErrNotExist) {
		t.Skipf("no file %s; MUSTER_CASES names another folder", path)
	}
	require.NoError(t, err)
	for i := range list {
		if !slices.Contains(elsewhere, list[i].Kind) {
			t.Run(list[i].Name, func(t *testing.T) { require.Empty(t, Judge(&list[i]).Why) })
		}
	}
}

// Files lists the case files of a folder, in natural order.
func Files(folder string) ([]string, error) {
	names, err := filepath.Glob(filepath.Join(folder, "*.json"))
	slices.SortFunc(names, muster.CompareNatural)
	return names, err
}

// Load reads a case file: a list of cases.
func Load(path string) ([]Case, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var list []Case
	if err := json.Unmarshal(data, &list); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return list, nil
}

// Verdict is what became of a case. It holds, or waits for something that is not there yet, or fails.
type Verdict struct {
	Holds bool
	// WaitsFor says what the case needs; empty: nothing, so it must hold.
	WaitsFor string
	// Why says what differs.
	Why string
}

// Judge plans a case and compares; whatever a case wants, its plans must keep every rule. What a case waits for follows from its kind.
func Judge(c *Case) Verdict {
	if pkg := missingPackage(c); pkg != "" {
		return Verdict{WaitsFor: pkg, Why: "cases of this kind are not run yet"}
	}
	if isDiscovery(c) {
		why := discoveryDiffers(c)
		return Verdict{Holds: why == "", Why: why}
	}
	if slices.Contains(zoneKinds, c.Kind) {
		why := zonesDiffer(c)
		return Verdict{Holds: why == "", Why: why}
	}
	if slices.Contains(quotaKinds, c.Kind) {
		why := quotasDiffer(c)
		return Verdict{Holds: why == "", Why: why}
	}
	if slices.Contains(gangKinds, c.Kind) {
		why := gangsDiffer(c)
		return Verdict{Holds: why == "", Why: why}
	}
	got := run(c)
	why := cmp.Or(got.differs(wanted(c)), got.noticesDiffer(c.Raw["notices"]))
	switch {
	case got.unsupported != "":
		why = "not supported: " + got.unsupported
	case why == "":
		why = got.invalid
	}
	if why == "" {
		return Verdict{Holds: true}
	}
	return Verdict{Why: why}
}

// answer is what the command says to the objects of a case.
type answer struct {
	plans       []plan
	err         error  // the input was refused
	unsupported string // what some gang asks for and that is not supported
	invalid     string // what is wrong with a plan by itself
	domainsOf   map[string][]string
	said        string // on standard error
}

// plan is the part of the JSON document that cases look at.
type plan struct {
	Gang, Status, Domain string
	Tier                 int
	GroupTier            int
	GroupTiers           []int
	StrategyNumber       int
	WaitsFor, Victims    []struct{ Pod string }
	Ignored              map[string]int
	Terms                map[string]json.RawMessage
	Assignments          []assignment
	Reason               struct {
		Nodes     struct{ Rejected map[string]int }
		RefusedBy *refusedBy
	}
	Explanation map[string]json.RawMessage
	running     map[string]int // members that run already, by node
}

type assignment struct {
	Pod, Node string
	Zones     []struct{ ID int }
}

// run plans the objects and reads the plan back from its JSON. A panic is a refusal like any other, so that the other
// cases are judged.
func run(c *Case) (got answer) {
	defer func() {
		if p := recover(); p != nil {
			got = answer{err: fmt.Errorf("panic: %v", p)}
		}
	}()
	list, err := json.Marshal(map[string]any{"apiVersion": "v1", "kind": "List", "items": c.Objects})
	if err != nil {
		return answer{err: err}
	}
	var flags []string
	if raw := c.Raw["flags"]; raw != nil {
		if err := json.Unmarshal(raw, &flags); err != nil {
			return answer{err: err}
		}
	}
	var text, said bytes.Buffer
	p, err := cli.Execute(append(flags, "-o", "json", "-"), bytes.NewReader(list), &text, &said)
	if err != nil {
		return answer{err: err, said: said.String()}
	}
	var doc struct{ Plans []plan }
	if err := json.Unmarshal(text.Bytes(), &doc); err != nil {
		return answer{err: err}
	}
	got = answer{plans: doc.Plans, domainsOf: domains(p), said: said.String()}
	for i, o := range p.Outcomes {
		if feature := missingFeature(o.Err); feature != "" {
			got.unsupported = feature
		}
		if why := invalid(p, &o); why != "" {
			got.invalid = why
		}
		got.plans[i].running = runningOf(p, o.Gang)
	}
	return got
}

// invalid says which rules a plan breaks on the snapshot that it was made from.
func invalid(p *cli.Planned, o *render.Outcome) string {
	if o.Result == nil {
		return ""
	}
	spec := validity.Describe(o.Cluster)
	spec.Trees, spec.Quotas, spec.Demand = p.Input.Spec.Trees, p.Input.Spec.Quotas, map[string]muster.Resources{}
	if spec.Quotas != nil {
		for _, name := range spec.Quotas.Quotas() {
			if spec.Quotas.IsLeaf(name) {
				_, _, spec.Demand[name] = o.Cluster.Quotas().Usage(name)
			}
		}
	}
	req := *o.Request
	req.QuotaLimit = cmp.Or(req.QuotaLimit, o.Pass)
	if err := validity.Check(spec, &req, o.Result); err != nil {
		return fmt.Sprintf("%s: the plan is not valid: %v", o.Gang, err)
	}
	return ""
}

// runningOf counts the members of a gang that run, by node.
func runningOf(p *cli.Planned, gang string) map[string]int {
	found := map[string]int{}
	for m := range p.Cluster.Running() {
		if m.Gang == gang && !m.Leaving {
			found[m.Node]++
		}
	}
	return found
}

// domains lists, for every node, its domains: by name and by path.
func domains(p *cli.Planned) map[string][]string {
	found := map[string][]string{}
	for _, named := range p.Input.Spec.Trees {
		for d := range named.Tree.All() {
			path := named.Tree.Path(d)
			if len(path) == 0 {
				continue
			}
			first, last := named.Tree.Nodes(d)
			for n := first; n < last; n++ {
				node := named.Tree.NodeName(n)
				found[node] = append(found[node], named.Tree.Name(d))
				if len(path) > 1 {
					found[node] = append(found[node], joined(path))
				}
			}
		}
	}
	return found
}
