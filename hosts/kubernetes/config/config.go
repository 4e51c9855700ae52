// Package config answers: which configuration do people start from?
package config

import (
	_ "embed" // the files
	"os"

	"k8s.io/klog/v2"
	"k8s.io/kubernetes/cmd/kube-scheduler/app/options"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
)

// Scheduler is a KubeSchedulerConfiguration with Muster for pod groups.
//
//go:embed scheduler.yaml
var Scheduler []byte

// Pods is one for gangs pod by pod.
//
//go:embed pods.yaml
var Pods []byte

// Profiles are those of a configuration, as kube-scheduler reads them, with its defaults.
func Profiles(data []byte) ([]config.KubeSchedulerProfile, error) {
	file, err := os.CreateTemp("", "scheduler-*.yaml")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.Remove(file.Name()) }()
	if _, err := file.Write(data); err != nil {
		return nil, err
	}
	read, err := options.LoadConfigFromFile(klog.Background(), file.Name())
	if err != nil {
		return nil, err
	}
	return read.Profiles, nil
}
