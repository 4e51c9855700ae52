// Package apitest answers: what does an API server say that has these objects? It is a server for tests, of a few hundred lines in place of a
// whole one: it tells what it serves, lists page by page, watches, and binds pods. Any other request fails the test.
package apitest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Resource is a kind that a server serves.
type Resource struct {
	Group, Version, Name, Kind string
	Namespaced                 bool
}

// Object is one as JSON has it.
type Object = map[string]any

// Server is an API server with objects. Its fields are set before it is asked.
type Server struct {
	URL string
	// Forbidden are resources, by their names, that may not be listed.
	Forbidden map[string]bool
	// Expire is how many continuations of the list of a resource are refused because they have expired.
	Expire map[string]int
	// Silent are `group/version`s of which the server does not say what it serves.
	Silent map[string]bool
	// Bind is called for each binding, nil: all are refused. An error is a conflict.
	Bind func(namespace, pod, uid, node string) error

	t        testing.TB
	served   []Resource
	mu       sync.Mutex
	objects  map[string][]Object // by the name of the resource and its group
	changed  *sync.Cond
	events   []event
	closed   bool
	requests []string
}

// event is a change of an object that watches tell; its place among all, from 1 on, is the version of the objects there.
type event struct {
	key    string
	what   string
	object Object
}

// New starts a server that serves resources until the test ends.
func New(t testing.TB, served ...Resource) *Server {
	t.Helper()
	s := &Server{t: t, served: served, Forbidden: map[string]bool{}, Expire: map[string]int{}, Silent: map[string]bool{}, objects: map[string][]Object{}}
	s.changed = sync.NewCond(&s.mu)
	web := httptest.NewServer(s)
	s.URL = web.URL
	t.Cleanup(func() {
		s.mu.Lock()
		s.closed = true
		s.changed.Broadcast()
		s.mu.Unlock()
		web.Close()
	})
	return s
}

func (r *Resource) key() string { return r.Name + "." + r.Group }

func (r *Resource) groupVersion() string { return strings.TrimPrefix(r.Group+"/"+r.Version, "/") }

// Set adds an object of a kind that is served, or replaces the one of its name.
func (s *Server) Set(objects ...Object) {
	s.t.Helper()
	for _, o := range objects {
		s.change(o, func(key string, at int) string {
			if at < 0 {
				s.objects[key] = append(s.objects[key], o)
				return "ADDED"
			}
			s.objects[key][at] = o
			return "MODIFIED"
		})
	}
}

// Delete takes an object away.
func (s *Server) Delete(o Object) {
	s.t.Helper()
	s.change(o, func(key string, at int) string {
		s.objects[key] = slices.Delete(s.objects[key], at, at+1)
		return "DELETED"
	})
}

// Requests are those that came so far, `GET /api/v1/pods` and the like.
func (s *Server) Requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

func (s *Server) change(o Object, how func(key string, at int) string) {
	s.t.Helper()
	i := slices.IndexFunc(s.served, func(r Resource) bool { return r.groupVersion() == o["apiVersion"] && r.Kind == o["kind"] })
	if i < 0 {
		s.t.Fatalf("%v %v is not served", o["apiVersion"], o["kind"])
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	key := s.served[i].key()
	at := slices.IndexFunc(s.objects[key], func(known Object) bool { return name(known) == name(o) })
	what := how(key, at)
	meta := o["metadata"].(Object)
	meta["resourceVersion"] = strconv.Itoa(len(s.events) + 1)
	s.events = append(s.events, event{key, what, o})
	s.changed.Broadcast()
}

func name(o Object) string {
	meta := o["metadata"].(Object)
	return fmt.Sprint(meta["namespace"], "/", meta["name"])
}

// ServeHTTP answers a request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.requests = append(s.requests, r.Method+" "+r.URL.Path)
	s.mu.Unlock()
	at := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	switch {
	case r.Method == http.MethodPost && at[len(at)-1] == "binding":
		s.bind(w, r)
	case r.Method != http.MethodGet:
		s.t.Errorf("%s %s", r.Method, r.URL)
		fail(w, http.StatusMethodNotAllowed, metav1.StatusReasonMethodNotAllowed, "only what reads")
	case len(at) == 1:
		s.groups(w, at[0])
	case at[0] == "api" && len(at) == 2:
		s.resources(w, "", at[1])
	case at[0] == "apis" && len(at) == 3:
		s.resources(w, at[1], at[2])
	case at[0] == "api":
		s.objectsAt(w, r, "", at[1], at[2:])
	case at[0] == "apis" && len(at) > 3:
		s.objectsAt(w, r, at[1], at[2], at[3:])
	default:
		fail(w, http.StatusNotFound, metav1.StatusReasonNotFound, "no such path")
	}
}

// groups tells of versions and groups, in the form that all servers know.
func (s *Server) groups(w http.ResponseWriter, root string) {
	if root == "api" {
		answer(w, http.StatusOK, metav1.APIVersions{TypeMeta: metav1.TypeMeta{Kind: "APIVersions"}, Versions: []string{"v1"}})
		return
	}
	out := metav1.APIGroupList{TypeMeta: metav1.TypeMeta{Kind: "APIGroupList", APIVersion: "v1"}}
	for _, r := range s.served {
		if r.Group == "" {
			continue
		}
		i := slices.IndexFunc(out.Groups, func(g metav1.APIGroup) bool { return g.Name == r.Group })
		version := metav1.GroupVersionForDiscovery{GroupVersion: r.groupVersion(), Version: r.Version}
		switch {
		case i < 0:
			out.Groups = append(out.Groups, metav1.APIGroup{Name: r.Group, Versions: []metav1.GroupVersionForDiscovery{version}, PreferredVersion: version})
		case !slices.Contains(out.Groups[i].Versions, version):
			out.Groups[i].Versions = append(out.Groups[i].Versions, version)
		}
	}
	answer(w, http.StatusOK, out)
}

// resources tells of the kinds of a group.
func (s *Server) resources(w http.ResponseWriter, group, version string) {
	out := metav1.APIResourceList{TypeMeta: metav1.TypeMeta{Kind: "APIResourceList", APIVersion: "v1"}}
	for _, r := range s.served {
		if r.Group == group && r.Version == version {
			out.GroupVersion = r.groupVersion()
			out.APIResources = append(out.APIResources, metav1.APIResource{Name: r.Name, Kind: r.Kind, Namespaced: r.Namespaced, Verbs: []string{"get", "list", "watch"}})
		}
	}
	if s.Silent[out.GroupVersion] {
		fail(w, http.StatusServiceUnavailable, metav1.StatusReasonServiceUnavailable, "nobody is there")
		return
	}
	answer(w, http.StatusOK, out)
}

func answer(w http.ResponseWriter, code int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(body)
}

func fail(w http.ResponseWriter, code int, reason metav1.StatusReason, message string) {
	answer(w, code, metav1.Status{
		TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: metav1.StatusFailure, Code: int32(code), Reason: reason, Message: message,
	})
}
