// Topology reads what others know of a network, and draws, writes, checks or compares the trees that it makes:
//
//	go run ./examples/topology [-from FORMAT] [-to FORMAT | -draw | -check | -diff] FILE...
//
// `go run ./examples/topology -h` lists the flags and formats.
package main

import (
	"os"

	"github.com/muster-sched/muster/internal/cli"
)

func main() { os.Exit(cli.Topology(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }
