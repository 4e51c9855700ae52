package problem

// zones are a problem's questions about the zones of nodes.
type zones struct{ p *Problem }

func (p *Problem) Zones() zones { return zones{p} }

// counting are a problem's ways to count the slots of nodes.
type counting struct{ p *Problem }

func (p *Problem) Counting() counting { return counting{p} }
