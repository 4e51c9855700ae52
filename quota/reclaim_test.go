package quota_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/quota"
)

// company is a tree by name, with what its leaves use and who may leave, of several resources.
type company struct {
	specs     map[string]*quota.Spec
	leaves    []string
	used      map[string]muster.Resources // of leaves
	ask       quota.Ask
	evictions []quota.Eviction
}

var companyResources = []string{muster.CPU, "example.com/npu", "nvidia.com/gpu"}

// chain is a quota and all above it.
func (c *company) chain(name string) (list []string) {
	for ; name != ""; name = c.specs[name].Parent {
		list = append(list, name)
	}
	return list
}

// aside are the quotas from one up that are not above the other.
func (c *company) aside(name, other string) (list []string) {
	above := c.chain(other)
	return slices.DeleteFunc(c.chain(name), func(n string) bool { return slices.Contains(above, n) })
}

func (c *company) usedBelow(name, resource string) int64 {
	n := int64(0)
	for _, leaf := range c.leaves {
		if slices.Contains(c.chain(leaf), name) {
			n += c.used[leaf][resource]
		}
	}
	return n
}

func (c *company) governs(name, resource string) bool {
	_, least := c.specs[name].Min[resource]
	_, most := c.specs[name].Max[resource]
	return least || most
}

func (c *company) without(e quota.Eviction) *company {
	left := *c
	left.used = maps.Clone(c.used)
	left.used[e.Quota] = muster.Resources{}
	for resource, amount := range c.used[e.Quota] {
		left.used[e.Quota][resource] = amount - e.Held[resource]
	}
	return &left
}

// mayLeave says whether a quota is over its min, and all above it aside from the gang.
func (c *company) mayLeave(e quota.Eviction) bool {
	for _, name := range c.aside(e.Quota, c.ask.Quota) {
		if !slices.ContainsFunc(companyResources, func(r string) bool {
			return c.ask.Request[r] > 0 && e.Held[r] > 0 && c.governs(name, r) && c.usedBelow(name, r) > c.specs[name].Min[r]
		}) {
			return false
		}
	}
	return true
}

// within says whether the gang keeps the minima of quotas on its path.
func (c *company) within(names []string) bool {
	none := true
	for _, name := range c.chain(c.ask.Quota) {
		none = none && len(c.specs[name].Min) == 0
	}
	for _, r := range companyResources {
		named := slices.ContainsFunc(c.chain(c.ask.Quota), func(name string) bool {
			_, ok := c.specs[name].Min[r]
			return ok
		})
		for _, name := range names {
			if c.ask.Request[r] > 0 && c.governs(name, r) && (named || none) && c.usedBelow(name, r)+c.ask.Request[r] > c.specs[name].Min[r] {
				return false
			}
		}
	}
	return true
}

// reclaims tries every order.
func (c *company) reclaims() bool {
	if c.ask.Quota == "" {
		return true
	}
	own, others := c, []quota.Eviction{}
	for _, e := range c.evictions {
		if e.Quota == c.ask.Quota {
			own = own.without(e)
		} else if e.Quota != "" {
			others = append(others, e)
		}
	}
	for _, e := range others {
		if !own.within(c.aside(c.ask.Quota, e.Quota)) {
			return false
		}
	}
	return c.inSomeOrder(others)
}

func (c *company) inSomeOrder(evictions []quota.Eviction) bool {
	for i, e := range evictions {
		if c.mayLeave(e) && c.without(e).inSomeOrder(slices.Delete(slices.Clone(evictions), i, i+1)) {
			return true
		}
	}
	return len(evictions) == 0
}

func (c *company) belowMin() muster.Resources {
	after := c
	for _, e := range c.evictions {
		if e.Quota != "" {
			after = after.without(e)
		}
	}
	taken := muster.Resources{}
	for _, leaf := range c.leaves {
		for _, r := range companyResources {
			asked := int64(0)
			if leaf == c.ask.Quota {
				asked = c.ask.Request[r]
			}
			least := c.specs[leaf].Min[r]
			if by := max(0, least-after.used[leaf][r]-asked) - max(0, least-c.used[leaf][r]-asked); by > 0 {
				taken[r] += by
			}
		}
	}
	if len(taken) == 0 {
		return nil
	}
	return taken
}

