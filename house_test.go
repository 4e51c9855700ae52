package muster_test

import (
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The walls of the house, measured over the code of every package without its tests.
const (
	largestCircle = 25  // files of one package that all use each other
	furthestReach = 60  // methods reachable by embedding from one type, its own included
	shadowedNames = 0   // names that a struct shares with what it embeds
	mostWays      = 15  // through one function of the core
	mostMembers   = 120 // exported names, methods and fields of an internal package
)

func TestHouseStands(t *testing.T) {
	all := loadPackages(t)
	t.Run("Walls", func(t *testing.T) { wallsStand(t, all) })
	t.Run("Doors", func(t *testing.T) { doorsAreNarrow(t, all) })
}

func wallsStand(t *testing.T, all []*measured) {
	for _, p := range all {
		name := p.name()
		if circle := p.largestCircle(); circle > largestCircle {
			t.Errorf("package %q: %d files use each other in a circle, at most %d may", name, circle, largestCircle)
		}
		if reach, who := p.furthestReach(); reach > furthestReach {
			t.Errorf("package %q: %d methods are reachable from %s, at most %d may be", name, reach, who, furthestReach)
		}
		if names := p.shadowed(); len(names) > shadowedNames {
			t.Errorf("package %q: embedding shadows %s", name, strings.Join(names, ", "))
		}
		if names := p.tangled(mostWays); slices.Contains(core, name) && !slices.Equal(names, tangled[name]) {
			t.Errorf("package %q: more than %d ways lead through %s; in the table stand %s", name, mostWays, names, tangled[name])
		}
	}
}

// doorsAreNarrow counts the exported names, methods and fields of internal packages: all of them, and those that only one package
// uses, unless it is the first user of all. A room is there for one, who may use most of it alone, and somebody fills it; what a
// second or third one uses alone makes a board of it on which everybody writes, and wants to live there. Who is above the common
// limits stands in a table, and may only fall.
func doorsAreNarrow(t *testing.T, all []*measured) {
	used := users(all)
	for _, p := range all {
		name := p.name()
		if !strings.Contains(name, "internal/") || slices.Contains(harness, name) {
			continue
		}
		members, alone := p.members(), map[string][]string{} // by user: what nobody else uses
		for o, called := range members {
			if _, isWord := o.(*types.Const); len(used[o]) == 1 && !isWord { // words of one vocabulary stand together
				for user := range used[o] {
					alone[user] = append(alone[user], called)
				}
			}
		}
		var first string
		for user, names := range alone {
			if n := len(alone[first]); len(names) > n || len(names) == n && user < first {
				first = user
			}
		}
		delete(alone, first)
		strays := slices.Sorted(slices.Values(slices.Concat(slices.Collect(maps.Values(alone))...)))
		got := door{len(members), len(strays)}
		if most, is := ownMost[name]; is && got.members != most {
			t.Errorf("package %q: %d exported names, methods and fields, and %d stand in the table, where they may only get fewer", name, got.members, most)
		}
		if got.members <= mostMembers {
			got.members = 0
		}
		if got.strays <= max(2, len(members)/10) {
			got.strays = 0
		}
		if got != doors[name] {
			t.Errorf("package %q: %+v, and %+v stands in the table, where it may only fall; beside %s one user: %s", name, got, doors[name], first, strings.Join(strays, " "))
		}
	}
}

// door are the exported names, methods and fields of a package, and how many of them have one user who is not the first of all; 0: no
// more than there may be.
type door struct{ members, strays int }

// The numbers are numbers of something: a package with a circle, an inherited method and a shadowed name has them.
func TestWallsAreMeasured(t *testing.T) {
	files := map[string]string{
		"a.go": "package p\n\ntype base struct{ n int }\n\nfunc (b *base) one() int { return two() }\n",
		"b.go": "package p\n\ntype heir struct {\n\t*base\n\tn int\n}\n\nfunc two() int { return (&base{}).one() }\n\nfunc (h heir) Three() {}\n",
		"c.go": "package p\n\nvar Four = two()\n",
	}
	fset, p := token.NewFileSet(), &measured{path: "p"}
	for _, name := range []string{"a.go", "b.go", "c.go"} {
		f, err := parser.ParseFile(fset, name, files[name], 0)
		require.NoError(t, err)
		p.files = append(p.files, f)
	}
	require.NoError(t, p.check(fset, importer.Default()))
	require.Equal(t, 2, p.largestCircle())
	reach, who := p.furthestReach()
	require.Equal(t, 2, reach)
	require.Equal(t, "heir", who)
	require.Equal(t, []string{"heir.base.n"}, p.shadowed())
	require.Len(t, p.members(), 2, "Four, heir.Three")
}

// What a failing random test saves lies below testdata too: a test that walks that folder would fail because of it.
func TestNobodyWalksTestdata(t *testing.T) {
	walks := 0
	require.NoError(t, filepath.WalkDir(".", func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(file, "_test.go") {
			return err
		}
		data, err := os.ReadFile(file)
		for _, walk := range []string{"datadriven." + "Walk(", "WalkDir(\"" + "testdata", "ReadDir(\"" + "testdata", "Walk(\"" + "testdata"} {
			if strings.Contains(string(data), walk) {
				t.Errorf("%s walks testdata: it is to list its own files", file)
			}
		}
		walks++
		return err
	}))
	require.Greater(t, walks, 100)
}
