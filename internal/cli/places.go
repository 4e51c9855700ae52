package cli

import (
	"fmt"

	"github.com/muster-sched/muster/internal/printed"
	"github.com/muster-sched/muster/placement"
)

// places adds to each outcome with a plan where its members are.
func (p *Planned) places() (err error) {
	for i := range p.Outcomes {
		o := &p.Outcomes[i]
		if o.Result == nil {
			continue
		}
		if o.Places, err = placement.Places(o.Cluster, o.Result); err != nil {
			return fmt.Errorf("%s: %w", printed.Text(o.Gang), err)
		}
	}
	return nil
}
