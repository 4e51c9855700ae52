// Muster plans the gangs of some files, and reads what others know of a network:
//
//	go run ./cmd/muster plan [-o text|json|svg] FILE...
//	go run ./cmd/muster topology [-from FORMAT] [-to FORMAT | -draw | -check | -diff] FILE...
//
// `go run ./cmd/muster help` lists its commands, `go run ./cmd/muster help plan` the flags of one, with examples.
package main

import (
	"os"

	"github.com/muster-sched/muster/internal/cli"
)

func main() { os.Exit(cli.Muster(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }
