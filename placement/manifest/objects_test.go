package manifest_test

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster/internal/document"
)

// plainObjects are the objects of the inputs in testdata, each input with the cluster of its file, as a client decodes them.
func plainObjects(t *testing.T) (inputs [][]map[string]any) {
	t.Helper()
	paths, err := filepath.Glob("testdata/*.txt")
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	for _, path := range paths {
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		var common []map[string]any
		for block := range strings.SplitSeq(string(data), "\n\n") {
			head, rest, _ := strings.Cut(strings.TrimLeft(block, "\n"), "\n")
			for strings.HasPrefix(head, "#") {
				head, rest, _ = strings.Cut(rest, "\n")
			}
			body, _, _ := strings.Cut(rest, "\n----")
			objects := objectsOf(body)
			switch {
			case head == "cluster":
				common = objects
			case strings.HasPrefix(head, "read") && len(objects) > 0:
				inputs = append(inputs, slices.Concat(common, objects))
			}
		}
	}
	return inputs
}

// sharedObjects are the objects of the cases that other systems gave, where the folder is there.
func sharedObjects(t *testing.T) (inputs [][]map[string]any) {
	t.Helper()
	paths, err := filepath.Glob("../../../shared/cases/*.json")
	require.NoError(t, err)
	if len(paths) == 0 {
		t.Log("no ../shared/cases: only the inputs of testdata are drawn")
	}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		var cases []struct{ Objects []any }
		require.NoError(t, json.Unmarshal(data, &cases), path)
		for _, c := range cases {
			if objects := objectsIn(c.Objects); len(objects) > 0 {
				inputs = append(inputs, objects)
			}
		}
	}
	return inputs
}

// objectsOf are the objects of YAML that have a name.
func objectsOf(text string) (objects []map[string]any) {
	for _, d := range document.Parse("in.yaml", []byte(text), &document.Budget{}) {
		if d.Err == nil {
			objects = append(objects, objectsIn([]any{d.Root.Plain()})...)
		}
	}
	return objects
}

// objectsIn are those that have a name, in Lists or not.
func objectsIn(values []any) (objects []map[string]any) {
	var collect func(v any)
	collect = func(v any) {
		o, ok := v.(map[string]any)
		if !ok {
			return
		}
		if items, ok := o["items"].([]any); ok {
			for _, e := range items {
				collect(e)
			}
			return
		}
		meta, _ := o["metadata"].(map[string]any)
		name, _ := meta["name"].(string)
		kind, _ := o["kind"].(string)
		version, _ := o["apiVersion"].(string)
		if name != "" && kind != "" && version != "" {
			objects = append(objects, o)
		}
	}
	for _, v := range values {
		collect(v)
	}
	return objects
}

// textsOf are the texts in some objects, each once.
func textsOf(objects []map[string]any) []string {
	found := map[string]bool{}
	var collect func(v any)
	collect = func(v any) {
		switch v := v.(type) {
		case string:
			found[v] = true
		case []any:
			for _, e := range v {
				collect(e)
			}
		case map[string]any:
			for _, e := range v {
				collect(e)
			}
		}
	}
	for _, o := range objects {
		collect(o)
	}
	return slices.Sorted(maps.Keys(found))
}

// spoil leaves a key out, or puts a text of another place there, at any depth but for what names the object.
func spoil(t *rapid.T, o map[string]any, texts []string) map[string]any {
	data, err := json.Marshal(o)
	require.NoError(t, err)
	var copied map[string]any
	require.NoError(t, json.Unmarshal(data, &copied))
	at, depth := copied, 0
	for {
		keys := slices.DeleteFunc(slices.Sorted(maps.Keys(at)), func(key string) bool {
			return depth == 0 && (key == "kind" || key == "apiVersion") || depth == 1 && (key == "name" || key == "namespace")
		})
		if len(keys) == 0 {
			return copied
		}
		key := rapid.SampledFrom(keys).Draw(t, "key")
		below, ok := at[key].(map[string]any)
		if list, is := at[key].([]any); is && len(list) > 0 {
			below, ok = list[0].(map[string]any)
		}
		if ok && (depth == 0 && key == "metadata" || rapid.Bool().Draw(t, "deeper")) {
			at, depth = below, depth+1
			continue
		}
		if _, is := at[key].(string); is && rapid.Bool().Draw(t, "other") {
			at[key] = rapid.SampledFrom(texts).Draw(t, "text")
		} else {
			delete(at, key)
		}
		return copied
	}
}

func idOf(o map[string]any) string {
	meta, _ := o["metadata"].(map[string]any)
	version, _ := o["apiVersion"].(string)
	group, _, _ := strings.Cut(version, "/")
	if !strings.Contains(version, "/") {
		group = ""
	}
	space, _ := meta["namespace"].(string)
	if space == "" {
		space = "default"
	}
	return strings.Join([]string{group, o["kind"].(string), space, meta["name"].(string)}, "/")
}
