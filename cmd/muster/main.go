// Muster plans the gangs of some files, reads what others know of a network, and plays streams of gangs:
//
//	go run ./cmd/muster plan [-o text|json|svg] FILE...
//	go run ./cmd/muster topology [-from FORMAT] [-to FORMAT | -draw | -check | -diff] FILE...
//	go run ./cmd/muster simulate [-sweep KEY=V1,V2]... [-o text|json|csv]
//
// `go run ./cmd/muster help` lists its commands, `go run ./cmd/muster help plan` the flags of one, with examples.
package main

import (
	"os"

	"github.com/muster-sched/muster/internal/cli"
)

func main() { os.Exit(cli.Muster(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }
