package cli

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// picture is what -o svg writes.
func picture(t *testing.T, stdin string, args ...string) string {
	t.Helper()
	status, out, err := command(t, stdin, append([]string{"-o", "svg"}, args...)...)
	require.Zero(t, status, err)
	require.Empty(t, err)
	require.True(t, strings.HasPrefix(out, "<svg xmlns="))
	require.True(t, strings.HasSuffix(out, "</svg>\n"))
	return out
}

// The pictures of the stories are those that the command draws:
//
//	go run ./cmd/muster plan -o svg examples/stories/cluster.yaml examples/stories/story-N.yaml > docs/pictures/story-N.svg
func TestPicturesOfStoriesAreCurrent(t *testing.T) {
	for _, name := range []string{"story-1", "story-2", "story-3"} {
		file, err := os.ReadFile("../../docs/pictures/" + name + ".svg")
		require.NoError(t, err)
		require.Equal(t, picture(t, "", story(name)...), string(file), "draw %s anew", name)
	}
}

// The picture of one plan stands for itself; of several, and of none, the cluster is drawn as it is then.
func TestPictures(t *testing.T) {
	const behind, cluster = "The cluster after the plans", ">The cluster<"
	one := picture(t, node+"---"+pod, "-")
	require.Contains(t, one, "default/good")
	require.NotContains(t, one, behind)
	two := picture(t, node+"---"+pod+"---"+strings.ReplaceAll(pod, "good", "also"), "-")
	require.Contains(t, two, "default/also")
	require.Contains(t, two, behind)
	require.Contains(t, picture(t, node, "-"), cluster)
}

func TestPicturesHaveNoQuotas(t *testing.T) {
	for _, flag := range []string{"-quotas", "-summary", "-max-fit", "-running", "-places", "-explain"} {
		status, out, err := command(t, node, "-o", "svg", flag, "-")
		require.Equal(t, misuse, status)
		require.Empty(t, out)
		require.Contains(t, err, "-o svg draws plans: -quotas, -summary, -max-fit, -running, -when, -moves, -places and -explain are for text\n")
	}
	_, _, err := command(t, node, "-o", "png", "-")
	require.Contains(t, err, `-o "png": not one of text, json, svg`)
}

// terminal is a writer that says what it is.
type terminal struct {
	bytes.Buffer
	fs.FileInfo
	mode fs.FileMode
	err  error
}

func (t *terminal) Stat() (fs.FileInfo, error) { return t, t.err }
func (t *terminal) Mode() fs.FileMode          { return t.mode }

// Colours are for terminals whose users want them.
func TestColoursAreForTerminals(t *testing.T) {
	const term = "TERM=xterm"
	for _, of := range []struct {
		mode        fs.FileMode
		err         error
		environment string
		want        bool
	}{
		{fs.ModeCharDevice, nil, term, true},
		{fs.ModeCharDevice, nil, term + " NO_COLOR=", true},
		{fs.ModeCharDevice, nil, term + " NO_COLOR=1", false},
		{fs.ModeCharDevice, nil, "TERM=dumb", false},
		{fs.ModeCharDevice, nil, "", false},
		{fs.ModeCharDevice, fs.ErrClosed, term, false},
		{fs.ModeNamedPipe, nil, term, false},
		{0, nil, term, false},
	} {
		for _, name := range []string{"TERM", "NO_COLOR"} {
			value := ""
			for _, pair := range strings.Fields(of.environment) {
				if v, ok := strings.CutPrefix(pair, name+"="); ok {
					value = v
				}
			}
			t.Setenv(name, value)
		}
		out := &terminal{mode: of.mode, err: of.err}
		require.Zero(t, Run([]string{"-"}, strings.NewReader(node+"---"+pod), out, &bytes.Buffer{}))
		require.Contains(t, out.String(), "default/good: placed")
		require.Equal(t, of.want, strings.Contains(out.String(), "\x1b["), fmt.Sprint(of))
	}
	t.Setenv("TERM", "xterm")
	_, out, _ := command(t, node+"---"+pod, "-")
	require.NotContains(t, out, "\x1b")
}
