package objects

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// TestPodsThatAskAlikeCountTheSame compares with the count of the scheduler.
func TestPodsThatAskAlikeCountTheSame(t *testing.T) {
	alike := 0
	for seed := range uint64(3000) {
		random := rand.New(rand.NewPCG(seed, 1))
		a, b := drawPod(random), drawPod(random)
		if !AskAlike(a, b) {
			continue
		}
		alike++
		one, err := framework.NewPodInfo(a)
		require.NoError(t, err)
		other, err := framework.NewPodInfo(b)
		require.NoError(t, err)
		require.Equal(t, one.CalculateResource(), other.CalculateResource(), "seed %d", seed)
	}
	require.Greater(t, alike, 100)
}

// drawPod draws one of few pods, so that two of them often ask alike.
func drawPod(random *rand.Rand) *v1.Pod {
	rarely := func() bool { return random.IntN(8) == 0 }
	amounts := func() v1.ResourceList {
		return v1.ResourceList{v1.ResourceCPU: resource.MustParse([]string{"1", "1000m", "2"}[random.IntN(3)])}
	}
	p := &v1.Pod{Spec: v1.PodSpec{Containers: []v1.Container{{Resources: v1.ResourceRequirements{Requests: amounts()}}}}}
	if rarely() {
		p.Spec.Overhead = amounts()
	}
	if rarely() {
		always := v1.ContainerRestartPolicyAlways
		p.Spec.InitContainers = []v1.Container{{Resources: v1.ResourceRequirements{Requests: amounts()}}}
		if random.IntN(2) == 0 {
			p.Spec.InitContainers[0].RestartPolicy = &always
		}
	}
	if rarely() {
		p.Spec.Resources = &v1.ResourceRequirements{Requests: amounts()}
	}
	if rarely() {
		p.Status.ContainerStatuses = []v1.ContainerStatus{{AllocatedResources: amounts(), Resources: &v1.ResourceRequirements{Requests: amounts()}}}
	}
	return p
}

// TestPodSaysWhatPlansRead has a pod with all that plans read, and a field that they do not.
func TestPodSaysWhatPlansRead(t *testing.T) {
	group, priority, controller := "g", int32(7), true
	p := &v1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Name: "p", Namespace: "ns", UID: "u", Labels: map[string]string{"a": "b"},
			OwnerReferences: []metav1.OwnerReference{{APIVersion: "batch/v1", Kind: "Job", Name: "j", UID: "v", Controller: &controller}},
		},
		Spec: v1.PodSpec{
			SchedulingGroup: &v1.PodSchedulingGroup{PodGroupName: &group}, Priority: &priority, NodeSelector: map[string]string{"c": "d"}, ServiceAccountName: "not read",
			Containers: []v1.Container{{Resources: v1.ResourceRequirements{Requests: v1.ResourceList{v1.ResourceCPU: resource.MustParse("1500m")}}, Ports: []v1.ContainerPort{{HostPort: 80}}}},
		},
		Status: v1.PodStatus{Phase: v1.PodPending},
	}
	info, err := framework.NewPodInfo(p)
	require.NoError(t, err)
	out, err := Pod(p, info.CalculateResource().Resource, "", "n1")
	require.NoError(t, err)
	require.Equal(t, "map[apiVersion:v1 kind:Pod metadata:map[labels:map[a:b] name:p namespace:ns "+
		"ownerReferences:[map[apiVersion:batch/v1 controller:true kind:Job name:j uid:v]] uid:u] "+
		"spec:map[containers:[map[name:pod ports:[map[containerPort:0 hostPort:80]] resources:map[requests:map[cpu:1500m]]]] nodeSelector:map[c:d] priority:7 "+
		"schedulingGroup:map[podGroupName:g]] status:map[nominatedNodeName:n1 phase:Pending]]", fmt.Sprint(out))
}
