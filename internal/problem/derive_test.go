package problem

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/bounds"
	"github.com/muster-sched/muster/internal/front"
	"github.com/muster-sched/muster/internal/index"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/limits"
	"github.com/muster-sched/muster/internal/model"
	"github.com/muster-sched/muster/internal/room"
	"github.com/muster-sched/muster/internal/selections"
	"github.com/muster-sched/muster/internal/snapshot"
	"github.com/muster-sched/muster/numa"
	"github.com/muster-sched/muster/quota"
	"github.com/muster-sched/muster/topology"
)

// fates has a row for each field of a problem and a column for each constructor: `=` the field is kept, `0` it is
// reset, `*` it is derived. A new field needs a row: think of what it is in each of the derived problems.
const fates = `
field                Kept Again WithLeavingGone WithoutMultiples WithLimits    WithMultiples WithoutRules UnderRules withGang unbundled Only beside Rest Unselected ofRole WithDomains withoutOthers inLevels
Snapshot             =    =     =               =                =             =             =            =          =        =         =    =      =    =          =      =           =             =
View                 =    =     =               =                =             =             =            =          =        =         =    =      =    =          =      =           =             =
Request              =    =     =               =                =             =             =            =          =        =         =    =      =    =          =      =           =             =
Shapes               =    =     =               =                =             =             =            *          =        =         =    =      =    =          *      *           =             =
RoleOf               =    =     =               =                =             =             =            *          =        =         *    =      =    *          0      *           =             =
Twins                =    =     =               =                =             =             =            *          =        =         =    =      =    =          0      *           =             =
Gang                 =    =     =               =                *             =             *            *          *        =         =    =      =    =          =      =           =             0
Ranks                =    =     =               =                =             =             =            =          =        =         =    =      =    =          =      =           =             =
Parts.cut            =    =     =               =                =             =             =            =          =        =         =    =      =    =          =      =           =             0
Parts.First          0    0     0               0                0             0             0            0          0        0         0    0      0    0          0      0           0             0
Parts.Groups         0    0     0               0                0             0             0            0          0        0         0    0      0    0          0      0           0             0
Parts.Minimal        =    =     =               =                =             =             =            =          =        =         =    =      =    =          =      =           =             0
Parts.State          =    =     =               =                =             =             =            =          =        =         =    =      =    =          =      =           =             0
Parts.already        =    =     =               =                =             =             =            =          =        =         =    =      =    *          =      =           =             0
Parts.Selection      =    =     =               =                =             =             =            =          =        =         *    =      =    *          =      =           =             0
Parts.All            =    =     =               =                =             =             =            =          =        =         *    =      =    *          =      *           =             0
Parts.AllowedOf      =    =     =               =                =             =             =            =          =        =         =    =      =    =          =      *           =             0
Parts.RoleBefore     =    =     =               =                =             =             =            =          =        =         =    =      =    =          =      *           =             0
Allowed              =    =     =               =                =             =             =            =          =        =         =    =      =    =          *      =           =             0
Doubt                =    *     =               =                =             =             =            =          =        =         =    =      =    =          =      =           *             0
Left                 =    *     =               =                =             =             =            =          =        =         =    =      =    =          =      =           *             0
Steps                *    *     =               =                =             =             =            =          =        =         =    =      =    =          =      =           =             =
Charged              0    *     =               =                =             =             =            =          =        =         =    =      =    =          =      =           =             =
Stop                 0    *     =               =                =             =             =            =          =        =         =    =      =    =          =      =           =             =
together             =    =     =               =                =             =             0            =          =        =         =    =      =    =          =      =           =             =
Needs                =    =     =               =                =             =             =            =          =        =         =    =      =    =          *      =           =             =
waster               0    =     =               =                =             =             =            =          =        =         =    =      =    =          0      =           =             =
mixed                =    =     =               =                =             =             =            =          =        =         =    =      =    =          =      =           =             =
Policy               =    =     =               =                =             =             =            =          =        =         =    =      =    =          =      =           =             =
ordered              =    =     =               =                =             =             =            =          =        =         =    =      =    =          =      =           =             =
Pending              0    =     =               =                =             =             =            =          =        =         *    =      *    *          =      =           =             =
Pinned               =    =     =               =                =             =             =            =          =        =         =    =      =    =          =      =           =             =
Team                 =    =     =               =                =             =             =            =          =        =         =    =      =    =          =      =           =             =
Own                  =    =     =               =                =             =             =            =          =        =         =    =      =    =          =      =           =             =
fresh                =    =     =               =                =             =             =            =          =        =         =    =      =    =          =      =           =             =
below                =    =     =               =                =             =             =            =          =        =         =    0      0    0          =      =           =             =
Running              =    =     =               =                =             =             =            =          =        =         =    *      *    *          =      =           =             =
Least                =    =     =               =                =             =             =            =          =        =         *    =      *    *          =      =           =             *
Levels               0    =     =               =                =             =             0            =          =        =         =    =      =    =          =      =           *             *
oneLevel             =    =     =               =                =             =             =            =          =        =         =    =      =    =          =      =           =             =
Gather               =    =     =               =                =             =             *            *          =        =         =    *      *    *          =      =           *             *
Multiple             =    =     =               0                =             =             =            =          =        =         =    =      =    =          0      =           =             =
LCA                  =    =     =               =                =             =             =            =          =        =         =    *      *    *          =      =           =             =
Inside               =    =     =               =                =             =             =            =          =        =         =    =      =    =          =      =           =             =
Siblings             =    =     =               =                =             =             =            =          =        =         =    *      *    *          =      =           =             =
Friends              =    =     =               =                =             =             =            =          =        =         =    =      =    =          =      =           =             =
Forced               =    =     =               0                =             =             =            =          =        =         =    =      =    =          0      =           =             =
Multiples            =    =     =               0                =             *             =            *          =        =         =    *      *    *          0      *           =             =
LeavingGone          =    =     *               =                =             =             =            =          =        =         =    0      0    0          =      =           =             =
Admitted             =    =     =               =                =             =             =            =          =        =         *    =      *    *          =      =           =             =
wants                =    =     =               =                =             =             =            =          =        =         =    =      =    =          =      =           =             =
RefusedBy            =    =     =               =                =             =             =            =          =        =         =    =      =    =          =      =           =             =
Unsettled            =    =     =               =                =             =             =            =          =        =         =    =      =    =          =      =           =             =
indexes              0    =     =               =                0             =             =            =          =        =         =    =      =    =          0      =           0             =
ZoneState.Aligned    =    =     =               =                =             =             =            =          =        =         =    =      =    =          *      =           =             =
ZoneState.members    =    =     =               =                =             =             =            *          =        =         =    =      =    =          *      *           =             =
ZoneState.indexNeeds =    =     =               =                =             =             =            0          =        =         =    =      =    =          0      0           =             =
ZoneState.OwnNeeds   0    =     =               =                =             =             =            0          =        =         =    =      =    =          0      0           =             =
ZoneState.shares     0    =     =               =                =             =             =            0          =        =         =    =      =    =          0      0           =             =
ZoneState.widths     0    =     =               =                =             =             =            0          =        =         =    =      =    =          0      0           =             =
ZoneState.zoneFits   0    =     =               =                =             =             =            *          =        =         =    =      =    0          0      *           =             =
ZoneState.Released   =    =     =               =                =             =             =            =          =        =         =    =      =    =          =      =           =             =
ZoneState.inexact    =    =     =               =                =             =             =            0          =        =         =    =      =    =          0      0           =             =
scratch              0    =     =               =                =             =             =            =          =        =         =    =      =    =          =      =           =             =
Bounds               0    *     =               =                =             =             =            =          =        =         =    =      =    =          =      =           =             =
Unbundled            =    =     =               =                =             =             =            =          =        =         =    =      =    =          =      =           =             *
Limits               =    =     =               =                0             =             =            =          =        =         =    =      =    =          =      =           =             =
Company              *    =     =               =                *             =             =            =          =        =         =    =      =    =          =      =           =             =
Judges               *    =     =               =                =             =             =            =          =        =         =    =      =    =          =      =           =             =
whole                0    =     =               =                =             =             =            =          =        =         =    =      =    =          =      =           *             =
names                0    =     =               =                =             =             =            =          =        =         =    =      =    =          =      =           =             =
Called               =    =     =               =                =             =             =            =          =        =         =    =      =    =          =      =           =             =
Memory               0    =     =               =                =             =             =            =          =        =         =    =      =    =          =      =           =             =
Before               0    =     =               =                =             =             =            =          =        =         =    =      *    =          =      =           =             =
All                  =    =     =               =                =             =             =            =          =        =         *    =      =    *          =      *           =             0
Spared               0    =     =               =                =             =             =            =          =        =         =    =      =    =          =      =           *             =
Hard                 =    =     =               =                =             =             *            =          =        =         =    =      =    =          =      =           =             =
`

