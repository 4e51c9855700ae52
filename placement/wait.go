package placement

// wait plans the least number of members with the leaving ones counted as gone. Nil if that does not help.
func (p *problem) wait() *Result {
	if p.req.IgnoreLeaving || len(p.c.leaving) == 0 || p.least > len(p.pending) {
		return nil
	}
	return nil
}