// drawCompany draws up to nine quotas, three deep, and up to six evictions.
func drawCompany(t *rapid.T) *company {
	amounts := func(label string, most int64) muster.Resources {
		r := muster.Resources{}
		for _, name := range companyResources {
			if n := rapid.Int64Range(-1, most).Draw(t, label); n >= 0 {
				r[name] = n
			}
		}
		return r
	}
	c := &company{specs: map[string]*quota.Spec{}, used: map[string]muster.Resources{}}
	names, depth := []string{}, map[string]int{}
	inner := map[string]bool{}
	for i := range rapid.IntRange(2, 9).Draw(t, "quotas") {
		s := &quota.Spec{Name: fmt.Sprintf("q-%d", i), Min: amounts("min", 4)}
		if i > 0 && rapid.IntRange(0, 3).Draw(t, "below") > 0 {
			if up := rapid.SampledFrom(names).Draw(t, "parent"); depth[up] < 2 {
				s.Parent, depth[s.Name], inner[up] = up, depth[up]+1, true
			}
		}
		names, c.specs[s.Name] = append(names, s.Name), s
	}
	for _, name := range slices.Backward(names) { // what the children are promised their parent has
		s := c.specs[name]
		if up := c.specs[s.Parent]; up != nil {
			for r, least := range s.Min {
				if least > 0 {
					up.Min[r] += least
				}
			}
		}
		if !inner[name] {
			c.leaves, c.used[name] = append(c.leaves, name), muster.Resources{}
			c.used[name].Add(amounts("used", 4))
		}
	}
	for _, name := range names {
		s := c.specs[name]
		s.Max = amounts("max", 4)
		for r := range s.Max {
			s.Max[r] += s.Min[r]
			if up := c.specs[s.Parent]; up != nil && up.Max[r] == 0 {
				delete(s.Max, r)
			}
		}
	}
	c.ask = quota.Ask{Quota: rapid.SampledFrom(append(c.leaves, "")).Draw(t, "asking"), Request: amounts("request", 4)}
	for range rapid.IntRange(0, 6).Draw(t, "evictions") {
		e := quota.Eviction{Quota: rapid.SampledFrom(append(c.leaves, "")).Draw(t, "leaves"), Held: amounts("held", 3)}
		if e.Quota != "" {
			c.used[e.Quota].Add(e.Held)
		}
		c.evictions = append(c.evictions, e)
	}
	return c
}

func (c *company) state(t require.TestingT) *quota.State {
	var specs []quota.Spec
	for _, s := range c.specs {
		specs = append(specs, *s)
	}
	tree, err := quota.New(specs)
	require.NoError(t, err)
	s, err := tree.State(muster.Resources{muster.CPU: 100, "nvidia.com/gpu": 100, "example.com/npu": 100})
	require.NoError(t, err)
	for _, leaf := range c.leaves {
		s, err = s.Use(leaf, c.used[leaf], nil)
		require.NoError(t, err)
	}
	return s
}

func TestReclaimsEqualsEveryOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawCompany(t)
		s := c.state(t)
		got, err := s.Reclaims(c.ask, c.evictions)
		require.NoError(t, err)
		require.Equal(t, c.reclaims(), got)
		taken, err := s.BelowMin(c.ask, c.evictions)
		require.NoError(t, err)
		require.Equal(t, c.belowMin(), taken)
	})
}

// OverMin and MayReclaim are the two halves of a reclaim of one eviction.
func TestOverMinEqualsReference(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawCompany(t)
		s := c.state(t)
		for _, e := range c.evictions {
			resource, over := s.OverMin(e.Quota, c.ask.Quota, c.ask.Request, e.Held)
			may, err := s.MayReclaim(c.ask, e.Quota, nil)
			require.NoError(t, err)
			if e.Quota == "" || c.ask.Quota == "" || e.Quota == c.ask.Quota {
				require.True(t, over && may && resource == "")
				continue
			}
			require.Equal(t, c.mayLeave(e), over)
			require.Equal(t, c.within(c.aside(c.ask.Quota, e.Quota)), may)
			for _, r := range []string{"example.com/npu", "nvidia.com/gpu", muster.CPU} {
				if over && c.ask.Request[r] > 0 && e.Held[r] > 0 && c.governs(e.Quota, r) && c.used[e.Quota][r] > c.specs[e.Quota].Min[r] {
					require.Equal(t, r, resource)
					break
				}
			}
			one, err := s.Reclaims(c.ask, []quota.Eviction{e})
			require.NoError(t, err)
			require.Equal(t, over && may, one)
		}
	})
}

// departments are two of two teams each; research is promised eight devices, serving four.
func departments(t *testing.T, used map[string]int64) *quota.State {
	t.Helper()
	tree, err := quota.New([]quota.Spec{
		{Name: "research", Min: gpus(8), Max: gpus(16)},
		{Name: "vision", Parent: "research", Min: gpus(4)},
		{Name: "speech", Parent: "research", Min: gpus(4)},
		{Name: "serving", Min: gpus(4), Max: gpus(16)},
		{Name: "search", Parent: "serving", Min: gpus(2)},
		{Name: "maps", Parent: "serving", Max: gpus(9)},
	})
	require.NoError(t, err)
	s, err := tree.State(gpus(16))
	require.NoError(t, err)
	for name, amount := range used {
		s, err = s.Use(name, gpus(amount), nil)
		require.NoError(t, err)
	}
	return s
}

