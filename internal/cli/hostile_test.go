package cli

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster/internal/document"
)

// hostile is what a name may end with that does something to a terminal, a page or a reader: it begins a line, names the window, rings, goes
// back, turns the direction, hides.
const hostile = "\n\t\x1b]0;x\a\r\b\x1b[2J\u009b\u0085\u2028\u202e\u2066\u200b\ufeff\x7f<&>"

// renamed are the objects of some files in JSON, with an ending on every name: of objects, labels, tasks, resources and whatever refers to one.
func renamed(t testing.TB, ending string, files ...string) string {
	t.Helper()
	var docs []any
	names := map[string]bool{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, d := range document.Parse(file, data, &document.Budget{}) {
			require.Nil(t, d.Err)
			plain := d.Root.Plain()
			docs = append(docs, plain)
			collect(names, plain)
		}
	}
	var out strings.Builder
	for _, d := range docs {
		data, err := json.Marshal(rename(names, ending, d))
		require.NoError(t, err)
		out.Write(data)
		out.WriteByte('\n')
	}
	return out.String()
}

// collect finds names: what stands under `name` and the values of labels.
func collect(names map[string]bool, v any) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			collect(names, e)
		}
	case map[string]any:
		for key, e := range v {
			if text, is := e.(string); is && (key == "name" || key == "namespace" || key == "queue" || key == "nodeName") {
				names[text] = true
			}
			if key == "labels" || key == "matchLabels" {
				for _, value := range e.(map[string]any) {
					if text, is := value.(string); is && text != "true" && text != "false" {
						names[text] = true
					}
				}
			}
			collect(names, e)
		}
	}
}

func rename(names map[string]bool, ending string, v any) any {
	switch v := v.(type) {
	case string:
		if _, number := strconv.Atoi(v); names[v] && number != nil {
			return v + ending
		}
	case []any:
		for i := range v {
			v[i] = rename(names, ending, v[i])
		}
	case map[string]any:
		for key := range v {
			v[key] = rename(names, ending, v[key])
		}
	}
	return v
}

// withoutWords is a document without errors in words and what is made of names for labels, which are no names.
func withoutWords(t *testing.T, text string) any {
	var doc any
	require.NoError(t, json.Unmarshal([]byte(text), &doc))
	var strip func(v any)
	strip = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, e := range v {
				strip(e)
			}
		case map[string]any:
			for _, key := range []string{"message", "labels", "env", "defects", "notices", "unread", "reason"} {
				if _, is := v[key].(map[string]any); !is || key == "labels" || key == "env" {
					delete(v, key)
				}
			}
			for _, e := range v {
				strip(e)
			}
		}
	}
	strip(doc)
	return doc
}

// usages are the words of the commands on themselves, which package flag sets with tabs.
func usages() *strings.Replacer {
	var plan, topology strings.Builder
	_ = Run([]string{"-h"}, nil, &plan, io.Discard)
	_ = Topology([]string{"-h"}, nil, &topology, io.Discard)
	return strings.NewReplacer(plan.String(), "", topology.String(), "")
}

// requireSeen fails for what nobody would see, but for line ends.
func requireSeen(t *testing.T, what, text string) {
	t.Helper()
	if strings.Contains(text, "\t") {
		text = usages().Replace(text)
	}
	require.True(t, utf8.ValidString(text), what)
	for i, r := range text {
		if r != '\n' && !strconv.IsPrint(r) {
			t.Fatalf("%s: %U after %q", what, r, text[max(0, i-80):i])
		}
	}
}

// harmless has a bracket, for a name with one is not read into a range either.
const harmless = "z[z"

// Whatever names hold, each output has the lines that it has for harmless names, and no character that cannot be seen.
func TestHostileNames(t *testing.T) {
	t.Setenv("COLUMNS", "1000000") // breaks would depend on the width of names
	stories, err := filepath.Glob("../../examples/stories/*.yaml")
	require.NoError(t, err)
	require.Greater(t, len(stories), 5)
	outputs := [][]string{
		{"-explain", "-max-fit", "-quotas", "-running", "-places"}, {"-summary"}, {"-o", "json", "-explain", "-max-fit", "-quotas", "-running", "-places"}, {"-o", "svg"},
	}
	for _, file := range stories {
		files := []string{"../../examples/stories/cluster.yaml", file}
		if strings.HasSuffix(file, "cluster.yaml") {
			files = files[:1]
		}
		bad, good := renamed(t, hostile, files...), renamed(t, harmless, files...)
		for _, args := range outputs {
			args = append([]string{"-keep-going"}, append(args, "-")...)
			_, out, said := commandWithInput(bad, args...)
			_, wantOut, wantSaid := commandWithInput(good, args...)
			requireSeen(t, file+" "+strings.Join(args, " "), out)
			requireSeen(t, file+" "+strings.Join(args, " ")+", standard error", said)
			if args[2] != "svg" { // whose lines depend on the width of names
				require.Equal(t, strings.Count(wantOut, "\n"), strings.Count(out, "\n"), "%s %v\n%s\n%s", file, args, wantOut, out)
			}
			require.Equal(t, strings.Count(wantSaid, "\n"), strings.Count(said, "\n"), "%s %v\n%s\n%s", file, args, wantSaid, said)
			if args[2] == "json" {
				require.NotContains(t, out, "<")
				require.Equal(t, withoutWords(t, strings.ReplaceAll(wantOut, harmless, `\n\t\u001b]0;x\u0007\r\b\u001b[2J\u009b\u0085\u2028\u202e\u2066\u200b\ufeff\u007f<&>`)), withoutWords(t, out))
			}
		}
	}
}

