package streams

import (
	"io"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
)

// ModelLabel is the label of a node of a list that names the model of its devices.
const ModelLabel = "nvidia.com/gpu.product"

const (
	// mostListed bounds the nodes of a list.
	mostListed = 1 << 16
	// mostCPU and mostMemory bound what a node of a list has, or a pod of a table asks for, in thousandths of a core and MiB, so that no sum overflows.
	mostCPU    = 1 << 31
	mostMemory = 1 << 26
)

// ReadNodes reads a list of nodes, such as openb's: lines as those of [Read] with the columns sn (the name), cpu_milli, memory_mib, gpu (devices of the resource that is named) and model,
// which may be empty. bad is as for Read.
func ReadNodes(r io.Reader, device string, bad func(line int, err error) error) (nodes []cluster.Node, err error) {
	names := map[string]bool{}
	s := sheet{needed: []string{"sn", "cpu_milli", "memory_mib", "gpu", "model"}, most: mostListed, what: "nodes in the list", bad: bad}
	s.row = func(c *cells) error {
		n := cluster.Node{Name: c.of("sn")}
		switch {
		case n.Name == "":
			return muster.Invalid("sn", "", "missing")
		case names[n.Name]:
			return muster.Invalid("sn", n.Name, "there twice")
		}
		var err error
		if n.Allocatable, err = c.amounts("gpu", device); err != nil {
			return err
		}
		if model := c.of("model"); model != "" {
			n.Labels = map[string]string{ModelLabel: model}
		}
		names[n.Name] = true
		nodes = append(nodes, n)
		return nil
	}
	err = s.read(r)
	return nodes, err
}

// amounts are cpu_milli and memory_mib, and the devices of a column; none that is 0.
func (c *cells) amounts(column, device string) (muster.Resources, error) {
	out := muster.Resources{}
	for _, a := range []struct {
		column, resource string
		most, times      int64
	}{{"cpu_milli", muster.CPU, mostCPU, 1}, {"memory_mib", muster.Memory, mostMemory, 1 << 20}, {column, device, mostDevices, 1}} {
		n, err := c.whole(a.column, 0, a.most)
		if err != nil {
			return nil, err
		}
		if n > 0 {
			out[a.resource] = n * a.times
		}
	}
	return out, nil
}
