package fabric_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster/fabric"
)

// fatTree is a small InfiniBand network as the simulator reads it: so many spines, leaves and hosts of a leaf.
func fatTree(spines, leaves, hosts int) string {
	var b strings.Builder
	for l := range leaves {
		fmt.Fprintf(&b, "Switch\t24 \"S-%016x\"\t\t# \"leaf-%d\"\n", 0x1000+l, l)
		for h := range hosts {
			fmt.Fprintf(&b, "[%d]\t\"H-%016x\"[1]\n", h+1, 0x3000+l*hosts+h)
		}
		for s := range spines {
			fmt.Fprintf(&b, "[%d]\t\"S-%016x\"[%d]\n", hosts+s+1, 0x2000+s, l+1)
		}
		b.WriteString("\n")
	}
	for s := range spines {
		fmt.Fprintf(&b, "Switch\t24 \"S-%016x\"\t\t# \"spine-%d\"\n", 0x2000+s, s)
		for l := range leaves {
			fmt.Fprintf(&b, "[%d]\t\"S-%016x\"[%d]\n", l+1, 0x1000+l, hosts+s+1)
		}
		b.WriteString("\n")
	}
	for h := range leaves * hosts {
		fmt.Fprintf(&b, "Ca\t1 \"H-%016x\"\t\t# \"node-%d mlx5_0\"\n[1]\t\"S-%016x\"[%d]\n\n", 0x3000+h, h, 0x1000+h/hosts, h%hosts+1)
	}
	return b.String()
}

// What the distribution's own tools find in a simulated network is the network.
func TestIBNetDiscoverOfASimulator(t *testing.T) {
	for _, tool := range []string{"ibsim", "ibsim-run", "ibnetdiscover"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("%s is not installed (Debian: ibsim-utils, infiniband-diags)", tool)
		}
	}
	const spines, leaves, hosts = 2, 3, 4
	file := filepath.Join(t.TempDir(), "net")
	require.NoError(t, os.WriteFile(file, []byte(fatTree(spines, leaves, hosts)), 0o600))
	simulator := exec.Command("ibsim", "-s", file)
	commands, err := simulator.StdinPipe() // it ends with its input
	require.NoError(t, err)
	require.NoError(t, simulator.Start())
	defer func() {
		_ = commands.Close()
		_ = simulator.Process.Kill()
		_ = simulator.Wait()
	}()
	var out []byte
	for range 50 { // until it listens
		run := exec.Command("ibsim-run", "ibnetdiscover")
		run.Env = append(os.Environ(), "SIM_HOST=node-0 mlx5_0")
		if out, err = run.Output(); err == nil && strings.Contains(string(out), "Switch") {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	require.NoError(t, err, "%s", out)
	got, err := fabric.Read("ibnetdiscover", []fabric.File{{Name: "ib.txt", Data: out}}, fabric.Options{})
	require.NoError(t, err, "%s", out)
	require.Len(t, got.Trees, 1)
	tree := got.Trees[0].Tree
	require.Equal(t, leaves*hosts, tree.NumNodes())
	require.Equal(t, slices.Repeat([]int{hosts}, leaves), sizes(tree))
	for l := range leaves {
		d, ok := tree.Find("spine-0", fmt.Sprintf("leaf-%d", l))
		require.True(t, ok)
		for h := range hosts {
			n, ok := tree.Node(fmt.Sprintf("node-%d", l*hosts+h))
			require.True(t, ok)
			require.Equal(t, d, tree.Leaf(n))
		}
	}
}
