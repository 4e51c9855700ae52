package placement

// zones are a problem's questions about the zones of nodes.
type zones struct{ p *problem }

func (p *problem) zones() zones { return zones{p} }

// counting are a problem's ways to count the slots of nodes.
type counting struct{ p *problem }

func (p *problem) counting() counting { return counting{p} }
