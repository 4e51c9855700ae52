package scenario

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/cockroachdb/datadriven"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/quota"
)

// words reads the arguments of a directive. Errors are collected, so that a typing error is not a silent default.
type words struct {
	args   []datadriven.CmdArg
	known  map[string]bool
	errors []string
	lines  string // below the directive
}

func read(d *datadriven.TestData) *words {
	return &words{args: d.CmdArgs, known: map[string]bool{}, lines: d.Input}
}

// list is the comma-separated value of key; nil if it is not given.
func (w *words) list(key string) []string {
	w.known[key] = true
	for _, a := range w.args {
		if a.Key == key && len(a.Vals) > 0 {
			return strings.Split(strings.Join(a.Vals, ","), ",")
		}
	}
	return nil
}

func (w *words) text(key string) string { return strings.Join(w.list(key), ",") }

func (w *words) flag(key string) bool {
	w.known[key] = true
	return slices.ContainsFunc(w.args, func(a datadriven.CmdArg) bool { return a.Key == key })
}

func (w *words) numbers(key string) []int {
	var found []int
	for _, s := range w.list(key) {
		found = append(found, w.atoi(key, s))
	}
	return found
}

func (w *words) number(key string, otherwise int) int {
	if n := w.numbers(key); len(n) > 0 {
		return n[0]
	}
	return otherwise
}

func (w *words) atoi(key, s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		w.errors = append(w.errors, fmt.Sprintf("%s: %q is no number", key, s))
	}
	return n
}

// pairs reads `name:5,other:7`.
func (w *words) pairs(key string) map[string]int {
	found := map[string]int{}
	for _, s := range w.list(key) {
		name, n, _ := strings.Cut(s, ":")
		found[name] = w.atoi(key, n)
	}
	return found
}

// err names what could not be read, and arguments that nobody asked for.
func (w *words) err() error {
	for _, a := range w.args {
		if !w.known[a.Key] {
			w.errors = append(w.errors, "unknown argument "+a.Key)
		}
	}
	if len(w.errors) > 0 {
		return fmt.Errorf("%s", strings.Join(w.errors, "; "))
	}
	return nil
}

// pathOf is a path of names; nil for none.
func pathOf(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, "/")
}

// request builds what a `plan` directive asks for. Each call returns a value that shares nothing with the one before.
// New members are numbered from first.
func request(w *words, name string, first int) *gang.Request {
	req := &gang.Request{
		Name: name, MinMember: w.number("min", 0), Tree: w.text("tree"),
		Shape: gang.Shape{
			Resources: muster.Resources{device: int64(w.number("size", 1))}, Preferred: weights(w), NUMA: numaOf(w),
		},
		Gather: slices.Concat(rules(w, "must", gang.MustGather, -1), rules(w, "prefer", gang.PreferGather, -1), multiples(w)),
		PP:     w.number("pp", 0), DP: w.number("dp", 0),
		Exclude: w.list("exclude"), Inside: pathOf(w.text("inside")), IgnoreLeaving: w.flag("ignore-leaving"), AffinityKey: w.text("affinity"), TakesAnyNode: w.flag("any-node"),
		Policy: gang.Policy(w.text("policy")), Quota: w.text("quota"), QuotaLimit: quota.Limit(w.text("limit")),
		Priority: int64(w.number("priority", 0)), End: int64(w.number("end", 0)), NeverPreempts: w.flag("never-preempts"), Preempt: preemption(w),
		Together: w.text("together"), GatherTogether: rules(w, "together-must", gang.MustGather, -1), LimitsTogether: together(w),
	}
	if cpu := w.number("cpu", 0); cpu > 0 {
		req.Shape.Resources[muster.CPU] = int64(cpu)
	}
	req.Limits, req.Tolerated = append(limits(w, "", -1), ofParts(w, "parts-")...), w.flag("tolerated")
	for name, n := range w.pairs("asks") {
		req.Shape.Resources[name] = int64(n)
	}
	req.Groups, req.Parts, req.MinParts = groups(w), parts(w, name), w.number("parts", 0)
	req.Steps = w.number("search", 0)
	index, pinned := w.numbers("index"), w.number("pinned", 0)
	roles := shapes(w)
	for i, member := range newNames(w, name, first, w.number("members", len(roles))) {
		m := gang.Member{Name: member, NonPreemptible: i < pinned}
		if i < len(index) {
			m.Index, m.Indexed = index[i], true
		}
		if i < len(roles) {
			m.Shape = roles[i]
		}
		req.Members = append(req.Members, m)
	}
	for _, pair := range w.list("refused") {
		n, node, _ := strings.Cut(pair, ":")
		req.Refused = append(req.Refused, gang.Refusal{Member: name + "-" + n, Node: node})
	}
	if names := w.list("eligible"); names != nil {
		req.Eligible = func(node string) bool { return slices.Contains(names, node) }
	}
	if w.flag("slots") {
		slots := w.pairs("slots")
		req.Slots = func(node string) int { return slots[node] }
	}
	if w.flag("score") {
		scores := w.pairs("score")
		req.Score = func(node string) int64 { return int64(scores[node]) }
	}
	for _, s := range w.list("select") {
		key, value, _ := strings.Cut(s, ":")
		if req.Shape.Selector == nil {
			req.Shape.Selector = map[string]string{}
		}
		req.Shape.Selector[key] = value
	}
	for _, key := range w.list("tolerate") {
		req.Shape.Tolerations = append(req.Shape.Tolerations, gang.Toleration{Key: key, Exists: true})
	}
	return req
}

// preemption reads how victims are to be chosen.
func preemption(w *words) gang.Preempt {
	p := gang.Preempt{ForTier: w.text("for-tier"), Steps: w.number("steps", 0)}
	for _, c := range w.list("order") {
		p.Order = append(p.Order, gang.Cost(c))
	}
	return p
}

// rules reads a list of layers. For groups the list has one entry a level, `-` for none, `+` between several layers.
func rules(w *words, key string, strength gang.Strength, level int) []gang.Rule {
	layers := w.list(key)
	if level >= 0 {
		if level >= len(layers) || layers[level] == "-" {
			return nil
		}
		layers = strings.Split(layers[level], "+")
	}
	var found []gang.Rule
	for _, l := range layers {
		found = append(found, gang.Rule{Layer: l, Strength: strength})
	}
	return found
}

func multiples(w *words) []gang.Rule {
	var found []gang.Rule
	for _, s := range w.list("multiple") {
		layer, n, _ := strings.Cut(s, ":")
		found = append(found, gang.Rule{Layer: layer, Multiple: w.atoi("multiple", n)})
	}
	return found
}

// weights reads labels that the gang prefers, `key:value:5`.
func weights(w *words) []gang.Preference {
	var found []gang.Preference
	for _, s := range w.list("weight") {
		key, rest, _ := strings.Cut(s, ":")
		value, n, _ := strings.Cut(rest, ":")
		label := gang.Expression{Key: key, Operator: gang.In, Values: []string{value}}
		found = append(found, gang.Preference{
			Weight: int64(w.atoi("weight", n)), Nodes: gang.NodeTerm{Labels: []gang.Expression{label}},
		})
	}
	return found
}
