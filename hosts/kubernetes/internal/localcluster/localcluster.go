// Package localcluster answers: how does a process get an API server of its own? It runs etcd and kube-apiserver in the process that asks, on
// ports of the loopback interface, with all data in one directory. Nothing runs pods: nodes are objects, and pods are bound to them.
package localcluster

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"go.etcd.io/etcd/server/v3/embed"
	"go.uber.org/zap"
	"k8s.io/apimachinery/pkg/util/wait"
	genericoptions "k8s.io/apiserver/pkg/server/options"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/cert"
	"k8s.io/client-go/util/keyutil"
	"k8s.io/kubernetes/cmd/kube-apiserver/app"
	"k8s.io/kubernetes/cmd/kube-apiserver/app/options"
)

// Etcd is a store that runs in this process.
type Etcd struct {
	server *embed.Etcd
	// URL is where clients reach it.
	URL string
}

// StartEtcd runs etcd with its data in a directory. Data are not synced to the disk: they need not outlive the machine.
func StartEtcd(dir string) (*Etcd, error) {
	clients, err := freeURL()
	if err != nil {
		return nil, err
	}
	peer, err := freeURL()
	if err != nil {
		return nil, err
	}
	cfg := embed.NewConfig()
	cfg.Dir = dir
	cfg.UnsafeNoFsync = true
	cfg.ListenClientUrls, cfg.AdvertiseClientUrls = []url.URL{*clients}, []url.URL{*clients}
	cfg.ListenPeerUrls, cfg.AdvertisePeerUrls = []url.URL{*peer}, []url.URL{*peer}
	cfg.InitialCluster = cfg.InitialClusterFromName(cfg.Name)
	cfg.ZapLoggerBuilder = embed.NewZapLoggerBuilder(zap.NewNop())
	server, err := embed.StartEtcd(cfg)
	if err != nil {
		return nil, fmt.Errorf("etcd: %w", err)
	}
	select {
	case <-server.Server.ReadyNotify():
		return &Etcd{server: server, URL: clients.String()}, nil
	case err := <-server.Err():
		return nil, fmt.Errorf("etcd: %w", err)
	case <-time.After(time.Minute):
		server.Close()
		return nil, errors.New("etcd: not ready after a minute")
	}
}

// Stop ends it.
func (e *Etcd) Stop() { e.server.Close() }

func freeURL() (*url.URL, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	defer func() { _ = l.Close() }()
	return &url.URL{Scheme: "http", Host: l.Addr().String()}, nil
}

// APIServer runs in this process.
type APIServer struct {
	// Config is for clients who may do everything.
	Config *rest.Config
	Port   int

	stop context.CancelFunc
	done chan error
}

// StartAPIServer runs kube-apiserver on an etcd. Certificates come into the directory. On the same etcd another one finds what the first left.
// Port 0 is any that is free. runtimeConfig turns versions of the API on, such as `scheduling.k8s.io/v1beta1`; the gates of features are those of the process.
func StartAPIServer(ctx context.Context, etcd, dir string, port int, runtimeConfig ...string) (*APIServer, error) {
	opts, err := serverOptions(etcd, dir, port, runtimeConfig)
	if err != nil {
		return nil, err
	}
	port = opts.SecureServing.BindPort
	completed, err := opts.Complete(ctx)
	if err != nil {
		return nil, err
	}
	if errs := completed.Validate(); len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	config, err := app.NewConfig(completed)
	if err != nil {
		return nil, err
	}
	complete, err := config.Complete()
	if err != nil {
		return nil, err
	}
	chain, err := app.CreateServerChain(complete)
	if err != nil {
		return nil, err
	}
	prepared, err := chain.PrepareRun()
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(ctx)
	s := &APIServer{Port: port, stop: stop, done: make(chan error, 1)}
	go func() { s.done <- prepared.Run(ctx) }()
	if s.Config, err = client(dir, port); err != nil {
		return nil, errors.Join(err, s.Stop())
	}
	if err := s.ready(ctx); err != nil {
		return nil, errors.Join(err, s.Stop())
	}
	return s, nil
}

