package match

import (
	"hash/maphash"
	"math/bits"

	"github.com/muster-sched/muster/gang"
)

// seed keeps whoever makes shapes from choosing ones of one digest. It decides nothing: equal digests are only looked at first.
var seed = maphash.MakeSeed()

// digest is one number for all shapes that are equal by [gang.Shape.Equal], and hardly ever one for two that are not. It differs from run to
// run. O(what the shape lists).
func digest(s *gang.Shape) (sum uint64) {
	for name, amount := range s.Resources {
		sum += text(name) * uint64(amount) // 0 is as good as not asked for
	}
	for key, value := range s.Selector {
		sum += mix(1, text(key), text(value))
	}
	for i := range s.Affinity {
		sum += mix(2, ofTerm(s.Affinity[i]))
	}
	for i := range s.Preferred {
		sum += mix(3, uint64(s.Preferred[i].Weight), ofTerm(s.Preferred[i].Nodes))
	}
	for _, t := range s.Tolerations {
		if t.Exists {
			sum += mix(4, text(t.Key), text(string(t.Effect)))
		} else {
			sum += mix(5, text(t.Key), text(string(t.Effect)), text(t.Value), text(string(t.Compare)))
		}
	}
	if n := s.NUMA; n != (gang.NUMA{}) {
		sum += mix(6, text(string(n.Policy)), text(string(n.Exclusive)), text(string(n.CPUs)), uint64(n.ThreadsPerCore))
	}
	return sum
}

func ofTerm(t gang.NodeTerm) uint64 {
	return mix(7, ofExpressions(t.Labels), ofExpressions(t.Fields))
}

func ofExpressions(list []gang.Expression) (sum uint64) {
	for i := range list {
		var values uint64
		for _, v := range list[i].Values {
			values += mix(8, text(v))
		}
		sum += mix(9, text(list[i].Key), text(string(list[i].Operator)), values)
	}
	return sum
}

func text(s string) uint64 { return maphash.String(seed, s) }

// mix is one number of some in order.
func mix(parts ...uint64) (sum uint64) {
	for _, p := range parts {
		hi, lo := bits.Mul64(sum^p, 0x9e3779b97f4a7c15)
		sum = hi ^ lo ^ bits.RotateLeft64(p, 29)
	}
	return sum
}
