package placement

// findRoles returns a function that bounds the members that fit on a node without some candidates: the most of them whatever their roles, so that the
// search for victims has a bound; [cast.allows] decides.
func (e *evicting) findRoles() func(pos int32, gone []int32) int64 {
	c := &cast{problem: e.problem, folder: newFolder(e.wanted(e.units))}
	c.readRoles()
	free, open := make([]int64, len(e.needs)), make([]bool, len(c.roles))
	return func(pos int32, gone []int32) int64 {
		id := e.v.node(pos)
		extra := e.givenBack(id, gone)
		for i, n := range e.needs {
			free[i] = e.freeOf(id, n, extra)
		}
		for r, one := range c.roles {
			open[r] = one.refusal(id) == ""
		}
		f, forgot := c.onNode(free, open)
		if forgot {
			return int64(e.units)
		}
		return f.mostInAll()
	}
}

// refusalOfRoles returns a function that says why a node takes no member whatever is free there, empty if it takes some role.
func (e *evicting) refusalOfRoles() func(id int32) string {
	roles := e.ofRoles()
	return func(id int32) string {
		return causeForAll(roles, func(one *problem) string { return one.refusal(id) })
	}
}

// allows says whether a strategy holds the first n members, and how many of them lie outside the tree then.
func (c *cast) allows(n int, st strategy) (outside int64, ok bool) {
	g, ok := c.casting(n)
	return g.beyond(), ok && g.holdsUnder(st)
}
