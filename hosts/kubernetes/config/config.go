// Package config answers: which configuration do people start from?
package config

import _ "embed"

// Scheduler is a KubeSchedulerConfiguration with Muster for pod groups.
//
//go:embed scheduler.yaml
var Scheduler []byte

// Pods is one for gangs pod by pod.
//
//go:embed pods.yaml
var Pods []byte
