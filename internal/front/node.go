// What does a node have for members of several roles?

package front

// Node is what nodes of one kind have for members of several roles.
type Node struct {
	Free []int64 // by resource that is asked for, no more than all members ask for
	Open []bool  // by role: whether the nodes take its members, amounts and zones apart
	// Zones is the front that the zones take, by role; nil: they do not bind.
	Zones Front
}
