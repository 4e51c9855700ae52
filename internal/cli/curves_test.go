package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// written writes a file of a test.
func written(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// Jobs are drawn from distributions in place of made ones, and reach the load that is asked for; what cannot be read is told with file and line.
func TestSimulateCurves(t *testing.T) {
	const sizes = "cluster,gpus,jobs_cum_pct,gpu_time_cum_pct\na,4,50,10\na,16,100,100\nb,8,100,100\n"
	s := written(t, "sizes.csv", sizes)
	d := written(t, "durations.csv", "cluster,type,seconds,jobs_cum_pct\na,all,100,50\na,all,1000,100\n")
	out := simulated(t, "-sizes", s, "-durations", d, "-of", "a", "-fabric", "4x8", "-gangs", "2000", "-load", "70")
	require.Equal(t, `4x8: 32 nodes of 8 nvidia.com/gpu; 2000 gangs of the sizes and durations of a
seed 1, load 70, discipline next-that-fits, moves false, placer muster, longer 1, checkpoint 1800
load: 70.0 % asked for, 69.4 % reached until the last gang came
`, strings.Join(strings.SplitAfter(out, "\n")[:3], ""))
	none := written(t, "none.csv", "cluster,gpus,jobs_cum_pct,gpu_time_cum_pct\na,4,50,0\n")
	args := []string{"-sizes", s, "-durations", d, "-of", "a", "-fabric", "4x8", "-gangs", "50", "-sweep", "load=50,90"}
	for _, r := range tableOf(t, simulated(t, append(args, "-o", "csv")...)) {
		require.NotEmpty(t, r["load"], r)
	}
	require.Contains(t, simulated(t, append(args, "-o", "json")...), `"gangs":50,"largest":0,"runs":0,`)

	for want, args := range map[string][]string{
		s + `: -of "c": not one of a, b; the nearest one is a`:                   {"-sizes", s, "-durations", d, "-of", "c"},
		d + `: -of "b": not one of a; the nearest one is a`:                      {"-sizes", s, "-durations", d, "-of", "b"},
		`-: line 5: gpus "no": not a whole number from 1 to 65536`:               {"-sizes", "-", "-durations", d, "-of", "a"},
		d + `: line 1: the column gpus is missing`:                               {"-sizes", d, "-durations", d, "-of", "a"},
		`-: no distributions`:                                                    {"-sizes", s, "-durations", "-", "-of", "a"},
		none + " and " + d + `: drawn.Sizes "1": no size has both jobs and time`: {"-sizes", none, "-durations", d, "-of", "a"},
	} {
		stdin := sizes + "b,no,1,1\n"
		if strings.Contains(want, "no distributions") {
			stdin = "cluster,type,seconds,jobs_cum_pct\n"
		}
		status, out, said := called(t, stdin, append([]string{"simulate"}, args...)...)
		require.Equal(t, failed, status, said)
		require.Empty(t, out)
		require.Equal(t, want+"\n", said)
	}
	status, _, said := called(t, sizes+"b,no,1,1\n", "simulate", "-keep-going", "-sizes", "-", "-durations", d, "-of", "a", "-gangs", "1")
	require.Equal(t, ok, status)
	require.Equal(t, `-: line 5: gpus "no": not a whole number from 1 to 65536`+"\n", said)
}

// What is wrong with the flags is said of them.
func TestSimulateCurvesMisuse(t *testing.T) {
	for args, want := range map[string]string{
		"-sizes s -durations d":                  "-sizes, -durations and -of are for each other: all are needed",
		"-of a":                                  "-sizes, -durations and -of are for each other: all are needed",
		"-sizes - -durations - -of a":            "-sizes and -durations: the standard input is one file",
		"-sizes s -durations d -of a t.csv":      `"t.csv": there is no table where gangs are drawn from -sizes`,
		"-sizes s -durations d -of a -largest 8": "-largest is for gangs that are not drawn from -sizes",
	} {
		requireMisuse(t, args, want)
	}
}
