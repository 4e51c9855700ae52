package reference

import (
	"math/rand/v2"
	"testing"
)

// AddSeeds gives a fuzz test of drawn inputs something to begin with: random bytes, which must suffice for all that is drawn.
func AddSeeds(f *testing.F, bytes int) {
	for seed := range uint64(16) {
		data := make([]byte, bytes)
		rng := rand.New(rand.NewPCG(seed, 0))
		for i := range data {
			data[i] = byte(rng.Uint32())
		}
		f.Add(data)
	}
}
