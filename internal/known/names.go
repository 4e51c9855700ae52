package known

import "strings"

// NearestName is the nearest of some names `namespace/name`: one that is called so in another namespace, else the nearest of those in its
// namespace, else of all. Names without a namespace are compared whole. O(len(name) * sum of len(names)).
func NearestName(name string, names []string) string {
	space, called, is := strings.Cut(name, "/")
	if !is {
		return Nearest(name, names)
	}
	var same, within []string
	for _, n := range names {
		of, base, _ := strings.Cut(n, "/")
		if base == called {
			same = append(same, n)
		}
		if of == space {
			within = append(within, n)
		}
	}
	for _, some := range [][]string{same, within} {
		if len(some) > 0 {
			return Nearest(name, some)
		}
	}
	return Nearest(name, names)
}
