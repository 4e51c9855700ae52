package muster_test

import (
	"cmp"
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster"
)

func TestCompareNatural(t *testing.T) {
	// Each name is before all that follow it.
	ordered := []string{
		"", "0", "00", "001", "01", "1", "01-2", "1-2", "1-10", "2", "9", "10", "99999999999999999999", "100000000000000000000",
		"A1", "a", "a-", "a-01", "a-1", "a-1b", "a-01c", "a-2", "a-10", "a.1", "a0", "a00", "a1", "aa", "b", "node-9", "node-010", "node-10", "node-10a", "é", "\xff",
	}
	for i, a := range ordered {
		for j, b := range ordered {
			require.Equal(t, cmp.Compare(i, j), muster.CompareNatural(a, b), "%q and %q", a, b)
		}
	}
}

// names draws strings in which digits, zeros and bytes around the digits are common.
func names() *rapid.Generator[string] {
	return rapid.StringMatching(`[019a/:\-]{0,6}`)
}

func TestCompareNaturalIsATotalOrder(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) { checkOrder(rt, names().Draw(rt, "a"), names().Draw(rt, "b"), names().Draw(rt, "c")) })
}

func checkOrder(t require.TestingT, a, b, c string) {
	ab, bc, ac := muster.CompareNatural(a, b), muster.CompareNatural(b, c), muster.CompareNatural(a, c)
	require.Equal(t, -ab, muster.CompareNatural(b, a), "%q and %q", a, b)
	require.Equal(t, a == b, ab == 0, "%q and %q", a, b)
	if ab <= 0 && bc <= 0 {
		require.LessOrEqual(t, ac, 0, "%q, %q and %q", a, b, c)
	}
}

// slowCompare is the definition: runs of digits as numbers, all other bytes as bytes, then the whole as bytes.
func slowCompare(a, b string) int {
	runs := regexp.MustCompile(`(?s)[0-9]+|[^0-9]`)
	x, y := runs.FindAllString(a, -1), runs.FindAllString(b, -1)
	for i := range min(len(x), len(y)) {
		m, isNumber := new(big.Int).SetString(x[i], 10)
		n, both := new(big.Int).SetString(y[i], 10)
		c := strings.Compare(x[i], y[i])
		if isNumber && both {
			c = m.Cmp(n)
		}
		if c != 0 {
			return c
		}
	}
	return cmp.Or(cmp.Compare(len(x), len(y)), strings.Compare(a, b))
}

func TestCompareNaturalIsItsDefinition(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		a, b := names().Draw(rt, "a"), names().Draw(rt, "b")
		require.Equal(rt, slowCompare(a, b), muster.CompareNatural(a, b), "%q and %q", a, b)
	})
}

func TestComparePathsOrdersElements(t *testing.T) {
	// A separator inside an element is not one: paths are compared element by element.
	ordered := [][]string{nil, {""}, {"r1"}, {"r1", "node-10"}, {"r1", "node-10", "x"}, {"r1-a", "node-1"}, {"r2"}, {"r10", "a"}}
	for i, a := range ordered {
		for j, b := range ordered {
			require.Equal(t, cmp.Compare(i, j), muster.ComparePaths(a, b), "%q and %q", a, b)
		}
	}
}

func FuzzCompareNatural(f *testing.F) {
	f.Add("node-9", "node-10", "node-010")
	f.Add("1", "01", "\xff0")
	f.Fuzz(func(t *testing.T, a, b, c string) { checkOrder(t, a, b, c) })
}

func ExampleCompareNatural() {
	names := []string{"node-10", "node-9", "node-1", "node-010"}
	slices.SortFunc(names, muster.CompareNatural)
	fmt.Println(names)
	// Output: [node-1 node-9 node-010 node-10]
}
