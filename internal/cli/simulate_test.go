package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster/gang/queue"
	pages "github.com/muster-sched/muster/simulate/report"
)

// simulated runs the simulate command, which has nothing to say beside its answer.
func simulated(t *testing.T, args ...string) string {
	t.Helper()
	status, out, said := called(t, "", append([]string{"simulate"}, args...)...)
	require.Equal(t, ok, status, said)
	require.Empty(t, said)
	return out
}

// requireMisuse holds the simulate command to what it says of a command line that it cannot use.
func requireMisuse(t *testing.T, args, want string) {
	t.Helper()
	status, out, said := called(t, "", append([]string{"simulate"}, strings.Fields(args)...)...)
	require.Equal(t, misuse, status, args)
	require.Empty(t, out, args)
	require.Equal(t, want+"\nmuster help simulate has the flags and examples\n", said, args)
}

// A sweep is the table of the README, to the last byte, however many rows are played at the same time.
func TestSimulateSweeps(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, processes := range []int{1, 2, 8} {
		runtime.GOMAXPROCS(processes)
		requireShown(t, "$ go run ./cmd/muster simulate -fabric 4x8 -largest 8 -gangs 300 -sweep discipline=strict,next-that-fits,easy -sweep moves=false,true\n"+
			simulated(t, "-fabric", "4x8", "-largest", "8", "-gangs", "300", "-sweep", "discipline=strict,next-that-fits,easy", "-sweep", "moves=false,true"))
	}
}

// Without flags there is an answer, with all sizes.
func TestSimulateWithoutFlags(t *testing.T) {
	out := simulated(t)
	require.True(t, strings.HasPrefix(out, `2x4x4x32: 1024 nodes of 8 nvidia.com/gpu; 1000 gangs of at most 128 nodes, which run 7200 s in the mean
seed 1, load 85, discipline next-that-fits, moves false, placer muster, longer 1, checkpoint 1800
load: 85.0 % asked for, 84.0 % reached until the last gang came

gangs 1000, ended 1000, never fit 0, wait for ever 0, restarts 0, moved gangs 0 of 0 members`), out)
	require.Contains(t, out, "\n65-128 ")
	require.Contains(t, out, "\nall             1000       597         0 ")
	require.Equal(t, out, simulated(t, "-seed", "1", "-load", "85", "-placer", "MUSTER"))
	require.NotEqual(t, out, simulated(t, "-seed", "2"))
}

// Programs get the same numbers, with the values of all flags that could be swept.
func TestSimulateForPrograms(t *testing.T) {
	args := []string{"-fabric", "2x2x4", "-gangs", "50", "-sweep", "load=80,160", "-sweep", "placer=muster,first-fit"}
	require.Equal(t, `seed,load,lone,urgent,discipline,moves,victims,placer,longer,checkpoint,slowdown,reached,used,mean,p50,p95,longest,moved,lost,refused,wider,placed,unasked,units,by plan
1,80,0,0,easy,false,false,muster,1,1800,0,59.2,53.6,1195,0,7615,8763,0,0,0,0,0,0,0,0
`, strings.Join(strings.SplitAfter(simulated(t, append(args, "-o", "csv", "-discipline", "easy")...), "\n")[:2], ""))
	var doc struct {
		Version, Nodes, Gangs, Largest int
		Streams                        []struct {
			Load          int
			Placer        string
			Reached, Used json.Number
			Ended, Wider  int
			Waited        struct{ Gangs, Longest int }
			BySize        []struct{ Members, Gangs, Longest int }
		}
	}
	out := simulated(t, append(args, "-o", "json")...)
	require.NoError(t, json.Unmarshal([]byte(out), &doc))
	require.Equal(t, []int{1, 16, 50, 16}, []int{doc.Version, doc.Nodes, doc.Gangs, doc.Largest}, "no gang is larger than the cluster")
	require.Equal(t, 5, strings.Count(out, "\n"), "a line for each stream, behind the first")
	lined := simulated(t, append(args, "-o", "jsonl")...)
	require.Equal(t, strings.NewReplacer(`,"streams":[`, "}", "]}\n", "\n", "},\n", "}\n").Replace(out), lined, "the same lines, each by itself")
	for line := range strings.Lines(lined) {
		require.True(t, json.Valid([]byte(line)), line)
	}
	lines := strings.Split(simulated(t, append(args, "-o", "csv")...), "\n")
	for i, want := range []struct {
		load   int
		placer string
	}{{80, "muster"}, {80, "first-fit"}, {160, "muster"}, {160, "first-fit"}} {
		s := doc.Streams[i]
		require.Equal(t, want.load, s.Load)
		require.Equal(t, want.placer, s.Placer)
		require.Equal(t, want.placer == "first-fit", s.Wider > 0, "a gang that must gather lies in its layer")
		require.Equal(t, []int{50, 50}, []int{s.Ended, s.Waited.Gangs}, "those for which no layer is large enough lie anywhere")
		require.Contains(t, lines[i+1], ","+string(s.Reached)+","+string(s.Used)+",")
		gangs, longest := 0, 0
		for _, c := range s.BySize {
			gangs, longest = gangs+c.Gangs, max(longest, c.Longest)
		}
		require.Equal(t, []int{50, s.Waited.Longest}, []int{gangs, longest})
	}
}

// Victims and slowdown have columns where there are such streams, each beside the same streams without.
func TestSimulateVictimsAndSlowdown(t *testing.T) {
	args := []string{"-fabric", "2x2x4", "-gangs", "60", "-sweep", "seed=1,2"}
	out := simulated(t, append(args, "-urgent", "30", "-sweep", "victims=false,true", "-paired")...)
	require.Contains(t, out, "load 85, urgent 30, discipline ")
	require.Regexp(t, `(?m)^victims .* lost +evicted +urgent mean +of urgent mean +took +of took$`, out)
	require.Regexp(t, `(?m)^  false .* 0 +0 +\d+ +\(1.00 \+-0.00\) +\d+ +\(1.00 \+-0.00\)$`, out)
	require.Regexp(t, `(?m)^   true .* [1-9]\d* +[1-9]\d* +\d+ +\S+ \+-\S+ +\d+ +\S+ \+-\S+$`, out)
	out = simulated(t, append(args, "-placer", "first-fit", "-sweep", "slowdown=0,50", "-o", "csv")...)
	require.Regexp(t, `(?m)^1,85,0,0,next-that-fits,false,false,first-fit,1,1800,0,.*,0,\d+$`, out)
	require.Regexp(t, `(?m)^1,85,0,0,next-that-fits,false,false,first-fit,1,1800,50,.*,[1-9]\d*,\d+$`, out)
	require.NotContains(t, out, "evicted")
	out = simulated(t, append(args, "-urgent", "30", "-victims", "-o", "json")...)
	require.Regexp(t, `"evicted":[1-9].*"urgent":30.*"victims":true`, out)
	status, _, said := called(t, "", "simulate", "-victims")
	require.Equal(t, misuse, status)
	require.Contains(t, said, "-victims leave for gangs of a higher priority, and there are none: -urgent 20")
}

// A page has a name for each combination but for seeds, the first of which is drawn over time, and is the same on any number of cores.
func TestSimulatePages(t *testing.T) {
	args := []string{"-fabric", "2x2x4", "-gangs", "50", "-sweep", "placer=muster,first-fit", "-sweep", "seed=1,2", "-o", "html"}
	page := simulated(t, args...)
	require.True(t, strings.HasPrefix(page, "<!DOCTYPE html>"))
	for _, want := range []string{
		`<p class="soft">2x2x4: 16 nodes of 8 nvidia.com/gpu; 50 gangs of at most 16 nodes, which run 7200 s in the mean</p>`,
		`<p class="soft">load 85, discipline next-that-fits, moves false, longer 1, checkpoint 1800</p>`,
		"<p>4 runs of 2 names. ", "<b>placer=first-fit</b>", "The largest gang that fits now in one domain of tier-2, in members",
	} {
		require.True(t, strings.Contains(page, want), want) //nolint:testifylint // a page is too long to be shown
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	require.True(t, page == simulated(t, args...), "equal arguments give equal bytes") //nolint:testifylint // likewise
	one := simulated(t, "-fabric", "2x4", "-gangs", "9", "-o", "html")
	require.True(t, strings.Contains(one, "<b>discipline=next-that-fits</b>"), "without a sweep") //nolint:testifylint // likewise
	var s sweeps
	require.NoError(t, s.Set("seed=1,2"))
	require.NoError(t, s.Set("load="+strings.ReplaceAll(many(10), "x", ",")))
	var rows []played
	for i := range 20 {
		rows = append(rows, played{seed: int64(i % 2), load: int64(i / 2)})
	}
	noteDrawn(s, rows)
	for i, r := range rows {
		require.Equal(t, i%2 == 0 && i < 2*pages.Lines, r.series, i)
	}
}

// Placers of other kinds are told beside plans on the same clusters: those that know no rules lie wider, and those that gather never refuse what has a plan.
func TestSimulatePlacers(t *testing.T) {
	rows := tableOf(t, simulated(t, "-fabric", "2x2x8", "-largest", "16", "-gangs", "60", "-o", "csv", "-sweep", "placer="+strings.Join(placerWords(), ",")))
	require.Len(t, rows, 16)
	for _, r := range rows {
		require.Equal(t, "0", r["unasked"], r)
		require.Equal(t, "0", r["refused"], "%v", r)
		gathers := r["placer"] != byFirstFit && r["placer"] != "random" && !strings.HasPrefix(r["placer"], "pod-by-pod")
		require.Equal(t, gathers, r["wider"] == "0", r)
		require.Equal(t, r["placer"] == byMuster, r["placed"] == "0", r)
	}
}

// What is wrong with a flag is said of it, with what may be given.
func TestSimulateMisuse(t *testing.T) {
	const keys = "seed, load, lone, urgent, discipline, moves, victims, placer, longer, checkpoint, slowdown"
	for _, c := range []struct{ args, want string }{
		{"-load 0", `invalid value "0" for flag -load: not a whole number from 1 to 1000`},
		{"-gangs many", `invalid value "many" for flag -gangs: not a whole number from 1 to 1000000`},
		{"-seed -1", `invalid value "-1" for flag -seed: not a whole number from 0 to 4611686018427387904`},
		{"-fabric 2xx4", `invalid value "2xx4" for flag -fabric: not numbers above 0 with x between them, such as 2x4x4x32, nodes last`},
		{"-fabric 0x4", `invalid value "0x4" for flag -fabric: not numbers above 0 with x between them, such as 2x4x4x32, nodes last`},
		{"-fabric nvl27", `invalid value "nvl27" for flag -fabric: neither numbers with x between them nor one of nvl72, rails, clos; the nearest one is nvl72`},
		{"-fabric 2x4:8", `invalid value "2x4:8" for flag -fabric: neither numbers with x between them nor one of nvl72, rails, clos; the nearest one is clos`},
		{"-fabric rails:", `invalid value "rails:" for flag -fabric: not numbers above 0 with x between them, such as 2x4x4x32, nodes last`},
		{"-fabric rails:2x2x2x2", `invalid value "rails:2x2x2x2" for flag -fabric: more layers than rails has: pod, unit, and nodes`},
		{"-devices 0", `invalid value "0" for flag -devices: not a whole number from 1 to 1024`},
		{"-fabric 256x257", `invalid value "256x257" for flag -fabric: more than 65536 nodes`},
		{"-fabric " + strings.Repeat("1x", 65) + "1", `invalid value "` + strings.Repeat("1x", 65) + `1" for flag -fabric: more than 64 layers`},
		{"-fabric 2x4 -largest 9", "-largest 9: -fabric 2x4 has 8 nodes"},
		{"-pause 9", "-pause is for gangs that move: -moves, or -sweep moves=false,true"},
		{"-discipline eazy", `-discipline "eazy": not one of strict, next-that-fits, easy, conservative`},
		{"-placer best-fit", `-placer "best-fit": not one of muster, first-fit, random, pod-by-pod, pod-by-pod-affinity, koordinator, koordinator-proposal, kueue-preferred, kueue-unconstrained, volcano-hard, volcano-soft, kai, muster-spread, muster-balanced, muster-score-best-fit, muster-fgd`},
		{"-o svg", `-o "svg": not one of text, json, jsonl, csv, html`},
		{"-lod 9", "flag provided but not defined: -lod; the nearest one is -load"},
		{"a.csv b.csv", `"a.csv": a table is played by itself, without other files`},
		{"-load 9 a.csv", "-load is for gangs that are made, and there is a table: a.csv"},
		{"-sweep load=8,9 a.csv", "-load is for gangs that are made, and there is a table: a.csv"},
		{"-sweep lone=8,9 a.csv", "-lone is for gangs that are made, and there is a table: a.csv"},
		{"-lone 101", `invalid value "101" for flag -lone: not a whole number from 0 to 100`},
		{"-largest 9 a.csv", "-largest is for gangs that are made, and there is a table: a.csv"},
		{"-copies 2", "-copies and -keep-going are for the jobs of a table, or for objects"},
		{"-keep-going", "-copies and -keep-going are for the jobs of a table, or for objects"},
		{"-copies 0 a.csv", `invalid value "0" for flag -copies: not a whole number from 1 to 1000`},
		{"-fabric 1 -gangs 1000000 -load 1 -runs 9999999", "-load 1: so few gangs come that the last one of -gangs 1000000 is too late; fewer gangs, a larger load, or shorter -runs"},
		{"-sweep load", `invalid value "load" for flag -sweep: not KEY=VALUE,VALUE, such as load=75,85,95`},
		{"-sweep laod=9", `invalid value "laod=9" for flag -sweep: the key is not one of ` + keys + "; the nearest one is load"},
		{"-sweep load=9,", `invalid value "load=9," for flag -sweep: a value is missing`},
		{"-sweep load=9,9", `invalid value "load=9,9" for flag -sweep: 9 is there twice`},
		{"-sweep load=9 -sweep load=8", `invalid value "load=8" for flag -sweep: load is swept already`},
		{"-load 9 -sweep load=8", "-sweep load: -load is given too"},
		{"-sweep load=8,x", `-sweep load: "x": not a whole number from 1 to 1000`},
		{"-sweep moves=false,no", `-sweep moves: "no": not one of false, true`},
		{"-sweep discipline=eazy", `-discipline "eazy": not one of strict, next-that-fits, easy, conservative`},
		{"-paired -sweep discipline=strict,easy", "-paired compares streams of several seeds: -sweep seed=1,2,3 is missing"},
		{"-paired -sweep seed=1,2", "-paired compares ways to play streams: -sweep of one of discipline, moves, placer, victims is missing"},
		{"-sweep seed=" + many(101) + " -sweep load=" + many(100), "-sweep: more than 10000 combinations"},
	} {
		requireMisuse(t, c.args, c.want)
	}
}

// The jobs of a table are played in place of made ones; lines that are none end it, or are told and left out.
func TestSimulateTable(t *testing.T) {
	const table = "submit_s,gpus,duration_s\n0,16,100\n10,24,50\n20,8,30\n30,4,9\n40,4000,9\n"
	status, out, said := called(t, table, "simulate", "-fabric", "2x2", "-")
	require.Equal(t, ok, status, said)
	require.Equal(t, `2x2: 4 nodes of 8 nvidia.com/gpu; 1 times the 5 jobs of a table
seed 1, discipline next-that-fits, moves false, placer muster, longer 1, checkpoint 1800
load: 240.3 % reached until the last gang came

gangs 5, ended 4, never fit 1, wait for ever 0, restarts 0, moved gangs 0 of 0 members, tries 7
`, strings.Join(strings.SplitAfter(out, "\n")[:5], ""))
	path := filepath.Join(t.TempDir(), "jobs.csv")
	require.NoError(t, os.WriteFile(path, []byte(table+"50,8,0\n60,8,7\n"), 0o600))
	status, out, said = called(t, "", "simulate", path)
	require.Equal(t, failed, status)
	require.Empty(t, out)
	require.Equal(t, path+": line 7: duration_s \"0\": not a whole number from 1 to 31536000\n", said)
	status, out, said = called(t, "", "simulate", "-keep-going", "-fabric", "2x2", "-copies", "3", "-sweep", "seed=1,2", path)
	require.Equal(t, ok, status, said)
	require.Equal(t, path+": line 7: duration_s \"0\": not a whole number from 1 to 31536000\n", said)
	require.Contains(t, out, "; 3 times the 6 jobs of a table\n")
	require.NotContains(t, out, "load")
	for want, text := range map[string]string{
		"-: no jobs\n": "submit_s,gpus,duration_s\n",
		"-: line 1: unknown column \"a\\x1bb\"; there are submit_s, gpus, duration_s and vc\n": "submit_s,gpus,duration_s,a\x1bb\n",
	} {
		status, _, said = called(t, text, "simulate", "-")
		require.Equal(t, failed, status)
		require.Equal(t, want, said)
	}
	status, _, said = called(t, "", "simulate", filepath.Join(t.TempDir(), "none.csv"))
	require.Equal(t, failed, status)
	require.Contains(t, said, "no such file")
}

// many are numbers from 1 on, with commas between.
func many(n int) string {
	list := made{sizes: make([]int, n)}
	for i := range list.sizes {
		list.sizes[i] = i + 1
	}
	return strings.ReplaceAll(list.String(), "x", ",")
}

// A cluster that is made has the nodes and domains of its numbers, and gangs gather as low as they can.
func TestMadeClusters(t *testing.T) {
	for text, want := range map[string]struct {
		nodes, domains int
		layers         []string // of gangs of 1, 4, 5, 8, 9 and 16
	}{
		"2x2x4":       {16, 6, []string{"tier-1", "tier-1", "tier-2", "tier-2", "", ""}},
		"1x16":        {16, 1, []string{"tier-1", "tier-1", "tier-1", "tier-1", "tier-1", "tier-1"}},
		"8X2":         {16, 8, []string{"tier-1", "", "", "", "", ""}},
		"16":          {16, 0, []string{"", "", "", "", "", ""}},
		"rails:2x4x2": {16, 10, []string{"unit", "pod", "pod", "pod", "", ""}},
		"clos:4x4":    {16, 4, []string{"leaf", "leaf", "", "", "", ""}},
	} {
		var m made
		require.NoError(t, m.Set(text))
		require.Equal(t, strings.ToLower(text), m.String())
		c, err := m.cluster()
		require.NoError(t, err, text)
		tree := c.Trees()[0].Tree
		require.Equal(t, []int{want.nodes, want.domains}, []int{tree.NumNodes(), tree.Len() - 1}, text)
		require.Empty(t, c.Notices(), text)
		for i, members := range []int{1, 4, 5, 8, 9, 16} {
			layer := ""
			for _, rule := range m.gather(members) {
				layer += rule.Layer
			}
			require.Equal(t, want.layers[i], layer, "%s, %d members", text, members)
		}
	}
}

// Fabrics have names, with the layers and devices of each; -devices says other ones.
func TestSimulateFabrics(t *testing.T) {
	for args, want := range map[string]string{
		"-fabric nvl72":                 "nvl72:4x8x18: 576 nodes of 4 nvidia.com/gpu; 20 gangs of at most 128 nodes, ",
		"-fabric NVL72:2x18 -devices 2": "nvl72:2x18: 36 nodes of 2 nvidia.com/gpu; 20 gangs of at most 36 nodes, ",
		"-fabric rails":                 "rails:4x4x32: 512 nodes of 8 nvidia.com/gpu; ",
		"-devices 1 -fabric clos:2x2":   "clos:2x2: 4 nodes of 1 nvidia.com/gpu; ",
	} {
		require.Contains(t, simulated(t, append(strings.Fields(args), "-gangs", "20")...), want)
	}
	require.Contains(t, simulated(t, "-fabric", "nvl72:18", "-gangs", "9", "-o", "json"), `"fabric":"nvl72:18","nodes":18,"devices":72,"gangs":9,`)
	page := simulated(t, "-fabric", "nvl72:2x2x9", "-gangs", "20", "-o", "html")
	require.True(t, strings.Contains(page, "The largest gang that fits now in one domain of rack, in members")) //nolint:testifylint // a page is too long to be shown
	require.True(t, strings.Contains(page, "nvl72:2x2x9: 36 nodes of 4 nvidia.com/gpu"))                        //nolint:testifylint // likewise
	status, out, said := called(t, "submit_s,gpus,duration_s\n0,6,100\n0,2,100\n", "simulate", "-fabric", "nvl72:2x18", "-")
	require.Equal(t, ok, status, said)
	require.Contains(t, out, "nvidia.com/gpu: load 0.0 %, in use 6.9 %, lost 0 of 1000 seconds", "6 devices are two nodes of 4")
}

// Of several rows that cannot be played the first one is told, and none is told of otherwise.
func TestPlayAllTellsTheFirstError(t *testing.T) {
	good := played{gangs: 9, largest: 4, runs: 9, load: 85, discipline: queue.EASY}
	none, late := good, good
	none.gangs, late.load = 0, 0
	for range 9 {
		_, err := playAll(made{sizes: []int{4}, devices: 8}, []played{good, late, none, good}, &strings.Builder{})
		require.EqualError(t, err, `generated.Load "0": not positive`)
	}
}

// On a terminal a line says how far all streams are; it goes once they have ended.
func TestPlayingTellsProgress(t *testing.T) {
	var told strings.Builder
	require.Nil(t, newProgress(&told), "no terminal")
	p := playing{rows: make([]played, 3), progress: &progress{to: &told}}
	p.rows[0].gangs = 50
	p.count()
	p.count() // so soon nothing is told
	p.progress.end()
	require.Equal(t, "\rplaying: 1 of 150 gangs\r\033[K", told.String())
}
