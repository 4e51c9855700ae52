package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/muster-sched/muster/internal/document"
)

// The nodes that the objects of the folder speak of, in racks of so many.
const (
	nodesOfCopy = 40
	nodesOfRack = 14
	racksOfZone = 3
)

// dump writes a cluster as `kubectl get -A -o json` prints one in which every system runs that has files in a folder: what their controllers
// leave stands there once for every 40 nodes, each copy in namespaces and on nodes of its own.
func dump(w io.Writer, folder string, nodes int) error {
	paths, err := filepath.Glob(filepath.Join(folder, "*.yaml"))
	if err != nil {
		return err
	}
	if len(paths) == 0 {
		return fmt.Errorf("%s: no files *.yaml; run this where the folder is", folder)
	}
	var left []map[string]any
	for _, path := range paths {
		items, err := itemsOf(path)
		if err != nil {
			return err
		}
		left = append(left, items...)
	}
	all := make([]any, 0, nodes+len(left)*nodes/nodesOfCopy)
	for i := range nodes {
		all = append(all, node(i))
	}
	all = append(all, hyperNodes(nodes)...)
	for n := range max(1, nodes/nodesOfCopy) {
		c := copied{n}
		for _, o := range left {
			meta, _ := o["metadata"].(map[string]any)
			_, spaced := meta["namespace"]
			if once := !spaced || o["kind"] == "ElasticQuota"; o["kind"] != "HyperNode" && (n == 0 || !once) {
				all = append(all, managed(c.of("", o).(map[string]any)))
			}
		}
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "    ")
	return e.Encode(map[string]any{"apiVersion": "v1", "kind": "List", "metadata": map[string]any{"resourceVersion": ""}, "items": all})
}

// itemsOf are the objects of a List in a file.
func itemsOf(path string) (items []map[string]any, err error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	for _, d := range document.Parse(path, data, &document.Budget{}) {
		if d.Err != nil {
			return nil, fmt.Errorf("%s: %w", path, d.Err)
		}
		list, _ := d.Root.Plain().(map[string]any)
		objects, _ := list["items"].([]any)
		for _, o := range objects {
			if o, ok := o.(map[string]any); ok {
				items = append(items, o)
			}
		}
	}
	return items, nil
}

// copied is a copy of what stands in the folder, the first one as it stands.
type copied struct{ number int }

// nodeName is what the folder calls a node.
var nodeName = regexp.MustCompile(`^n([0-9]{2})$`)

// of is a value of the copy: names of nodes, racks and zones, namespaces and UIDs are its own.
func (c copied) of(key string, v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, e := range v {
			out[k] = c.of(k, e)
		}
		if roots, ok := out["roots"].([]any); ok && v["prefix"] == "n" { // Kueue shortens names of nodes so
			for i := range roots {
				roots[i] = c.text("", fmt.Sprint("n", roots[i]))[1:]
			}
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = c.of("", e)
		}
		return out
	case string:
		return c.text(key, v)
	}
	return v
}

func (c copied) text(key, v string) string {
	if m := nodeName.FindStringSubmatch(v); m != nil {
		i, _ := strconv.Atoi(m[1])
		return nameOf(c.number*nodesOfCopy + i - 1)
	}
	switch {
	case c.number == 0:
	case key == "namespace":
		return fmt.Sprintf("%s-%d", v, c.number)
	case key == "gang.scheduling.koordinator.sh/groups":
		return strings.ReplaceAll(v, "/", fmt.Sprintf("-%d/", c.number))
	case key == "uid" && len(v) > 4:
		return fmt.Sprintf("%s%04x", v[:len(v)-4], c.number)
	case key == "topology.kubernetes.io/zone":
		return zoneOf(c.number * nodesOfCopy)
	case key == "topology.kubernetes.io/rack":
		i, _ := strconv.Atoi(v[1:])
		return rackOf(c.number*nodesOfCopy + (i-1)*nodesOfRack)
	}
	return v
}

func nameOf(i int) string { return fmt.Sprintf("n%04d", i+1) }

func zoneOf(i int) string { return fmt.Sprintf("z%d", i/nodesOfCopy+1) }

func rackOf(i int) string {
	return fmt.Sprintf("r%d", i/nodesOfCopy*racksOfZone+i%nodesOfCopy/nodesOfRack+1)
}

