package cases

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/internal/cli"
	"github.com/muster-sched/muster/internal/known"
	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/placement/manifest"
)

// someObjects stand for the case files where these are absent.
const someObjects = `[
{"apiVersion":"kueue.x-k8s.io/v1beta1","kind":"Topology","metadata":{"name":"default"},"spec":{"levels":[{"nodeLabel":"rack"}]}},
{"apiVersion":"v1","kind":"Node","metadata":{"name":"a","labels":{"rack":"r"}},"status":{"allocatable":{"cpu":"4","pods":"9"}}},
{"apiVersion":"scheduling.run.ai/v2alpha2","kind":"PodGroup","metadata":{"name":"g"},"spec":{"minMember":1,"subGroups":[{"name":"s","minMember":1,"topologyConstraint":{"requiredTopologyLevel":"rack"}}]}},
{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","labels":{"kai.scheduler/subgroup-name":"s"},"annotations":{"pod-group-name":"g","scheduling.koordinator.sh/numa-topology-spec":"{}"}},"spec":{"containers":[{"name":"c","resources":{"requests":{"cpu":"1"}}}]}},
{"apiVersion":"jobset.x-k8s.io/v1alpha2","kind":"JobSet","metadata":{"name":"j","annotations":{"kai.scheduler/topology-required-placement":"rack"}},"spec":{"replicatedJobs":[{"name":"w","replicas":2,"template":{"spec":{"parallelism":1,"template":{"spec":{"containers":[{"name":"c"}]}}}}}]}},
{"apiVersion":"scheduling.k8s.io/v1beta1","kind":"PodGroup","metadata":{"name":"i"},"spec":{"schedulingPolicy":{"gang":{"minCount":1}},"schedulingConstraints":{"topology":[{"key":"rack"}]}}},
{"apiVersion":"v1","kind":"Pod","metadata":{"name":"q"},"spec":{"schedulingGroup":{"podGroupName":"i"}}}
]`

// inputs are the objects of all cases that are planned, or some others where there are no cases.
func inputs(t *testing.T) (all [][]any) {
	t.Helper()
	add := func(objects any) {
		text, err := json.Marshal(objects)
		require.NoError(t, err)
		var list []any
		require.NoError(t, json.Unmarshal(text, &list))
		all = append(all, list)
	}
	add(json.RawMessage(someObjects))
	files, err := Files(Folder(root))
	require.NoError(t, err)
	for _, path := range files {
		list, err := Load(path)
		require.NoError(t, err)
		for i := range list {
			if len(list[i].Objects) > 0 && missingPackage(&list[i]) == "" {
				add(list[i].Objects)
			}
		}
	}
	return all
}

// place is a key of a mapping, or an element of a list.
type place struct {
	in    any
	key   string
	item  int
	isKey func(key string) bool // of rule keys: says whether another key is known there
}

// places are all keys and elements below a value, in a fixed order.
func places(v any) (all []place) {
	switch v := v.(type) {
	case map[string]any:
		for _, key := range slices.SortedFunc(maps.Keys(v), muster.CompareNatural) {
			all = append(append(all, place{in: v, key: key}), places(v[key])...)
		}
	case []any:
		for i, e := range v {
			all = append(append(all, place{in: v, item: i}), places(e)...)
		}
	}
	return all
}

// junk is what may stand in place of anything.
var junk = []any{nil, true, "", "x", "0", "-1", json.Number("-1"), json.Number("0"), json.Number("99999999999999999999"), json.Number("1.5"), []any{}, map[string]any{}, []any{nil}, map[string]any{"": nil}}

// copied is a value of its own, lest something be in itself.
func copied(v any) (out any) {
	text, _ := json.Marshal(v)
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	_ = d.Decode(&out)
	return out
}

// mutate drops, renames, doubles or retypes something.
func mutate(r *rand.Rand, v any) {
	all := places(v)
	if len(all) == 0 {
		return
	}
	p := all[r.IntN(len(all))]
	other := all[r.IntN(len(all))]
	switch in := p.in.(type) {
	case map[string]any:
		switch r.IntN(4) {
		case 0:
			delete(in, p.key)
		case 1:
			in[p.key+"x"] = in[p.key]
			delete(in, p.key)
		case 2:
			if from, ok := other.in.(map[string]any); ok {
				in[other.key] = copied(from[other.key])
			}
		default:
			in[p.key] = copied(junk[r.IntN(len(junk))])
		}
	case []any:
		switch r.IntN(3) {
		case 0:
			in[p.item] = copied(junk[r.IntN(len(junk))])
		case 1:
			in[p.item] = copied(in[r.IntN(len(in))]) // the same twice, and one less
		default:
			in[p.item] = nil
		}
	}
}

// hasPlace is how errors begin: with document, line and object, which only what is no object lacks.
var hasPlace = regexp.MustCompile(`^in\.json: document \d+, line \d+: ([A-Za-z]+/[^ ]|kind: missing|[^ ]+: apiVersion: missing|a list neither|("[^"]*": )?not an object|[^ ]+: metadata)`)

// readAndPlan reads and plans objects as the command does. It returns the errors, of which each must have a place.
func readAndPlan(t *testing.T, objects any, opt cli.Options) (p *cli.Planned, text string) {
	t.Helper()
	data, err := json.MarshalIndent(objects, "", "") // each key has a line
	require.NoError(t, err)
	defer func() {
		if r := recover(); r != nil {
			t.Fatalf("panic: %v\n%s", r, data)
		}
	}()
	p, err = cli.Plan([]manifest.File{{Name: "in.json", Data: data}}, opt)
	if err == nil {
		return p, ""
	}
	if strings.HasPrefix(err.Error(), "the input has no Node") {
		return p, err.Error()
	}
	for _, line := range strings.Split(err.Error(), "\n") {
		require.Regexp(t, hasPlace, line, "an error without a place\n%s", data)
	}
	return p, err.Error()
}

// Whatever becomes of a key, reading and planning never panics, and every error says where.
func TestSpoiledObjects(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	rounds := 6
	if testing.Short() {
		rounds = 1
	}
	n := 0
	for _, objects := range inputs(t) {
		text, err := json.Marshal(objects)
		require.NoError(t, err)
		for range rounds {
			var spoiled []any
			require.NoError(t, json.Unmarshal(text, &spoiled))
			for range 1 + r.IntN(3) {
				mutate(r, spoiled)
			}
			readAndPlan(t, spoiled, cli.Options{KeepGoing: r.IntN(2) == 0, Strict: r.IntN(4) == 0})
			n++
		}
	}
	t.Logf("%d spoiled inputs", n)
}

// misspelt are ways to get the last part of a key wrong: letters too many, another dash, one in other case, lost, changed or
// doubled. None of them is a key itself.
func misspelt(key string, isKey func(string) bool) []string {
	at := strings.LastIndexAny(key, "/") + 1
	name := key[at:]
	mid := len(name) / 2
	last := name[len(name)-1:]
	swapped := strings.ToUpper(name[mid : mid+1])
	if swapped == name[mid:mid+1] {
		swapped = strings.ToLower(swapped)
	}
	all := []string{
		name + "zz", name[:len(name)-1] + strings.ToUpper(last) + "z", name[:len(name)-1] + "_" + last,
		strings.ReplaceAll(name, "-", "_"), strings.ToLower(name), name[:mid] + swapped + name[mid+1:],
		name[:mid] + name[mid+1:], name[:mid] + "q" + name[mid+1:], name[:mid] + name[mid:mid+1] + name[mid:],
	}
	all = slices.DeleteFunc(all, func(wrong string) bool { return wrong == name || wrong == "" || isKey(key[:at]+wrong) })
	for i := range all {
		all[i] = key[:at] + all[i]
	}
	return slices.Compact(all)
}

// No rule is lost by a wrong key: one in a placement block, or under the prefix of a system, is an error.
func TestMisspeltKeysAreNeverLost(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	n := 0
	for _, objects := range inputs(t) {
		withoutEach(objects, func(in map[string]any, key string, value any, isKey func(string) bool) {
			if r.IntN(map[bool]int{true: 20, false: 3}[testing.Short()]) > 0 {
				return
			}
			for _, wrong := range misspelt(key, isKey) {
				in[wrong] = value
				_, text := readAndPlan(t, objects, cli.Options{})
				require.Contains(t, text, "unknown ", "%s in place of %s", wrong, key)
				require.Contains(t, text, "did you mean", "%s in place of %s", wrong, key)
				delete(in, wrong)
			}
			n++
		})
	}
	t.Logf("%d keys misspelt", n)
	require.Positive(t, n)
}

// A rule in the wrong one of the two maps of metadata is an error that says where it is read.
func TestKeysInTheWrongMap(t *testing.T) {
	n := 0
	for _, objects := range inputs(t) {
		for i := range objects {
			o, ok := objects[i].(map[string]any)
			if !ok {
				continue
			}
			meta, _ := o["metadata"].(map[string]any)
			for _, p := range ruleKeys(o) {
				from, to := "labels", "annotations"
				if m, _ := meta[from].(map[string]any); m[p.key] == nil {
					from, to = to, from
				}
				in, _ := meta[from].(map[string]any)
				at := known.OnObject
				if o["kind"] == "Pod" {
					at = known.OnPod
				}
				wrong := known.Judge(p.key, sides[from], at).Objection != ""
				if in[p.key] == nil || wrong || !known.Judge(p.key, sides[to], at).WrongSide || testing.Short() && n%10 > 0 {
					continue
				}
				other, had := meta[to].(map[string]any)
				if !had {
					other = map[string]any{}
					meta[to] = other
				}
				other[p.key] = in[p.key]
				delete(in, p.key)
				_, text := readAndPlan(t, objects, cli.Options{})
				require.Contains(t, text, "is read from "+from, "%s among %s", p.key, to)
				in[p.key] = other[p.key]
				delete(other, p.key)
				n++
			}
		}
	}
	t.Logf("%d keys moved", n)
	require.Positive(t, n)
}

