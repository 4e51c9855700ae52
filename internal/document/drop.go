package document

import (
	"errors"
	"hash/maphash"
	"slices"
	"strconv"
	"strings"
)

// What nobody reads is most of what an API server prints: it is checked like the rest, and only a digest of it kept, by which
// equal objects are found.

// noise are the keys that are not kept, by the key of the mapping (or of the list of mappings) that they stand in. No kind has a
// rule there.
var noise = map[string][]string{
	"metadata":            {"managedFields"},
	"annotations":         {"kubectl.kubernetes.io/last-applied-configuration"},
	"containers":          ofContainer,
	"initContainers":      ofContainer,
	"ephemeralContainers": ofContainer,
	"status":              {"containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses", "images", "nodeInfo", "volumesAttached", "volumesInUse"},
}

var ofContainer = strings.Fields(`args command env envFrom image imagePullPolicy lifecycle livenessProbe readinessProbe startupProbe
	securityContext terminationMessagePath terminationMessagePolicy volumeMounts volumeDevices workingDir`)

// dropped says whether a key of a mapping that stands below name is not kept.
func dropped(name, key string) bool { return slices.Contains(noise[name], key) }

// seed is that of all digests, which are compared within one process.
var seed = maphash.MakeSeed()

var nothing = maphash.String(seed, "") // the digest of no text

// digest is equal for values that are [Value.Equal].
func (v *Value) digest() uint64 {
	if v.Kind == Dropped {
		sum, _ := strconv.ParseUint(v.Text, 16, 64)
		return sum
	}
	var parts digests
	for i, e := range v.Items {
		if v.Kind == Mapping {
			parts.entry(maphash.String(seed, v.Keys[i]), e.digest())
		} else {
			parts.element(e.digest())
		}
	}
	return parts.sum(v.Kind, maphash.String(seed, v.Text))
}

// digests puts the digests of the parts of a value together: those of a list in their order, those of a mapping in any.
type digests struct{ all uint64 }

const odd = 0x9e3779b97f4a7c15 // mixes bits when multiplied

func (d *digests) entry(key, value uint64) {
	mixed := (key ^ value*odd) * odd
	d.all += mixed ^ mixed>>29
}

func (d *digests) element(value uint64) { d.all = (d.all ^ d.all>>31 + value) * odd }

func (d *digests) sum(kind Kind, text uint64) uint64 {
	return (d.all + text ^ uint64(kind)<<56) * odd
}

// drop passes a value, checking it as value does.
func (p *jsonParser) drop(depth int) (*Value, error) {
	v, err := p.newValue()
	if err != nil {
		return nil, err
	}
	sum, err := p.pass(depth)
	v.Kind, v.Text = Dropped, strconv.FormatUint(sum, 16)
	return v, err
}

// pass returns the digest of a value without making one.
func (p *jsonParser) pass(depth int) (uint64, error) {
	if depth > maxDepth {
		return 0, errDeep
	}
	if !p.has() {
		return 0, errJSON
	}
	var none digests
	switch p.data[p.at] {
	case '{':
		return p.passElements(Mapping, '}', depth+1)
	case '[':
		return p.passElements(List, ']', depth+1)
	case '"':
		text, err := p.passText()
		return none.sum(Text, text), err
	}
	word, kind, err := p.word()
	if kind == Null {
		word = nil // as a value of null has no text
	}
	return none.sum(kind, maphash.Bytes(seed, word)), err
}

// passText returns the digest of a string.
func (p *jsonParser) passText() (uint64, error) {
	if text, ok := p.whole(); ok {
		return maphash.Bytes(seed, text), nil
	}
	l, err := p.quoted()
	if err != nil {
		return 0, err
	}
	text, err := p.said(l)
	return maphash.Bytes(seed, text), err
}

func (p *jsonParser) passElements(kind Kind, end byte, depth int) (uint64, error) {
	var parts digests
	from := len(p.sums)
	p.at++
	for more := !p.next(end); more; {
		var key uint64
		var err error
		if kind == Mapping {
			if key, err = p.passKey(); err != nil {
				return 0, err
			}
		}
		p.skip()
		e, err := p.pass(depth)
		if err != nil {
			return 0, err
		}
		if kind == Mapping {
			parts.entry(key, e)
		} else {
			parts.element(e)
		}
		if more, err = p.goesOn(end); err != nil {
			return 0, err
		}
	}
	if again(p.sums[from:]) {
		return 0, errors.New("not JSON: duplicate key")
	}
	p.sums = p.sums[:from]
	return parts.sum(kind, nothing), nil
}

// again says whether a key stands twice among keys. It brings them into another order.
func again(keys []uint64) bool {
	const few = 8
	if len(keys) > few {
		slices.Sort(keys)
		return len(slices.Compact(keys)) < len(keys)
	}
	for i, key := range keys {
		if slices.Contains(keys[:i], key) {
			return true
		}
	}
	return false
}

// passKey returns the digest of a key, which is kept until its mapping ends, and passes the colon behind it.
func (p *jsonParser) passKey() (uint64, error) {
	p.skip()
	key, err := p.passText()
	if err == nil && !p.next(':') {
		err = errJSON
	}
	if err != nil {
		return 0, err
	}
	if n := cap(p.sums); len(p.sums) == n {
		p.sums = slices.Grow(p.sums, max(64, n))
		err = p.keep(ofKey * (cap(p.sums) - n))
	}
	p.sums = append(p.sums, key)
	return key, err
}