// node is a node of eight devices as its kubelet and the node controller write it.
func node(i int) any {
	labels := map[string]any{
		"beta.kubernetes.io/arch": "amd64", "kubernetes.io/arch": "amd64", "kubernetes.io/os": "linux",
		"kubernetes.io/hostname": nameOf(i), "pool": "gpu", "nvidia.com/gpu.product": "H100",
		"topology.kubernetes.io/zone": zoneOf(i), "topology.kubernetes.io/rack": rackOf(i),
		"network.topology.nvidia.com/spine": "s" + zoneOf(i)[1:], "network.topology.nvidia.com/block": "b" + rackOf(i)[1:],
	}
	amounts := map[string]any{"cpu": "126", "memory": "512000Mi", "ephemeral-storage": "900Gi", "hugepages-1Gi": "0", "nvidia.com/gpu": "8", "pods": "110"}
	var conditions []any
	for _, kind := range []string{"MemoryPressure", "DiskPressure", "PIDPressure", "Ready"} {
		conditions = append(conditions, map[string]any{
			"type": kind, "status": map[bool]string{true: "True", false: "False"}[kind == "Ready"], "reason": "Kubelet" + kind,
			"lastHeartbeatTime": "2026-08-21T08:00:00Z", "lastTransitionTime": "2026-08-20T08:00:00Z",
		})
	}
	return managed(map[string]any{
		"apiVersion": "v1", "kind": "Node",
		"metadata": map[string]any{
			"name": nameOf(i), "labels": labels, "uid": fmt.Sprintf("8a3e4c52-0b7d-4f1e-9c61-%012x", i), "creationTimestamp": "2026-08-20T08:00:00Z",
			"annotations": map[string]any{"node.alpha.kubernetes.io/ttl": "0", "volumes.kubernetes.io/controller-managed-attach-detach": "true"},
		},
		"spec": map[string]any{"podCIDR": fmt.Sprintf("10.%d.%d.0/24", i/256, i%256), "providerID": "metal:///" + nameOf(i)},
		"status": map[string]any{
			"allocatable": amounts, "capacity": amounts, "conditions": conditions,
			"addresses": []any{map[string]any{"type": "Hostname", "address": nameOf(i)}},
			"nodeInfo":  map[string]any{"architecture": "amd64", "operatingSystem": "linux", "kubeletVersion": "v1.37.1"},
		},
	})
}

// hyperNodes are the racks as Volcano's controller makes them of labels, and the zones above them.
func hyperNodes(nodes int) (all []any) {
	member := func(kind string, selector map[string]any) any {
		return map[string]any{"type": kind, "selector": selector}
	}
	add := func(name, level string, tier int, members []any) {
		all = append(all, managed(map[string]any{
			"apiVersion": "topology.volcano.sh/v1alpha1", "kind": "HyperNode",
			"metadata": map[string]any{"name": name, "labels": map[string]any{"volcano.sh/network-topology-source": "label"}},
			"spec":     map[string]any{"tier": tier, "tierName": level, "members": members},
		}))
	}
	zones := map[string][]any{}
	var names []string
	for i := range nodes {
		rack, zone := "rack-"+rackOf(i)[1:], "zone-"+zoneOf(i)[1:]
		if !slices.Contains(names, zone) {
			names = append(names, zone)
		}
		if i > 0 && rackOf(i) == rackOf(i-1) {
			continue
		}
		label := map[string]any{"topology.kubernetes.io/rack": rackOf(i)}
		add(rack, "rack", 1, []any{member("Node", map[string]any{"labelMatch": map[string]any{"matchLabels": label}})})
		zones[zone] = append(zones[zone], member("HyperNode", map[string]any{"exactMatch": map[string]any{"name": rack}}))
	}
	for _, zone := range names {
		add(zone, "zone", 2, zones[zone])
	}
	return all
}

// managed gives an object what servers note of its fields.
func managed(o map[string]any) map[string]any {
	meta := o["metadata"].(map[string]any)
	meta["managedFields"] = []any{map[string]any{
		"apiVersion": o["apiVersion"], "fieldsType": "FieldsV1", "manager": "controller", "operation": "Update", "time": "2026-08-20T08:00:00Z",
		"fieldsV1": map[string]any{"f:metadata": map[string]any{"f:labels": map[string]any{".": map[string]any{}}}, "f:spec": map[string]any{}},
	}}
	return o
}