// withoutEach takes out one rule key of the objects after the other, and puts it back after a try.
func withoutEach(objects []any, try func(in map[string]any, key string, value any, isKey func(string) bool)) {
	for i := range objects {
		o, ok := objects[i].(map[string]any)
		if !ok {
			continue
		}
		for _, p := range ruleKeys(o) {
			in := p.in.(map[string]any)
			value := in[p.key]
			delete(in, p.key)
			try(in, p.key, value, p.isKey)
			in[p.key] = value
		}
	}
}

// sides are the two maps of metadata.
var sides = map[string]known.Side{"labels": known.Labels, "annotations": known.Annotations}

// ruleKeys are the keys of an object that are checked: those of placement blocks, and those under known prefixes.
func ruleKeys(o map[string]any) (all []place) {
	version, _ := o["apiVersion"].(string)
	group, _, found := strings.Cut(version, "/")
	if !found {
		group = ""
	}
	kind, _ := o["kind"].(string)
	spec, _ := o["spec"].(map[string]any)
	if block := known.Blocks[group+"/"+kind]; block != nil {
		all = append(all, blockKeys(spec, block["spec"])...)
	}
	if kind != "Pod" && known.Blocks[group+"/"+kind] == nil {
		return all
	}
	meta, _ := o["metadata"].(map[string]any)
	for _, in := range []string{"labels", "annotations"} {
		m, _ := meta[in].(map[string]any)
		for _, key := range slices.SortedFunc(maps.Keys(m), muster.CompareNatural) {
			at := known.OnObject
			if kind == "Pod" {
				at = known.OnPod
			}
			if known.Judge(key+"zz", sides[in], at).Near {
				all = append(all, place{in: m, key: key, isKey: func(key string) bool { return known.Judge(key, sides[in], at).Objection == "" }})
			}
		}
	}
	return all
}

func blockKeys(v any, b known.Block) (all []place) {
	switch v := v.(type) {
	case map[string]any:
		for _, key := range slices.SortedFunc(maps.Keys(v), muster.CompareNatural) {
			below, ok := b[key]
			if !ok {
				continue
			}
			all = append(all, place{in: v, key: key, isKey: func(key string) bool { _, ok := b[key]; return ok }})
			if below != nil {
				all = append(all, blockKeys(v[key], below)...)
			}
		}
	case []any:
		for _, e := range v {
			all = append(all, blockKeys(e, b)...)
		}
	}
	return all
}

// What is dropped is not half there: the case without a rule is planned, refused or said to be wrong with a place.
func TestDroppedKeys(t *testing.T) {
	n := 0
	for at, objects := range inputs(t) {
		if testing.Short() && at%10 > 0 {
			continue
		}
		withoutEach(objects, func(_ map[string]any, key string, _ any, _ func(string) bool) {
			got, text := readAndPlan(t, objects, cli.Options{})
			if text == "" {
				require.Empty(t, unsound(got), key)
			}
			n++
		})
	}
	t.Logf("%d keys dropped", n)
}

// unsound is what is wrong with a plan that does not keep the rules that were read, or with an error that has no place.
func unsound(p *cli.Planned) string {
	for i := range p.Outcomes {
		o := &p.Outcomes[i]
		switch {
		case o.Err == nil:
			if why := invalid(p, o); why != "" {
				return o.Gang + ": " + why
			}
		case errors.Is(o.Err, placement.ErrUnschedulable), errors.Is(o.Err, muster.ErrNotSupported):
		case !hasPlace.MatchString(o.Err.Error()):
			return o.Err.Error()
		}
	}
	return ""
}

// FuzzSpoiled spoils the objects of a case, more the longer the script is.
func FuzzSpoiled(f *testing.F) {
	f.Add(uint16(0), []byte{1})
	f.Add(uint16(7), []byte("drop, rename, double, retype"))
	var all [][]any
	f.Fuzz(func(t *testing.T, which uint16, script []byte) {
		if all == nil {
			all = inputs(t)
		}
		text, err := json.Marshal(all[int(which)%len(all)])
		require.NoError(t, err)
		var spoiled []any
		require.NoError(t, json.Unmarshal(text, &spoiled))
		for i, b := range script[:min(8, len(script))] {
			mutate(rand.New(rand.NewPCG(uint64(b), uint64(i))), spoiled)
		}
		readAndPlan(t, spoiled, cli.Options{KeepGoing: len(script)%2 == 0, Strict: len(script)%3 == 0})
	})
}
