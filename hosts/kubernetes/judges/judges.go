// Package judges answers: how do Kubernetes' own scenarios end with Muster in place of the tree's generator? Its test runs them as they stand in
// the module of Kubernetes, but for two lines a file: the import of this package, and the options below.
package judges

import (
	"k8s.io/kubernetes/pkg/scheduler"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"

	"github.com/muster-sched/muster/hosts/kubernetes/config"
	"github.com/muster-sched/muster/hosts/kubernetes/plugin"
)

// Registry has the plugin.
func Registry() scheduler.Option {
	return scheduler.WithFrameworkOutOfTreeRegistry(frameworkruntime.Registry{plugin.Name: plugin.New})
}

// Profiles are those of the configuration that people start from. It panics where that cannot be read: there is nothing to judge then.
func Profiles() scheduler.Option {
	profiles, err := config.Profiles(config.Scheduler)
	if err != nil {
		panic(err)
	}
	return scheduler.WithProfiles(profiles...)
}
