package problem

// Zones are a problem's questions about the zones of nodes.
type Zones struct{ p *Problem }

// Zones asks about the zones of nodes.
func (p *Problem) Zones() Zones { return Zones{p} }

// Counting are a problem's ways to count the slots of nodes.
type Counting struct{ p *Problem }

// Counting counts the slots of nodes.
func (p *Problem) Counting() Counting { return Counting{p} }
