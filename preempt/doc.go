// Package preempt answers: whom to evict? It knows nodes, members and budgets as plain numbers; package placement builds them from a
// cluster and a request.
package preempt
