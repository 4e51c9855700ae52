package muster_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// arrows are the imports of the house, after go/build/deps_test.go: a package may import what stands on the right, and
// the standard library as far as the rules below let it. A package may only name packages above it, so that the table
// has no cycle. `.` is the root package.
const arrows = `
	internal/zeros        <
	internal/mutants      <
	internal/printed      <
	.                     < internal/printed
	internal/characters   <
	topology              < . internal/characters
	numa                  < .
	quota                 < .
	internal/cow          <
	internal/known        < .
	internal/steps        <
	internal/features     <
	internal/front        < internal/steps internal/features
	internal/bounds       < internal/front
	internal/layout       < . topology internal/cow
	internal/blocks       < internal/layout
	internal/roll         < internal/blocks internal/layout
	internal/index        < internal/cow internal/layout
	gang                  < . numa quota
	internal/labels       < gang
	internal/match        < . gang internal/labels
	internal/keys         < gang internal/features
	internal/intern       <
	internal/sorted       <
	internal/hitting      <
	internal/sets         < gang internal/features internal/index internal/keys
	internal/frontsets    < gang internal/features internal/front internal/intern internal/keys internal/steps
	gang/queue            < . gang github.com/google/btree
	gang/permit           < . gang github.com/google/btree
	internal/cover        <
	internal/seats        <
	preempt               < . topology numa quota gang internal/cover
	cluster               < internal/printed . topology numa quota gang
	explain               < . quota gang cluster
	internal/phrases      < .
	internal/kinds        < . gang explain internal/phrases
	internal/invariant    <
	internal/drawn        < . topology cluster
	internal/snapshot     < . topology numa quota gang cluster internal/cow internal/blocks internal/layout internal/index internal/intern internal/sorted internal/match internal/invariant github.com/google/btree
	internal/packing      < internal/steps
	internal/ranks        < . gang internal/layout internal/snapshot
	internal/limits       < . gang internal/features internal/layout internal/roll internal/index internal/snapshot
	internal/ends         < cluster internal/snapshot
	internal/moves        <
	internal/reserve      <
	internal/holds        < . cluster internal/layout internal/reserve internal/snapshot internal/ends
	internal/leavable     < internal/cow internal/intern internal/snapshot
	internal/model        < gang internal/features internal/keys internal/front internal/index internal/layout internal/roll internal/limits
	internal/partnames    < internal/layout internal/model
	internal/selections   < internal/model internal/intern internal/roll
	internal/picks        < internal/front internal/model
	internal/room         < . numa gang cluster internal/features internal/cow internal/layout internal/roll internal/index internal/intern internal/match internal/front internal/model internal/snapshot internal/limits
	internal/problem      < . topology numa quota gang cluster internal/features internal/cow internal/layout internal/roll internal/index internal/match internal/model internal/room internal/snapshot internal/holds internal/limits internal/ranks internal/bounds internal/partnames internal/front internal/steps
	internal/outcome      < . internal/layout internal/model internal/snapshot internal/problem
	internal/manyshapes   < internal/front internal/keys internal/layout internal/model internal/packing internal/steps
	internal/gather       < internal/features internal/keys internal/cow internal/layout internal/index internal/sets internal/model internal/invariant
	internal/joint        < . topology numa quota gang cluster internal/cow internal/layout internal/index internal/room internal/snapshot internal/problem internal/front internal/steps
	internal/fronts       < internal/features internal/front internal/keys internal/layout internal/limits internal/manyshapes internal/model internal/packing internal/intern internal/frontsets internal/steps
	internal/parts        < quota numa internal/intern internal/front internal/layout internal/model internal/room internal/snapshot internal/partnames internal/problem internal/outcome internal/selections internal/picks internal/joint internal/fronts internal/steps
	internal/search       < . topology numa quota gang cluster internal/cow internal/layout internal/index internal/model internal/room internal/snapshot internal/limits internal/partnames internal/bounds internal/problem internal/outcome internal/gather internal/parts
	internal/preferred    < . topology numa quota gang cluster internal/cow internal/layout internal/index internal/model internal/room internal/snapshot internal/limits internal/front internal/problem internal/outcome internal/search
	internal/victims      < . topology numa quota gang cluster internal/cow internal/layout internal/index internal/intern internal/model internal/room internal/snapshot internal/front internal/bounds internal/problem internal/outcome internal/search preempt internal/leavable
	internal/remedies     < . topology quota gang cluster explain internal/cover internal/layout internal/match internal/hitting internal/front internal/model internal/room internal/snapshot internal/bounds internal/problem internal/search internal/kinds internal/leavable
	placement             < internal/printed internal/known . topology numa quota gang gang/queue cluster explain internal/cow internal/layout internal/roll internal/index internal/hitting internal/front internal/seats internal/model internal/room internal/snapshot internal/reserve internal/holds internal/ends internal/moves internal/limits internal/ranks internal/bounds internal/problem internal/outcome internal/search internal/preferred internal/victims internal/remedies preempt
	internal/document     < internal/printed internal/characters go.yaml.in/yaml/v4
	internal/hostlist     < .
	internal/keyends      < topology
	fabric                < internal/printed . topology cluster internal/document internal/hostlist internal/keyends
	placement/manifest/internal/owners < . internal/document
	placement/manifest/internal/object < internal/printed . internal/known internal/document placement/manifest/internal/owners
	placement/manifest/internal/amounts < . internal/document placement/manifest/internal/object
	placement/manifest/internal/nodes < . topology numa gang cluster placement/manifest/internal/object placement/manifest/internal/amounts
	placement/manifest/internal/trees < . topology gang cluster internal/known internal/document placement/manifest/internal/object placement/manifest/internal/nodes
	placement/manifest/internal/selectors < gang internal/labels placement/manifest/internal/object placement/manifest/internal/nodes
	placement/manifest/internal/budgets < . cluster internal/labels internal/document placement/manifest/internal/object placement/manifest/internal/selectors
	placement/manifest/internal/priorities < placement/manifest/internal/object
	placement/manifest/internal/links <
	placement/manifest/internal/lists <
	placement/manifest/internal/runs < . cluster placement/manifest/internal/lists
	placement/manifest/internal/terms < gang placement/manifest/internal/object
	placement/manifest/internal/jobs < placement/manifest/internal/object
	placement/manifest/internal/ignored < placement/manifest/internal/object
	placement/manifest/internal/assumed < internal/document
	placement/manifest/internal/lives < . gang gang/permit
	placement/manifest/internal/requests < gang internal/document placement/manifest/internal/object placement/manifest/internal/trees
	placement/manifest/internal/apart < gang internal/labels internal/document placement/manifest/internal/object
	placement/manifest/internal/whatif < . topology gang cluster internal/known internal/document placement/manifest/internal/object placement/manifest/internal/trees
	placement/manifest/internal/quotas < . quota placement/manifest/internal/object placement/manifest/internal/amounts placement/manifest/internal/lists
	placement/manifest/internal/member < . numa gang placement/manifest/internal/object placement/manifest/internal/nodes placement/manifest/internal/apart placement/manifest/internal/priorities placement/manifest/internal/quotas
	placement/manifest/internal/durations < placement/manifest/internal/object placement/manifest/internal/member
	placement/manifest/internal/tasks < . gang placement/manifest/internal/object placement/manifest/internal/selectors placement/manifest/internal/member
	placement/manifest/internal/seats < placement/manifest/internal/object placement/manifest/internal/member
	placement/manifest/internal/assigned < placement/manifest/internal/owners placement/manifest/internal/object
	placement/manifest    < . topology numa quota gang preempt cluster internal/known placement internal/document placement/manifest/internal/owners placement/manifest/internal/object placement/manifest/internal/amounts placement/manifest/internal/member placement/manifest/internal/quotas placement/manifest/internal/nodes placement/manifest/internal/trees placement/manifest/internal/selectors placement/manifest/internal/budgets placement/manifest/internal/priorities placement/manifest/internal/links placement/manifest/internal/apart placement/manifest/internal/requests placement/manifest/internal/ignored placement/manifest/internal/assigned placement/manifest/internal/assumed placement/manifest/internal/lives placement/manifest/internal/lists gang/queue gang/permit placement/manifest/internal/tasks placement/manifest/internal/runs placement/manifest/internal/terms placement/manifest/internal/jobs placement/manifest/internal/seats placement/manifest/internal/whatif placement/manifest/internal/durations
	placement/render      < internal/printed internal/phrases internal/kinds internal/hostlist internal/keyends . topology numa quota gang preempt cluster explain placement
	simulate              < . topology gang gang/queue quota cluster placement internal/invariant
	simulate/streams      < . gang cluster simulate
	simulate/placers      < . topology gang cluster placement simulate
	simulate/report       < . simulate github.com/go-analyze/charts
	internal/spec         < topology gang internal/features internal/cow internal/layout internal/roll internal/index internal/limits internal/model
	internal/validity     < . topology numa quota gang preempt cluster placement
	internal/changed      < . topology quota gang cluster explain internal/kinds
	internal/draws        < . topology numa gang cluster internal/validity
	internal/reference    < . topology numa quota gang preempt cluster explain placement internal/validity internal/changed internal/draws
	internal/agreed       < . topology numa quota gang cluster placement internal/draws internal/reference internal/validity
	internal/scenario     < . topology numa quota gang gang/queue preempt cluster explain internal/kinds placement placement/render internal/validity internal/reference
	internal/sources      < . gang cluster placement internal/known simulate simulate/streams
	internal/playable     < internal/printed internal/phrases internal/sources . gang placement placement/manifest simulate simulate/streams
	internal/cli          < internal/printed internal/playable internal/sources internal/keyends internal/match . fabric topology numa quota gang gang/queue preempt cluster explain internal/known internal/document placement placement/manifest placement/render simulate simulate/placers simulate/streams simulate/report
	cmd/muster            < internal/cli
	internal/cases        < . fabric topology numa quota gang gang/queue gang/permit preempt cluster placement placement/manifest placement/render internal/validity internal/cli
	internal/simplest     < . topology gang cluster placement
	examples/quickstart   < . topology numa quota gang cluster placement placement/manifest
	examples/generate     < internal/document
	examples/embed        < . topology gang gang/queue gang/permit cluster placement
	examples/hosts/koordinator <
	examples/hosts/kai    <
	examples/hosts/volcano <
	examples/hosts/kueue  <
	benchmarks            < . fabric topology numa quota gang gang/queue preempt cluster explain placement placement/manifest simulate simulate/placers simulate/streams
`

