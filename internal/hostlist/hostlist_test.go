package hostlist_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/internal/hostlist"
)

func TestExpand(t *testing.T) {
	for list, want := range map[string]string{
		"":                      "",
		"a":                     "a",
		"n[1-3,07],login":       "n1 n2 n3 n07 login",
		"tux[08-11]":            "tux08 tux09 tux10 tux11",
		"r[1-2]n[1-2]":          "r1n1 r1n2 r2n1 r2n2",
		"r[1-2]n[01,3]-ib":      "r1n01-ib r1n3-ib r2n01-ib r2n3-ib",
		"[1101-1102]":           "1101 1102",
		"a,,b":                  "a b",
		"n[1,1]":                "n1 n1",
		"switch.1.[9-10]":       "switch.1.9 switch.1.10",
		"n[99-101]":             "n99 n100 n101",
		"a b":                   "a b",
		"x[000000000000000001]": "x000000000000000001",
	} {
		got, err := hostlist.Expand(list)
		require.NoError(t, err, list)
		require.Equal(t, want, strings.Join(got, " "), list)
	}
}

func TestExpandRefuses(t *testing.T) {
	for list, want := range map[string]string{
		"n[1-3":                                 "a bracket that does not end",
		"n1-3]":                                 "a bracket that does not begin",
		"n[1-[2-3]]":                            "a bracket in a bracket",
		"n[]":                                   `"" is not a number`,
		"n[a-b]":                                `"a-b" is not a number`,
		"n[1-]":                                 `"1-" is not a number`,
		"n[-1]":                                 `"-1" is not a number`,
		"n[+1]":                                 `"+1" is not a number`,
		"n[1_0]":                                `"1_0" is not a number`,
		"n[3-1]":                                "3-1 goes down",
		"n[1-10000000]":                         "more than 1048576 names",
		"a[1-2000]b[1-2000]":                    "more than 1048576 names",
		"n[99999999999999999999]":               "is not a number",
		strings.Repeat("[1]", 17):               "more than 16 brackets in a name",
		strings.Repeat("n", 99) + "[1-1000000]": "bytes in all",
	} {
		_, err := hostlist.Expand(list)
		require.ErrorContains(t, err, want, list)
	}
}

// drawList draws a hostlist as people write them.
func drawList(t *rapid.T) string {
	return rapid.StringMatching(`([a-c]{1,2}(\[(0?[0-9]|[1-3]-[4-9]|0[1-3]-1[0-2])(,(0?[0-9]|[1-2]-[3-5]))?\]){0,2}(-ib)?,?){1,3}`).Draw(t, "list")
}

// What is folded stands for the same names, each once and in natural order.
func TestFoldIsTheWayBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names, err := hostlist.Expand(drawList(t))
		require.NoError(t, err)
		again, err := hostlist.Expand(hostlist.Fold(names))
		require.NoError(t, err)
		slices.SortFunc(names, muster.CompareNatural)
		slices.SortFunc(again, muster.CompareNatural)
		require.Equal(t, slices.Compact(names), again)
	})
	require.Equal(t, "n[1-3],n07,n7,x", hostlist.Fold([]string{"x", "n3", "n2", "n1", "n7", "n07", "n1"}))
}

