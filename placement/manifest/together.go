package manifest

import (
	"slices"
	"strings"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/placement/manifest/internal/object"
)

// readTie reads Koordinator's list of gangs, `namespace/name` each. One that cannot be read says nothing.
func readTie(o *object.Object) tie {
	t := tie{at: o.Annotation(koordinatorPrefix + "groups")}
	before := len(o.Errors)
	for e := range t.at.JSON().All() {
		name := e.Required()
		if namespace, own, ok := strings.Cut(name, "/"); name != "" && (!ok || namespace == "" || own == "") {
			e.Fail("must be namespace/name")
		}
		t.names = append(t.names, name)
	}
	if len(o.Errors) > before || len(t.names) == 0 {
		return tie{}
	}
	return t
}

// same says whether two lists name the same gangs.
func (t *tie) same(other *tie) bool {
	within := func(a, b *tie) bool {
		return !slices.ContainsFunc(a.names, func(name string) bool { return !slices.Contains(b.names, name) })
	}
	return slices.Equal(t.names, other.names) || within(t, other) && within(other, t)
}

// tieByPods reads what pods say where no object declares the gang. Those that say something must agree.
func (d *draft) tieByPods() {
	if d.obj != nil {
		return
	}
	for _, m := range d.pods {
		t := readTie(m.Obj)
		switch {
		case !t.at.Present():
		case !d.tie.at.Present():
			d.tie = t
		case !d.tie.same(&t):
			t.at.Fail("another pod of the gang says otherwise")
		}
	}
}

// team are gangs that start together, in natural order, those that are not in the input included.
type team struct {
	names  []string
	drafts map[string]*draft
}

// formTeams finds the gangs that start together: those that name each other, be it by way of others. Each of them must name all.
func (g *gangs) formTeams() {
	drafts, named := map[string]*draft{}, map[string][]string{}
	for _, d := range g.drafts {
		if d.plain {
			continue
		}
		drafts[d.name] = d
		d.tieByPods()
		for _, name := range d.tie.names {
			g.objects.Names.Ask(name)
			named[d.name], named[name] = append(named[d.name], name), append(named[name], d.name)
		}
	}
	seen := map[string]bool{}
	for _, name := range object.SortedKeys(named) {
		t := &team{drafts: drafts}
		var reach func(name string)
		reach = func(name string) {
			if seen[name] {
				return
			}
			seen[name] = true
			t.names = append(t.names, name)
			for _, next := range named[name] {
				reach(next)
			}
		}
		if reach(name); len(t.names) > 1 {
			slices.SortFunc(t.names, muster.CompareNatural)
			g.checkTeam(t)
		}
	}
}

// checkTeam notes who does not name all of them.
func (g *gangs) checkTeam(t *team) {
	for _, name := range t.names {
		d := t.drafts[name]
		if d == nil {
			continue // told where it is named
		}
		if d.team = t; !d.tie.at.Present() {
			g.notices.Add(d.place().Title() + " names no gangs that start together with it, but is named by some of them: they do")
			continue
		}
		g.checkTie(d)
	}
}

// checkTie notes the first gang that a list lacks, and those of it that are not in the input.
func (g *gangs) checkTie(d *draft) {
	listed := map[string]bool{d.name: true}
	for _, name := range d.tie.names {
		listed[name] = true
	}
	at := d.tie.at
	for _, name := range d.team.names {
		if !listed[name] {
			at.Fail("does not name " + name + ": gangs that start together must all name each other")
			return
		}
		if d.team.drafts[name] == nil {
			e := Error{Field: at.Path(), Value: name, Line: at.Line, Reason: "not in the input: the gang waits for it"}
			e.File, e.Document, e.Object = at.Of.File, at.Of.Document, at.Of.Title()
			g.notices.Add(e.Error())
		}
	}
}

// joinTeams makes requests of gangs that wait start together, or refuses those for which one of the others cannot be there.
func joinTeams(waiting []*draft) {
	absent := map[*team][]string{}
	for _, d := range waiting {
		if d.team == nil {
			continue
		}
		if _, known := absent[d.team]; !known {
			absent[d.team] = d.team.absent()
		}
	}
	for _, d := range waiting {
		if d.team == nil || d.result.Err != nil {
			continue
		}
		q := &d.result.Request
		q.Together = d.team.names[0]
		if missing := absent[d.team]; len(missing) > 0 {
			d.result.Err = &placement.Unschedulable{
				Gang: d.name, Refuser: placement.RefuserRule, Rule: "together with " + strings.Join(missing, ", "), Together: missing,
				Wanted: len(q.Members), Proven: true,
			}
		}
	}
}

// absent lists the gangs that are neither planned nor run already: unknown ones, those with defects, those of which too few members are there.
func (t *team) absent() []string {
	var out []string
	for _, name := range t.names {
		d := t.drafts[name]
		if d == nil || d.result.Err != nil || !d.done && !d.waits && (d.runs == 0 || d.runs < d.least) {
			out = append(out, name)
		}
	}
	return out
}