func TestDerivedProblemsSayEveryField(t *testing.T) {
	whole := rich(t)
	others := make(model.Selection, len(whole.Model.Pending)) // not the first ones
	others[len(others)-1], others[len(others)-3] = true, true
	selected := whole.Only(others)
	placed := &model.Answer{Of: &selected.Model, Positions: []int32{6, 7}, Tier: whole.Model.View.RootTop - 1}
	first := &model.Answer{Of: &whole.Model, Positions: []int32{6, 7}, Tier: whole.Model.View.RootTop - 1}
	var otherTree *model.Part
	whole.Model.Gang.Each(func(a *model.Part) {
		if a.OtherTree != nil {
			otherTree = a
		}
	})
	domains := map[*model.Part]layout.Vertex{otherTree: otherTree.OtherTree.DomainsOf(1)[0]}
	bundled, some := whole.derive(), selected.derive() // of units instead of roles
	for _, p := range []*Problem{bundled, some} {
		p.Model.RoleOf, p.Unbundled = nil, whole.derive()
		p.Unbundled.Model.Pending = slices.Repeat(whole.Model.Pending, len(whole.Room.Shapes))
	}
	some.Parts.All = bundled
	unparted := whole.derive() // in equal groups
	unparted.Model.Gang, unparted.Room.Spared = nil, false
	staying := whole.derive()
	staying.Room.LeavingGone = false
	for _, p := range []*Problem{selected, bundled, some, unparted, staying} {
		p.Parts.First, p.Parts.Groups = whole.Parts.First, whole.Parts.Groups // as if each were made so
	}
	both, selection := []*Problem{whole, selected, bundled}, []*Problem{selected, some}
	cases := map[string]struct {
		of   []*Problem
		make func(p *Problem) *Problem
	}{
		"Kept": {both, (*Problem).Kept},
		"withoutOthers": {[]*Problem{whole, selected, bundled, unparted}, func(p *Problem) *Problem {
			return withoutOthers(p, model.Strategy{Gang: 7, Groups: []int32{5}})
		}},
		"Again":            {both, func(p *Problem) *Problem { return p.Again(bounds.Search{Left: p.NewBudget()}) }},
		"WithLeavingGone":  {append(both[:3:3], staying), (*Problem).WithLeavingGone},
		"WithoutMultiples": {both, (*Problem).WithoutMultiples},
		"WithLimits":       {both, func(p *Problem) *Problem { return p.WithLimits(nil, nil) }},
		"WithMultiples":    {both, func(p *Problem) *Problem { return p.WithMultiples(p.Model.Multiples[1:]) }},
		"WithoutRules":     {both, (*Problem).WithoutRules},
		"UnderRules":       {both, func(p *Problem) *Problem { return p.UnderRules(nil) }},
		"withGang":         {both, (*Problem).FromOneMember},
		"unbundled":        {both, (*Problem).unbundled},
		"Only":             {both, func(p *Problem) *Problem { return p.Only(selections.FirstOnes(&p.Model, 1)) }},
		"beside":           {both, func(p *Problem) *Problem { return p.beside(first) }},
		"Rest":             {both, func(p *Problem) *Problem { return p.Rest(first, nil) }},
		"Unselected":       {selection, func(p *Problem) *Problem { return p.Unselected(placed) }},
		"ofRole":           {both, func(p *Problem) *Problem { return ofRole(p, 1) }},
		"WithDomains":      {both, func(p *Problem) *Problem { return p.WithDomains(domains) }},
		"inLevels": {both, func(p *Problem) *Problem {
			return inLevels(p, model.Gather{Must: 7}, []model.Level{{Size: 9}}, bundled.Unbundled.derive())
		}},
	}
	table := parseFates(t)
	for _, name := range constructors(t) {
		_, ok := cases[name]
		require.True(t, ok && table[name] != nil, "%s derives a problem: it needs a case and a column", name)
	}
	for name, c := range cases {
		told := map[string]bool{} // the fields of which a sample has shown the fate
		for _, p := range c.of {
			before := fieldsOf(p)
			after := fieldsOf(c.make(p))
			for field, was := range before {
				is, fate := after[field], table[name][field]
				same, none := reflect.DeepEqual(was, is), reflect.ValueOf(is).IsZero() || is == nil
				was := was != nil && !reflect.ValueOf(was).IsZero()
				switch fate {
				case "=":
					assert.True(t, same, "%s does not keep %s", name, field)
					told[field] = told[field] || was
				case "0":
					assert.True(t, none, "%s does not reset %s", name, field)
					told[field] = told[field] || was
				case "*":
					told[field] = told[field] || !same
				default:
					assert.Fail(t, "a field is missing", "%s: what is %s then? kept, reset or derived", name, field)
				}
			}
			assert.Len(t, table[name], len(before), "a row of no field")
		}
		for field, fate := range table[name] {
			assert.True(t, told[field], "%s: no sample shows that %s is %q", name, field, fate)
		}
	}
}

