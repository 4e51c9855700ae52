package trial

import (
	"context"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Run is one stream under one scheduler.
type Run struct {
	Seed   uint64
	Gangs  int
	Keys   Keys
	Fabric Fabric
	Config []byte // of the scheduler; nil: its own defaults
	// Faults: in the middle a node goes, and the scheduler is stopped and started again while half of a gang is bound.
	Faults  bool
	Longest time.Duration
}

// Outcome is what became of it.
type Outcome struct {
	Summary
	Measures *Measures
	Took     time.Duration
}

// Add adds what became of another stream.
func (o *Outcome) Add(other Outcome) {
	o.Gangs += other.Gangs
	o.Placed += other.Placed
	o.Racks += other.Racks
	o.Hurt += other.Hurt
	o.Waiting = append(o.Waiting, other.Waiting...)
	if o.Layers == nil {
		o.Layers = map[string]int{}
	}
	for layer, n := range other.Layers {
		o.Layers[layer] += n
	}
	o.Took += other.Took
	m, n := o.Measures, other.Measures
	m.Sync, m.Plan = append(m.Sync, n.Sync...), append(m.Plan, n.Plan...)
	m.Refused += n.Refused
	m.Compared += n.Compared
	m.Differences = append(m.Differences, n.Differences...)
}

// Play runs it on a cluster whose nodes are those of the fabric.
func (r Run) Play(ctx context.Context, c *Cluster) (out Outcome, err error) {
	ctx, cancel := context.WithTimeout(ctx, r.Longest)
	defer cancel()
	out.Measures = &Measures{}
	s, err := c.Schedule(ctx, r.Config, out.Measures)
	if err != nil {
		return out, err
	}
	defer func() { s.Stop() }()
	p, err := c.NewPlayer(ctx, fmt.Sprintf("run-%d", time.Now().UnixNano()))
	if err != nil {
		return out, err
	}
	events := map[time.Duration]func() error{}
	stream := Stream(r.Seed, r.Gangs, r.Keys, r.Fabric)
	if r.Faults {
		middle := stream[len(stream)/2].At
		events[middle+time.Second] = func() error { return p.LoseNode(ctx) }
		events[middle/2] = func() error {
			for until := time.Now().Add(3 * time.Second); p.Half() == "" && time.Now().Before(until); {
				time.Sleep(time.Millisecond)
			}
			s.Stop()
			s, err = c.Schedule(ctx, r.Config, out.Measures)
			return err
		}
	}
	start := time.Now()
	err = p.Play(ctx, stream, events)
	out.Took = time.Since(start)
	out.Summary = Sum(p.Stories())
	return out, err
}

// LoseNode takes the node with the most pods away, and the pods on it, as the controllers of nodes and of garbage do.
func (p *Player) LoseNode(ctx context.Context) error {
	p.mu.Lock()
	var most string
	by := map[string][]string{}
	for name, pod := range p.pods {
		if at := pod.Spec.NodeName; at != "" {
			by[at] = append(by[at], name)
		}
	}
	for node, pods := range by {
		if most == "" || len(pods) > len(by[most]) || len(pods) == len(by[most]) && node < most {
			most = node
		}
	}
	p.mu.Unlock()
	if most == "" {
		return nil
	}
	if err := p.cluster.Client.CoreV1().Nodes().Delete(ctx, most, metav1.DeleteOptions{}); err != nil {
		return err
	}
	zero := int64(0)
	return p.cluster.Client.CoreV1().Pods(p.namespace).DeleteCollection(ctx, metav1.DeleteOptions{GracePeriodSeconds: &zero}, metav1.ListOptions{FieldSelector: "spec.nodeName=" + most})
}
