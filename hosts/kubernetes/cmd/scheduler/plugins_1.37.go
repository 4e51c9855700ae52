//go:build !kubernetes1.36

package main

import (
	"k8s.io/kubernetes/cmd/kube-scheduler/app"

	"github.com/muster-sched/muster/hosts/kubernetes/plugin"
	"github.com/muster-sched/muster/hosts/kubernetes/podbypod"
)

func plugins() []app.Option {
	return []app.Option{app.WithPlugin(plugin.Name, plugin.New), app.WithPlugin(podbypod.Name, podbypod.New)}
}
