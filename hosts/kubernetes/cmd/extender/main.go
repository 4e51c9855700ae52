// Command extender answers kube-scheduler's extender calls (filter, prioritize, preempt, bind) with the plans of Muster:
//
//	extender --kubeconfig FILE --listen :8443 --tls-cert-file FILE --tls-private-key-file FILE
//
// README.md beside it has the part of the scheduler's configuration that names it, rbac.yaml what it may do.
package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/muster-sched/muster/placement/manifest"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/spf13/pflag"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/muster-sched/muster/hosts/kubernetes/extender"
	"github.com/muster-sched/muster/hosts/kubernetes/internal/live"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	status := run(ctx, os.Args[1:])
	stop()
	os.Exit(status)
}

// settings are the flags.
type settings struct {
	kubeconfig, listen string
	serving            extender.Serving
	timeout            time.Duration
	maxBody            int64
	layers             []string
	topology           string
}

// Exit statuses.
const (
	failed = 1 // it could not serve
	misuse = 2 // the command line cannot be used
)

// run serves until the context ends, and returns the exit status.
func run(ctx context.Context, args []string) int {
	var set settings
	flags := pflag.NewFlagSet("extender", pflag.ContinueOnError)
	flags.StringVar(&set.kubeconfig, "kubeconfig", "", "the kubeconfig file to use (default: the service account of the pod)")
	flags.StringVar(&set.listen, "listen", "127.0.0.1:8888", "the address to listen on")
	flags.StringVar(&set.serving.CertFile, "tls-cert-file", "", "the certificate of the server; without it there is no TLS, and only an address of the loopback interface is listened on")
	flags.StringVar(&set.serving.KeyFile, "tls-private-key-file", "", "its key")
	flags.StringVar(&set.serving.ClientCAFile, "client-ca-file", "", "who signs the certificates of clients: others are refused, but for health and metrics")
	flags.DurationVar(&set.serving.Grace, "grace", 10*time.Second, "how long requests may take to end once it is told to end")
	flags.DurationVar(&set.timeout, "plan-timeout", extender.DefaultTimeout, "how long a plan holds its room for members that do not come")
	flags.Int64Var(&set.maxBody, "max-request-bytes", extender.MaxBody, "the largest request that is read")
	flags.StringSliceVar(&set.layers, "layers", nil, "where no object describes a topology, make one of these labels of nodes, widest first")
	flags.StringVar(&set.topology, "topology", "", "the topology of gangs that name none (default: the only one, or that called default)")
	err := flags.Parse(args)
	switch {
	case errors.Is(err, pflag.ErrHelp):
		return 0
	case err == nil && flags.NArg() > 0:
		err = fmt.Errorf("%q: no such word", flags.Arg(0))
	case err == nil:
		err = set.check()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return misuse
	}
	if err := set.serve(ctx); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return failed
	}
	return 0
}

// check says what is wrong with the flags; nil: nothing. Whoever can reach the extender without TLS may bind pods, so nobody else is to.
func (set *settings) check() error {
	host, _, err := net.SplitHostPort(set.listen)
	switch ip := net.ParseIP(host); {
	case err != nil:
		return fmt.Errorf("--listen %q: %w", set.listen, err)
	case (set.serving.CertFile == "") != (set.serving.KeyFile == ""):
		return errors.New("--tls-cert-file and --tls-private-key-file go together")
	case set.serving.CertFile == "" && set.serving.ClientCAFile != "":
		return errors.New("--client-ca-file needs --tls-cert-file")
	case set.serving.CertFile == "" && host != "localhost" && (ip == nil || !ip.IsLoopback()):
		return fmt.Errorf("--listen %q: without --tls-cert-file only an address of the loopback interface", set.listen)
	}
	return nil
}

// serve follows the cluster and answers.
func (set *settings) serve(ctx context.Context) error {
	config, err := clientcmd.BuildConfigFromFlags("", set.kubeconfig)
	if err != nil {
		return err
	}
	config.UserAgent = rest.DefaultKubernetesUserAgent() + "/muster-extender"
	config.QPS, config.Burst = 200, 400 // a binding for each pod
	server, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return err
	}
	watched, err := dynamic.NewForConfig(config)
	if err != nil {
		return err
	}
	typed, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	kinds, notices, err := live.Find(server, "list", "watch")
	if len(notices) > 0 {
		fmt.Fprintln(os.Stderr, strings.Join(notices, "\n"))
	}
	if err != nil {
		return err
	}
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	state := extender.NewState(manifest.Options{Layers: set.layers, Topology: set.topology}, set.timeout)
	feed := &extender.Feed{Client: watched, Kinds: kinds, State: state}
	e := &extender.Extender{
		State: state, Registry: registry, Ready: feed.Synced, MaxBody: set.maxBody, OnlyVerified: set.serving.ClientCAFile != "",
		Bind: func(ctx context.Context, b *v1.Binding) error {
			return typed.CoreV1().Pods(b.Namespace).Bind(ctx, b, metav1.CreateOptions{})
		},
	}
	l, err := net.Listen("tcp", set.listen)
	if err != nil {
		return err
	}
	slog.Info("listening", "address", l.Addr().String())
	return set.both(ctx, l, feed, e)
}

// both follows and answers until the context, or one of them, ends.
func (set *settings) both(ctx context.Context, l net.Listener, feed *extender.Feed, e *extender.Extender) error {
	following, stop := context.WithCancel(context.WithoutCancel(ctx)) // what is asked last is still told
	serving, end := context.WithCancel(ctx)
	followed := make(chan error, 1)
	go func() {
		followed <- feed.Run(following)
		end()
	}()
	err := set.serving.Serve(serving, l, e.Handler())
	stop()
	end()
	return errors.Join(err, <-followed)
}
