package object

// Above adds the names of the owners that objects name, and of these objects' own, as long as one controls the other: `namespace/name`. Owners of
// pods also by labels, whose keys are given. A node owns what it has made itself, which nobody asks for by it.
func (all *Set) Above(objects []*Object, labels []string, to map[string]bool) {
	seen := map[Reference]bool{}
	for _, o := range objects {
		if o.Kind != "Pod" {
			to[o.FullName()] = true
		}
		for _, key := range labels {
			if name := o.Labels[key]; name != "" && o.Kind == "Pod" {
				to[o.Namespace+"/"+name] = true
			}
		}
		for o != nil {
			more := false
			for _, w := range o.Owners {
				if w.Name != "" && w.Kind != "Node" && !seen[w] {
					seen[w], more = true, true
					to[o.Namespace+"/"+w.Name] = true
				}
			}
			if !more {
				break
			}
			o = all.ControllerOf(o)
		}
	}
}
