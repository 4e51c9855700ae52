// Command kubectl-muster says where the gangs of a live cluster go, why one waits and what would make it start. It only gets and lists:
//
//	kubectl muster plan -A
//	kubectl muster why team/train
//	kubectl muster what-if --without domain/spine0/leaf1
//
// What it prints, and how, is what `muster plan` prints of files.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	status := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(status)
}