// parseFates reads the table: by constructor and field.
func parseFates(t *testing.T) map[string]map[string]string {
	t.Helper()
	rows := strings.Split(strings.TrimSpace(fates), "\n")
	head, table := strings.Fields(rows[0]), map[string]map[string]string{}
	for _, name := range head[1:] {
		table[name] = map[string]string{}
	}
	for _, row := range rows[1:] {
		cells := strings.Fields(row)
		require.Len(t, cells, len(head), row)
		for i, fate := range cells[1:] {
			table[head[i+1]][cells[0]] = fate
		}
	}
	return table
}

// constructors are the functions that start with derive.
func constructors(t *testing.T) (names []string) {
	t.Helper()
	sources, err := filepath.Glob("*.go")
	require.NoError(t, err)
	for _, source := range sources {
		if strings.HasSuffix(source, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), source, nil, 0)
		require.NoError(t, err)
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			ast.Inspect(f, func(n ast.Node) bool {
				if s, ok := n.(*ast.SelectorExpr); ok && s.Sel.Name == "derive" {
					names = append(names, f.Name.Name)
				}
				return true
			})
		}
	}
	require.NotEmpty(t, names)
	return names
}

// fieldsOf are the values of all fields; those of Parts and ZoneState one by one.
func fieldsOf(p *Problem) map[string]any {
	out := map[string]any{}
	for name, f := range fieldsAt(p) {
		out[name] = f.Interface()
	}
	return out
}

