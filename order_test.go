package muster_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster/internal/features"
	"github.com/muster-sched/muster/internal/keys"
)

var (
	// tag is a line of a comment that names the rules which a declaration decides, sameAnswer one of an accelerator.
	tag        = regexp.MustCompile(`^// order: (` + tagIDs + `)$`)
	sameAnswer = regexp.MustCompile(`\bSame answer as order: (` + tagIDs + `)`)
	anyTag     = regexp.MustCompile(`\border: [a-z]+\.[0-9]`)
)

const tagIDs = `[a-z]+\.[0-9]+(?:, [a-z]+\.[0-9]+)*`

// tagged has the declarations of one package that decide a rule, or have its answer faster.
type tagged map[string][]string // names by id

// Every row of the table "From rule to code" is true of the code: each function that it names is declared in one of the
// packages that it names, and its comment has the line `order: id`; each of these packages has such a function.
func TestOrderTableNamesTheCode(t *testing.T) {
	deciders := map[string]tagged{}
	for _, r := range orderRows(t) {
		for _, pkg := range r.packages {
			if deciders[pkg] == nil {
				deciders[pkg] = readTags(t, pkg, tag, func(string, string) {})
			}
		}
		has := func(pkg, name string) bool { return slices.Contains(deciders[pkg][r.id], name) }
		all := true
		for _, name := range r.functions {
			if slices.ContainsFunc(r.packages, func(pkg string) bool { return has(pkg, name) }) {
				continue
			}
			all = false
			t.Errorf("%s: no declaration %s of %q has the line `// order: %s`", r.id, name, r.packages, r.id)
		}
		for _, pkg := range r.packages {
			if all && !slices.ContainsFunc(r.functions, func(name string) bool { return has(pkg, name) }) {
				t.Errorf("%s: none of its functions is in package %s", r.id, pkg)
			}
		}
	}
}

// Every rule that the code names is one of the table, and stands where a search for it finds it.
func TestCodeNamesRulesOfTheTable(t *testing.T) {
	defined := map[string]bool{}
	for _, r := range orderRows(t) {
		defined[r.id] = true
	}
	for _, pkg := range slices.Sorted(maps.Keys(packageImports(t))) {
		folder := strings.TrimPrefix(strings.TrimPrefix(pkg, module), "/")
		readTags(t, folder, tag, func(place, id string) {
			if !defined[id] {
				t.Errorf("%s names %s, which is no rule of docs/order.md", place, id)
			}
		})
	}
}

// Every shortcut says whose answer it gives, and stands in the table of shortcuts, which says what it understands.
func TestShortcutsStandInTheirTable(t *testing.T) {
	table := map[string]bool{}
	for _, row := range features.Table {
		table[row.Package+" "+row.Function] = true
	}
	code := map[string]bool{}
	for _, pkg := range slices.Sorted(maps.Keys(packageImports(t))) {
		folder := strings.TrimPrefix(strings.TrimPrefix(pkg, module), "/")
		for _, names := range readTags(t, folder, sameAnswer, func(string, string) {}) {
			for _, name := range names {
				code[folder+" "+name] = true
			}
		}
	}
	require.Equal(t, code, table)
}

// The keys stand in the order of the rules that they decide, of domains and of sets, and in no row stands another rule than the page has.
func TestKeysStandInTheOrderOfTheRules(t *testing.T) {
	defined := map[string]int{}
	for i, r := range orderRows(t) {
		defined[r.id] = i
	}
	last := keys.Row{Domain: "domain.1", Set: "sets.2"}
	for _, row := range keys.Table {
		for _, ids := range [...][2]string{{last.Domain, row.Domain}, {last.Set, row.Set}} {
			require.Contains(t, defined, ids[1])
			require.Less(t, defined[ids[0]], defined[ids[1]], "%s comes before %s", ids[1], ids[0])
		}
		last = row
	}
}

// orderRow is a row of the table: a rule, and who decides it.
type orderRow struct {
	id                  string
	packages, functions []string
}

func orderRows(t *testing.T) (rows []orderRow) {
	t.Helper()
	for _, found := range row.FindAllStringSubmatch(read(t, "docs/order.md"), -1) {
		rows = append(rows, orderRow{found[1], strings.Split(found[2], "` `"), strings.Split(found[3], "` `")})
	}
	require.NotEmpty(t, rows)
	return rows
}

// readTags reads the code of a folder, its tests not, and calls each with every rule that a comment names, and where. What it returns are the declarations that
// name rules in one form.
func readTags(t *testing.T, folder string, form *regexp.Regexp, each func(place, id string)) tagged {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(filepath.FromSlash(folder), "*.go"))
	require.NoError(t, err)
	all := tagged{}
	fset := token.NewFileSet()
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(fset, name, nil, parser.ParseComments|parser.SkipObjectResolution)
		require.NoError(t, err)
		for _, group := range file.Comments {
			for _, line := range group.List {
				place := fset.Position(line.Pos()).String()
				ids := idsOf(line.Text, tag, sameAnswer)
				if len(ids) == 0 && anyTag.MatchString(line.Text) {
					t.Errorf("%s: a rule stands as `// order: a.1, b.2` on a line of its own, or as `Same answer as order: a.1`", place)
				}
				for _, id := range ids {
					each(place, id)
				}
			}
		}
		for _, d := range file.Decls {
			for declared, doc := range declarations(d) {
				for _, line := range doc {
					for _, id := range idsOf(line.Text, form) {
						all[id] = append(all[id], declared)
					}
				}
			}
		}
	}
	return all
}

// idsOf are the rules that a line of a comment names in one of these forms.
func idsOf(line string, forms ...*regexp.Regexp) []string {
	for _, form := range forms {
		if found := form.FindStringSubmatch(line); found != nil {
			return strings.Split(found[1], ", ")
		}
	}
	return nil
}

// declarations has the names that a declaration declares on the package level, methods included, with their comments.
func declarations(d ast.Decl) map[string][]*ast.Comment {
	all := map[string][]*ast.Comment{}
	add := func(name *ast.Ident, groups ...*ast.CommentGroup) {
		for _, g := range groups {
			if g != nil {
				all[name.Name] = append(all[name.Name], g.List...)
			}
		}
	}
	switch d := d.(type) {
	case *ast.FuncDecl:
		add(d.Name, d.Doc)
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.TypeSpec:
				add(s.Name, d.Doc, s.Doc)
			case *ast.ValueSpec:
				for _, name := range s.Names {
					add(name, d.Doc, s.Doc)
				}
			}
		}
	}
	return all
}
