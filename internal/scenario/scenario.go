// Package scenario runs scenario files: a cluster drawn as text, requests, and the plans drawn on the same tree. They
// are the main tests of package placement and its main document.
//
// A drawing has one line a domain, indented by its layer, and on the lowest domains one cell a node, one character a
// slot: `.` free, `x` taken, `#` out of service, `~` leaving, a lower-case letter a member of the running gang of that
// name. Nodes are node-0, node-1, ... in order of appearance. A row called `outside` holds nodes outside the tree, one
// called `root` the nodes of a topology without layers, and `name:layer` places a domain in another layer than its
// indentation says. A plan shows new members as capital letters, one letter a group, without groups a shape (with `show=ranks` one a rank, with
// `show=names` one a member, by the number in its name); those of no group, where there are parts, are a `*`. The host score of a node is what `score` gives it, else 0, and
// the weights of its labels.
//
// A cell such as `a.|a?` is a node with zones 0 and 1; one zone is drawn with a border behind it. Members
// have shares of the zones in which they are drawn, and a `?` is in use by somebody unknown. Who has no share of any zone
// is drawn behind a `+`, and holds slots of the node as a whole.
//
// Directives:
//
//	running a [size=2] [affinity=key] [index=0,1] [numa=Restricted] [quota=team] [not-preemptible] [unevictable]
//	     [priority=5] [min=2] [started=7,9] [end=9] [budget=b]         what is known of gang a in the drawing that follows; min=0 is all, no min is none
//	     [alone=leaf] [tolerated]                                      nobody else in its domain of a layer; no company to such gangs
//	budget b [allowed=1]                                               a disruption budget of it
//	quota team [parent=org] [min=2] [max=4,cpu:8000] [weight=1] [guaranteed=1] [keeps] [demand=3]
//	                                                                   a quota of it; amounts without a name are of devices
//	cluster layers=spine,leaf,unit [exclusive=Preferred] [total=8]     the drawing, and what its quotas divide
//	     [also=(power,feed,0-2,3-5)]   another topology, of one layer: its name, the layer's, and the nodes of each domain
//	node node-3 [not-ready] [taint=key:effect] [label=key:value] [has=fpga:2]    what it has beside the slots that are drawn
//	     [numa=Restricted] [cpu=4000,3500] [distances=10/21,21/10] [total=3]    policy, CPUs and distances by zone, devices in all
//	plan [gang=a] members=8 [min=4] [group=4,2] [group-must=leaf,-] [group-prefer=...] [must=leaf] [prefer=spine]
//	     [multiple=node:4] [policy=Spread] [exclude=node-1] [inside=spine-0/leaf-1] [eligible=node-2] [affinity=key]
//	     [refused=0:node-1]            the host refuses the node for the member with the number
//	     [slots=node-0:2,node-1:1]     how many members the nodes take, as the host says
//	     [score=node-1:5] [weight=key:value:5] [size=2] [index=1,0] [select=key:value] [tolerate=key] [pp=2] [dp=2]
//	     [ignore-leaving] [show=ranks|names] [numa=Restricted] [exclusive=Preferred] [cpu=500] [whole=cpu|core] [threads=2]
//	     [quota=team] [limit=borrow] [pinned=2]                        the first two members are not preemptible
//	     [apart=leaf:1] [alone=leaf] [within=unit:2] [tolerated] [group-apart=leaf:1,-] [group-alone=leaf,-]    a ? behind it: preferred
//	     [parts-apart=leaf:1] [parts-alone=leaf]                       limits of its parts
//	     [roles=1:2,3:1:key:value]     instead of members, or for the first of them: so many, the devices of each, their select;
//	                                   the devices may be 2/Restricted or 2/SingleNUMANode/Preferred, or 2&fpga: one of these, too
//	     [asks=fpga:1] [any-node]      what members ask for beside; they may take nodes meant for others
//	     [new=2,5-6]                   instead of members: the numbers of the new ones, those of others that have left
//	     [priority=9] [never-preempts] [for-tier=unit] [order=members,budgets] [steps=5]
//	     [end=7]                       when the gang is expected to end if it starts at once
//	     [search=3]                    the steps of the search for roles and parts
//	     [parts=1]                     how many of the parts below it must be placed; one a line, inner ones indented:
//	part leader 0-2,5 [min=2] [parts=1] [must=leaf] [prefer=unit] [multiple=node:2] [apart=leaf:1] [alone=leaf] [parts-apart=leaf:1] [within=unit:1] [group=4,2] [group-must=leaf,-] [group-prefer=...] [tree=power]
//	bundle any [0-3] ...               one that is no group
//	candidates first=3 ...                           the best plans, arguments as for plan
//	batch discipline=easy now=0                      a queue: gangs, one a line, arguments as for plan; the cluster after it, and by a discipline what is held
//	     [together=t] [together-must=leaf]           beside these: gangs of one name start together
//	together [must=leaf] [prefer=spine]              gangs that start together, one a line, arguments as for plan; the cluster after it
//	     [together=t together-apart=unit:4] [together=t gangs-apart=leaf:1] [... gangs-alone=leaf]    limits of all, and of gangs
//	quotas                                           what every quota uses and may use
//	apply, release a [a-0], leave a-0, explain       what follows the last plan
//	hold                                             its victims leave, and its room is held
//	hold-in a in=leaf-0 count=4 [slots=2|whole] [from=3] [end=9] [priority=1]   room is held in a domain for gang a; count=0: none any more
//	why [plans=20] ...                               an explanation, arguments as for plan
//	when [now=3] [tier=leaf] [hold] ...              the earliest start, arguments as for plan, drawn over those whose end it takes; its room is held from then on
//	moves [max=3] [wider] [steps=5] ...              who moves so that the gang fits, arguments as for plan, drawn once all have moved; or so that
//	moves empty=leaf [count=2] [tree=power] ...      domains of a layer are empty. Those who may move, one a line, with rules as for plan; none: all
//	mover a [lost=5] [must=leaf] ...
//
// Where somebody leaves for a plan, a line names the victims and what they cost, and a `-` is a slot of theirs that the plan leaves
// free.
//
// Every plan is checked beside being compared: see check.
package scenario

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/validity"
	"github.com/muster-sched/muster/numa"
	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/quota"
)