// fieldsAt are the fields themselves.
func fieldsAt(p *Problem) map[string]reflect.Value {
	out := map[string]reflect.Value{}
	var add func(prefix string, v reflect.Value)
	add = func(prefix string, v reflect.Value) {
		for i := range v.NumField() {
			f, name := v.Field(i), prefix+v.Type().Field(i).Name
			switch name {
			case "Parts", "ZoneState":
				add(name+".", f)
				continue
			case "Model", "Room", "Owner":
				if f.Kind() == reflect.Struct { // else they are those of each other
					add("", f)
				}
				continue
			}
			out[name] = reflect.NewAt(f.Type(), unsafe.Pointer(f.UnsafeAddr())).Elem()
		}
	}
	add("", reflect.ValueOf(p).Elem())
	return out
}

// fillWith sets a field, of the room as well.
func fillWith(p *Problem, name string, value any) { fieldsAt(p)[name].Set(reflect.ValueOf(value)) }

// oneEntry is a map with a zero key and value.
func oneEntry(t reflect.Type) reflect.Value {
	m := reflect.MakeMap(t)
	m.SetMapIndex(reflect.Zero(t.Key()), reflect.Zero(t.Elem()))
	return m
}

type noTeam struct{ Team }

func (noTeam) Called(_ int, name string) string { return name }

