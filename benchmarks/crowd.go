package benchmarks

import (
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/placement"
)

// Crowd is a cluster full of members that may leave: nodes of eight devices in racks of 16, blocks of 128 and spines of 1,024, which hold members
// of one to eight devices.
type Crowd struct {
	Nodes   int
	Percent int // of the devices are taken
	// Together is the largest number of members of a running gang, which lies within a block; 0: all are plain pods.
	Together int
	Seed     uint64
}

// crowdDevices of a node, and the resource.
const (
	crowdDevices = 8
	device       = "nvidia.com/gpu"
)

// Shape is the network.
func (c Crowd) Shape() Shape { return Shape{Fan: []int{c.Nodes / 1024, 8, 8, 16}, Slots: crowdDevices} }

// Spec draws the cluster: every node is filled, then members leave at random until so much is taken.
func (c Crowd) Spec() (cluster.Spec, error) {
	shape, rng := c.Shape(), rand.New(rand.NewPCG(c.Seed, 0))
	tree, err := shape.Tree(shape.Domains())
	if err != nil {
		return cluster.Spec{}, err
	}
	spec := cluster.Spec{Trees: []cluster.NamedTree{{Name: "default", Tree: tree}}}
	for n := range c.Nodes {
		spec.Nodes = append(spec.Nodes, cluster.Node{Name: nodeName(n), Allocatable: muster.Resources{device: crowdDevices, muster.CPU: 128_000}})
		for left := int64(crowdDevices); left > 0; {
			size := int64(1) << rng.IntN(4)
			if size > left {
				continue
			}
			left -= size
			spec.Running = append(spec.Running, cluster.Running{
				Member: "pod-" + strconv.Itoa(len(spec.Running)), Node: nodeName(n), Started: 1 + rng.Int64N(1_000_000),
				Resources: muster.Resources{device: size, muster.CPU: 8_000 * size}, Priority: 10 * rng.Int64N(5),
			})
		}
	}
	taken := int64(c.Nodes) * crowdDevices
	least := taken * int64(c.Percent) / 100
	rng.Shuffle(len(spec.Running), func(i, j int) { spec.Running[i], spec.Running[j] = spec.Running[j], spec.Running[i] })
	for taken > least {
		last := len(spec.Running) - 1
		taken -= spec.Running[last].Resources[device]
		spec.Running = spec.Running[:last]
	}
	c.gangs(rng, spec.Running)
	return spec, nil
}

// gangs gives members of one block to gangs of two and more; each counts on all of its members but one in four. Without gangs each member is its own.
func (c Crowd) gangs(rng *rand.Rand, running []cluster.Running) {
	byBlock := map[string][]*cluster.Running{}
	var blocks []string
	for i := range running {
		r := &running[i]
		r.Gang = r.Member
		n, _ := strconv.Atoi(r.Node[len("node-"):])
		block := strconv.Itoa(n / 128)
		if byBlock[block] == nil {
			blocks = append(blocks, block)
		}
		byBlock[block] = append(byBlock[block], r)
	}
	for _, block := range blocks {
		for list := byBlock[block]; c.Together > 0 && len(list) > 0; {
			n := min(len(list), 1+rng.IntN(c.Together))
			for _, r := range list[:n] {
				r.Gang, r.Priority, r.MinMember = "gang-"+list[0].Member, list[0].Priority, n-n/4
			}
			list = list[n:]
		}
	}
}

// Round is one question to a crowd: a snapshot, by what it differs from the one before, what runs on it then, and a gang that must gather in a layer.
type Round struct {
	Before  *placement.Cluster
	Moves   cluster.Delta
	Running []cluster.Running
	Request *gang.Request
}

// Cluster is the snapshot of the round, derived anew.
func (r *Round) Cluster() (*placement.Cluster, error) { return r.Before.Update(r.Moves) }

// Rounds are so many questions, each to a snapshot of its own: from one to the next members change places with others of their size. Gangs have half as many
// members as asked for to one and a half times as many, which take so many devices each.
func (c Crowd) Rounds(n, members int, devices int64, layer string, priority int64) ([]Round, cluster.Spec, error) {
	spec, err := c.Spec()
	if err != nil {
		return nil, spec, err
	}
	cluster, err := placement.NewCluster(spec)
	running, rng := slices.Clone(spec.Running), rand.New(rand.NewPCG(c.Seed, 1))
	var rounds []Round
	for i := 0; i < n && err == nil; i++ {
		size := members
		if n > 1 {
			size = members/2 + members*i/(n-1)
		}
		r := Round{Before: cluster, Moves: c.swap(rng, running), Running: slices.Clone(running), Request: c.Preemptor(size, devices, layer, priority)}
		rounds = append(rounds, r)
		cluster, err = r.Cluster()
	}
	rng.Shuffle(len(rounds), func(i, j int) { rounds[i].Request, rounds[j].Request = rounds[j].Request, rounds[i].Request })
	return rounds, spec, err
}

// swap lets some 32 members change places.
func (c Crowd) swap(rng *rand.Rand, running []cluster.Running) (d cluster.Delta) {
	last, moved := map[int64]int{}, map[int]bool{}
	for range 32 {
		i := rng.IntN(len(running))
		size := running[i].Resources[device]
		j, ok := last[size]
		if !ok || moved[i] || i == j {
			last[size] = i
			continue
		}
		delete(last, size)
		if moved[j] {
			continue
		}
		moved[i], moved[j] = true, true
		running[i].Node, running[j].Node = running[j].Node, running[i].Node
		for _, k := range []int{i, j} {
			d.Remove = append(d.Remove, cluster.MemberRef{Gang: running[k].Gang, Member: running[k].Member})
			d.Place = append(d.Place, running[k])
		}
	}
	return d
}

// Preemptor is a gang whose members take so many devices each and must gather in a layer.
func (c Crowd) Preemptor(members int, devices int64, layer string, priority int64) *gang.Request {
	req := &gang.Request{Name: "preemptor", Priority: priority, Gather: []gang.Rule{{Layer: layer, Strength: gang.MustGather}}}
	req.Shape.Resources = muster.Resources{device: devices, muster.CPU: 8_000 * devices}
	for i := range members {
		req.Members = append(req.Members, gang.Member{Name: "preemptor-" + strconv.Itoa(i)})
	}
	return req
}
