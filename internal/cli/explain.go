package cli

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/muster-sched/muster/explain"
	"github.com/muster-sched/muster/internal/known"
	"github.com/muster-sched/muster/internal/printed"
	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/placement/manifest"
	"github.com/muster-sched/muster/placement/render"
)

// explaining is what is to be explained: the gangs that are named, or all that wait.
type explaining struct {
	all   bool
	gangs []string        // by their names, or those of their owners
	named map[string]bool // these gangs, once it is known which they are
	plans int
	asked string // by which word, empty: the flag
}

// define adds its flags.
func (e *explaining) define(flags *flag.FlagSet) {
	flags.Var(e, "explain", "print after the plans why gangs do not start at once, and what would make them start; `NS/NAME` behind it: of this gang alone")
	flags.IntVar(&e.plans, "explain-plans", 0, "with -explain, so many trial plans a gang at most; 0: 200, negative: none")
}

// IsBoolFlag lets the flag stand without a value.
func (e *explaining) IsBoolFlag() bool { return true }

// String is what the flag is before anything was set.
func (e *explaining) String() string { return "" }

// Set is called for each time that the flag is given; without a value that is true.
func (e *explaining) Set(value string) error {
	switch value {
	case "true":
		e.all = true
	case "false":
		e.all, e.gangs = false, nil
	default:
		e.gangs = append(e.gangs, value)
	}
	return nil
}

// joinExplain joins the flag and the gang behind it: flags with an optional value take it behind = only.
func joinExplain(args []string) (out []string) {
	for i := 0; i < len(args); i++ {
		if args[i] == "--" {
			return append(out, args[i:]...)
		}
		if bare := args[i] == "-explain" || args[i] == "--explain"; bare && i+1 < len(args) && namesGang(args[i+1]) {
			out = append(out, args[i]+"="+args[i+1])
			i++
			continue
		}
		out = append(out, args[i])
	}
	return out
}

// namesGang says whether an argument reads NS/NAME and is no file.
func namesGang(arg string) bool {
	namespace, name, ok := strings.Cut(arg, "/")
	if !ok || strings.Trim(namespace, ".") == "" || name == "" || strings.HasPrefix(arg, "-") || strings.Contains(name, "/") {
		return false
	}
	if slices.Contains(extensions, filepath.Ext(strings.TrimSuffix(name, ".gz"))) {
		return false
	}
	_, err := os.Stat(arg)
	return err != nil
}

// explain adds explanations to the outcomes: to all, or to those of the gangs that are named.
func (p *Planned) explain(e *explaining) error {
	e.named = map[string]bool{}
	for _, name := range e.gangs {
		if err := p.nameGangs(name, e.named); err != nil {
			return fmt.Errorf("%s %w", cmp.Or(e.asked, "-explain"), err)
		}
	}
	for i := range p.Outcomes {
		if o := &p.Outcomes[i]; e.all || e.named[o.Gang] {
			o.Explanation = p.explanationOf(o, e.plans)
		}
	}
	return nil
}

// nameGangs adds the gangs for which there are plans and that a name means: its own, or that of an owner. Of any other name it says which
// one is near.
func (p *Planned) nameGangs(name string, to map[string]bool) error {
	var names []string
	found, runs := false, false
	for i := range p.Outcomes {
		gang := p.Outcomes[i].Gang
		owners := p.Input.Owners[gang]
		names = append(append(names, gang), owners...)
		if gang == name || slices.Contains(owners, name) {
			to[gang], found = true, true
		}
	}
	if found {
		return nil
	}
	for i := range p.Input.Spec.Running {
		gang := p.Input.Spec.Running[i].Gang
		runs = runs || gang == name || slices.Contains(p.Input.Owners[gang], name)
	}
	switch {
	case runs:
		return fmt.Errorf("%q: all its pods have nodes", name)
	case len(names) == 0:
		return fmt.Errorf("%q: no gang waits for a node", name)
	}
	return fmt.Errorf("%q: no such gang waits for a node; the nearest one is %s", name, printed.Text(known.NearestName(name, names)))
}