// Run runs one scenario file.
func Run(t *testing.T, path string) {
	s := &session{gangs: map[string]attributes{}, demand: map[string]muster.Resources{}}
	datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
		t.Helper()
		text, err := s.do(t, d)
		if err != nil {
			return strings.TrimSpace("error: "+err.Error()) + "\n"
		}
		return text
	})
}

// session is the state between the directives of a file.
type session struct {
	gangs   map[string]attributes
	quotas  []quota.Spec // of the drawing that follows
	demand  map[string]muster.Resources
	budgets []cluster.Budget
	total   muster.Resources // that the cluster was given
	board   *board
	cluster *placement.Cluster
	// exclusive is what the cluster says to members that do not say how exclusive they are.
	exclusive numa.Exclusive
	res       *placement.Result
	why       error // why the last plan failed
}

func (s *session) do(t testing.TB, d *datadriven.TestData) (string, error) {
	w := read(d)
	if s.cluster == nil && !slices.Contains([]string{"cluster", "running", "quota", "budget"}, d.Cmd) {
		return "", errors.New("there is no cluster yet")
	}
	switch d.Cmd {
	case "running":
		return s.running(w)
	case "quota":
		return s.quota(w)
	case "budget":
		w.known[w.args[0].Key] = true
		s.budgets = append(s.budgets, cluster.Budget{Name: w.args[0].Key, Allowed: w.number("allowed", 0)})
		return "ok\n", w.err()
	case "cluster":
		return s.draw(w, d.Input)
	case "node":
		return s.node(w)
	case "plan":
		return s.plan(t, w)
	case "candidates":
		return s.candidates(w)
	case "apply":
		if s.res == nil {
			return "", errors.New("the last plan placed nothing")
		}
		return s.apply(t)
	case "hold-in":
		return s.holdIn(w)
	case "hold":
		if s.res == nil {
			return "", errors.New("the last plan placed nothing")
		}
		return s.hold()
	case "release":
		return s.change(s.cluster.Release(d.CmdArgs[0].Key, keys(d.CmdArgs[1:])...))
	case "leave":
		return s.change(s.cluster.Update(cluster.Delta{Leaving: refs(keys(d.CmdArgs))}))
	case "explain":
		return s.explain(), nil
	case "why":
		return s.whyNot(t, w)
	case "when":
		return s.when(w)
	case "moves":
		return s.moves(t, w)
	case "together":
		return s.together(t, w, d.Input)
	case "batch":
		return s.batch(t, w, d.Input)
	case "quotas":
		return s.quotaText()
	}
	return "", fmt.Errorf("unknown directive %s", d.Cmd)
}

