package trial

import (
	"fmt"
	"math/rand/v2"
	"time"
)

// Arrival is a gang that comes, and how long it runs once all of it has a node.
type Arrival struct {
	At, Runs time.Duration
	Gang     Gang
}

// Keys says which domain gangs ask for.
type Keys string

const (
	// Widest: every gang asks for a zone, as where nobody looked further.
	Widest Keys = "zone"
	// Tightest: every gang asks for the lowest layer that could hold it.
	Tightest Keys = "tightest"
)

// Stream draws gangs of 4 to 64 pods, two to a node, and one of high priority in the middle. Equal seeds give equal streams.
func Stream(seed uint64, gangs int, keys Keys, f Fabric) (out []Arrival) {
	random := rand.New(rand.NewPCG(seed, 37))
	at := time.Duration(0)
	for i := range gangs {
		g := Gang{Name: fmt.Sprintf("gang-%d", i), Pods: 4 + random.IntN(61), GPUs: f.GPUs / 2, Class: Low, Whole: true}
		if i == gangs/2 {
			g.Name, g.Pods, g.Class = "urgent", 64, High
		}
		g.Key = f.key(g.Pods, keys)
		out = append(out, Arrival{At: at, Runs: time.Duration(5000+random.IntN(5000)) * time.Millisecond, Gang: g})
		at += time.Duration(300+random.IntN(500)) * time.Millisecond
	}
	return out
}

// key is the label that a gang of so many pods asks for.
func (f Fabric) key(pods int, keys Keys) string {
	rack := 2 * f.Nodes
	switch {
	case keys == Widest:
		return Zone
	case pods <= rack:
		return Rack
	case pods <= rack*f.Racks:
		return Block
	default:
		return Zone
	}
}
