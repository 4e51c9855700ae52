// Package amounts answers: how much of each resource does a node have, or a pod ask for? It reads quantities of Kubernetes
// into whole units without floating point, each text once, and adds up containers as the kubelet does.
package amounts

import (
	"maps"
	"math"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/internal/document"
	"github.com/muster-sched/muster/placement/manifest/internal/object"
)

// Amounts reads quantities, each text once, since few differ.
type Amounts map[string]Quantity

// Resources reads a mapping of quantities. Amounts of 0 are kept, since a node may say that it has none.
func (a Amounts) Resources(f object.Field) muster.Resources {
	if !f.Is(document.Mapping) {
		return nil
	}
	out := make(muster.Resources, len(f.Value.Keys))
	for name, e := range f.Entries() {
		if amount, ok := a.Amount(e, name); ok {
			out[name] = amount
		}
	}
	return out
}

// Amount reads a quantity of a resource; ok is false if it is absent or wrong.
func (a Amounts) Amount(f object.Field, resource string) (n int64, ok bool) {
	if f.Value == nil {
		return 0, false
	}
	if f.Value.Kind < document.Text || f.Value.Kind > document.Number {
		f.Fail("is " + f.Value.Kind.String() + ", must be a quantity")
		return 0, false
	}
	q, ok := a[f.Value.Text]
	if !ok {
		var err error
		if q, err = Parse(f.Value.Text); err != nil {
			f.Fail(err.Error())
			return 0, false
		}
		a[f.Value.Text] = q
	}
	n, err := q.Amount(resource)
	if err != nil {
		f.Fail(err.Error())
		return 0, false
	}
	return n, true
}

// Request is max(init phases, containers + sidecars), or what the pod asks for as a whole, + overhead, and one pod. Amounts of 0 are left out.
func (a Amounts) Request(f object.Field) muster.Resources {
	total, sidecars, phase := muster.Resources{}, muster.Resources{}, muster.Resources{}
	for c := range f.Get("initContainers").All() {
		asks := a.container(c.Mapping())
		if c.Mapping().Get("restartPolicy").Text() == "Always" {
			sum(c, sidecars, asks)
			largest(phase, sidecars)
			continue
		}
		sum(c, asks, sidecars)
		largest(phase, asks)
	}
	for c := range f.Get("containers").All() {
		sum(c, total, a.container(c.Mapping()))
	}
	sum(f, total, sidecars)
	largest(total, phase)
	if f.Get("resources").Present() { // what the pod asks for as a whole counts in place of its containers
		maps.Copy(total, a.container(f))
	}
	sum(f.Get("overhead"), total, a.Resources(f.Get("overhead")))
	total[muster.Pods] = 1
	for name, n := range total {
		if n == 0 {
			delete(total, name)
		}
	}
	return total
}

// mostHeld is far above what anything has, and so far below the largest amount that the members of a node cannot exceed it together.
const mostHeld = 1 << 53

// Held are amounts of something that runs, which are added up. What is larger than anything can be is a defect, and left out.
func Held(f object.Field, of muster.Resources) muster.Resources {
	for _, name := range of.Names() {
		if of[name] > mostHeld {
			f.Fail("amount of " + name + " too large for what runs")
			delete(of, name)
		}
	}
	return of
}

// CanBeHeld says whether Held leaves amounts as they are.
func CanBeHeld(of muster.Resources) bool {
	for _, amount := range of {
		if amount > mostHeld {
			return false
		}
	}
	return true
}

// container is what one container asks for: requests, or limits where a request is missing.
func (a Amounts) container(f object.Field) muster.Resources {
	resources := f.Sub("resources")
	asks := a.Resources(resources.Get("requests"))
	if asks == nil {
		asks = muster.Resources{}
	}
	for name, n := range a.Resources(resources.Get("limits")) {
		if _, ok := asks[name]; !ok {
			asks[name] = n
		}
	}
	return asks
}

// sum adds more to total, in natural order so that an overflow is always told in the same words.
func sum(f object.Field, total, more muster.Resources) {
	for _, name := range more.Names() {
		if total[name] > math.MaxInt64-more[name] {
			f.Get("resources").Fail(name + ": " + errOverflow.Error())
			continue
		}
		total[name] += more[name]
	}
}

// largest raises total to at least each amount of other.
func largest(total, other muster.Resources) {
	for name, n := range other {
		total[name] = max(total[name], n)
	}
}

// Unlimited is how a quota says that it has no bound of its own, also to the quotas below it.
const Unlimited = math.MaxInt64

// Units reads a number of units; 0 if it is absent.
func (a Amounts) Units(f object.Field, factor int64) int64 {
	if f.Value != nil && (f.Value.Text == "-1" || f.Value.Text == "-1.0") {
		return Unlimited
	}
	milli, _ := a.Amount(f, muster.CPU) // a number with three places
	switch {
	case factor == 1 && milli%1000 != 0:
		f.Fail("parts of a unit are not modelled")
	case milli > math.MaxInt64/factor:
		f.Fail(errOverflow.Error())
		return 0
	}
	return milli * factor / 1000
}
