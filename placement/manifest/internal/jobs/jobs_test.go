package jobs_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster/internal/document"
	"github.com/muster-sched/muster/placement/manifest/internal/jobs"
	"github.com/muster-sched/muster/placement/manifest/internal/object"
)

func TestJobs(t *testing.T) {
	for text, want := range map[string][2]int{ // members, minimum
		"{spec: {}}":                               {1, 0},
		"{spec: {parallelism: 4}}":                 {4, 0},
		"{spec: {parallelism: 4, completions: 3}}": {3, 0},
		"{spec: {parallelism: 4, completions: 8}, status: {succeeded: 5, failedIndexes: '1,3-3'}}":                            {1, 0},
		"{spec: {parallelism: 4}, status: {succeeded: 1}}":                                                                    {0, 0},
		"{spec: {parallelism: 4}, metadata: {annotations: {kai.scheduler/batch-min-member: '2'}}}":                            {4, 2},
		"{spec: {template: {metadata: {annotations: {scheduling.volcano.sh/group-min-member: '3'}}}}}":                        {1, 3},
		"{metadata: {annotations: {kueue.x-k8s.io/job-min-parallelism: '5', kai.scheduler/batch-min-member: '2'}}, spec: {}}": {1, 5},
		"{spec: {}, metadata: {annotations: {kai.scheduler/batch-min-member: 'some'}}}":                                       {1, 0},
	} {
		docs := document.Parse("in.yaml", []byte("{apiVersion: batch/v1, kind: Job, "+text[1:]), &document.Budget{})
		require.Len(t, docs, 1)
		if docs[0].Root.Get("metadata") == nil {
			docs = document.Parse("in.yaml", []byte("{apiVersion: batch/v1, kind: Job, metadata: {name: j}, "+text[1:]), &document.Budget{})
		}
		var notices object.Notices
		all := object.NewSet(func(string, string) bool { return true }, &notices)
		all.Add(docs[0].Root)
		o := all.List[0]
		spec := o.Root.Sub("spec")
		require.Equal(t, want, [2]int{jobs.Members(spec, o.Root.Sub("status")), jobs.Minimum(o, spec.Sub("template"))}, text)
	}
}
