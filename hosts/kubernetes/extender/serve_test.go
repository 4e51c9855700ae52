package extender

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	v1 "k8s.io/api/core/v1"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	"github.com/muster-sched/muster/hosts/kubernetes/internal/apitest"
	"github.com/muster-sched/muster/hosts/kubernetes/internal/live"
	"github.com/muster-sched/muster/placement/manifest"
)

// certificate makes one that signs itself, for a server on the loopback interface and for a client.
func certificate(t *testing.T) (certFile, keyFile string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	cert, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	require.NoError(t, err)
	der, err := x509.MarshalPKCS8PrivateKey(key)
	require.NoError(t, err)
	certFile, keyFile = filepath.Join(t.TempDir(), "cert.pem"), filepath.Join(t.TempDir(), "key.pem")
	require.NoError(t, os.WriteFile(certFile, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert}), 0o600))
	require.NoError(t, os.WriteFile(keyFile, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}), 0o600))
	return certFile, keyFile
}

// started serves on a port of its own until stop is called, which waits for the end.
func started(t *testing.T, s *Serving, h http.Handler) (address string, stop func() error) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, l, h) }()
	stop = func() error {
		cancel()
		return <-ended
	}
	return l.Addr().String(), stop
}

// With TLS nobody is answered without; who is to show a certificate and has none hears of health alone.
func TestTLS(t *testing.T) {
	certFile, keyFile := certificate(t)
	e := &Extender{State: NewState(manifest.Options{}, 0), OnlyVerified: true}
	e.State.lag = 0
	address, stop := started(t, &Serving{CertFile: certFile, KeyFile: keyFile, ClientCAFile: certFile}, e.Handler())
	roots := x509.NewCertPool()
	signer, err := os.ReadFile(certFile)
	require.NoError(t, err)
	require.True(t, roots.AppendCertsFromPEM(signer))
	pair, err := tls.LoadX509KeyPair(certFile, keyFile)
	require.NoError(t, err)
	ask := func(verb string, with ...tls.Certificate) int {
		transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots, Certificates: with}}
		defer transport.CloseIdleConnections()
		client := &http.Client{Transport: transport}
		method := http.MethodPost
		if verb == "healthz" {
			method = http.MethodGet
		}
		r, err := http.NewRequest(method, "https://"+address+"/"+verb, strings.NewReader(`{"Pod":{"metadata":{"name":"x"}}}`))
		require.NoError(t, err)
		answer, err := client.Do(r)
		require.NoError(t, err)
		require.NoError(t, answer.Body.Close())
		return answer.StatusCode
	}
	require.Equal(t, http.StatusUnauthorized, ask("filter"))
	require.Equal(t, http.StatusOK, ask("filter", pair))
	require.Equal(t, http.StatusOK, ask("healthz"))
	answer, err := http.Get("http://" + address + "/healthz")
	require.NoError(t, err)
	require.NoError(t, answer.Body.Close())
	require.Equal(t, http.StatusBadRequest, answer.StatusCode)
	require.NoError(t, stop())

	for _, s := range []*Serving{{CertFile: "none", KeyFile: "none"}, {CertFile: certFile, KeyFile: keyFile, ClientCAFile: keyFile}, {CertFile: certFile, KeyFile: keyFile, ClientCAFile: "none"}} {
		_, stop := started(t, s, e.Handler())
		require.Error(t, stop())
	}
}

// A request that is on its way when the server is told to end gets its answer, and nobody comes in behind it.
func TestGracefulStop(t *testing.T) {
	h := serve(t, racks(), job("train", 2, 0))
	began, goOn := make(chan struct{}), make(chan struct{})
	h.e.Bind = func(context.Context, *v1.Binding) error {
		close(began)
		<-goOn
		return nil
	}
	h.e.Registry = nil
	address, stop := started(t, &Serving{}, h.e.Handler())
	h.url = "http://" + address
	bound := make(chan string)
	go func() { bound <- h.bind("train-0", "n0") }()
	<-began
	ended := make(chan error)
	go func() { ended <- stop() }()
	require.Eventually(t, func() bool {
		answer, err := http.Get(h.url + "/healthz")
		if err == nil {
			_ = answer.Body.Close()
		}
		return err != nil
	}, 5*time.Second, time.Millisecond)
	select {
	case err := <-ended:
		t.Fatal("ended before its request: ", err)
	default:
	}
	close(goOn)
	require.Empty(t, <-bound)
	require.NoError(t, <-ended)
}

// One that does not end is waited for only so long.
func TestStopWithoutGrace(t *testing.T) {
	began, goOn := make(chan struct{}), make(chan struct{})
	handler := http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		close(began)
		<-goOn
	})
	address, stop := started(t, &Serving{Grace: time.Millisecond}, handler)
	asked := make(chan struct{})
	go func() {
		defer close(asked)
		if answer, err := http.Get("http://" + address); err == nil {
			_ = answer.Body.Close()
		}
	}()
	<-began
	require.ErrorContains(t, stop(), "requests were still on their way after 1ms")
	close(goOn)
	<-asked
}

// What the informers tell is planned on: objects that are there, come, change and go. What may not be listed is left out.
func TestFeed(t *testing.T) {
	server := apitest.New(
		t,
		apitest.Resource{Version: "v1", Name: "nodes", Kind: "Node"},
		apitest.Resource{Version: "v1", Name: "pods", Kind: "Pod", Namespaced: true},
		apitest.Resource{Group: "batch", Version: "v1", Name: "jobs", Kind: "Job", Namespaced: true},
		apitest.Resource{Group: "kueue.x-k8s.io", Version: "v1beta1", Name: "topologies", Kind: "Topology"},
		apitest.Resource{Group: "scheduling.x-k8s.io", Version: "v1alpha1", Name: "podgroups", Kind: "PodGroup", Namespaced: true},
	)
	server.Forbidden["jobs"] = true
	server.Set(racks()...)
	server.Set(job("train", 2, 0)...)
	config := &rest.Config{Host: server.URL, QPS: -1}
	found, err := discovery.NewDiscoveryClientForConfig(config)
	require.NoError(t, err)
	kinds, _, err := live.Find(found, "list", "watch")
	require.NoError(t, err)
	client, err := dynamic.NewForConfig(config)
	require.NoError(t, err)
	h := serve(t)
	feed := &Feed{Client: client, Kinds: kinds, State: h.e.State}
	h.e.Ready = feed.Synced
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- feed.Run(ctx) }()
	require.Eventually(t, feed.Synced, 10*time.Second, time.Millisecond)
	require.Equal(t, "n1", h.goesTo("train-1", all...))

	server.Set(pod("taken", "", "n0", 0))
	require.Eventually(t, func() bool { return h.goesTo("train-1", all...) == "n3" }, 10*time.Second, time.Millisecond)
	server.Delete(pod("train-1", "train", "", 0))
	require.Eventually(t, func() bool { return h.filter("train-1", all...).Error != "" }, 10*time.Second, time.Millisecond)
	cancel()
	require.NoError(t, <-ended)

	server.Forbidden["pods"] = true
	require.ErrorContains(t, feed.Run(context.Background()), "may not list pods ")
}
