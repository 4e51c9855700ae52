package muster_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster"
)

func TestResourceNamesAreInNaturalOrder(t *testing.T) {
	require.Equal(t, []string{"cpu", "gpu-9", "gpu-10", "memory"}, muster.Resources{"memory": 1, "gpu-10": 1, "cpu": 1, "gpu-9": 0}.Names())
	require.Empty(t, muster.Resources(nil).Names())
}

func TestResourcesAreOrderedByHowDearTheyAre(t *testing.T) {
	names := []string{"pods", "cpu", "nvidia.com/gpu-10", "memory", "hugepages-2Mi", "amd.com/gpu", "ephemeral-storage", "nvidia.com/gpu-9", "hugepages"}
	slices.SortFunc(names, muster.CompareResources)
	require.Equal(t, []string{
		"amd.com/gpu", "hugepages", "nvidia.com/gpu-9", "nvidia.com/gpu-10", "cpu", "memory", "ephemeral-storage", "hugepages-2Mi", "pods",
	}, names)
}

func TestWhatEveryMachineHasIsNoDevice(t *testing.T) {
	for _, name := range []string{
		muster.CPU, muster.Memory, muster.Pods, "storage", "ephemeral-storage", "hugepages-1Gi", "attachable-volumes-aws-ebs", "kubernetes.io/batch-cpu",
	} {
		require.False(t, muster.IsDevice(name), name)
	}
	for _, name := range []string{"gpu", "nvidia.com/gpu", "nvidia.com/mig-1g.5gb", "rdma/hca", "hugepages", "volumes"} {
		require.True(t, muster.IsDevice(name), name)
	}
}

func TestResourcesValidate(t *testing.T) {
	require.NoError(t, muster.Resources(nil).Validate("f"))
	require.NoError(t, muster.Resources{muster.CPU: 0, muster.Memory: 1 << 62}.Validate("f"))
	err := muster.Resources{"gpu-10": -1, "gpu-9": -2, "cpu": 1}.Validate("node.Allocatable")
	require.Equal(t, &muster.InvalidError{Field: "node.Allocatable.gpu-9", Value: "-2", Reason: "negative amount"}, err, "the first in natural order")
	err = muster.Resources{"": 1, "cpu": -1}.Validate("f")
	require.Equal(t, &muster.InvalidError{Field: "f", Reason: "a resource has no name"}, err)
}

func TestResourcesAreValidUnlessOneIsNegativeOrNameless(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		r := muster.Resources(rapid.MapOf(rapid.SampledFrom([]string{"", "cpu", "gpu", "memory"}), rapid.Int64Range(-2, 5)).Draw(rt, "r"))
		_, nameless := r[""]
		bad := nameless || slices.ContainsFunc(r.Names(), func(name string) bool { return r[name] < 0 })
		err := r.Validate("f")
		var invalid *muster.InvalidError
		require.Equal(rt, bad, errors.As(err, &invalid))
		require.Equal(rt, bad, err != nil)
	})
}

func TestInvalidErrorSaysFieldValueReason(t *testing.T) {
	require.EqualError(t, &muster.InvalidError{Field: "request.PP", Value: "-1", Reason: "negative"}, `request.PP "-1": negative`)
	require.EqualError(t, &muster.InvalidError{Field: "request.Members", Reason: "no members"}, "request.Members: no members")
	require.EqualError(t, &muster.InvalidError{Field: "f", Value: "v", Reason: "dice", Unsupported: true}, `f "v": not supported: dice`)
}

func TestUnsupportedInputIsToldFromDefects(t *testing.T) {
	require.ErrorIs(t, &muster.InvalidError{Field: "f", Unsupported: true}, muster.ErrNotSupported)
	require.NotErrorIs(t, &muster.InvalidError{Field: "f", Reason: "not supported"}, muster.ErrNotSupported)
	require.NotErrorIs(t, &muster.InvalidError{Field: "f", Unsupported: true}, errors.ErrUnsupported)
}

func Example() {
	err := muster.Resources{muster.CPU: 4000, "nvidia.com/gpu": -1}.Validate("node-7.Allocatable")
	var invalid *muster.InvalidError
	if errors.As(err, &invalid) {
		fmt.Println(invalid.Field, invalid.Reason)
	}
	// Output: node-7.Allocatable.nvidia.com/gpu negative amount
}

func TestAddStopsAtTheLargestAmount(t *testing.T) {
	sum := muster.Resources{"cpu": 1, "gpu": math.MaxInt64 - 1}
	sum.Add(muster.Resources{"cpu": 2, "gpu": 2, "memory": 3, "pods": -4})
	require.Equal(t, muster.Resources{"cpu": 3, "gpu": math.MaxInt64, "memory": 3, "pods": 0}, sum)
}
