// Package lists answers: how does something come into a map that may be nil, or off a list?
package lists

import "slices"

// Enter enters a value into a map, which is made if it is nil.
func Enter[K comparable, V any](m *map[K]V, key K, value V) {
	if *m == nil {
		*m = map[K]V{}
	}
	(*m)[key] = value
}

// Add adds numbers to those of a map, which may be nil.
func Add[K comparable](to, more map[K]int) map[K]int {
	for key, n := range more {
		Enter(&to, key, to[key]+n)
	}
	return to
}

// Without takes one off a list, which changes.
func Without[T comparable](list []T, one T) []T {
	if i := slices.Index(list, one); i >= 0 {
		return slices.Delete(list, i, i+1)
	}
	return list
}
