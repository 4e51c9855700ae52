package args

import (
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/muster-sched/muster/gang"
)

func decode(json string) (*Args, error) {
	return Decode(&runtime.Unknown{Raw: []byte(json), ContentType: runtime.ContentTypeJSON})
}

func TestArgsHaveDefaults(t *testing.T) {
	args, err := Decode(nil)
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
