package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// module writes a module of one package, whose tests see some of it.
func module(t *testing.T, code string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module example.com/m\n\ngo 1.25\n",
		"m.go":   "package m\n\n" + code,
		"m_test.go": `package m

import "testing"

func TestClamp(t *testing.T) {
	if Clamp(3, 5) != 3 || Clamp(7, 5) != 5 {
		t.Fatal("not clamped")
	}
}
`,
		"user/user.go":      "package user\n\nimport \"example.com/m\"\n\nfunc Five(n int) int { return m.Clamp(n, 5) }\n",
		"user/user_test.go": "package user\n\nimport \"testing\"\n\nfunc TestFive(t *testing.T) {\n\tif Five(-1) != 0 {\n\t\tt.Fatal(\"below\")\n\t}\n}\n",
	} {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	return dir
}

func TestEveryKindOfMutantIsListed(t *testing.T) {
	const code = `func f(a, b int32, s string, all []int) (n int32, ok bool) {
	const fixed = 3
	if a < b && ok {
		n += a - 1
	}
	for i := 0; i < len(all); i++ {
		all[i] = int(max(a, b))
	}
	defer println(s + "x")
	switch {
	case n == fixed:
		n--
	}
	return n, true
}

func Clamp(a, b int) int { return min(a, b) }
`
	packages, err := load(&options{dir: module(t, code), packages: []string{"."}})
	require.NoError(t, err)
	var got []string
	for _, m := range packages[0].files[0].mutants {
		got = append(got, fmt.Sprintf("%d %s > %s", m.line-2, m.file.text[m.from:m.to], m.becomes))
	}
	require.Equal(t, []string{
		"9 defer println(s + \"x\") > ",
		"14 return n, true > ",
		"3 a < b && ok > true",
		"3 a < b && ok > false",
		"3 a < b && ok > a < b || ok",
		"3 a < b > a <= b",
		"3 a < b > a >= b",
		"4 n += a - 1 > n -= a - 1",
		"4 n += a - 1 > ",
		"4 a - 1 > a + 1",
		"4 1 > (1+1)",
		"4 1 > (1-1)",
		"6 i < len(all) > false",
		"6 0 > (0+1)",
		"6 0 > (0-1)",
		"6 i < len(all) > i <= len(all)",
		"6 i < len(all) > i >= len(all)",
		"7 all[i] = int(max(a, b)) > ",
		"7 max(a, b) > min(a, b)",
		"11 n == fixed > true",
		"11 n == fixed > false",
		"12 n-- > n++",
		"12 n-- > ",
		"11 n == fixed > n != fixed",
		"14 true > false",
		"17 return min(a, b) > ",
		"17 min(a, b) > max(a, b)",
	}, got)
	all := packages[0].draw(&options{at: regexp.MustCompile("")}, 0)
	require.Len(t, all, len(got)-2, "without a return two functions do not compile")
	text := packages[0].files[0].with(all)
	require.Equal(t, strings.Count(packages[0].files[0].text, "\n"), strings.Count(text, "\n"), "every line stays where it is")
}

// A mutant that changes a value that tests look at is killed, by the package's own tests or by those of its users; one in what
// they never ask for survives.
func TestSurvivorsAreWhatNoTestSees(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and runs a module")
	}
	const code = `func Clamp(n, most int) int {
	if n < 0 {
		return 0
	}
	for n > most {
		n = most
	}
	return n
}

func Unseen(n int) int { return n + n }
`
	dir := module(t, code)
	var out bytes.Buffer
	require.NoError(t, run(&options{dir: dir, packages: []string{"."}, at: regexp.MustCompile(" Unseen|:4 Clamp$"), stages: 3, short: []string{"./user"}, patience: 2 * time.Second}, &out))
	_, first, _ := strings.Cut(out.String(), "After the tests of stage own:")
	require.Contains(t, first, "  2 of   7 killed  example.com/m\n")
	_, last, _ := strings.Cut(first, "After the tests of stage all:")
	require.Equal(t, `

  4 of   7 killed  example.com/m
  4 of   7 killed

Survivors:
m.go:4 Clamp [3]
  - if n < 0 {
  + if n <= 0 {
m.go:4 Clamp [5]
  - if n < 0 {
  + if n < (0+1) {
m.go:13 Unseen [7]
  - func Unseen(n int) int { return n + n }
  + func Unseen(n int) int { return n - n }
`, last, out.String())
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, entries, 4, "the tree is as it was")
}

func TestTheSameSeedDrawsTheSame(t *testing.T) {
	drawn := func(seed uint64) (names []string) {
		packages, err := load(&options{packages: []string{"../steps"}})
		require.NoError(t, err)
		for _, m := range packages[0].draw(&options{seed: seed, count: 5, at: regexp.MustCompile("")}, 0) {
			names = append(names, m.String())
		}
		return names
	}
	first := drawn(1)
	require.Len(t, first, 5)
	require.Equal(t, first, drawn(1))
	require.NotEqual(t, first, drawn(2))
	require.Error(t, command([]string{"-at", "("}, new(bytes.Buffer)))
	require.Error(t, command(nil, new(bytes.Buffer)))
}