// rich is a problem in which no field is zero but those of a selection and of units.
func rich(t *testing.T) *Problem {
	t.Helper()
	c, err := snapshot.New(richCluster(t))
	require.NoError(t, err)
	small, large := gang.Shape{Resources: muster.Resources{"gpu": 1}}, gang.Shape{Resources: muster.Resources{"gpu": 2, "cpu": 1}}
	small.NUMA.Policy, small.Tolerations = numa.BestEffort, slices.Repeat([]gang.Toleration{{Exists: true}}, 40) // so many that judges pay
	req := &gang.Request{Name: "gang", Tree: "default", Shape: small, AffinityKey: "friends", Policy: gang.Spread, Inside: []string{"block"}}
	req.Gather = []gang.Rule{{Layer: "block", Strength: gang.MustGather}, {Layer: "rack", Multiple: 2}}
	for _, name := range []string{"bound", "even", "fed"} {
		part := gang.Part{Name: name}
		for i := range 4 {
			m := gang.Member{Name: fmt.Sprint(name, i), NonPreemptible: true}
			if i == 3 {
				m.Shape = &large
			}
			part.Members = append(part.Members, m.Name)
			if name != "even" || i > 0 {
				req.Members = append(req.Members, m)
			}
		}
		req.Parts = append(req.Parts, part)
	}
	req.Parts[0].Gather = []gang.Rule{{Layer: "rack", Strength: gang.MustGather}, {Layer: "rack", Multiple: 2}}
	req.Parts[1].Gather = []gang.Rule{{Layer: "rack", Multiple: 2}}
	req.Parts[2].Tree, req.Parts[2].Gather = "feeds", []gang.Rule{{Layer: "feed", Strength: gang.MustGather}}
	p, err := New(c, req, nil, bounds.Search{Stop: make(chan struct{})})
	require.NoError(t, err)
	p.Ready()
	p.Room.Judges.Tolerates(&req.Shape, nil) // so that there is a judge
	require.NotEmpty(t, p.Model.Multiples)
	fill(p)
	return p
}

