// Package config answers: which configuration do people start from?
package config

import _ "embed"

// Scheduler is a KubeSchedulerConfiguration with Muster for pod groups.
//
//go:embed scheduler.yaml
var Scheduler []byte
