package cli

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster/fabric"
)

const slurmConf = "SwitchName=core Switches=s[1-2]\nSwitchName=s1 Nodes=n[0-1]\nSwitchName=s2 Nodes=n[2-3]\n"

// topologyOf runs the topology command on files, which arguments name by their numbers: @0, @1.
func topologyOf(t *testing.T, files []string, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	dir := t.TempDir()
	for i, text := range files {
		path := filepath.Join(dir, string(rune('a'+i))+".conf")
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		for at := range args {
			args[at] = strings.ReplaceAll(args[at], "@"+string(rune('0'+i)), path)
		}
	}
	var out, errs bytes.Buffer
	status = Topology(args, strings.NewReader(""), &out, &errs)
	return status, out.String(), errs.String()
}

func TestTopologyIsDrawnAndWritten(t *testing.T) {
	status, out, _ := topologyOf(t, []string{slurmConf}, "@0")
	require.Equal(t, ok, status)
	require.Equal(t, "slurm\n  core, tier 2\n    s1, tier 1, nodes: 2 n[0-1]\n    s2, tier 1, nodes: 2 n[2-3]\n", out)

	status, out, _ = topologyOf(t, []string{slurmConf}, "-to", "list", "-from", "slurm", "@0")
	require.Equal(t, ok, status)
	require.Contains(t, out, `{"layer":1,"name":"s1","parents":["core"],"children":["n0","n1"]}`)

	status, _, said := topologyOf(t, []string{"hello"}, "@0")
	require.Equal(t, failed, status)
	require.Contains(t, said, "say which (-from FORMAT")

	status, out, _ = topologyOf(t, []string{racksOfKueue("example.com/rack")}, "-from", "objects", "@0")
	require.Equal(t, ok, status)
	require.Equal(t, "net\n  tier 1 is example.com/rack\n  tier 2 is example.com/row\n  a, row\n    r1, rack, nodes: 1 n1\n", out)
}

// racksOfKueue is a topology of a row and a rack, whose label has any name.
func racksOfKueue(rack string) string {
	return "{apiVersion: v1, kind: Node, metadata: {name: n1, labels: {example.com/row: a, " + rack + ": r1}}}\n---\n" +
		"{apiVersion: kueue.x-k8s.io/v1beta1, kind: Topology, metadata: {name: net}, spec: {levels: [{nodeLabel: example.com/row}, {nodeLabel: " + rack + "}]}}"
}

func TestTopologyIsChecked(t *testing.T) {
	status, out, _ := topologyOf(t, []string{slurmConf}, "-check", "@0")
	require.Equal(t, ok, status)
	require.Equal(t, "0 odd, in slurm (4 nodes, 3 domains)\n", out)

	odd := strings.Replace(slurmConf, "n[2-3]", "n2", 1)
	status, out, _ = topologyOf(t, []string{odd}, "-check", "@0")
	require.Equal(t, failed, status)
	require.Equal(t, "a leaf of one host: s2 and n2 (topology slurm)\n1 odd, in slurm (3 nodes, 3 domains)\n", out)

	status, out, said := topologyOf(t, []string{odd}, "@0")
	require.Equal(t, failed, status)
	require.Empty(t, out)
	require.Equal(t, "a leaf of one host: s2 and n2 (topology slurm)\n", said)

	status, out, said = topologyOf(t, []string{odd}, "-keep-going", "@0")
	require.Equal(t, ok, status)
	require.Contains(t, out, "s2, tier 1, nodes: 1 n2")
	require.Equal(t, "a leaf of one host: s2 and n2 (topology slurm)\n", said)
}

func TestTopologiesAreCompared(t *testing.T) {
	status, out, _ := topologyOf(t, []string{slurmConf, slurmConf}, "-diff", "@0", "@1")
	require.Equal(t, ok, status)
	require.Empty(t, out)
	other := "SwitchName=core Switches=s[1-3]\nSwitchName=s1 Nodes=n[0-2]\nSwitchName=s2 Nodes=n[3-4]\nSwitchName=s3 Nodes=n[5-6]\n"
	status, out, _ = topologyOf(t, []string{slurmConf, other}, "-diff", "@0", "@1")
	require.Equal(t, failed, status)
	require.Equal(t, "slurm: added core/s3 (tier 1)\nslurm: node n2 moved from core/s2 to core/s1\nslurm: node n4 added\nslurm: node n5 added\nslurm: node n6 added\n", out)
}

// What changed is told with the names of layers, and those themselves with their tiers.
func TestComparedTopologiesHaveLayers(t *testing.T) {
	before, after := racksOfKueue("example.com/rack"), racksOfKueue("cabinet")
	status, out, _ := topologyOf(t, []string{before, after}, "-from", "objects", "-diff", "@0", "@1")
	require.Equal(t, failed, status)
	require.Equal(t, "net: layers are example.com/row (tier 2), cabinet (tier 1), were example.com/row (tier 2), example.com/rack (tier 1)\n", out)
	status, out, _ = topologyOf(t, []string{before, strings.Replace(before, "rack: r1}", "rack: r2}", 1) + "\n---\n{apiVersion: v1, kind: Node, metadata: {name: n2, labels: {example.com/row: a, example.com/rack: r3}}}"},
		"-from", "objects", "-diff", "@0", "@1")
	require.Equal(t, failed, status)
	require.Equal(t, "net: added a/r3 (rack)\nnet: a/r1 is a/r2\nnet: node n2 added\n", out)
	status, out, _ = topologyOf(t, []string{before, strings.ReplaceAll(before, "name: net", "name: web")}, "-from", "objects", "-diff", "@0", "@1")
	require.Equal(t, failed, status)
	require.Contains(t, out, "net: layers are none, were example.com/row (tier 2), example.com/rack (tier 1)\nnet: removed a (row)\n")
}

func TestTopologyCommandLine(t *testing.T) {
	for want, args := range map[string][]string{
		"no files given":             {"-from", "slurm"},
		`-from "x": not one of`:      {"-from", "x", "@0"},
		`-to "ufm": not one of`:      {"-to", "ufm", "@0"},
		`-planes "x": not one of`:    {"-planes", "x", "@0"},
		"-diff compares two files":   {"-diff", "@0"},
		"flag provided but not defi": {"-what"},
	} {
		status, _, said := topologyOf(t, []string{slurmConf}, args...)
		require.Equal(t, misuse, status)
		require.Contains(t, said, want)
		require.Contains(t, said, "\nmuster help topology has the flags and examples\n")
	}
	status, out, _ := topologyOf(t, nil, "-h")
	require.Equal(t, ok, status)
	require.Contains(t, out, "usage: muster topology")
	status, _, said := topologyOf(t, []string{slurmConf}, "-topology", "net", "@0")
	require.Equal(t, failed, status)
	require.Contains(t, said, `-topology "net": none of slurm (4 nodes, 3 domains)`)
}

// Gangs are planned on the topology of a file of another system.
func TestPlanOnAFabric(t *testing.T) {
	path := filepath.Join(t.TempDir(), "topology.conf")
	require.NoError(t, os.WriteFile(path, []byte(slurmConf), 0o600))
	var input strings.Builder
	for _, n := range []string{"n0", "n1", "n2", "n3"} {
		input.WriteString("{apiVersion: v1, kind: Node, metadata: {name: " + n + "}, status: {allocatable: {gpu: 8}}}\n---\n")
	}
	input.WriteString("{apiVersion: scheduling.volcano.sh/v1beta1, kind: PodGroup, metadata: {name: job}, spec: {minMember: 2, networkTopology: {highestTierAllowed: 1}}}\n")
	for _, p := range []string{"p0", "p1"} {
		input.WriteString("---\n{apiVersion: v1, kind: Pod, metadata: {name: " + p + ", annotations: {scheduling.k8s.io/group-name: job}}, spec: {containers: [{name: c, resources: {requests: {gpu: 8}}}]}}\n")
	}
	for _, arg := range []string{path, "slurm:" + path} {
		status, stdout, stderr := command(t, input.String(), "-fabric", arg, "-")
		require.Equal(t, ok, status, stderr)
		require.Contains(t, stdout, "default/job: placed, 2 members in domain core/s1 of tier 1, strategy 1\n")
	}
	status, _, stderr := command(t, input.String(), "-fabric", "topograph:"+path, "-")
	require.Equal(t, failed, status)
	require.Contains(t, stderr, "topology.conf")
}

// The published objects of others load; their trees can be drawn.
func TestSamplesOfObjects(t *testing.T) {
	paths, err := filepath.Glob("../../../shared/data/fabric/samples/*.yaml")
	require.NoError(t, err)
	if len(paths) == 0 {
		t.Skip("no ../shared/data: the samples are not here")
	}
	for _, path := range paths {
		var out, errs bytes.Buffer
		status := Topology([]string{"-from", "objects", path}, strings.NewReader(""), &out, &errs)
		if strings.Contains(path, "podgroups") { // which name a topology of another file
			require.Equal(t, failed, status)
			require.Contains(t, errs.String(), `"cluster-topology": unknown topology`)
			continue
		}
		if strings.Contains(errs.String(), "holds no topology") {
			require.Regexp(t, "quota|noderesource|partitions", path)
			require.Equal(t, failed, status)
			continue
		}
		require.Equal(t, ok, status, "%s: %s", path, errs.String())
		if strings.Contains(path, "hypernodes") {
			require.Regexp(t, "nodes: [1-9]", out.String(), path)
		}
		require.NotEmpty(t, out.String(), path)
	}
}

