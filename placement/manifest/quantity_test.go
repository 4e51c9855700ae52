package manifest_test

import (
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/placement/manifest"
)

func TestParseQuantity(t *testing.T) {
	const tooLarge = -1
	for text, want := range map[string]struct{ milli, whole int64 }{
		"0": {0, 0}, "4": {4000, 4}, "+4": {4000, 4}, "007": {7000, 7}, "1500m": {1500, 2}, "0.5": {500, 1}, ".5": {500, 1}, "5.": {5000, 5},
		"1e3": {1_000_000, 1000}, "1E3": {1_000_000, 1000}, "1E-3": {1, 1}, "2.5e+1": {25_000, 25},
		"1Ki": {1_024_000, 1024}, "1Gi": {1 << 30 * 1000, 1 << 30}, "0.5Gi": {1 << 29 * 1000, 1 << 29}, "1.5Ki": {1_536_000, 1536},
		"1k": {1_000_000, 1000}, "1M": {1e9, 1e6}, "1G": {1e12, 1e9}, "1T": {1e15, 1e12}, "1P": {1e18, 1e15}, "1E": {tooLarge, 1e18},
		"1n": {1, 1}, "1u": {1, 1}, "1000001n": {2, 1}, "100m": {100, 1}, "0.1": {100, 1}, "0.0001": {1, 1}, "0e99": {0, 0}, "0.000": {0, 0},
		"9223372036854775807": {tooLarge, math.MaxInt64}, "9223372036854775806.1": {tooLarge, math.MaxInt64},
		"9223372036854775807m": {math.MaxInt64, 9223372036854776}, "7Ei": {tooLarge, 7 << 60}, "1e-400": {1, 1}, "1e-99999999999999": {1, 1},
		"0.12345678901234567890123456789": {124, 1},
	} {
		q, err := manifest.ParseQuantity(text)
		require.NoError(t, err, text)
		milli, err := q.Amount(muster.CPU)
		if want.milli == tooLarge {
			require.ErrorContains(t, err, "too large", text)
		} else {
			require.NoError(t, err, text)
			assert.Equal(t, want.milli, milli, text)
		}
		whole, err := q.Amount(muster.Memory)
		require.NoError(t, err, text)
		assert.Equal(t, want.whole, whole, text)
	}
}

func TestParseQuantityRefuses(t *testing.T) {
	for text, reason := range map[string]string{
		"": "not a quantity", ".": "not a quantity", "1.2.3": "not a quantity", "x": "not a quantity", "1x": "not a quantity", "1 Gi": "not a quantity",
		"1Kib": "not a quantity", "1ki": "not a quantity", "1e": "not a quantity", "1e1.5": "not a quantity", "1e3m": "not a quantity", "0x10": "not a quantity",
		"1_000": "not a quantity", "NaN": "not a quantity", "+": "not a quantity", "++1": "not a quantity", "m": "not a quantity", "١": "not a quantity",
		"-1": "negative", "-0.5": "negative", "-x": "negative",
		"8Ei": "too large", "9223372036854775808": "too large", "9223372036854775807.1": "too large", "1e19": "too large", "1e99999999999999": "too large",
		strings.Repeat("9", 99): "too large", strings.Repeat("9", 1000): "more than",
	} {
		_, err := manifest.ParseQuantity(text)
		assert.ErrorContains(t, err, reason, text)
	}
}

// FuzzParseQuantity checks amounts against exact fractions.
func FuzzParseQuantity(f *testing.F) {
	for _, s := range []string{"1500m", "1Gi", "1e3", "0.5", "1.5e-3", "9223372036854775807", "1E", "-1", "e", "1e-400"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		q, err := manifest.ParseQuantity(s)
		if err != nil {
			return
		}
		whole, err := q.Amount("devices")
		require.NoError(t, err)
		require.GreaterOrEqual(t, whole, int64(0))
		if milli, err := q.Amount(muster.CPU); err == nil {
			require.Equal(t, whole, milli/1000+min(1, milli%1000), "rounding twice is rounding once")
		}
		if exact, ok := new(big.Rat).SetString(s); ok && len(s) < 20 && !strings.ContainsAny(s, "xXbBoO_pP/") {
			floor := new(big.Rat).SetInt64(whole)
			require.LessOrEqual(t, exact.Cmp(floor), 0, s)
			require.Negative(t, floor.Sub(floor, big.NewRat(1, 1)).Cmp(exact), s)
		}
	})
}
