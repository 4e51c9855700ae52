package mirror

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/rest"
)

// TestResourcesThatMayNotBeListedAreNamedAtStart has an API server that refuses one kind.
func TestResourcesThatMayNotBeListedAreNamedAtStart(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusForbidden)
		_, _ = w.Write([]byte(`{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Forbidden","code":403,"message":"topologies.kueue.x-k8s.io is forbidden"}`))
	}))
	defer server.Close()
	err := watchFurther(context.Background(), &rest.Config{Host: server.URL}, nil, []string{"topologies.v1beta1.kueue.x-k8s.io"})
	require.ErrorContains(t, err, "resources: topologies.v1beta1.kueue.x-k8s.io: topologies.kueue.x-k8s.io is forbidden")
}
