package apitest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// objectsAt answers for the objects of a group: path is what stands behind its version.
func (s *Server) objectsAt(w http.ResponseWriter, r *http.Request, group, version string, path []string) {
	namespace := ""
	if path[0] == "namespaces" && len(path) > 2 {
		namespace, path = path[1], path[2:]
	}
	i := slices.IndexFunc(s.served, func(k Resource) bool { return k.Group == group && k.Version == version && k.Name == path[0] })
	switch {
	case i < 0:
		fail(w, http.StatusNotFound, metav1.StatusReasonNotFound, "the server could not find the requested resource")
	case s.Forbidden[path[0]]:
		fail(w, http.StatusForbidden, metav1.StatusReasonForbidden, fmt.Sprintf("%s is forbidden: User \"someone\" cannot list it", path[0]))
	case len(path) == 2:
		s.get(w, &s.served[i], namespace+"/"+path[1])
	case r.URL.Query().Get("watch") != "":
		s.watch(w, r, &s.served[i])
	default:
		s.list(w, r, &s.served[i])
	}
}

func (s *Server) get(w http.ResponseWriter, k *Resource, called string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, o := range s.objects[k.key()] {
		if name(o) == called {
			answer(w, http.StatusOK, o)
			return
		}
	}
	fail(w, http.StatusNotFound, metav1.StatusReasonNotFound, called+" not found")
}

// list lists a page of a kind. Items have no kind of their own, as servers send them.
func (s *Server) list(w http.ResponseWriter, r *http.Request, k *Resource) {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := s.objects[k.key()]
	from, _ := strconv.Atoi(r.URL.Query().Get("continue"))
	limit, _ := strconv.Atoi(r.URL.Query().Get("limit"))
	if from > 0 && s.Expire[k.Name] > 0 {
		s.Expire[k.Name]--
		fail(w, http.StatusGone, metav1.StatusReasonExpired, "the continue token has expired")
		return
	}
	to := len(all)
	meta := Object{"resourceVersion": strconv.Itoa(len(s.events))}
	if limit > 0 && from+limit < to {
		to = from + limit
		meta["continue"] = strconv.Itoa(to)
	}
	items := []Object{}
	for _, o := range all[from:to] {
		bare := Object{}
		for key, v := range o {
			if key != "apiVersion" && key != "kind" {
				bare[key] = v
			}
		}
		items = append(items, bare)
	}
	answer(w, http.StatusOK, Object{"apiVersion": k.groupVersion(), "kind": k.Kind + "List", "metadata": meta, "items": items})
}

// watch tells what changes behind a version, until its reader leaves or the test ends.
func (s *Server) watch(w http.ResponseWriter, r *http.Request, k *Resource) {
	if r.URL.Query().Get("sendInitialEvents") == "true" { // the client lists then
		answer(w, http.StatusUnprocessableEntity, metav1.Status{
			TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: metav1.StatusFailure, Code: http.StatusUnprocessableEntity,
			Reason: metav1.StatusReasonInvalid, Message: "sendInitialEvents is not known",
		})
		return
	}
	done := r.Context().Done()
	go func() {
		<-done
		s.mu.Lock()
		s.changed.Broadcast()
		s.mu.Unlock()
	}()
	seen, _ := strconv.Atoi(r.URL.Query().Get("resourceVersion"))
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusOK)
	for {
		w.(http.Flusher).Flush()
		s.mu.Lock()
		for len(s.events) == seen && !s.closed && r.Context().Err() == nil {
			s.changed.Wait()
		}
		fresh, closed := s.events[seen:], s.closed
		seen = len(s.events)
		var lines []byte
		for _, e := range fresh {
			if e.key == k.key() {
				line, _ := json.Marshal(Object{"type": e.what, "object": e.object})
				lines = append(append(lines, line...), '\n')
			}
		}
		s.mu.Unlock()
		if closed || r.Context().Err() != nil {
			return
		}
		_, _ = w.Write(lines)
	}
}

// bind binds a pod: its path is `api/v1/namespaces/NS/pods/NAME/binding`.
func (s *Server) bind(w http.ResponseWriter, r *http.Request) {
	at := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	var b struct {
		Metadata struct{ UID string }
		Target   struct{ Kind, Name string }
	}
	err := json.NewDecoder(r.Body).Decode(&b)
	switch {
	case err != nil || len(at) != 7 || b.Target.Kind != "Node":
		s.t.Errorf("a binding: %s, %v", r.URL, err)
		fail(w, http.StatusBadRequest, metav1.StatusReasonBadRequest, "no binding")
		return
	case s.Bind == nil:
		err = fmt.Errorf("nothing is bound here")
	default:
		err = s.Bind(at[3], at[5], b.Metadata.UID, b.Target.Name)
	}
	if err != nil {
		fail(w, http.StatusConflict, metav1.StatusReasonConflict, err.Error())
		return
	}
	answer(w, http.StatusCreated, metav1.Status{TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: metav1.StatusSuccess})
}
