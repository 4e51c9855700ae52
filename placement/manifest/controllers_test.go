package manifest_test

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/placement/manifest"
)

// The folder with what controllers write, and the names in its page of answers for all files together, and for what an input says
// beside gangs: why it cannot be read, and what is noticed.
const (
	controllers = "testdata/controllers"
	together    = "together"
	aside       = "notice"
)

// TestControllers reads and plans what controllers and the API server leave in a cluster, each file by itself, and compares every
// gang with the page of answers, which says what the system's own scheduler makes of it.
func TestControllers(t *testing.T) {
	want, left := answers(t), wrongGangs()
	for _, name := range controllerFiles(t) {
		t.Run(name, func(t *testing.T) {
			compare(t, name, want[name], gangsIn(t, name), left)
		})
		delete(want, name)
	}
	assert.Empty(t, slices.Sorted(maps.Keys(want)), "answers about files that are not there")
	for at := range left {
		_, err := os.Stat(filepath.Join(controllers, at.file))
		assert.True(t, at.file == together || err == nil, "%v is in notYet and nowhere else", at)
	}
}

// TestControllersTogether reads all files as one cluster: every gang that is right alone is the same there, and placed if it is placed
// alone.
func TestControllersTogether(t *testing.T) {
	want, wrong, left := map[string]string{}, wrongGangs(), wrongGangs()
	var names []string
	for file, gangs := range answers(t) {
		if !inTogether(t, file, wrong) {
			continue
		}
		names = append(names, file)
		for of, line := range gangs {
			want[of] = withoutTier(line)
		}
	}
	for at, why := range wrong {
		if slices.Contains(names, at.file) {
			left[gangAt{together, at.gang}] = why // it is wrong alone
		}
	}
	slices.SortFunc(names, muster.CompareNatural)
	got := gangsIn(t, append([]string{"cluster-koordinator.yaml"}, names...)...)
	slices.Reverse(names)
	assert.Equal(t, got, gangsIn(t, append(names, "cluster-koordinator.yaml")...), "the order of files shows")
	for of, line := range got {
		got[of] = withoutTier(line)
		if _, is := wrong[gangAt{together, of}]; !is && got[of] == want[of] {
			delete(left, gangAt{together, of}) // only its tier is wrong, or whether it is placed
		}
	}
	compare(t, together, want, got, left)
}

// inTogether says whether a file can be read beside the others; what notYet says of one that cannot must be so.
func inTogether(t *testing.T, file string, wrong map[gangAt]string) bool {
	t.Helper()
	if _, unread := wrong[gangAt{file, aside}]; unread {
		return false
	}
	if _, out := wrong[gangAt{together, file}]; out {
		assert.Contains(t, gangsIn(t, "cluster-koordinator.yaml", file), aside, "%s can be read beside others: take it out of notYet", file)
		return false
	}
	return true
}

// withoutTier is an answer up to the tier, which other gangs change; of a gang that must be alone they change more.
func withoutTier(line string) string {
	until := " at tier "
	if strings.Contains(line, "alone in its") {
		until = "; "
	}
	kept, _, _ := strings.Cut(line, until)
	return kept
}

// compare compares gangs, those of notYet the other way round: an entry that has become right fails too.
func compare(t *testing.T, file string, want, got map[string]string, left map[gangAt]string) {
	t.Helper()
	names := slices.Sorted(maps.Keys(want))
	for _, name := range slices.Sorted(maps.Keys(got)) {
		if _, known := want[name]; !known {
			names = append(names, name)
		}
	}
	_, unread := got[aside]
	for _, name := range names {
		at := gangAt{file, name}
		wrong, waiting := left[at]
		delete(left, at)
		switch equal := want[name] == got[name]; {
		case unread && name != aside && len(got) == 1: // nothing else is known of it
		case equal && waiting:
			t.Errorf("%s: %q is right now: take it out of notYet", file, name)
		case waiting:
			t.Logf("%s: %q is not right yet: %s\n  want %s\n  have %s", file, name, wrong, want[name], got[name])
		case !equal:
			t.Errorf("%s: %q\n  want %s\n  have %s", file, name, want[name], got[name])
		}
	}
	for at := range left {
		if at.file == file && !strings.HasSuffix(at.gang, ".yaml") {
			t.Errorf("%v is in notYet and nowhere else", at)
		}
	}
}

