package reference

import (
	"cmp"
	"maps"
	"math/big"
	"slices"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/validity"
)

// wasteOf is the waste of a node with these members there, as docs/order.md, section 3, has it.
func (s *solver) wasteOf(node *cluster.Node, on []cluster.Running) *big.Rat {
	waste, asks := new(big.Rat), s.asks()
	if s.byScore() || s.in.Request.Slots != nil {
		return waste
	}
	free := func(resource string) int64 {
		if node.Allocatable[resource] == 0 {
			return 0
		}
		n, _ := validity.Free(node, resource, on)
		return max(0, n)
	}
	cpu := free(muster.CPU)
	for _, device := range s.devicesThatCount(asks) {
		mean, n := s.meanOf(device), free(device)
		needs := func(devices int64) *big.Rat { return new(big.Rat).Mul(mean, new(big.Rat).SetInt64(devices)) }
		lacks := func(devices, cpu int64) *big.Rat {
			lack := needs(devices)
			if lack.Sub(lack, new(big.Rat).SetInt64(cpu)); lack.Sign() < 0 {
				return new(big.Rat)
			}
			return lack
		}
		if cmp.Or(s.in.Request.Policy, gang.BestFit) == gang.BestFit {
			waste.Add(waste, needs(n))
		}
		for range 2 {
			waste.Add(waste, lacks(max(0, n-asks[device]), max(0, cpu-asks[muster.CPU])))
			waste.Sub(waste, lacks(n, cpu))
		}
	}
	return waste
}

// devicesThatCount are those that a unit asks for, as far as a node has any; if there are none, all.
func (s *solver) devicesThatCount(asks muster.Resources) (devices []string) {
	all := muster.Resources{}
	for i := range s.in.Spec.Nodes {
		for name, amount := range s.in.Spec.Nodes[i].Allocatable {
			if amount > 0 && muster.IsDevice(name) {
				all[name] = amount
			}
		}
	}
	for name := range all {
		if asks[name] > 0 {
			devices = append(devices, name)
		}
	}
	if devices == nil {
		devices = slices.Collect(maps.Keys(all))
	}
	return devices
}

// meanOf is the mean CPU of a device.
func (s *solver) meanOf(device string) *big.Rat {
	cpu, devices := new(big.Int), new(big.Int)
	for i := range s.in.Spec.Nodes {
		if has := s.in.Spec.Nodes[i].Allocatable; has[device] > 0 {
			cpu.Add(cpu, big.NewInt(has[muster.CPU]))
			devices.Add(devices, big.NewInt(has[device]))
		}
	}
	return new(big.Rat).SetFrac(cpu, devices)
}
