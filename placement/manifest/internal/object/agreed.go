package object

// AgreedOn is what the objects say that say something; one that says otherwise than the first has a defect.
func AgreedOn[T comparable](objects []*Object, read func(o *Object) (T, Field)) (out T) {
	var nothing T
	for _, o := range objects {
		switch said, f := read(o); {
		case said == nothing || said == out:
		case out == nothing:
			out = said
		default:
			f.Fail("another pod of the gang says otherwise")
		}
	}
	return out
}

// Agreed is the number that the objects' metadata give; those without one agree with all.
func Agreed(objects []*Object, otherwise int, keys ...string) int {
	n, found := otherwise, false
	for _, o := range objects {
		for _, key := range keys {
			f := o.Stated(key)
			if !f.Present() {
				continue
			}
			value, ok := f.Count(f.Text(), 0)
			if ok && found && value != n {
				f.Fail("another pod of the gang says otherwise")
			}
			if ok && !found {
				n, found = value, true
			}
		}
	}
	return n
}