func TestInOrder(t *testing.T) {
	for want, names := range map[string]string{
		"":                     "",
		"worker-[0-15]":        "worker-0 worker-1 worker-2 worker-3 worker-4 worker-5 worker-6 worker-7 worker-8 worker-9 worker-10 worker-11 worker-12 worker-13 worker-14 worker-15",
		"n[09-10]":             "n09 n10",
		"n[3,1-2,07]":          "n3 n1 n2 n07",
		"n[0-1,00-01]":         "n0 n1 n00 n01",
		"n[9,010]":             "n9 n010",
		"n[99-101]":            "n99 n100 n101",
		"ip-10-0-0-[1-2].eu2":  "ip-10-0-0-1.eu2 ip-10-0-0-2.eu2",
		"ip-10-0-[9-10]-1.eu2": "ip-10-0-9-1.eu2 ip-10-0-10-1.eu2",
		"[7-8]":                "7 8",
	} {
		all := strings.Fields(names)
		require.Equal(t, len(all), hostlist.Alike(all, 9), want)
		require.Equal(t, want, hostlist.InOrder(all))
	}
	for _, names := range []string{"a b", "a1 b1", "r1n1 r2n2", "n[1] n[2]", "n1, n2,", "n1 n1", "n1 n", "n1234567890123456789 n1234567890123456780"} {
		require.Equal(t, 1, hostlist.Alike(strings.Fields(names), 9), names)
	}
	require.Equal(t, 2, hostlist.Alike([]string{"n1", "n2", "m3"}, 9))
}

// What is written in order is read in order.
func TestInOrderIsTheWayBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOfN(rapid.StringMatching(`[ab]?(0{0,2}[0-9]|9[89]|10[01])(b|-ib|-2)?`), 1, 12).Draw(t, "names")
		most := rapid.IntRange(2, 4).Draw(t, "spans")
		var again []string
		for rest := names; len(rest) > 0; {
			n := hostlist.Alike(rest, most)
			require.Positive(t, n)
			require.LessOrEqual(t, strings.Count(hostlist.InOrder(rest[:n]), ","), most-1)
			list, err := hostlist.Expand(hostlist.InOrder(rest[:n]))
			require.NoError(t, err)
			again, rest = append(again, list...), rest[n:]
		}
		require.Equal(t, names, again)
	})
}

var afterBracket = regexp.MustCompile(`\][^\[,]+(,|$)`)

// Slurm itself expands random lists to the same names.
func TestExpandEqualsSlurm(t *testing.T) {
	scontrol, err := exec.LookPath("scontrol")
	if err != nil {
		t.Skip("scontrol is not installed (Debian: slurm-client)")
	}
	conf := filepath.Join(t.TempDir(), "slurm.conf")
	require.NoError(t, os.WriteFile(conf, []byte("ClusterName=test\nSlurmctldHost=localhost\n"), 0o600))
	compared := 0
	rapid.Check(t, func(t *rapid.T) {
		if compared == 20 {
			return // each is a process
		}
		var lists []string
		for range 20 { // older ones refuse what comes after the last bracket, and of empty names versions make different things
			list := strings.Trim(strings.ReplaceAll(drawList(t), ",,", ","), ",")
			if list != "" && strings.Count(list, "[") < 5 && !afterBracket.MatchString(list) {
				lists = append(lists, list)
			}
		}
		if len(lists) == 0 {
			return
		}
		list := strings.Join(lists, ",")
		run := exec.Command(scontrol, "show", "hostnames", list)
		run.Env = append(os.Environ(), "SLURM_CONF="+conf)
		var said bytes.Buffer
		run.Stderr = &said
		out, err := run.Output()
		require.NoError(t, err)
		require.Empty(t, said.String(), list)
		names, err := hostlist.Expand(list)
		require.NoError(t, err, list)
		want := strings.Fields(string(out))
		slices.Sort(want) // of brackets side by side it lets the first one count fastest
		slices.Sort(names)
		require.Equal(t, want, names, list)
		compared++
	})
	require.Greater(t, compared, 10)
}

func FuzzExpand(f *testing.F) {
	for _, list := range []string{"n[1-3,07],login", "a[1-2]b[3-4]", "n[", "n]", "n[1-99999999]", "[1]", ",,"} {
		f.Add(list)
	}
	f.Fuzz(func(t *testing.T, list string) {
		names, err := hostlist.Expand(list)
		if err != nil {
			return
		}
		require.LessOrEqual(t, len(names), hostlist.MaxNames)
		require.NotContains(t, strings.Join(names, ""), "[")
	})
}