func TestReclaims(t *testing.T) {
	s := departments(t, map[string]int64{"vision": 2, "speech": 6, "search": 2, "maps": 6})
	leaves := func(quotaOf string, amounts ...int64) (list []quota.Eviction) {
		for _, n := range amounts {
			list = append(list, quota.Eviction{Quota: quotaOf, Held: gpus(n)})
		}
		return list
	}
	for _, c := range []struct {
		why       string
		asking    string
		request   int64
		evictions []quota.Eviction
		legal     bool
	}{
		{"nothing is asked for", "vision", 0, leaves("maps", 1), false},
		{"the whole department would pass its min: research uses 8 already", "vision", 2, leaves("maps", 2), false},
		{"inside research the speech team is over its min", "vision", 2, leaves("speech", 2), true},
		{"vision would pass its own min", "vision", 3, leaves("speech", 2), false},
		{"its own member pays for the department", "vision", 2, append(leaves("vision", 2), leaves("maps", 2)...), true},
		{"the third finds speech at its min", "vision", 2, leaves("speech", 1, 1, 1), false},
		{"the large one goes last", "vision", 2, leaves("speech", 5, 1), true},
		{"it does so wherever it stands", "vision", 2, leaves("speech", 1, 5), true},
		{"maps are out of reach, whatever comes behind", "vision", 2, append(leaves("maps", 1), leaves("speech", 1)...), false},
		{"a gang that leaves whole is looked at once", "vision", 2, leaves("speech", 6), true},
		{"search is at its min", "vision", 2, append(leaves("vision", 2), leaves("search", 1)...), false},
		{"four of serving's eight are above its min", "vision", 2, append(leaves("vision", 2), leaves("maps", 1, 1, 1, 1, 1)...), false},
		{"no quota, no rule", "", 2, leaves("search", 1, 1), true},
		{"members in no quota may leave", "vision", 20, leaves("", 50), true},
		{"serving reclaims within itself", "search", 1, leaves("maps", 1), false},
	} {
		legal, err := s.Reclaims(quota.Ask{Quota: c.asking, Request: gpus(c.request)}, c.evictions)
		require.NoError(t, err)
		require.Equal(t, c.legal, legal, c.why)
	}
	taken, err := s.BelowMin(quota.Ask{Quota: "vision", Request: gpus(1)}, append(leaves("speech", 5), leaves("vision", 2)...))
	require.NoError(t, err)
	require.Equal(t, gpus(5), taken, "speech falls to 1 of 4, vision, with the gang, from 3 to 1 of 4")
}

func TestBadEvictions(t *testing.T) {
	s := departments(t, map[string]int64{"speech": 6})
	ask := quota.Ask{Quota: "vision", Request: gpus(1)}
	for _, bad := range []struct {
		quota   string
		held    muster.Resources
		message string
	}{
		{"research", gpus(1), `quota research.held.nvidia.com/gpu "1": members can only be in a quota without children`},
		{"nobody", gpus(1), `quota "nobody": unknown quota`},
		{"speech", gpus(-1), `quota speech.held.nvidia.com/gpu "-1": negative amount`},
		{"speech", gpus(4), `quota speech.held.nvidia.com/gpu "4": more than is in use`},
	} {
		evictions := []quota.Eviction{{Quota: "speech", Held: gpus(3)}, {Quota: bad.quota, Held: bad.held}}
		_, err := s.Reclaims(ask, evictions)
		require.EqualError(t, err, bad.message)
		_, err = s.BelowMin(ask, evictions)
		require.EqualError(t, err, bad.message)
	}
	_, err := s.MayReclaim(ask, "nobody", nil)
	require.EqualError(t, err, `quota "nobody": unknown quota`)
	_, err = s.MayReclaim(quota.Ask{Quota: "nobody"}, "speech", nil)
	require.EqualError(t, err, `quota "nobody": unknown quota`)
	_, over := s.OverMin("nobody", "vision", gpus(1), gpus(1))
	require.False(t, over)
	legal, err := s.Reclaims(ask, []quota.Eviction{{Quota: "speech", Held: gpus(1)}})
	require.NoError(t, err)
	require.True(t, legal, "an error leaves nothing behind")
}

// Everything that refuses is told, from the leaf up.
func TestRefusals(t *testing.T) {
	s := departments(t, map[string]int64{"vision": 2, "speech": 6, "search": 2, "maps": 6})
	ask := quota.Ask{Quota: "vision", Request: gpus(9), Pinned: gpus(9)}
	all, err := s.Refusals(ask, quota.Fair)
	require.NoError(t, err)
	var names []string
	for _, r := range all {
		names = append(names, fmt.Sprint(r.Quota, " ", r.Rule, " ", r.Short[0].By))
	}
	first, err := s.Admit(ask, quota.Fair)
	require.NoError(t, err)
	require.Equal(t, *first, all[0])
	require.Equal(t, []string{"vision limit 6", "vision min 5", "research limit 7", "research min 1"}, names)
	all, err = s.Refusals(quota.Ask{Quota: "vision", Request: gpus(1)}, quota.Greedy)
	require.NoError(t, err)
	require.Nil(t, all)
	_, err = s.Refusals(ask, "all")
	require.EqualError(t, err, `limit "all": unknown limit`)
}