// controllerFiles are the files with gangs, in natural order.
func controllerFiles(t *testing.T) (names []string) {
	t.Helper()
	paths, err := filepath.Glob(controllers + "/*.yaml")
	require.NoError(t, err)
	for _, path := range paths {
		if name := filepath.Base(path); name != "cluster.yaml" && name != "cluster-koordinator.yaml" {
			names = append(names, name)
		}
	}
	require.NotEmpty(t, names)
	slices.SortFunc(names, muster.CompareNatural)
	return names
}

// answers reads the page: a line with the name of a file, below it indented a line each gang, its name and after a colon the
// answer. Lines with # are comments.
func answers(t *testing.T) map[string]map[string]string {
	t.Helper()
	data, err := os.ReadFile(controllers + "/answers.txt")
	require.NoError(t, err)
	all, file := map[string]map[string]string{}, ""
	for line := range strings.Lines(string(data)) {
		text := strings.TrimSpace(line)
		switch {
		case text == "" || text[0] == '#':
		case !strings.HasPrefix(line, " "):
			require.NotContains(t, all, text, "a file stands twice in the answers")
			file, all[text] = text, map[string]string{}
		default:
			name, answer, found := strings.Cut(text, ": ")
			require.True(t, found && all[file] != nil && all[file][name] == "", "%s: %s", file, text)
			all[file][name] = answer
		}
	}
	return all
}

// nodesOfRacks are the 40 nodes that the files speak of, in three racks of a zone; the same by the labels of NVIDIA's networks.
func nodesOfRacks() manifest.File {
	var b strings.Builder
	for i := range 40 {
		rack := 1 + i/14
		fmt.Fprintf(&b, `---
apiVersion: v1
kind: Node
metadata:
  name: n%02[1]d
  labels: {kubernetes.io/hostname: n%02[1]d, pool: gpu, topology.kubernetes.io/zone: z1, topology.kubernetes.io/rack: r%[2]d,
    network.topology.nvidia.com/spine: s1, network.topology.nvidia.com/block: b%[2]d}
status:
  allocatable: {cpu: "126", memory: 500Gi, nvidia.com/gpu: "8", pods: "110"}
  conditions: [{type: Ready, status: "True"}]
`, i+1, rack)
	}
	return manifest.File{Name: "nodes.yaml", Data: []byte(b.String())}
}

// gangsIn reads files and plans what waits in them, each gang on the cluster as it is.
func gangsIn(t *testing.T, names ...string) map[string]string {
	t.Helper()
	files := []manifest.File{nodesOfRacks()}
	if strings.HasPrefix(names[0], "koordinator") {
		names = append([]string{"cluster-koordinator.yaml"}, names...)
	}
	for _, name := range append([]string{"cluster.yaml"}, names...) {
		data, err := os.ReadFile(filepath.Join(controllers, name))
		require.NoError(t, err)
		files = append(files, manifest.File{Name: name, Data: data})
	}
	input, err := manifest.Read(files, manifest.Options{})
	if err != nil {
		return map[string]string{aside: err.Error()}
	}
	got := map[string]string{}
	running := map[string][]cluster.Running{}
	for _, m := range input.Spec.Running {
		running[m.Gang] = append(running[m.Gang], m)
	}
	snapshot, err := placement.NewCluster(input.Spec)
	require.NoError(t, err)
	for _, g := range input.Gangs {
		got[g.Request.Name] = waitingText(&g, running[g.Request.Name]) + planText(snapshot, &g)
		delete(running, g.Request.Name)
	}
	for name, members := range running {
		got[name] = runningText(members)
	}
	if len(input.Notices) > 0 {
		got[aside] = strings.Join(input.Notices, "; ")
	}
	return got
}

