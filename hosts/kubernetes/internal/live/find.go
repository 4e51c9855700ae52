package live

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
)

// Served is a kind that an API server serves, in the version to read it in.
type Served struct {
	Kind
	Version    string
	Namespaced bool
}

// Resource is how clients ask for it.
func (s Served) Resource() schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: s.Group, Version: s.Version, Resource: s.Kind.Resource}
}

// Find says which of the kinds a server serves with all these verbs, each in the version that the server prefers, else in the first of its list that has
// the kind. Those that it does not serve are absent. Notices tell of groups that it would not speak of. The error is that of a server which says
// nothing, or does not serve a kind that is needed.
func Find(server discovery.DiscoveryInterface, verbs ...string) (found []Served, notices []string, err error) {
	groups, lists, err := server.ServerGroupsAndResources()
	var partly *discovery.ErrGroupDiscoveryFailed
	switch {
	case errors.As(err, &partly):
		notices = silent(partly)
	case err != nil:
		return nil, nil, fmt.Errorf("which kinds are served: %w", err)
	}
	served := map[schema.GroupVersion]*metav1.APIResourceList{}
	for _, l := range lists {
		if gv, err := schema.ParseGroupVersion(l.GroupVersion); err == nil {
			served[gv] = l
		}
	}
	versions := map[string][]string{}
	for _, g := range groups {
		versions[g.Name] = append(versions[g.Name], g.PreferredVersion.Version)
		for _, v := range g.Versions {
			versions[g.Name] = append(versions[g.Name], v.Version)
		}
	}
	for _, k := range Kinds() {
		s := newest(k, versions[k.Group], served, verbs)
		switch {
		case s != nil:
			found = append(found, *s)
		case k.Needed:
			return nil, notices, fmt.Errorf("the server does not serve %s", k.Name())
		}
	}
	return found, notices, nil
}

// newest is the kind in the first of some versions that has it; nil: none has.
func newest(k Kind, versions []string, served map[schema.GroupVersion]*metav1.APIResourceList, verbs []string) *Served {
	for _, v := range versions {
		list := served[schema.GroupVersion{Group: k.Group, Version: v}]
		if list == nil {
			continue
		}
		for _, r := range list.APIResources {
			lacks := func(verb string) bool { return !slices.Contains(r.Verbs, verb) }
			if r.Name == k.Resource && r.Kind == k.Kind && !slices.ContainsFunc(verbs, lacks) {
				return &Served{Kind: k, Version: v, Namespaced: r.Namespaced}
			}
		}
	}
	return nil
}

// silent names the groups with kinds that are read of which a server would not say what it serves.
func silent(failed *discovery.ErrGroupDiscoveryFailed) (notices []string) {
	read := map[string]bool{}
	for _, k := range Kinds() {
		read[k.Group] = true
	}
	for _, gv := range slices.SortedFunc(maps.Keys(failed.Groups), func(a, b schema.GroupVersion) int { return cmp.Compare(a.String(), b.String()) }) {
		if read[gv.Group] {
			notices = append(notices, fmt.Sprintf("may not be complete: what of %s is served is not known (%v)", gv, failed.Groups[gv]))
		}
	}
	return notices
}
