package cli

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// tableOf are the lines of a table for spreadsheets, by column.
func tableOf(t *testing.T, csv string) (rows []map[string]string) {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(csv), "\n")
	names := strings.Split(lines[0], ",")
	for _, line := range lines[1:] {
		cells := strings.Split(line, ",")
		require.Len(t, cells, len(names))
		row := map[string]string{}
		for i, name := range names {
			row[name] = cells[i]
		}
		rows = append(rows, row)
	}
	return rows
}

// plainRatio is the mean of some ratios and their standard deviation.
func plainRatio(numbers, of []float64) (pairs int, mean, spread float64) {
	var each []float64
	for i, n := range numbers {
		if of[i] > 0 {
			each = append(each, n/of[i])
		}
	}
	for _, x := range each {
		mean += x / float64(len(each))
	}
	for _, x := range each {
		spread += (x - mean) * (x - mean) / float64(max(1, len(each)-1))
	}
	return len(each), mean, math.Sqrt(spread)
}

// What stands in the table of pairs is what the table of all streams gives.
func TestSimulatePaired(t *testing.T) {
	args := []string{"-fabric", "4x8", "-largest", "8", "-gangs", "100", "-o", "csv", "-sweep", "load=80,110", "-sweep", "seed=1,2,3,4", "-sweep", "discipline=next-that-fits,easy,strict"}
	all, pairs := tableOf(t, simulated(t, args...)), tableOf(t, simulated(t, append(args, "-paired")...))
	require.Len(t, pairs, 6)
	differ := 0
	for _, p := range pairs {
		var numbers, first [3][]float64
		columns := []string{"mean", "p95", "longest"}
		for _, r := range all {
			for i, c := range columns {
				x, err := strconv.ParseFloat(r[c], 64)
				require.NoError(t, err)
				switch {
				case r["load"] != p["load"]:
				case r["discipline"] == p["discipline"]:
					numbers[i] = append(numbers[i], x)
					if r["discipline"] == "next-that-fits" {
						first[i] = append(first[i], x)
					}
				case r["discipline"] == "next-that-fits":
					first[i] = append(first[i], x)
				}
			}
		}
		for i, c := range columns {
			require.Len(t, numbers[i], 4)
			n, mean, spread := plainRatio(numbers[i], first[i])
			want := fmt.Sprintf("%.2f +-%.2f", mean, spread)
			got := strings.Trim(p["of "+c], "()")
			if n == 0 {
				want = "-"
			}
			require.Equal(t, want, got, "%v", p)
			if p["of "+c] == got {
				differ++
			}
		}
	}
	require.Positive(t, differ)
	var doc struct {
		Pairs []struct {
			Discipline string
			Load       int
			Streams    int
			OfMean     struct {
				Mean  json.Number
				Pairs int
				None  bool
			}
		}
	}
	require.NoError(t, json.Unmarshal([]byte(simulated(t, append(args, "-paired", "-o", "json")...)), &doc))
	require.Len(t, doc.Pairs, 6)
	for i, p := range doc.Pairs {
		require.Equal(t, pairs[i]["discipline"], p.Discipline)
		require.Equal(t, []int{4, 4}, []int{p.Streams, p.OfMean.Pairs})
		require.True(t, strings.HasPrefix(strings.Trim(pairs[i]["of mean"], "()"), string(p.OfMean.Mean)+" +-"))
		require.Equal(t, p.OfMean.None, strings.HasPrefix(pairs[i]["of mean"], "("))
	}
	text := simulated(t, append(args, "-paired", "-o", "text")...)
	require.Equal(t, 4+6, strings.Count(text, "\n"), text)
}

// Ratios are those of plain arithmetic, however large the numbers are.
func TestRatios(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 6).Draw(t, "pairs")
		draw := func(name string) (list []int64, floats []float64) {
			for range n {
				x := rapid.SampledFrom([]int64{0, 1, 7, 99, 100, 101, 1000, 123_456_789, 1 << 40}).Draw(t, name)
				list, floats = append(list, x), append(floats, float64(x))
			}
			return list, floats
		}
		numbers, floats := draw("numbers")
		of, ofs := draw("of")
		r := ratioOf(numbers, of)
		pairs, mean, spread := plainRatio(floats, ofs)
		require.Equal(t, pairs, r.Pairs)
		require.InDelta(t, mean, float64(r.Mean)/100, 0.006+mean/1e5)
		require.InDelta(t, spread, float64(r.Spread)/100, 0.006+spread/1e5+1e-3)
		if off := math.Abs(mean - 1); pairs > 1 && math.Abs(off-2*spread) > 1e-4 {
			require.Equal(t, off < 2*spread || off == 0, r.None)
		}
	})
	require.Equal(t, "-", ratioOf([]int64{3}, []int64{0}).String())
	require.Equal(t, "(0.50 +-0.00)", ratioOf([]int64{1}, []int64{2}).String(), "of one pair nobody knows the spread")
	require.Equal(t, "0.50 +-0.00", ratioOf([]int64{1, 2}, []int64{2, 4}).String())
	require.Equal(t, "(1.00 +-0.00)", ratioOf([]int64{1, 2}, []int64{1, 2}).String())
	require.Equal(t, "0.67 +-0.00", ratioOf([]int64{2, 4}, []int64{3, 6}).String())
}
