package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/muster-sched/muster/internal/printed"
	"github.com/muster-sched/muster/placement/manifest"
	"github.com/spf13/pflag"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/muster-sched/muster/hosts/kubernetes/internal/live"
)

// connection is which cluster is asked, and for which namespace, by the flags that kubectl has too.
type connection struct {
	rules      *clientcmd.ClientConfigLoadingRules
	overrides  clientcmd.ConfigOverrides
	everywhere bool
	configMaps []string
}

// define adds its flags.
func (c *connection) define(flags *pflag.FlagSet) {
	c.rules = clientcmd.NewDefaultClientConfigLoadingRules()
	flags.StringVar(&c.rules.ExplicitPath, clientcmd.RecommendedConfigPathFlag, "", "the kubeconfig file to use")
	names := clientcmd.RecommendedConfigOverrideFlags("")
	names.ClusterOverrideFlags.APIServer.ShortName = "s" // as kubectl has it
	clientcmd.BindOverrideFlags(&c.overrides, flags, names)
	flags.BoolVarP(&c.everywhere, "all-namespaces", "A", false, "print gangs of all namespaces, in place of those of one")
	flags.StringArrayVar(&c.configMaps, "configmap", nil, "read this ConfigMap, `NS/NAME`, that holds a topology; may be given again")
}

// config is how the cluster is reached, and the namespace that is meant.
func (c *connection) config() (config *rest.Config, namespace string, err error) {
	loaded := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(c.rules, &c.overrides)
	if config, err = loaded.ClientConfig(); err != nil {
		return nil, "", err
	}
	if namespace, _, err = loaded.Namespace(); err != nil {
		return nil, "", err
	}
	config.UserAgent = rest.DefaultKubernetesUserAgent() + "/kubectl-muster"
	config.QPS, config.Burst = 50, 100 // a list is a page after the other
	config.WarningHandler = rest.NoWarnings{}
	return config, namespace, nil
}

// read lists what the cluster has. What the client may not see is told.
func (c *connection) read(ctx context.Context, config *rest.Config, stderr io.Writer) ([]manifest.File, error) {
	server, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return nil, err
	}
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	kinds, notices, err := live.Find(server, "list")
	for _, n := range notices {
		printed.Fprintln(stderr, n)
	}
	if err != nil {
		return nil, err
	}
	reader := &live.Reader{Client: client}
	files, notices, err := reader.Read(ctx, kinds)
	for _, n := range notices {
		printed.Fprintln(stderr, n)
	}
	errs := []error{err}
	for _, name := range c.configMaps {
		namespace, name, _ := strings.Cut(name, "/")
		f, err := reader.ConfigMap(ctx, namespace, name)
		files, errs = append(files, f), append(errs, err)
	}
	return files, errors.Join(errs...)
}

// check says what is wrong with the values of its flags; nil: nothing.
func (c *connection) check() error {
	for _, value := range c.configMaps {
		if namespace, name, _ := strings.Cut(value, "/"); namespace == "" || name == "" || strings.Contains(name, "/") {
			return fmt.Errorf("--configmap %q: not NS/NAME", value)
		}
	}
	return nil
}