func planText(snapshot *placement.Cluster, g *manifest.Gang) string {
	if g.Err != nil {
		return "; " + g.Err.Error()
	}
	result, err := placement.Plan(snapshot, &g.Request)
	var refused *placement.Unschedulable
	switch {
	case errors.As(err, &refused):
		return "; unschedulable"
	case err != nil:
		return "; " + err.Error()
	}
	return fmt.Sprintf("; placed at tier %d", result.Tier)
}

// waitingText tells of a gang with members that wait.
func waitingText(g *manifest.Gang, running []cluster.Running) string {
	q := &g.Request
	needed := q.MinMember
	if needed == 0 {
		needed = len(q.Members) + len(running)
	}
	text := fmt.Sprintf("%d waiting", len(q.Members))
	if len(running) > 0 {
		text += fmt.Sprintf(", %d running%s", len(running), leavingText(running))
	}
	text += fmt.Sprintf(", %d needed, priority %d", needed, q.Priority)
	if q.Quota != "" {
		text += ", quota " + q.Quota
	}
	if len(q.Gather) > 0 {
		text += "," + rules(q.Gather)
	}
	text += limitText(q.Limits)
	for _, level := range q.Groups {
		text += fmt.Sprintf(", groups of %d%s", level.Size, rules(level.Gather)) + limitText(level.Limits)
	}
	if needed < len(q.Members)+len(running) || strings.Contains(partsText(q.Parts), "Gather") {
		text += partsText(q.Parts) // else they say that all are needed
	}
	if strings.Contains(text, "Gather(") {
		text += ", in " + q.Tree
	}
	if q.Together != "" {
		text += ", together as " + q.Together
	}
	for _, name := range slices.Sorted(maps.Keys(g.Ignored)) {
		text += fmt.Sprintf(", ignored %s %d", name, g.Ignored[name])
	}
	return text + asked(q)
}

func limitText(limits []gang.Limit) string {
	return strings.ReplaceAll(limitsText(limits), " Alone", ", alone in its")
}

func partsText(parts []gang.Part) (text string) {
	for i := range parts {
		p := &parts[i]
		all := membersOf(p)
		least := p.MinMember
		if least == 0 {
			least = all
		}
		text += fmt.Sprintf(", %s %d of %d%s", p.Name, least, all, rules(p.Gather)) + limitText(p.Limits) + partsText(p.Parts)
	}
	return text
}

func membersOf(p *gang.Part) int {
	all := len(p.Members)
	for i := range p.Parts {
		all += membersOf(&p.Parts[i])
	}
	return all
}

// asked is what the waiting members ask for together, so that a container too many or too few shows.
func asked(q *gang.Request) string {
	var cpu, gpu int64
	for _, m := range q.Members {
		shape := &q.Shape
		if m.Shape != nil {
			shape = m.Shape
		}
		cpu, gpu = cpu+shape.Resources["cpu"], gpu+shape.Resources["nvidia.com/gpu"]
	}
	return fmt.Sprintf(", asks %dm CPU and %d GPU", cpu, gpu)
}

// runningText tells of a gang of which nobody waits.
func runningText(members []cluster.Running) string {
	first := members[0]
	text := fmt.Sprintf("%d running%s", len(members), leavingText(members))
	if !first.Leaving {
		text += fmt.Sprintf(", %d stay", first.MinMember)
	}
	text += fmt.Sprintf(", priority %d", first.Priority)
	if first.Quota != "" {
		text += ", quota " + first.Quota
	}
	if first.NonPreemptible || first.Unevictable {
		text += ", protected"
	}
	return text
}

func leavingText(members []cluster.Running) string {
	leaving := 0
	for _, m := range members {
		if m.Leaving {
			leaving++
		}
	}
	if leaving == 0 {
		return ""
	}
	return fmt.Sprintf(" (%d leaving)", leaving)
}