// forTests may be imported by every test file, and by the harness packages, which only tests import.
var forTests = []string{
	"github.com/stretchr/testify/require",
	"github.com/stretchr/testify/assert",
	"github.com/cockroachdb/datadriven",
	"pgregory.net/rapid",
}

// harness packages hold checks that tests of several packages share.
var harness = []string{"internal/drawn", "internal/changed", "internal/draws", "internal/validity", "internal/spec", "internal/reference", "internal/agreed", "internal/scenario", "internal/cases", "internal/zeros"}

// A plan is a pure function of its arguments: the library has no network, files, clock, chance or logger, and nothing
// that goes around the type system. Files and times in them are read in placement/manifest alone; placement alone takes a
// context, which ends a search early.
var (
	library = []string{
		"", "topology", "numa", "quota", "gang", "gang/queue", "gang/permit", "preempt", "cluster", "explain", "fabric", "placement", "placement/manifest", "placement/render",
		"internal/cow", "internal/features", "internal/front", "internal/bounds", "internal/keys", "internal/layout", "internal/blocks", "internal/roll", "internal/index", "internal/sets", "internal/frontsets", "internal/hitting", "internal/intern", "internal/snapshot", "internal/leavable", "internal/ends", "internal/reserve", "internal/moves", "internal/limits", "internal/ranks", "internal/partnames", "internal/invariant",
		"internal/match", "internal/labels", "internal/printed", "internal/steps", "internal/seats", "internal/packing", "internal/cover", "internal/model", "internal/room", "internal/problem", "internal/outcome", "internal/selections", "internal/picks", "internal/manyshapes", "internal/joint", "internal/gather", "internal/fronts", "internal/parts", "internal/search", "internal/preferred", "internal/victims", "internal/remedies", "internal/phrases", "internal/kinds",
	}
	forbidden = []string{
		"C", "context", "crypto", "log", "log/slog", "math/rand", "math/rand/v2", "net", "net/http", "os", "os/exec",
		"os/signal", "path/filepath", "plugin", "syscall", "time", "unsafe",
	}
	lifted = map[string][]string{"placement": {"context"}, "placement/manifest": {"time"}}
)