// explanationOf explains what became of a gang, on the snapshot and by the limit of quotas that it was planned on. What is placed at once
// is not planned again.
func (p *Planned) explanationOf(o *render.Outcome, plans int) *placement.Explanation {
	told := &placement.Explanation{Gang: o.Gang, Verdict: verdictOf(o.Result), Plan: o.Result}
	if told.Verdict == placement.VerdictPlaced {
		return told
	}
	req := *o.Request
	if o.Pass != "" {
		req.QuotaLimit = o.Pass
	}
	lost := map[string]int64{}
	for _, m := range p.Input.Movers {
		if m.Lost > 0 {
			lost[m.Gang] = m.Lost
		}
	}
	e := placement.Explain(o.Cluster, &req, placement.ExplainOptions{Plans: plans, Lost: lost, Err: p.whyNot(o)})
	if o.Result == nil {
		p.tellOfFiles(o, e)
		return e
	}
	if e.Plan != nil { // by itself it may go another way than with those that start together with it; what it lacks is the same
		told.Facts, told.Fragmentation = e.Facts, e.Fragmentation
	}
	return told
}

// tellOfFiles says of a gang that starts together with others which the files keep from it that it waits for the files. Of such a gang
// nothing else is known: its request was not made.
func (p *Planned) tellOfFiles(o *render.Outcome, e *placement.Explanation) {
	g := p.gangOf(o)
	if g == nil || g.Err == nil {
		return
	}
	e.Fragmentation, e.NotTried = nil, nil
	var why *placement.Unschedulable
	if errors.As(g.Err, &why) {
		if _, of, is := strings.Cut(why.Rule, placement.RuleMinMember+" of "); is { // fewer pods of it are known than it needs
			e.Relaxations = nil
			e.Facts = []explain.Fact{{Code: explain.CodeMembers, Detail: explain.Detail{Wanted: why.Wanted, Fits: why.Fits, Rule: why.Rule, Part: of}, Proven: why.Proven}}
			return
		}
	}
	for i := range e.Facts {
		f := &e.Facts[i]
		if f.Code != explain.CodeTogether {
			continue
		}
		var reasons []string
		for _, name := range f.Detail.Names {
			reasons = append(reasons, name+" "+p.keptByFiles(name))
		}
		f.Detail.Reason = strings.Join(reasons, "; ")
	}
}

// keptByFiles says how the files keep a gang from starting.
func (p *Planned) keptByFiles(name string) string {
	for i := range p.Outcomes {
		if o := &p.Outcomes[i]; o.Gang == name && cannotBeUsed(o.Err) {
			return fmt.Sprintf("waits for an error in the files to be corrected: %v", o.Err)
		}
	}
	return "is not in the files"
}

// gangOf is what the files say of the gang of an outcome, nil if nothing.
func (p *Planned) gangOf(o *render.Outcome) *manifest.Gang {
	for i := range p.Input.Gangs {
		if g := &p.Input.Gangs[i]; g.Request.Name == o.Gang {
			return g
		}
	}
	return nil
}

// verdictOf is the verdict on a plan.
func verdictOf(res *placement.Result) placement.Verdict {
	switch {
	case res == nil:
		return placement.VerdictRefused
	case len(res.Victims) > 0:
		return placement.VerdictNeedsVictims
	case res.Waits():
		return placement.VerdictWaits
	}
	return placement.VerdictPlaced
}

// whyNot is the error of an outcome. Of a gang that the files keep from being planned it says that it waits for them.
func (p *Planned) whyNot(o *render.Outcome) error {
	if !cannotBeUsed(o.Err) {
		return o.Err
	}
	if g := p.gangOf(o); g != nil && p.changed(g) {
		return o.Err // what victims leave of it is too small
	}
	return fmt.Errorf("it waits for an error in the files to be corrected: %w", o.Err)
}

// told are the outcomes whose explanations are printed: of gangs that do not start at once, and of gangs that are named.
func (p *Planned) told(e *explaining) (out []render.Outcome) {
	for i := range p.Outcomes {
		o := &p.Outcomes[i]
		if o.Explanation != nil && (o.Explanation.Verdict != placement.VerdictPlaced || e.named[o.Gang]) {
			out = append(out, *o)
		}
	}
	return out
}
