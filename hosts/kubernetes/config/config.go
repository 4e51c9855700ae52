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

// Read is a configuration as kube-scheduler reads it, with its defaults.
func Read(data []byte) (*config.KubeSchedulerConfiguration, error) {
	file, err := os.CreateTemp("", "scheduler-*.yaml")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.Remove(file.Name()) }()
	if _, err := file.Write(data); err != nil {
		return nil, err
	}
	return options.LoadConfigFromFile(klog.Background(), file.Name())
}

// Profiles are those of a configuration.
func Profiles(data []byte) ([]config.KubeSchedulerProfile, error) {
	read, err := Read(data)
	if err != nil {
		return nil, err
	}
	return read.Profiles, nil
}
