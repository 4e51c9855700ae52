package manifest_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster/internal/cases"
	"github.com/muster-sched/muster/placement/manifest"
)

// caseFiles hold objects and what planning them must give; here they only have to be read.
var caseFiles = []string{"koordinator_topology", "kueue_tas", "volcano_topology", "kai_topology", "leaving", "numa", "quota", "preempt"}

type readCase struct {
	Name    string            `json:"name"`
	Objects []json.RawMessage `json:"objects"`
	Want    json.RawMessage   `json:"want"`
}

// refusal is an expected error; Object is a name or a list of names.
type refusal struct {
	Error *struct {
		Object json.RawMessage `json:"object"`
		About  string          `json:"about"`
	} `json:"error"`
	OneOf []json.RawMessage `json:"oneOf"`
}

// TestCases reads the objects of every shared case: what is to be planned can be read, what is to be refused is refused
// with the object's name and, where the case gives one, the class of defect.
func TestCases(t *testing.T) {
	for _, file := range caseFiles {
		data, err := os.ReadFile(filepath.Join(cases.Folder("../.."), file+".json"))
		if err != nil {
			t.Skipf("no cases: %v (MUSTER_CASES names their folder)", err)
		}
		var list []readCase
		require.NoError(t, json.Unmarshal(data, &list))
		t.Run(file, func(t *testing.T) {
			for _, c := range list {
				if c.Objects == nil {
					continue // it is about a single node
				}
				t.Run(c.Name, c.check)
			}
		})
	}
}

func (c *readCase) check(t *testing.T) {
	objects, err := json.Marshal(c.Objects)
	require.NoError(t, err)
	input, err := manifest.Read([]manifest.File{{Name: "case.json", Data: objects}}, manifest.Options{})
	if want := c.refusal(t); want != nil {
		require.Error(t, err)
		assert.True(t, want.named(err.Error()), "%s does not name %s", err, want.Error.Object)
		assert.Contains(t, err.Error(), want.Error.About)
		return
	}
	require.NoError(t, err)
	require.NotEmpty(t, input.Gangs)
	for _, g := range input.Gangs {
		assert.Empty(t, g.Ignored)
		require.NoError(t, g.Err)
		require.NoError(t, g.Request.Validate())
	}
}

// refusal is the error that the case wants, nil if it wants plans.
func (c *readCase) refusal(t *testing.T) *refusal {
	want := c.Want
	var list []json.RawMessage
	if json.Unmarshal(want, &list) == nil {
		want = list[0]
	}
	var r refusal
	require.NoError(t, json.Unmarshal(want, &r))
	if r.Error == nil && len(r.OneOf) > 0 {
		var first refusal
		if json.Unmarshal(r.OneOf[0], &first) == nil {
			r = first
		}
	}
	if r.Error == nil {
		return nil
	}
	return &r
}

// named says whether the message names one of the objects.
func (r *refusal) named(message string) bool {
	var names []string
	if json.Unmarshal(r.Error.Object, &names) != nil {
		names = []string{strings.Trim(string(r.Error.Object), `"`)}
	}
	for _, name := range names {
		if strings.Contains(message, name) {
			return true
		}
	}
	return false
}
