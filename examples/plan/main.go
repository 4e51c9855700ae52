// Plan reads Kubernetes-style objects and prints where every waiting gang goes:
//
//	go run ./examples/plan [-o text|json|svg] FILE...
//
// `go run ./examples/plan -h` lists the flags.
package main

import (
	"os"

	"github.com/muster-sched/muster/internal/cli"
)

func main() { os.Exit(cli.Run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }
