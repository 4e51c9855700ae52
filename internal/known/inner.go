package known

// Inner is a placement block inside an object of which nothing else is checked.
type Inner struct {
	Path  []string
	Block Block
}

var (
	packBlock   = Block{"topologyConstraint": {"packConstraint": keys("required preferred")}}
	policyBlock = []Inner{{
		[]string{"spec", "runPolicy", "schedulingPolicy"}, keys("minAvailable queue minResources priorityClass scheduleTimeoutSeconds"),
	}}
	runtimeBlock = []Inner{{[]string{"spec", "podGroupPolicy"}, Block{
		"coscheduling": keys("scheduleTimeoutSeconds"), "volcano": {"networkTopology": volcanoRuleBlock},
	}}}
)

// Inners are the placement blocks of owners and pods, by API group and kind.
var Inners = map[string][]Inner{
	"/Pod": {
		{[]string{"spec", "schedulingGroup"}, keys("podGroupName")},
		{[]string{"spec", "workloadRef"}, keys("name podGroup podGroupReplicaKey")},
	},
	"kubeflow.org/PyTorchJob":                     policyBlock,
	"kubeflow.org/TFJob":                          policyBlock,
	"kubeflow.org/XGBoostJob":                     policyBlock,
	"kubeflow.org/PaddleJob":                      policyBlock,
	"kubeflow.org/JAXJob":                         policyBlock,
	"kubeflow.org/MPIJob":                         policyBlock,
	"trainer.kubeflow.org/ClusterTrainingRuntime": runtimeBlock,
	"trainer.kubeflow.org/TrainingRuntime":        runtimeBlock,
	"leaderworkerset.x-k8s.io/LeaderWorkerSet": {{
		[]string{"spec", "leaderWorkerTemplate", "subGroupPolicy"}, keys("subGroupSize subGroupPolicyType"),
	}},
	"scheduler.grove.io/PodGang": {{[]string{"spec"}, keys("priorityClassName reuseReservationRef", packBlock, Block{
		"podgroups":                      keys("name minReplicas", packBlock, Block{"podReferences": keys("namespace name")}),
		"topologyConstraintGroupConfigs": keys("name podGroupNames", packBlock),
	})}},
}
