// Package jobs answers: how many pods does a Job of Kubernetes run, and how many of them must run together?
package jobs

import "github.com/muster-sched/muster/placement/manifest/internal/object"

// BatchMinMember is how many pods of a job KAI starts together.
const BatchMinMember = "kai.scheduler/batch-min-member"

// GroupMinimum is what a Job, its template or its pods say that Volcano starts together.
const GroupMinimum = "scheduling.volcano.sh/group-min-member"

// Members is how many pods a Job runs at once: no more than are left to complete. An index that has failed is not made again.
func Members(spec, status object.Field) int {
	n, done := spec.Get("parallelism").Size(1), status.Get("succeeded").Size(0)
	completions := spec.Get("completions")
	switch {
	case completions.Present():
		return min(n, max(0, completions.Size(0)-done-countIndexes(status.Get("failedIndexes").Text())))
	case done > 0: // of a work queue nobody else starts
		return 0
	}
	return n
}

// countIndexes counts the indexes of a list such as `1,3-5`; what cannot be read counts as none.
func countIndexes(list string) (n int) {
	for first, last := range object.Ranges(list) {
		n += last - first + 1
	}
	return n
}

// Minimum is how many of a Job's pods must run together, 0: all.
func Minimum(o *object.Object, template object.Field) int {
	for _, f := range []object.Field{
		o.Stated("kueue.x-k8s.io/job-min-parallelism"), o.Stated(BatchMinMember), o.Stated(GroupMinimum), object.Stated(template.Get("metadata"), GroupMinimum),
	} {
		if f.Present() {
			return Count(f)
		}
	}
	return 0
}

// Count reads a number of members, 0 if there is none.
func Count(f object.Field) int {
	if !f.Present() {
		return 0
	}
	n, _ := f.Count(f.Text(), 1)
	return n
}
