// Package assumed answers: on which node does a pod run whose object does not say so yet? A host binds a pod before it hears of that, and old
// objects may still come in between.
package assumed

import "github.com/muster-sched/muster/internal/document"

// Pods are those that are assumed to run, by whatever identifies their objects.
type Pods map[string]place

// place is the node of a pod, which its UID tells from others of its name.
type place struct{ node, uid string }

// Add assumes that a pod runs on a node, and returns what its object says then.
func (p Pods) Add(id string, pod *document.Value, node string) *document.Value {
	p[id] = place{node, pod.TextAt("metadata", "uid")}
	return with(pod, &document.Value{Kind: document.Text, Text: node})
}

// Has says whether a pod is assumed to run.
func (p Pods) Has(id string) bool {
	_, is := p[id]
	return is
}

// Read is what an object says, with the node that is assumed for it. That ends with an object that names a node, and with another pod.
func (p Pods) Read(id string, pod *document.Value) *document.Value {
	at, is := p[id]
	switch {
	case !is:
		return pod
	case pod.TextAt("spec", "nodeName") != "" || at.uid != pod.TextAt("metadata", "uid"):
		delete(p, id)
		return pod
	}
	return with(pod, &document.Value{Kind: document.Text, Text: at.node})
}

// Forget assumes nothing any more, and returns what the object of a pod says then; false if nothing was assumed.
func (p Pods) Forget(id string, pod *document.Value) (*document.Value, bool) {
	if _, is := p[id]; !is {
		return pod, false
	}
	delete(p, id)
	return with(pod, nil), true
}

// with is an object with another node in its spec.
func with(pod, node *document.Value) *document.Value {
	return pod.With("spec", pod.Get("spec").With("nodeName", node))
}
