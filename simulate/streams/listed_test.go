package streams

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/simulate"
)

// listed is a gang of two members with what is changed about it.
func listed(name string, arrives int64, change func(r *gang.Request)) simulate.Job {
	j := simulate.Job{Arrives: arrives, Runs: 9, Request: gang.Request{Name: name, Shape: gang.Shape{Resources: muster.Resources{"gpu": 8}}, End: arrives}}
	for i := range 2 {
		j.Request.Members = append(j.Request.Members, gang.Member{Name: fmt.Sprint(name, "-", i), Index: i, Indexed: true})
	}
	if change != nil {
		change(&j.Request)
	}
	return j
}

// Gangs come by their times, then by names; those of which none is known come with the first one, or all at the instant that is given.
func TestListedOrder(t *testing.T) {
	order := func(l Listed) (out []string) {
		for range 2 { // a stream can be read again
			out = nil
			for j, err := range l.Stream() {
				require.NoError(t, err)
				out = append(out, fmt.Sprint(j.Request.Name, " at ", j.Arrives))
			}
		}
		return out
	}
	jobs := []simulate.Job{listed("late", 70, nil), listed("b10", 0, nil), listed("first", 50, nil), listed("b9", 0, nil)}
	require.Equal(t, []string{"b9 at 50", "b10 at 50", "first at 50", "late at 70"}, order(Listed{Jobs: jobs, From: 60}))
	require.Equal(t, int64(0), jobs[1].Arrives, "what is given stays as it is")
	require.Equal(t, []string{"b9 at 60", "b10 at 60"}, order(Listed{Jobs: []simulate.Job{jobs[1], jobs[3]}, From: 60}))
	require.Empty(t, order(Listed{}))
}

// Gangs are of one class that ask for the same under other names, and of none where their members are not alike.
func TestListedClasses(t *testing.T) {
	shape := &gang.Shape{}
	changes := []struct {
		class  string
		change func(r *gang.Request)
	}{
		{"0", nil},
		{"0", nil},
		{"1", func(r *gang.Request) { r.Priority = 1 }},
		{"2", func(r *gang.Request) { r.Quota = "a" }},
		{"3", func(r *gang.Request) { r.Members = r.Members[:1] }},
		{"4", func(r *gang.Request) { r.Shape.Resources = muster.Resources{"gpu": 4} }},
		{"4", func(r *gang.Request) { r.Shape.Resources = muster.Resources{"gpu": 4} }},
		{"5", func(r *gang.Request) { r.Gather = []gang.Rule{{Layer: "rack", Strength: gang.MustGather}} }},
		{"6", func(r *gang.Request) { r.Groups = []gang.Groups{{Size: 1}} }},
		{"7", func(r *gang.Request) { r.Members[0].Indexed, r.Members[1].Indexed = false, false }},
		{"", func(r *gang.Request) { r.Members[1].Index = 2 }},
		{"", func(r *gang.Request) { r.Members[1].Indexed = false }},
		{"", func(r *gang.Request) { r.Members[1].Shape = shape }},
		{"", func(r *gang.Request) { r.Members[1].NonPreemptible = true }},
		{"", func(r *gang.Request) { r.Parts = []gang.Part{{Name: "p"}} }},
		{"", func(r *gang.Request) { r.Refused = []gang.Refusal{{Member: "a", Node: "b"}} }},
		{"", func(r *gang.Request) { r.Together = "pair" }},
		{"", func(r *gang.Request) { r.Eligible = func(string) bool { return true } }},
	}
	var l Listed
	for i, c := range changes {
		l.Jobs = append(l.Jobs, listed(fmt.Sprint("g", i), int64(i+1), c.change))
	}
	i := 0
	for j, err := range l.Stream() {
		require.NoError(t, err)
		require.Equal(t, changes[i].class, j.Class, i)
		i++
	}
	require.Len(t, changes, i)
	own := listed("own", 1, nil)
	own.Class = "mine"
	for j := range (Listed{Jobs: []simulate.Job{own}}).Stream() {
		require.Equal(t, "mine", j.Class)
	}
}

// Fields that cannot be are told.
func TestListedDefects(t *testing.T) {
	for want, change := range map[string]func(j *simulate.Job){
		`listed.Jobs[1].Arrives "-1": not from 0 to 1099511627776`:            func(j *simulate.Job) { j.Arrives = -1 },
		`listed.Jobs[1].Arrives "1099511627777": not from 0 to 1099511627776`: func(j *simulate.Job) { j.Arrives = latest + 1 },
		`listed.Jobs[1].Runs "0": not from 1 to 31536000`:                     func(j *simulate.Job) { j.Runs = 0 },
		`listed.Jobs[1].Runs "31536001": not from 1 to 31536000`:              func(j *simulate.Job) { j.Runs = longest + 1 },
		`listed.Jobs[1].Request.Name "a": there twice`:                        func(j *simulate.Job) { j.Request.Name = "a" },
	} {
		l := Listed{Jobs: []simulate.Job{listed("a", 1, nil), listed("b", 2, nil)}}
		change(&l.Jobs[1])
		for j, err := range l.Stream() {
			require.EqualError(t, err, want)
			require.Equal(t, simulate.Job{}, j)
		}
	}
}
