// Embed is a small scheduler around the library, as a host would write it: what informers would tell it comes in, gangs wait in a queue, the
// head is planned on a snapshot, the plan is applied, and the permit lifecycle says whose binding may begin. The cluster, the clock and
// whoever submits jobs are simulated; nodes are refused after the plan and bindings fail, by a seed, and some jobs evict others. In the end every pod was
// bound exactly once, or it is known why not.
package main

import (
	"fmt"
	"io"
	"log"
	"os"
)

func main() {
	if err := run(os.Stdout, 10_000, 1); err != nil {
		log.Fatal(err)
	}
}

// run schedules about so many pods and prints what became of them. The error says what was lost or placed twice.
func run(out io.Writer, pods int, seed uint64) error {
	h, err := newHost(seed)
	if err != nil {
		return err
	}
	h.submit(pods)
	for h.open > 0 {
		if err := h.tick(); err != nil {
			return fmt.Errorf("at %d: %w", h.now, err)
		}
		if h.now > 10_000 {
			return fmt.Errorf("at %d: %d jobs are still open", h.now, h.open)
		}
	}
	if err := h.audit(); err != nil {
		return err
	}
	s := &h.stats
	fmt.Fprintf(out, "%d pods of %d jobs on %d nodes, done at %d\n", s.pods, len(h.jobs), h.cluster.Len(), h.now)
	fmt.Fprintf(out, "bound %d, not needed any more or evicted before %d, of jobs that no cluster of this kind can hold %d\n", s.bound, s.spare, s.refused)
	fmt.Fprintf(out, "jobs evicted %d, plans that waited for them %d\n", s.evicted, s.waitedForRoom)
	fmt.Fprintf(out, "plans %d, refused %d; waited %d, rejected %d, nodes refused %d, bindings failed %d\n",
		s.plans, s.unschedulable, s.waited, s.rejected, s.refusedNodes, s.failedBinds)
	return nil
}

// audit looks for pods that are neither bound once nor accounted for, and for anything that is left over.
func (h *host) audit() error {
	bound, others := 0, 0
	for _, j := range h.jobs {
		for _, p := range j.pods {
			switch {
			case p.binds > 1:
				return fmt.Errorf("%s was bound %d times", p.name, p.binds)
			case p.binds == 1:
				bound++
			default:
				others++
			}
			if p.node != "" {
				return fmt.Errorf("%s still holds %s", p.name, p.node)
			}
		}
	}
	if s := h.stats; bound != s.bound || others != s.spare+s.refused || bound+others != s.pods {
		return fmt.Errorf("%d pods are bound and %d are not, which the books do not say: %+v", bound, others, s)
	}
	for r := range h.cluster.Running() {
		return fmt.Errorf("%s of %s still runs on %s", r.Member, r.Gang, r.Node)
	}
	if held := h.cluster.Holds(); len(held) > 0 {
		return fmt.Errorf("room is still held for %s", held[0].Gang)
	}
	if _, waits := h.permits.Deadline(); waits || h.queue.Len() > 0 {
		return fmt.Errorf("%d gangs are in the queue, and somebody waits: %t", h.queue.Len(), waits)
	}
	return nil
}
