// How much CPU is there for each device?

package snapshot

import (
	"slices"

	"github.com/muster-sched/muster"
)

// feeds has, by resource, what nodes with such devices have in all.
type feeds struct {
	list []feed // of resources that are no devices all zero
	own  bool   // the list is not shared with the snapshot before
}

type feed struct{ cpu, devices bigSum }

// count adds the allocatable amounts of a node of a class, or takes them off.
func (f *feeds) count(l *Lineage, class *nodeClass, more bool) {
	if len(class.devices) == 0 {
		return
	}
	if !f.own {
		f.list, f.own = slices.Clone(f.list), true
	}
	if f.list == nil {
		f.list = make([]feed, len(l.Resources))
	}
	var cpu int64
	if l.cpu >= 0 {
		cpu = class.allocatable[l.cpu]
	}
	for _, r := range class.devices {
		if more {
			f.list[r].cpu.add(cpu)
			f.list[r].devices.add(class.allocatable[r])
		} else {
			f.list[r].cpu.subtract(cpu)
			f.list[r].devices.subtract(class.allocatable[r])
		}
	}
}

// Feeding is what the nodes that have any of a resource can allocate of CPU, and of the resource; at most the largest amount each. Both are 0 where the
// resource is no device, or no node has one.
func (c *Snapshot) Feeding(r int) (cpu, devices int64) {
	if r < 0 || c.feeds.list == nil {
		return 0, 0
	}
	return c.feeds.list[r].cpu.amount(), c.feeds.list[r].devices.amount()
}

// HasDevices says whether some node has devices; true also where there was one.
func (c *Snapshot) HasDevices() bool { return c.feeds.list != nil }

// CPU is the place of CPU among the resources, -1 if no node has any.
func (l *Lineage) CPU() int { return l.cpu }

// devicesOf are the resources of some amounts that are devices.
func (l *Lineage) devicesOf(allocatable []int64) (devices []int32) {
	for r, amount := range allocatable {
		if amount > 0 && muster.IsDevice(l.Resources[r]) {
			devices = append(devices, int32(r))
		}
	}
	return devices
}
