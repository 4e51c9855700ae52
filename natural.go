package muster

import (
	"cmp"
	"strings"
)

// CompareNatural orders names as people count: runs of digits by value, everything else by bytes, so that node-9
// comes before node-10. Names that are equal this way (a-1, a-01) are ordered bytewise, so only equal strings compare
// as 0. O(len(a)+len(b)).
func CompareNatural(a, b string) int {
	same := 0
	for same < len(a) && same < len(b) && a[same] == b[same] {
		same++
	}
	if same == len(a) || same == len(b) {
		return cmp.Compare(len(a), len(b))
	}
	// The first difference may lie within a number. Of equally long runs of digits it decides.
	x, y := len(digits(a[same:])), len(digits(b[same:]))
	start := same
	for x != y && start > 0 && isDigit(a[start-1]) {
		start--
	}
	switch {
	case x == y, start == same && (x == 0 || y == 0):
		return cmp.Compare(a[same], b[same])
	case a[start] != '0' && b[start] != '0':
		return cmp.Compare(x, y) // without leading zeros the longer number is the larger one
	}
	return compareFrom(a, b, start)
}

// compareFrom compares names that are equal up to a run of digits with leading zeros.
func compareFrom(a, b string, start int) int {
	i, j := start, start
	for i < len(a) && j < len(b) {
		if !isDigit(a[i]) || !isDigit(b[j]) {
			if a[i] != b[j] {
				return cmp.Compare(a[i], b[j])
			}
			i, j = i+1, j+1
			continue
		}
		x, y := digits(a[i:]), digits(b[j:])
		if c := compareNumbers(x, y); c != 0 {
			return c
		}
		i, j = i+len(x), j+len(y)
	}
	if c := cmp.Compare(len(a)-i, len(b)-j); c != 0 {
		return c
	}
	return strings.Compare(a, b)
}

// ComparePaths orders paths element by element in natural order; a path comes before those that it begins.
// O(length of the names).
func ComparePaths(a, b []string) int {
	for i := range min(len(a), len(b)) {
		if c := CompareNatural(a[i], b[i]); c != 0 {
			return c
		}
	}
	return cmp.Compare(len(a), len(b))
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// digits returns the run of digits that s begins with.
func digits(s string) string {
	n := 0
	for n < len(s) && isDigit(s[n]) {
		n++
	}
	return s[:n]
}

// compareNumbers compares digit runs of any length by value: without leading zeros, the longer one is the larger.
func compareNumbers(a, b string) int {
	a, b = strings.TrimLeft(a, "0"), strings.TrimLeft(b, "0")
	if c := cmp.Compare(len(a), len(b)); c != 0 {
		return c
	}
	return strings.Compare(a, b)
}
