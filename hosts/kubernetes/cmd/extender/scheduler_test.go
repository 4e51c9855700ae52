package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/muster-sched/muster/hosts/kubernetes/internal/stage"
	"github.com/muster-sched/muster/hosts/kubernetes/internal/trial"
)

// TestBehindAScheduler has an API server, and a kube-scheduler with its own plugins alone that asks the command as README.md says.
func TestBehindAScheduler(t *testing.T) {
	c, err := trial.Start(t.Context())
	require.NoError(t, err)
	t.Cleanup(c.Stop)
	c.Declared = trial.ByOthers
	require.NoError(t, c.ServeOthers(t.Context()))
	config := documented(t, follow(t, c))
	for _, test := range []struct {
		name   string
		fabric trial.Fabric
		play   func(*stage.Stage)
	}{
		{"Gathers", trial.Fabric{Zones: 2, Blocks: 2, Racks: 2, Nodes: 2, GPUs: 8}, gathers},
		{"Preempts", trial.Fabric{Zones: 1, Blocks: 1, Racks: 3, Nodes: 2, GPUs: 8}, preempts},
		{"MoreThanFit", trial.Fabric{Zones: 1, Blocks: 1, Racks: 2, Nodes: 3, GPUs: 8}, moreThanFit},
	} {
		t.Run(test.name, func(t *testing.T) { test.play(stage.New(t, c, config, test.fabric)) })
	}
	for _, f := range stage.Faults() {
		switch f.Name {
		case "PodDeletedWhileItsGangIsPlaced", "NodeGoesUnderAHeldGang", "TwoSchedulersByMistake", "APIServerRestarts": // the command binds, and not the scheduler
			t.Run(f.Name, func(t *testing.T) { f.Play(stage.New(t, c, config, f.Fabric)) })
		}
	}
}

// follow runs the command on a cluster, and returns its URL.
func follow(t *testing.T, c *trial.Cluster) string {
	to := clientcmdapi.NewConfig()
	to.Clusters["c"] = &clientcmdapi.Cluster{Server: c.API.Config.Host, CertificateAuthority: c.API.Config.CAFile}
	to.AuthInfos["u"] = &clientcmdapi.AuthInfo{Token: c.API.Config.BearerToken}
	to.Contexts["x"] = &clientcmdapi.Context{Cluster: "c", AuthInfo: "u"}
	to.CurrentContext = "x"
	file := filepath.Join(t.TempDir(), "config")
	require.NoError(t, clientcmd.WriteToFile(*to, file))
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	address := l.Addr().String()
	require.NoError(t, l.Close())
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan int, 1)
	layers := strings.Join([]string{trial.Zone, trial.Block, trial.Rack}, ",")
	go func() { ended <- run(ctx, []string{"--kubeconfig", file, "--listen", address, "--layers", layers}) }()
	t.Cleanup(func() {
		stop()
		require.Zero(t, <-ended)
	})
	url := "http://" + address
	require.Eventually(t, func() bool {
		answer, err := http.Get(url + "/readyz")
		return err == nil && answer.Body.Close() == nil && answer.StatusCode == http.StatusOK
	}, time.Minute, 50*time.Millisecond)
	return url
}

// documented is the configuration of README.md, with another URL and without TLS.
func documented(t *testing.T, url string) []byte {
	text, err := os.ReadFile("README.md")
	require.NoError(t, err)
	_, block, _ := strings.Cut(string(text), "```yaml\n")
	block, _, _ = strings.Cut(block, "```")
	var lines []string
	for line := range strings.Lines(block) {
		switch {
		case strings.Contains(line, "urlPrefix:"):
			line = fmt.Sprintf("  - urlPrefix: %s\n", url)
		case strings.Contains(line, "enableHTTPS:"), strings.Contains(line, "tlsConfig:"):
			continue
		}
		lines = append(lines, line)
	}
	return []byte(strings.Join(lines, ""))
}

// gathers has a gang that fits into a rack and one that fits into a block: each is in one, although neither asks for it.
func gathers(s *stage.Stage) {
	small, large := trial.Gang{Name: "small", Pods: 4, GPUs: 4, Class: trial.Low}, trial.Gang{Name: "large", Pods: 8, GPUs: 4, Class: trial.Low}
	s.Create(small, large)
	s.Run(small, large)
	require.Len(s, s.Domains("small", trial.Rack), 1)
	require.Len(s, s.Domains("large", trial.Block), 1)
}

// preempts has a gang of high priority that needs the room of one of three: it gets a rack, and two of the others stay whole.
func preempts(s *stage.Stage) {
	var low []trial.Gang
	for _, name := range []string{"a", "b", "c"} {
		low = append(low, trial.Gang{Name: name, Pods: 4, GPUs: 4, Class: trial.Low, Key: trial.Rack})
	}
	s.Create(low...)
	s.Run(low...)
	urgent := trial.Gang{Name: "urgent", Pods: 4, GPUs: 4, Class: trial.High, Key: trial.Rack}
	s.Create(urgent)
	s.Run(urgent)
	require.Len(s, s.Domains("urgent", trial.Rack), 1)
	s.Settles(low...)
	require.Equal(s, 12, s.Placed(""))
}

// moreThanFit has more gangs than room, of which one fits nowhere: none has a part.
func moreThanFit(s *stage.Stage) {
	gangs := []trial.Gang{{Name: "never", Pods: 8, GPUs: 4, Class: trial.Low, Key: trial.Rack}}
	for _, name := range []string{"a", "b", "c"} {
		gangs = append(gangs, trial.Gang{Name: name, Pods: 5, GPUs: 4, Class: trial.Low, Key: trial.Rack})
	}
	s.Create(gangs...)
	s.Eventually("two run", func() bool { return s.Placed("") == 10 })
	s.Settles(gangs...)
	require.Equal(s, 10, s.Placed(""))
}