const module = "github.com/muster-sched/muster"

// imports of one package: those of the code and those of its tests.
type imports struct{ code, tests []string }

func TestImportsPointOneWay(t *testing.T) {
	allowed := parseArrows(t)
	for pkg, got := range packageImports(t) {
		may, ok := allowed[pkg]
		if !ok {
			t.Errorf("package %s is not in the table of arrows", pkg)
			continue
		}
		name := strings.TrimPrefix(strings.TrimPrefix(pkg, module), "/")
		if slices.Contains(harness, name) {
			may = append(slices.Clip(may), forTests...)
		}
		for _, i := range got.code {
			switch {
			case !isStandard(i) && !slices.Contains(may, i):
				t.Errorf("%s imports %s, which the table does not allow", pkg, i)
			case slices.Contains(library, name) && slices.Contains(forbidden, i) && !slices.Contains(lifted[name], i):
				t.Errorf("%s imports %s: the library is pure", pkg, i)
			}
		}
		for _, i := range got.tests {
			if !isStandard(i) && allowed[i] == nil && !slices.Contains(may, i) && !slices.Contains(forTests, i) {
				t.Errorf("a test of %s imports %s, which the table does not allow", pkg, i)
			}
		}
	}
}

// CONTRIBUTING.md names every package, and no folder that is none.
func TestContributingNamesEveryPackage(t *testing.T) {
	text, err := os.ReadFile("CONTRIBUTING.md")
	require.NoError(t, err)
	_, table, _ := strings.Cut(string(text), "| folder | its question |\n")
	table, _, _ = strings.Cut(table, "\n\n")
	var named, there []string
	for line := range strings.Lines(table) {
		if cells := strings.Split(line, "`"); len(cells) > 1 {
			named = append(named, full(cells[1]))
		}
	}
	for pkg := range parseArrows(t) {
		there = append(there, pkg)
	}
	require.ElementsMatch(t, there, named)
}

