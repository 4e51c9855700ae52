package plugin

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"

	"github.com/muster-sched/muster/gang"
)

func decode(json string) (*Args, error) {
	return DecodeArgs(&runtime.Unknown{Raw: []byte(json), ContentType: runtime.ContentTypeJSON})
}

func TestArgsHaveDefaults(t *testing.T) {
	args, err := DecodeArgs(nil)
	require.NoError(t, err)
	require.Equal(t, &Args{Policy: gang.BestFit}, args)
	args, err = decode(`{"layers":["topology.kubernetes.io/zone","rack"],"policy":"Spread","resources":["topologies.v1beta1.kueue.x-k8s.io"],"preemptionSteps":5}`)
	require.NoError(t, err)
	require.Equal(t, &Args{
		Layers: []string{"topology.kubernetes.io/zone", "rack"}, Policy: gang.Spread, Resources: []string{"topologies.v1beta1.kueue.x-k8s.io"}, PreemptionSteps: 5,
	}, args)
}

func TestArgsAreValidated(t *testing.T) {
	for json, want := range map[string]string{
		`{"layers":["a b"]}`:                      `layers[0]: Invalid value: "a b"`,
		`{"layers":["a","a"]}`:                    `layers[1]: Duplicate value: "a"`,
		`{"policy":"ByScore"}`:                    `policy: Unsupported value: "ByScore"`,
		`{"resources":["topologies"]}`:            `resources[0]: Invalid value: "topologies"`,
		`{"preemptionSteps":-1}`:                  `preemptionSteps: Invalid value: -1`,
		`{"layers":"zone"}`:                       `cannot unmarshal`,
		`{"layer":["zone"]}`:                      `unknown field "layer"`,
		`{"layers":["a b"],"preemptionSteps":-1}`: `preemptionSteps`,
	} {
		_, err := decode(json)
		require.ErrorContains(t, err, want, json)
	}
}

// TestResourcesThatMayNotBeListedAreNamedAtStart has an API server that refuses one kind.
func TestResourcesThatMayNotBeListedAreNamedAtStart(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusForbidden)
		_, _ = w.Write([]byte(`{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Forbidden","code":403,"message":"topologies.kueue.x-k8s.io is forbidden"}`))
	}))
	defer server.Close()
	err := watchFurther(context.Background(), &rest.Config{Host: server.URL}, nil, []string{"topologies.v1beta1.kueue.x-k8s.io"})
	require.ErrorContains(t, err, "Muster: pluginConfig: resources: topologies.v1beta1.kueue.x-k8s.io: topologies.kueue.x-k8s.io is forbidden")
}
