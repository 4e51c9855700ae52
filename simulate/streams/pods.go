package streams

import (
	"cmp"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/simulate"
)

// Pod is one of a table. Times are in seconds.
type Pod struct {
	Submit, Runs int64 // Runs 0: it never ran
	Resources    muster.Resources
	Models       []string // of devices that it may have; none: any
}

// Pods are a stream of gangs of one, from a table of pods such as openb's.
type Pods struct {
	Pods []Pod // in the order of Submit
	// Timed: the table says when pods come and how long they run; else they can only be shuffled. Shares are the pods that ask for a part of a device, which is not known here: they are
	// left out.
	Timed  bool
	Shares int
	// Device is the resource of devices.
	Device string
	// Seed, Longer and Checkpoint are as in [Generated].
	Seed               uint64
	Longer, Checkpoint int64
}

// The columns of a table of pods: those of what pods ask for, and those of when they come and go.
var (
	podAsks  = []string{"name", "cpu_milli", "memory_mib", "num_gpu", "gpu_milli"}
	podTimes = []string{"creation_time", "deletion_time", "scheduled_time"}
	podMore  = []string{"gpu_spec", "qos", "pod_phase"}
)

// ReadPods reads a table of pods, such as openb's: lines as those of [Read] with the columns name, cpu_milli, memory_mib, num_gpu and gpu_milli (of each of these devices), and perhaps
// gpu_spec (models with | between them), qos, pod_phase, and creation_time, deletion_time and scheduled_time, which is empty for pods that never ran. Lines may be in any order of
// times. bad is as for Read. O(rows * log rows).
func ReadPods(r io.Reader, device string, bad func(line int, err error) error) (Pods, error) {
	p := Pods{Device: device}
	s := sheet{needed: podAsks, more: append(slices.Clone(podMore), podTimes...), most: mostRows, what: "pods", bad: bad}
	s.row = func(c *cells) error {
		p.Timed = !slices.ContainsFunc(podTimes, func(name string) bool { return !slices.Contains(c.names, name) })
		pod, shares, err := podOf(c, device, p.Timed)
		switch {
		case err != nil:
			return err
		case shares:
			p.Shares++
		default:
			p.Pods = append(p.Pods, pod)
		}
		return nil
	}
	err := s.read(r)
	slices.SortStableFunc(p.Pods, func(a, b Pod) int { return cmp.Compare(a.Submit, b.Submit) })
	return p, err
}

// podOf is the pod of a line; shares: it asks for a part of a device.
func podOf(c *cells, device string, timed bool) (pod Pod, shares bool, err error) {
	if pod.Resources, err = c.amounts("num_gpu", device); err != nil {
		return pod, false, err
	}
	milli, err := c.whole("gpu_milli", 0, 1000)
	if err != nil {
		return pod, false, err
	}
	if spec := c.of("gpu_spec"); spec != "" {
		pod.Models = strings.Split(spec, "|")
	}
	if timed {
		if pod.Submit, err = c.whole("creation_time", 0, latest); err != nil {
			return pod, false, err
		}
		if c.of("scheduled_time") != "" {
			pod.Runs, err = c.ran()
		}
	}
	return pod, pod.Resources[device] == 1 && milli < 1000, err
}

// ran is how long a pod ran.
func (c *cells) ran() (int64, error) {
	from, err := c.whole("scheduled_time", 0, latest)
	if err != nil {
		return 0, err
	}
	to, err := c.whole("deletion_time", 0, latest)
	if err == nil && (to <= from || to-from > longest) {
		err = muster.Invalid("deletion_time", to, fmt.Sprintf("not behind scheduled_time, which is %d, by at most %d", from, longest))
	}
	return to - from, err
}

// NeverRan is how many pods never ran.
func (p *Pods) NeverRan() (n int) {
	for i := range p.Pods {
		if p.Pods[i].Runs == 0 {
			n++
		}
	}
	return n
}

// Stream yields the pods that ran, when they came. The error is a [muster.InvalidError] of a field.
func (p Pods) Stream() simulate.Stream {
	return func(yield func(simulate.Job, error) bool) {
		if err := p.check(); err != nil {
			yield(simulate.Job{}, err)
			return
		}
		r := rand.NewPCG(p.Seed, 1)
		for i := range p.Pods {
			pod := &p.Pods[i]
			if pod.Runs == 0 {
				continue
			}
			j := p.job(i, pod)
			j.Arrives, j.Runs, j.Expected, j.Checkpoint = pod.Submit, pod.Runs, pod.Runs, p.Checkpoint
			if p.Longer > 1 {
				j.Expected += int64(below(r, uint64(pod.Runs*(p.Longer-1)+1)))
			}
			if !yield(j, nil) {
				return
			}
		}
	}
}

func (p *Pods) check() error {
	switch {
	case !p.Timed:
		return muster.Invalid("pods.Timed", p.Timed, "when pods come is not known")
	case p.Longer < 0 || p.Longer > 1<<10:
		return muster.Invalid("pods.Longer", p.Longer, "not from 0 to 1024")
	}
	return nil
}

// job is a pod as a gang of one.
func (p *Pods) job(i int, pod *Pod) simulate.Job {
	name := fmt.Sprint("pod-", i)
	j := simulate.Job{Request: gang.Request{Name: name, Shape: gang.Shape{Resources: pod.Resources}, Members: []gang.Member{{Name: name}}}}
	j.Class = fmt.Sprint(pod.Resources[muster.CPU], " ", pod.Resources[muster.Memory], " ", pod.Resources[p.Device], " ", strings.Join(pod.Models, "|"))
	if len(pod.Models) > 0 {
		models := gang.Expression{Key: ModelLabel, Operator: gang.In, Values: pod.Models}
		j.Request.Shape.Affinity = []gang.NodeTerm{{Labels: []gang.Expression{models}}}
	}
	return j
}
