package parts

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/bounds"
	"github.com/muster-sched/muster/internal/model"
	"github.com/muster-sched/muster/internal/problem"
)

// Members that are selected keep the multiples if each part has a multiple of all of its own, all of them where nobody selects.
func TestSelectedMembersKeepMultiples(t *testing.T) {
	multiple := func(of int) []gang.Rule { return []gang.Rule{{Layer: "rack", Multiple: of}} }
	req := &gang.Request{Name: "gang", Shape: gang.Shape{Resources: muster.Resources{"gpu": 1}}, Parts: []gang.Part{
		{Name: "a", Members: []string{"0", "1", "2"}, MinMember: 1, Gather: multiple(2)},
		{Name: "b", Members: []string{"3", "4", "5"}, MinMember: 1, Gather: multiple(3)},
	}}
	for i := range 7 {
		req.Members = append(req.Members, gang.Member{Name: fmt.Sprint(i)})
	}
	p, err := problem.New(oneRack(t), req, nil, bounds.Search{})
	require.NoError(t, err)
	Engine{p}.Count()
	p.Ready()
	require.False(t, (&asked{p: p}).KeepsMultiples(), "three are not two and two")
	require.True(t, (&asked{p: p.WithoutMultiples()}).KeepsMultiples())
	for bits := range 1 << len(req.Members) {
		in, of := make(model.Selection, len(req.Members)), [3]int{}
		for i := range in {
			if in[i] = bits>>i&1 == 1; in[i] {
				of[i/3]++
			}
		}
		if bits > 0 {
			require.Equal(t, of[0]%2 == 0 && of[1]%3 == 0, (&asked{p: p.Only(in)}).KeepsMultiples(), "%v", in)
		}
	}
}