// Stop ends the server and waits for its end.
func (s *APIServer) Stop() error {
	s.stop()
	return <-s.done
}

func (s *APIServer) ready(ctx context.Context) error {
	from, err := kubernetes.NewForConfig(s.Config)
	if err != nil {
		return err
	}
	return wait.PollUntilContextTimeout(ctx, 50*time.Millisecond, time.Minute, true, func(ctx context.Context) (bool, error) {
		select {
		case err := <-s.done:
			s.done <- err
			return false, fmt.Errorf("kube-apiserver ended: %w", err)
		default:
		}
		status := 0
		from.Discovery().RESTClient().Get().AbsPath("/readyz").Do(ctx).StatusCode(&status)
		return status == http.StatusOK, nil
	})
}

// secrets writes what the server and its clients know each other by, unless it is there: after a restart the clients of before go on.
func secrets(dir string) error {
	if _, err := os.Stat(filepath.Join(dir, tokens)); err == nil {
		return nil
	}
	key, err := keyutil.MakeEllipticPrivateKeyPEM()
	if err != nil {
		return err
	}
	certificate, certificateKey, err := cert.GenerateSelfSignedCertKey("127.0.0.1", []net.IP{net.IPv4(127, 0, 0, 1)}, nil)
	if err != nil {
		return err
	}
	return errors.Join(
		keyutil.WriteKey(filepath.Join(dir, "service-account.key"), key),
		cert.WriteCert(filepath.Join(dir, "apiserver.crt"), certificate),
		keyutil.WriteKey(filepath.Join(dir, "apiserver.key"), certificateKey),
		os.WriteFile(filepath.Join(dir, tokens), []byte(rand.Text()+",admin,admin,system:masters\n"), 0o600),
	)
}

const tokens = "tokens.csv"

// client is the configuration of who may do everything.
func client(dir string, port int) (*rest.Config, error) {
	line, err := os.ReadFile(filepath.Join(dir, tokens))
	if err != nil {
		return nil, err
	}
	token, _, _ := strings.Cut(string(line), ",")
	return &rest.Config{
		Host: fmt.Sprintf("https://127.0.0.1:%d", port), BearerToken: token, TLSClientConfig: rest.TLSClientConfig{CAFile: filepath.Join(dir, "apiserver.crt")},
		QPS: 5000, Burst: 5000,
	}, nil
}

func serverOptions(etcd, dir string, port int, runtimeConfig []string) (*options.ServerRunOptions, error) {
	if err := secrets(dir); err != nil {
		return nil, err
	}
	key := filepath.Join(dir, "service-account.key")
	listener, bound, err := genericoptions.CreateListener("tcp", fmt.Sprintf("127.0.0.1:%d", port), net.ListenConfig{})
	if err != nil {
		return nil, err
	}
	opts := options.NewServerRunOptions()
	opts.SecureServing.Listener, opts.SecureServing.BindPort = listener, bound
	opts.SecureServing.BindAddress = net.IPv4(127, 0, 0, 1)
	opts.SecureServing.ServerCert.CertDirectory = dir
	opts.Etcd.StorageConfig.Transport.ServerList = []string{etcd}
	opts.ServiceClusterIPRanges = "10.0.0.0/24"
	opts.ServiceAccountSigningKeyFile = key
	opts.Authentication.ServiceAccounts.Issuers = []string{"https://muster.test"}
	opts.Authentication.ServiceAccounts.KeyFiles = []string{key}
	opts.Authentication.TokenFile.TokenFile = filepath.Join(dir, tokens)
	opts.Authorization.Modes = []string{"RBAC"}
	opts.GenericServerRunOptions.RequestTimeout = 5 * time.Second // and so long it waits for connections when it ends
	opts.Admission.GenericAdmission.DisablePlugins = []string{"ServiceAccount", "TaintNodesByCondition", "DefaultTolerationSeconds"}
	for _, version := range runtimeConfig {
		if err := opts.APIEnablement.RuntimeConfig.Set(version + "=true"); err != nil {
			return nil, err
		}
	}
	return opts, nil
}
