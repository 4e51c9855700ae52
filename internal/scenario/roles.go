package scenario

import (
	"slices"
	"strings"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/numa"
)

// shapes reads roles, `1:0:kind:cpu,3:2&fpga/Restricted`: how many members, the devices of each, of others one, their policy and how exclusive they are, and a label that their
// nodes have; one shape a member, in rank order. Nil: all members have the request's.
func shapes(w *words) []*gang.Shape {
	var found []*gang.Shape
	for _, s := range w.list("roles") {
		fields := strings.SplitN(s, ":", 4)
		if len(fields) != 2 && len(fields) != 4 {
			w.errors = append(w.errors, "roles: "+s+" is no count:devices[&other][/policy[/exclusive]][:key:value]")
			continue
		}
		size := strings.Split(fields[1]+"//", "/")
		devices := strings.Split(size[0], "&")
		shape := &gang.Shape{
			Resources: muster.Resources{device: int64(w.atoi("roles", devices[0]))},
			NUMA:      gang.NUMA{Policy: numa.Policy(size[1]), Exclusive: numa.Exclusive(size[2])},
		}
		for _, other := range devices[1:] {
			shape.Resources[other] = 1
		}
		if len(fields) == 4 {
			shape.Selector = map[string]string{fields[2]: fields[3]}
		}
		found = append(found, slices.Repeat([]*gang.Shape{shape}, w.atoi("roles", fields[0]))...)
	}
	return found
}

// shapeOf is the shape of a member, and its place among those of the gang, which are in rank order.
func shapeOf(req *gang.Request, member string) (shape *gang.Shape, role int) {
	var seen []*gang.Shape
	for i := range req.Members {
		m := &req.Members[i]
		if m.Shape == nil {
			return &req.Shape, 0
		}
		if !slices.Contains(seen, m.Shape) {
			seen = append(seen, m.Shape)
		}
		if m.Name == member {
			return m.Shape, slices.Index(seen, m.Shape)
		}
	}
	return &req.Shape, 0
}