func richCluster(t *testing.T) cluster.Spec {
	t.Helper()
	spec := cluster.Spec{}
	racks, feeds := make([]topology.Domain, 4), make([]topology.Domain, 2)
	for i := range 8 {
		name := fmt.Sprint("node-", i)
		spec.Nodes = append(spec.Nodes, cluster.Node{Name: name, Allocatable: muster.Resources{"gpu": 4, "cpu": 8}})
		racks[i/2].Name, racks[i/2].Tier, racks[i/2].Nodes = fmt.Sprint("rack-", i/2), 1, append(racks[i/2].Nodes, name)
		feeds[i%2].Name, feeds[i%2].Tier, feeds[i%2].Nodes = fmt.Sprint("feed-", i%2), 1, append(feeds[i%2].Nodes, name)
	}
	block := topology.Domain{Name: "block", Tier: 2, Children: racks}
	for _, s := range []struct {
		name   string
		layers []topology.Layer
		roots  []topology.Domain
	}{
		{"default", []topology.Layer{{Name: "rack", Tier: 1}, {Name: "block", Tier: 2}}, []topology.Domain{block}},
		{"feeds", []topology.Layer{{Name: "feed", Tier: 1}}, feeds},
	} {
		tree, err := topology.New(topology.Spec{Layers: s.layers, Roots: s.roots})
		require.NoError(t, err)
		spec.Trees = append(spec.Trees, cluster.NamedTree{Name: s.name, Tree: tree})
	}
	spec.Running = []cluster.Running{
		{Gang: "gang", Member: "even0", Node: "node-0", Resources: muster.Resources{"gpu": 1}},
		{Gang: "friend", Member: "0", Node: "node-3", Resources: muster.Resources{"gpu": 1}, AffinityKey: "friends"},
	}
	return spec
}

// fill sets the fields that New leaves to the search, and those that only other gangs have.
func fill(p *Problem) {
	p.Model.Admitted, p.Room.LeavingGone, p.Unsettled, p.together, p.ordered = len(p.Model.Pending), true, true, true, true
	p.Model.Least, p.Team, p.RefusedBy, p.wants = 3, &noTeam{}, &quota.Refusal{}, &quota.Ask{}
	p.oneLevel = [1]model.Level{{Size: 4}}
	p.Model.Levels, p.Model.Multiple, p.Model.Forced = p.oneLevel[:], []int64{1, 2, 2, 2}, layout.Tally{1: 1}
	fillWith(p, "indexes", [2]*index.Index{{}, {}})
	fillWith(p, "mixed", [2]bool{true, true})
	p.Model.Room.Waste(p.Model.View.NodeVertex(0)) // reads what counts as waste
	p.Model.Twins = []int32{0, 1}
	p.Model.Limits, p.Model.Gang.Limits = &limits.Limits{}, []limits.OnPart{{Name: "limit", Tier: 1, Most: 3}}
	p.Room.Company = limits.Near(p.Snapshot, p.Model.View, p.Model.Limits, nil, false, "gang", p.IsOwn)
	p.whole, p.Room.Before = &Problem{}, &room.Placed{}
	p.Parts = partState{
		cut: []model.Level{{Size: 2}}, First: []*Problem{{}}, Groups: &Problem{}, Minimal: selections.FirstOnes(&p.Model, 1), State: &quota.State{}, already: quota.Ask{Quota: "already"},
		AllowedOf: make([]room.Allowed, len(p.Room.Shapes)), RoleBefore: []int32{0, 1},
	}
	p.Model.Doubt, p.Model.Left, p.Model.Steps, p.Model.Charged = new(bool), new(front.Budget), 7, true
	*p.Model.Doubt = true
	p.Room.Allowed, p.Room.Spared = room.Allowed{{View: p.Model.View, End: 4}}, true
	p.Parts.AllowedOf[1] = room.Allowed{{View: p.Model.View, End: 8}}
	p.Room.ZoneState.OwnNeeds, p.Room.ZoneState.Released = map[*snapshot.ZoneClass][]*numa.Need{nil: nil}, map[int32]room.Released{1: {}}
	fillWith(p, "ZoneState.indexNeeds", map[*snapshot.ZoneClass][]*numa.Need{nil: nil})
	fillWith(p, "ZoneState.inexact", true)
	for _, name := range []string{"ZoneState.shares", "ZoneState.widths", "ZoneState.zoneFits"} {
		f := fieldsAt(p)[name]
		f.Set(oneEntry(f.Type()))
	}
}
