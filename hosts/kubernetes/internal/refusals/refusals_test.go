package refusals

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"github.com/muster-sched/muster/gang"
)

// nodes are those of a snapshot, by name.
type nodes map[string]*framework.NodeInfo

func (n nodes) Get(name string) (fwk.NodeInfo, error) {
	if info := n[name]; info != nil {
		return info, nil
	}
	return nil, errors.New("no such node")
}

func (n nodes) List() ([]fwk.NodeInfo, error)                                 { return nil, nil }
func (n nodes) HavePodsWithAffinityList() ([]fwk.NodeInfo, error)             { return nil, nil }
func (n nodes) HavePodsWithRequiredAntiAffinityList() ([]fwk.NodeInfo, error) { return nil, nil }

func (n nodes) HavePodsWithRequiredNonHostScopedAntiAffinityList() ([]fwk.NodeInfo, error) {
	return nil, nil
}

func node(name, version string, pods ...types.UID) *framework.NodeInfo {
	info := framework.NewNodeInfo()
	info.SetNode(&v1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, ResourceVersion: version}})
	for _, uid := range pods {
		info.AddPod(&v1.Pod{ObjectMeta: metav1.ObjectMeta{Name: string(uid), UID: uid}})
	}
	return info
}

// TestRefusalsCountUntilTheirNodeChanges also sees that a pod that comes and goes again, as in every cycle, changes nothing.
func TestRefusalsCountUntilTheirNodeChanges(t *testing.T) {
	a, b := gang.Refusal{Member: "m0", Node: "a"}, gang.Refusal{Member: "m1", Node: "b"}
	var s Set
	s.Add("g", a, nodes{"a": node("a", "1", "x")})
	s.Add("g", b, nodes{"b": node("b", "1")})
	s.Add("g", gang.Refusal{Member: "m2", Node: "gone"}, nodes{})
	given := gang.Request{Name: "g", Refused: []gang.Refusal{{Member: "m9", Node: "z"}}}
	req := given
	s.Apply(&req, nodes{"a": node("a", "1", "x"), "b": node("b", "1")})
	require.Equal(t, []gang.Refusal{{Member: "m9", Node: "z"}, a, b}, req.Refused)
	require.Len(t, given.Refused, 1)

	req = given
	s.Apply(&req, nodes{"a": node("a", "1", "y"), "b": node("b", "1")})
	require.Equal(t, []gang.Refusal{{Member: "m9", Node: "z"}, b}, req.Refused)

	req = given
	s.Apply(&req, nodes{"b": node("b", "2")})
	require.Equal(t, given.Refused, req.Refused)
	other := gang.Request{Name: "h"}
	s.Apply(&other, nodes{})
	require.Empty(t, other.Refused)
}

// TestRefusalsOfGangsThatAreGone has a node that never changes.
func TestRefusalsOfGangsThatAreGone(t *testing.T) {
	at := nodes{"a": node("a", "1")}
	var s Set
	s.Add("gone", gang.Refusal{Member: "m0", Node: "a"}, at)
	s.Add("waits", gang.Refusal{Member: "m0", Node: "a"}, at)
	s.Keep(func(name string) bool { return name == "waits" })
	require.Len(t, s.byGang, 1)
	req := gang.Request{Name: "waits"}
	s.Apply(&req, at)
	require.Len(t, req.Refused, 1)
}
