package sources

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"

	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/simulate"
	"github.com/muster-sched/muster/simulate/streams"
)

// Pods are a list of nodes, on which the pods of a table are played.
type Pods struct{ nodes string }

// Define says which flags there are.
func (p *Pods) Define(flags *flag.FlagSet) {
	flags.StringVar(&p.nodes, "nodes", "", "the cluster is the list of nodes in this `FILE`, without a network, and the table is one of pods")
}

// Given says whether pods are played.
func (p *Pods) Given() bool { return p.nodes != "" }

// Check says what is wrong with the flags, beside others that are given, and files.
func (p *Pods) Check(given map[string]bool, files []string) error {
	switch {
	case len(files) != 1:
		return errors.New("-nodes is for one table, of pods")
	case p.nodes == "-" && files[0] == "-":
		return errors.New("-nodes and the table: the standard input is one file")
	}
	for _, name := range []string{"gangs", "load", "largest", "runs", "copies", "fabric", "devices"} {
		if given[name] {
			return fmt.Errorf("-%s is not for pods on a list of nodes", name)
		}
	}
	return nil
}

// Read reads the nodes and the table.
func (p *Pods) Read(reader Reader, table, device string, stay bool) (Source, error) {
	s := &pods{}
	err := reader(p.nodes, func(in io.Reader, bad func(int, error) error) (err error) {
		if s.nodes, err = streams.ReadNodes(in, device, bad); err == nil && len(s.nodes) == 0 {
			err = errors.New("no nodes")
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	for _, n := range s.nodes {
		s.devices += n.Allocatable[device]
	}
	err = reader(table, func(in io.Reader, bad func(int, error) error) (err error) {
		s.pods, err = streams.ReadPods(in, device, bad)
		switch {
		case err != nil:
			return err
		case len(s.pods.Pods) == 0:
			return errors.New("no pods that ask for whole devices")
		case stay && !slices.ContainsFunc(s.pods.Pods, func(pod streams.Pod) bool { return pod.Resources[device] > 0 }):
			return errors.New("no pods that ask for whole devices")
		case !stay && !s.pods.Timed:
			return errors.New("line 1: the columns creation_time, deletion_time and scheduled_time are missing")
		}
		return nil
	})
	return s, err
}

// pods are those of a table, on the nodes of a list.
type pods struct {
	nodes   []cluster.Node
	devices int64
	pods    streams.Pods
}

// Own implements [Source].
func (s *pods) Own() *Own {
	return &Own{Name: "list", Said: fmt.Sprintf("%d nodes of a list with %d %s", len(s.nodes), s.devices, s.pods.Device), Nodes: len(s.nodes), Devices: s.devices, Cluster: s.cluster}
}

// cluster makes it. Of equal nodes the first one by its name is taken: where pods stay and nothing else tells streams apart the seed draws which that is.
func (s *pods) cluster(p Play) (*placement.Cluster, error) {
	nodes := slices.Clone(s.nodes)
	if p.Stay {
		for i, place := range streams.Permutation(rand.NewPCG(uint64(p.Seed), 5), len(nodes)) {
			nodes[i].Name = fmt.Sprint("node-", place)
		}
	}
	return placement.NewCluster(cluster.Spec{Nodes: nodes})
}

// Stream implements [Source].
func (s *pods) Stream(p Play) simulate.Stream {
	jobs := s.pods
	jobs.Seed, jobs.Longer, jobs.Checkpoint = uint64(p.Seed), p.Longer, p.Checkpoint
	if p.Stay {
		return jobs.Shuffled()
	}
	return jobs.Stream()
}

// Said implements [Source].
func (s *pods) Said(p Play) string {
	if p.Stay {
		return fmt.Sprintf("the %d pods of a table, and more like them; left out: %d that share a device", len(s.pods.Pods), s.pods.Shares)
	}
	return fmt.Sprintf("%d pods of a table; left out: %d that never ran, %d that share a device", s.Gangs(p), s.pods.NeverRan(), s.pods.Shares)
}

// Gangs implements [Source].
func (s *pods) Gangs(p Play) int64 {
	if p.Stay {
		return int64(len(s.pods.Pods))
	}
	return int64(len(s.pods.Pods) - s.pods.NeverRan())
}

// Loaded implements [Source].
func (s *pods) Loaded() bool { return false }
