package extender

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"time"
)

// Serving is how requests come in. The zero value is plain HTTP, and ten seconds for requests that are on their way when it ends.
type Serving struct {
	// CertFile and KeyFile are those of the server, for TLS.
	CertFile, KeyFile string
	// ClientCAFile has the certificates of those who sign clients; a client that shows a certificate is refused if they did not.
	ClientCAFile string
	// Grace is how long requests may take to end once the context has ended.
	Grace time.Duration
}

// Serve answers on a listener until the context ends, and then until all requests have their answers.
func (s *Serving) Serve(ctx context.Context, l net.Listener, h http.Handler) error {
	server := &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute}
	if s.CertFile != "" || s.KeyFile != "" || s.ClientCAFile != "" {
		config, err := s.config()
		if err != nil {
			return errors.Join(err, l.Close())
		}
		l = tls.NewListener(l, config)
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(l) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	grace := s.Grace
	if grace <= 0 {
		grace = 10 * time.Second
	}
	stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer cancel()
	err := server.Shutdown(stop)
	if err != nil {
		err = errors.Join(fmt.Errorf("requests were still on their way after %s: %w", grace, err), server.Close())
	}
	if served := <-ended; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	return err
}

// config is that of TLS.
func (s *Serving) config() (*tls.Config, error) {
	pair, err := tls.LoadX509KeyPair(s.CertFile, s.KeyFile)
	if err != nil {
		return nil, err
	}
	config := &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{pair}, NextProtos: []string{"http/1.1"}}
	if s.ClientCAFile == "" {
		return config, nil
	}
	signers, err := os.ReadFile(s.ClientCAFile)
	if err != nil {
		return nil, err
	}
	config.ClientCAs, config.ClientAuth = x509.NewCertPool(), tls.VerifyClientCertIfGiven
	if !config.ClientCAs.AppendCertsFromPEM(signers) {
		return nil, fmt.Errorf("%s: no certificate in it", s.ClientCAFile)
	}
	return config, nil
}