func commandWithInput(stdin string, args ...string) (status int, stdout, stderr string) {
	var out, err strings.Builder
	status = Run(args, strings.NewReader(stdin), &out, &err)
	return status, out.String(), err.String()
}

// So it is where something is wrong: with a field, a name, a file, the command line.
func TestHostileDefects(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a\x1b[2J\u202e.yaml")
	require.NoError(t, os.WriteFile(path, []byte("apiVersion: v1\nkind: Node\nmetadata: {name: \"n\\n\\e[2J\"}\nstatus: {allocatable: {\"c\\n\\epu\": \"\\e[2Jx\\n\"}}\n"), 0o600))
	nodes := `{"apiVersion":"v1","kind":"Node","metadata":{"name":"n"}}`
	evil, err := json.Marshal("e" + hostile)
	require.NoError(t, err)
	bad := nodes
	for _, object := range []string{
		`{"apiVersion":"v1","kind":%}`, `{"apiVersion":%,"kind":"Pod"}`, `{"apiVersion":"v1","kind":"Pod","metadata":{"name":%,"namespace":%,%:%},"spec":{"nodeName":%,"priority":%}}`,
		`{"apiVersion":"v1","kind":"Pod","metadata":{"name":%,"labels":{"scheduling.x-k8s.io/pod-group":%}},"spec":{"nodeSelector":{%:%},"containers":[{"name":%,"resources":{"requests":{%:%}}}]}}`,
		`{"apiVersion":"scheduling.x-k8s.io/v1alpha1","kind":"PodGroup","metadata":{"name":%},"spec":{"minMember":%}}`,
		`{"apiVersion":"topology.volcano.sh/v1alpha1","kind":"HyperNode","metadata":{"name":%},"spec":{"tier":1,"tierName":%,"members":[{"type":%,"selector":{"exactMatch":{"name":%}}}]}}`,
		`{"apiVersion":"kueue.x-k8s.io/v1beta1","kind":"Topology","metadata":{"name":%},"spec":{"levels":[{"nodeLabel":%}]}}`,
		`{"apiVersion":"scheduling.koordinator.sh/v1alpha1","kind":"ElasticQuota","metadata":{"name":%,"namespace":%},"spec":{"min":{%:%},"max":{%:"1"}}}`,
		`{%:1,%:2}`, `%`,
	} {
		bad += "\n" + strings.ReplaceAll(object, "%", string(evil))
	}
	const odd = "e\x1b[2J\n\t\u202e"
	for _, args := range [][]string{
		{"-"},
		{"-keep-going", "-explain", "-max-fit", "-running", "-quotas", "-"},
		{"-keep-going", "-o", "json", "-"},
		{"-keep-going", "-topology", odd, "-"},
		{"-explain=" + odd, "-"},
		{"-without", "node/" + odd, "-"},
		{"-without", "gang/" + odd + "/" + odd, "-"},
		{path},
		{"-keep-going", path},
		{odd},
		{"-fabric", path, "-"},
		{"-fabric", "slurm:" + path, "-"},
		{"-policy", odd, "-"},
		{"-" + odd},
		{"-with", path, "-"},
		{"-o", odd, "-"},
	} {
		_, out, said := commandWithInput(bad, args...)
		requireSeen(t, strings.Join(args, " "), out)
		requireSeen(t, strings.Join(args, " ")+", standard error", said)
	}
	for _, format := range []string{"", "ufm", "lldp", "slurm", "slurm-yaml", "table", "cables", "ibnetdiscover", "topograph", "netq", "labels", "list", "objects"} {
		for _, text := range []string{bad, "SwitchName=e\u202e Nodes=e\u009bx,[\nSwitchName=e\u2028 Switches=\u202e\n", "host,le\u202eaf\n\u009bx,\u202ey\n"} {
			var out, said bytes.Buffer
			args := []string{"-keep-going", "-"}
			if format != "" {
				args = append([]string{"-from", format}, args...)
			}
			_ = Topology(args, strings.NewReader(text), &out, &said)
			requireSeen(t, format, out.String())
			requireSeen(t, format+", standard error", said.String())
		}
	}
}

// FuzzText looks for a character that cannot be seen in what the commands say of any input.
func FuzzText(f *testing.F) {
	stories, err := filepath.Glob("../../examples/stories/*.yaml")
	require.NoError(f, err)
	for _, file := range stories {
		f.Add([]byte(renamed(f, hostile, "../../examples/stories/cluster.yaml", file)), "json", false)
	}
	f.Add([]byte("SwitchName=e\u202e Nodes=e\u009bx,[\n"), "slurm", true)
	f.Add([]byte("a: \"\\e[2J\\n\"\n---\n- *\u202e\n"), "text", false)
	f.Fuzz(func(t *testing.T, data []byte, format string, network bool) {
		if len(data) > 1<<16 {
			return
		}
		var out, said strings.Builder
		in := io.Reader(bytes.NewReader(data))
		if network {
			_ = Topology([]string{"-keep-going", "-from", format, "-"}, in, &out, &said)
		} else {
			args := []string{"-keep-going", "-max-fit", "-running", "-quotas", "-o", "text", "-"}
			if format != "text" {
				args[5] = "json"
			}
			_ = Run(args, in, &out, &said)
		}
		requireSeen(t, "output", out.String())
		requireSeen(t, "standard error", said.String())
	})
}
