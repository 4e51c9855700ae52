//go:build judges

package judges

import (
	// What the scenarios import: so the module knows its sums.
	_ "k8s.io/component-base/featuregate/testing"
	_ "k8s.io/kubernetes/test/integration/framework"
	_ "k8s.io/kubernetes/test/integration/scheduler/podgroup/stepsframework"
	_ "k8s.io/kubernetes/test/integration/util"
)
