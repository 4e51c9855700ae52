package placement

import "fmt"

// addMultiple binds the number of members in the domains of a tier, and so in those above.
func (p *problem) addMultiple(tier int32, m int64) {
	if p.mult == nil {
		p.mult = make([]int64, p.v.rootTop+1)
		for t := range p.mult {
			p.mult[t] = 1
		}
	}
	for t := tier; t <= p.v.rootTop; t++ {
		p.mult[t] = lcm(p.mult[t], m)
	}
}

// maxMultiple bounds least common multiples; no gang is larger.
const maxMultiple = 1 << 31

func lcm(a, b int64) int64 {
	return min(maxMultiple, a/gcd(a, b)*b)
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// checkMultiples refuses combinations that no placement could obey or that are not decided.
func (p *problem) checkMultiples() error {
	if p.mult == nil {
		return nil
	}
	if len(p.running) > 0 && len(p.levels) > 0 {
		return unsupported("request.Gather", p.req.Name, "multiples for a gang with groups of which members run")
	}
	for i, l := range p.levels {
		if within := p.mult[l.must]; l.size%within != 0 {
			return invalid(fmt.Sprintf("request.Groups[%d].Size", i), l.size,
				fmt.Sprintf("multiple %d inside the group's bound does not divide the group", within))
		}
	}
	if len(p.levels) > 0 {
		size := p.levels[0].size
		if int64(len(p.pending))%size != 0 && size%p.mult[p.v.rootTop] != 0 {
			return unsupported("request.Gather", p.req.Name, "multiples that do not divide the groups, beside a short last group")
		}
	}
	return nil
}
