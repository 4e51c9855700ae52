package fabric

import "github.com/muster-sched/muster/cluster"

// Format is a form in which networks are described. Both ways:
//
//	slurm          topology.conf of Slurm, of the plugins tree and block, or what `scontrol show topology` prints
//	slurm-yaml     topology.yaml of Slurm, with several topologies
//	topograph      a model of NVIDIA's topograph; accelerators are a topology of their own
//	node-labels    Nodes with labels of clouds and tools, see [Presets]; written with those of topograph
//	list           Koordinator's JSON list of {layer, name, parents, children}, or a ConfigMap with it
//
// Read only:
//
//	labels         the configuration of Volcano's discovery, see [ReadDiscovery], and the Nodes that it is about
//	ufm            what a UFM server answers: ports, or systems and links
//	ibnetdiscover  what ibnetdiscover prints of an InfiniBand network
//	lldp           what `lldpctl -f json` prints, a file for each device
//	netq           what NetQ answers: the graph of the network, and machines with their domains of NVLink
//	cables         a table of cables, with columns `switch`, `peer` and `peer_kind`
//	table          a table of hosts with a column for each layer, from the widest to the lowest
//
// Written only, for others, package manifest and people to read:
//
//	hypernodes     Volcano's HyperNodes
//	configmap      a ConfigMap with Koordinator's list
//	text           a drawing for people: a domain a line, with its tier and its nodes
type Format string

// formats say how each is read and written; several: with more than one topology.
var formats = map[Format]struct {
	read    func(r *reading, files []File)
	write   func(w *writing, trees []cluster.NamedTree)
	several bool
}{
	"labels":        {read: readLabels},
	"ufm":           {read: readUFM},
	"slurm":         {read: readSlurmConf, write: writeSlurmConf},
	"slurm-yaml":    {read: readSlurmYAML, write: writeSlurmYAML, several: true},
	"topograph":     {read: readTopograph, write: writeTopograph},
	"node-labels":   {read: readNodeLabels, write: writeNodeLabels},
	"ibnetdiscover": {read: readIBNetDiscover},
	"lldp":          {read: readLLDP},
	"netq":          {read: readNetQ},
	"cables":        {read: readCables},
	"table":         {read: readTable},
	"list":          {read: readList, write: writeList},
	"hypernodes":    {write: writeHyperNodes},
	"configmap":     {write: writeConfigMap},
	"text":          {write: writeText, several: true},
}