// parseArrows reads the table and checks that it has no cycle and no package that does not exist.
func parseArrows(t *testing.T) map[string][]string {
	t.Helper()
	allowed := map[string][]string{}
	for line := range strings.Lines(arrows) {
		pkg, right, ok := strings.Cut(strings.TrimSpace(line), "<")
		if !ok {
			continue
		}
		pkg = strings.TrimSpace(pkg)
		require.DirExists(t, filepath.FromSlash(pkg), "the table names a package that does not exist")
		may := []string{}
		for _, name := range strings.Fields(right) {
			i := full(name)
			require.True(t, allowed[i] != nil || !strings.HasPrefix(i, module), "%s < %s: arrows only point up", pkg, name)
			may = append(may, i)
		}
		allowed[full(pkg)] = may
	}
	return allowed
}

// packageImports reads the import clauses of all Go files of the module, whatever their build tags. Packages of the
// module are named by their folder.
func packageImports(t *testing.T) map[string]imports {
	t.Helper()
	all := map[string]imports{}
	err := filepath.WalkDir(".", func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if name := d.Name(); d.IsDir() && name != "." && (name == "testdata" || strings.ContainsAny(name[:1], "._")) {
			return filepath.SkipDir
		}
		if _, err := os.Stat(filepath.Join(file, "go.mod")); d.IsDir() && file != "." && err == nil {
			return filepath.SkipDir // a module of its own
		}
		if d.IsDir() || filepath.Ext(file) != ".go" {
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		pkg := path.Join(module, path.Dir(filepath.ToSlash(file)))
		entry := all[pkg]
		for _, spec := range f.Imports {
			name, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			if strings.HasSuffix(file, "_test.go") {
				entry.tests = append(entry.tests, name)
			} else {
				entry.code = append(entry.code, name)
			}
		}
		all[pkg] = entry
		return nil
	})
	require.NoError(t, err)
	require.Contains(t, all, full("placement"), "the test runs in the root of the module")
	return all
}

// full is the import path of a name in the table: a folder of the module, or a path that begins with a host.
func full(name string) string {
	switch first, _, _ := strings.Cut(name, "/"); {
	case name == ".":
		return module
	case strings.Contains(first, "."):
		return name
	}
	return module + "/" + name
}

// isStandard is true for packages of the standard library: the first element of their path has no dot.
func isStandard(name string) bool {
	first, _, _ := strings.Cut(name, "/")
	return !strings.Contains(first, ".")
}
