// Package links answers: what hangs together by names? Things have names and ask for names; who asks for a name hangs
// together with who has it, and so do all who have it.
package links

import "slices"

// Count says how many use something, by its name.
type Count map[string]int

// Add counts so many more users of names, or fewer.
func (c Count) Add(names map[string]bool, n int) {
	for name := range names {
		if c[name] += n; c[name] == 0 {
			delete(c, name)
		}
	}
}

// Names are those that somebody uses.
func (c Count) Names() map[string]bool {
	out := make(map[string]bool, len(c))
	for name := range c {
		out[name] = true
	}
	return out
}

// Graph is of things with the names that they have and ask for. The zero value is empty.
type Graph[T comparable] struct {
	of         map[T]*names
	had, asked map[string][]T
}

// names of one thing, without repetition.
type names struct{ had, asked []named }

// named is a name, and the place of the thing among those of that name.
type named struct {
	name string
	at   int
}

// Add gives a thing names beside those that it has. O(names).
func (g *Graph[T]) Add(t T, had, asked []string) {
	if g.of == nil {
		g.of, g.had, g.asked = map[T]*names{}, map[string][]T{}, map[string][]T{}
	}
	n := g.of[t]
	if n == nil {
		n = &names{}
		g.of[t] = n
	}
	n.had = enter(g.had, t, n.had, had)
	n.asked = enter(g.asked, t, n.asked, asked)
}

func enter[T comparable](index map[string][]T, t T, known []named, more []string) []named {
	for _, name := range more {
		if !slices.ContainsFunc(known, func(n named) bool { return n.name == name }) {
			known, index[name] = append(known, named{name, len(index[name])}), append(index[name], t)
		}
	}
	return known
}

// Knows says whether a thing is said to have, or to ask for, all of these names.
func (g *Graph[T]) Knows(all []T, had, asked []string) bool {
	known := map[string]bool{}
	for _, t := range all {
		for _, n := range g.of[t].had {
			known[n.name] = true
		}
	}
	missing := func(name string) bool { return !known[name] }
	if slices.ContainsFunc(had, missing) {
		return false
	}
	for _, t := range all {
		for _, n := range g.of[t].asked {
			known[n.name] = true
		}
	}
	return !slices.ContainsFunc(asked, missing)
}

// Remove forgets a thing. O(names), and those of the things that take its places.
func (g *Graph[T]) Remove(t T) {
	n := g.of[t]
	if n == nil {
		return
	}
	for _, name := range n.had {
		if moved := leave(g.had, name); moved != nil {
			place(g.of[*moved].had, name)
		}
	}
	for _, name := range n.asked {
		if moved := leave(g.asked, name); moved != nil {
			place(g.of[*moved].asked, name)
		}
	}
	delete(g.of, t)
}

// leave takes the thing of a place off those of a name, and returns the one that has its place now.
func leave[T comparable](index map[string][]T, n named) (moved *T) {
	rest := index[n.name]
	last := len(rest) - 1
	if n.at < last {
		rest[n.at] = rest[last]
		moved = &rest[n.at]
	}
	clear(rest[last:])
	if index[n.name] = rest[:last]; last == 0 {
		delete(index, n.name)
	}
	return moved
}

// place notes the place of a thing among those of a name.
func place(of []named, n named) {
	of[slices.IndexFunc(of, func(other named) bool { return other.name == n.name })] = n
}

// Together are a thing and all that hang together with it. O(what they have and ask for).
func (g *Graph[T]) Together(t T) []T {
	var all []T
	next, seen, done := []T{t}, map[T]bool{t: true}, map[string]bool{}
	reach := func(list []T) {
		for _, other := range list {
			if !seen[other] {
				seen[other] = true
				next = append(next, other)
			}
		}
	}
	for len(next) > 0 {
		last := len(next) - 1
		at := next[last]
		all, next = append(all, at), next[:last]
		n := g.of[at]
		if n == nil {
			continue
		}
		for _, of := range n.had {
			name := of.name
			if !done[name] {
				done[name] = true
				reach(g.had[name])
				reach(g.asked[name])
			}
		}
		for _, of := range n.asked {
			name := of.name
			if has := g.had[name]; len(has) > 0 && !done[name] {
				done[name] = true
				reach(has)
				reach(g.asked[name])
			}
		}
	}
	return all
}

// Asking are those that ask for a name. The slice is the graph's.
func (g *Graph[T]) Asking(name string) []T { return g.asked[name] }