// A file that holds nothing is named, however it is read: by its beginning, in a format, as objects, beside others.
func TestEmptyFilesSaySo(t *testing.T) {
	node := filepath.Join(t.TempDir(), "node.yaml")
	require.NoError(t, os.WriteFile(node, []byte("{apiVersion: v1, kind: Node, metadata: {name: a}}"), 0o600))
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, err := w.Write([]byte("# nothing\n"))
	require.NoError(t, err)
	require.NoError(t, w.Close())
	ways := [][]string{{}, {"-from", "objects"}, {"-from", "objects", "-keep-going"}, {"-from", "list", "-check"}}
	for _, format := range fabric.Formats() {
		ways = append(ways, []string{"-from", format}, []string{"-from", format, "-keep-going"})
	}
	for _, text := range []string{"", " \n\t\n", "null", "[]", "# a comment\n", "\xef\xbb\xbf", "\x00", "---\n", "{}", packed.String()} {
		file := filepath.Join(t.TempDir(), "some.file")
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		for _, args := range ways {
			var out, errs bytes.Buffer
			require.Equal(t, failed, Topology(append(args, file), strings.NewReader(""), &out, &errs), "%q %q", args, text)
			require.Regexp(t, "some.file: .*(holds (nothing|no topology)|not text: byte 0x00)", errs.String(), "%q %q", args, text)
		}
		var out, errs bytes.Buffer
		require.Equal(t, failed, Topology([]string{"-"}, strings.NewReader(text), &out, &errs), "%q", text)
		require.Regexp(t, "-: (holds nothing|not text: byte 0x00)", errs.String())
		for _, args := range [][]string{{file}, {node, file}, {"-fabric", file, node}} {
			_, _, told := command(t, "", args...)
			require.Regexp(t, "some.file: .*(holds nothing|not text: byte 0x00)", told, "%q %q", args, text)
		}
	}
}

// What has content and tells of no topology is refused by its name too, and so are files of which none tells of one.
func TestFilesWithoutTopologySaySo(t *testing.T) {
	folder := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(folder, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	node := file("nodes.yaml", "{apiVersion: v1, kind: Node, metadata: {name: a}}")
	for _, c := range []struct {
		format string
		files  []string
		want   string
	}{
		{"topograph", []string{file("model.yaml", "a: 1")}, "model.yaml: holds no topology\n"},
		{"cables", []string{file("cables.csv", "switch,peer,peer_kind\n")}, "cables.csv: holds no topology\n"},
		{"labels", []string{file("off.yaml", "- {source: label, enabled: false}"), node}, "off.yaml: holds no topology, and none of the other files does\n"},
		{objects, []string{node}, "nodes.yaml: holds no topology\n"},
		{objects, []string{file("a.yaml", "{}"), "-keep-going"}, "not an object: holds nothing\n"},
	} {
		var out, errs bytes.Buffer
		require.Equal(t, failed, Topology(append([]string{"-from", c.format}, c.files...), strings.NewReader(""), &out, &errs), c.format)
		require.Contains(t, errs.String(), c.want)
		require.Empty(t, out.String())
		if c.format != objects && len(c.files) == 1 {
			_, _, told := command(t, "", "-fabric", c.format+":"+c.files[0], node)
			require.Contains(t, told, c.want)
		}
	}
}

// What is packed is unpacked by its content, whatever the file is called, and standard input too.
func TestTopologyReadsGzip(t *testing.T) {
	const text = "SwitchName=core Switches=s1\nSwitchName=s1 Nodes=n[1-2]\n"
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, err := w.Write([]byte(text))
	require.NoError(t, err)
	require.NoError(t, w.Close())
	read := func(stdin string, args ...string) string {
		var out, errs bytes.Buffer
		require.Equal(t, ok, Topology(args, strings.NewReader(stdin), &out, &errs), "%q: %s", args, errs.String())
		return out.String()
	}
	want := read(text, "-")
	require.Contains(t, want, "s1")
	for _, name := range []string{"topology.conf", "topology.conf.gz", "a"} {
		file := filepath.Join(t.TempDir(), name)
		require.NoError(t, os.WriteFile(file, packed.Bytes(), 0o600))
		require.Equal(t, want, read("", file), name)
		require.Equal(t, want, read("", "-from", "slurm", file), name)
	}
	require.Equal(t, want, read(packed.String(), "-"))
}