func keys(args []datadriven.CmdArg) []string {
	var found []string
	for _, a := range args {
		found = append(found, a.Key)
	}
	return found
}

// refs turns names such as a-0 into members of the gang that the name begins with.
func refs(names []string) []cluster.MemberRef {
	var found []cluster.MemberRef
	for _, name := range names {
		gang, _, _ := strings.Cut(name, "-")
		if len(gang) > 1 {
			gang = name // a plain pod
		}
		found = append(found, cluster.MemberRef{Gang: gang, Member: name})
	}
	return found
}

func (s *session) running(w *words) (string, error) {
	name := w.args[0].Key
	w.known[name] = true
	s.gangs[name] = attributes{
		size: w.number("size", 1), affinity: w.text("affinity"), index: w.numbers("index"), numa: numa.Policy(w.text("numa")),
		quota: w.text("quota"), pinned: w.flag("not-preemptible"), unevictable: w.flag("unevictable"),
		priority: int64(w.number("priority", 0)), least: w.number("min", -1), started: w.numbers("started"), ends: w.numbers("end"), budgets: w.list("budget"),
		alone: w.text("alone"), tolerated: w.flag("tolerated"),
	}
	return "ok\n", w.err()
}

func (s *session) draw(w *words, text string) (string, error) {
	layers, exclusive, total := w.list("layers"), numa.Exclusive(w.text("exclusive")), w.amounts("total")
	others, err := otherTrees(w)
	if err != nil {
		return "", err
	}
	if err := w.err(); err != nil {
		return "", err
	}
	b, err := parseBoard(text, layers, s.gangs)
	if err != nil {
		return "", err
	}
	spec, err := b.spec(s.gangs)
	if err != nil {
		return "", err
	}
	spec.Trees = append(spec.Trees, others...)
	spec.NUMAExclusive, spec.Budgets = exclusive, s.budgets
	if len(s.quotas) > 0 {
		if spec.Quotas, err = quota.New(s.quotas); err != nil {
			return "", err
		}
		spec.Total, spec.Demand = total, s.demand
	}
	c, err := placement.NewCluster(spec)
	if err != nil {
		return "", err
	}
	s.board, s.cluster, s.exclusive, s.res, s.why = b, c, exclusive, nil, nil
	s.gangs, s.quotas, s.demand, s.total, s.budgets = map[string]attributes{}, nil, map[string]muster.Resources{}, total, nil
	return "ok\n", nil
}

// node changes one node by an Update.
func (s *session) node(w *words) (string, error) {
	name := w.args[0].Key
	w.known[name] = true
	for n := range s.cluster.Nodes() {
		if n.Name != name {
			continue
		}
		n.NotReady = w.flag("not-ready")
		for _, taint := range w.list("taint") {
			key, effect, _ := strings.Cut(taint, ":")
			n.Taints = append(n.Taints, gang.Taint{Key: key, Effect: gang.Effect(effect)})
		}
		for name, amount := range w.pairs("has") {
			n.Allocatable[name] = int64(amount)
		}
		for _, label := range w.list("label") {
			key, value, _ := strings.Cut(label, ":")
			n.Labels = map[string]string{key: value}
		}
		if err := zonesOf(w, &n); err != nil {
			return "", err
		}
		if err := w.err(); err != nil {
			return "", err
		}
		c, err := s.cluster.Update(cluster.Delta{SetNodes: []cluster.Node{n}})
		if err != nil {
			return "", err
		}
		s.cluster = c
		return "ok\n", nil
	}
	return "", fmt.Errorf("unknown node %s", name)
}

// apply carries the last plan out.
func (s *session) apply(t testing.TB) (string, error) {
	t.Helper()
	before, res := s.snapshot().dump(), s.res
	next, err := s.cluster.Apply(res)
	text, err := s.change(next, err)
	if err == nil {
		require.NoError(t, validity.CheckApplied(before, s.snapshot().dump(), res))
	}
	return text, err
}

// change takes the next snapshot and draws it.
func (s *session) change(c *placement.Cluster, err error) (string, error) {
	if err != nil {
		return "", err
	}
	s.cluster, s.res = c, nil
	s.board.sync(c)
	return s.board.String(), nil
}
