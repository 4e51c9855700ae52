package main

// Which test fails?

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// runner runs the test binaries.
type runner struct {
	o       *options
	overlay string
	work    string
	all     []*binary
	stages  []stage
}

// stage is some of the tests.
type stage struct {
	name  string
	own   bool // of the mutated package itself alone
	short bool
	of    []suite
}

// suite is the tests of a package whose names a regular expression matches.
type suite struct {
	*binary
	match string
}

// binary is the tests of one package.
type binary struct {
	ImportPath, Dir           string
	TestGoFiles, XTestGoFiles []string
	Deps                      []string // of the tests too

	lock  sync.Mutex // of what follows
	path  string
	flags []string
	took  map[string]time.Duration // of the processor, by the arguments
}

// build writes the mutants, and lists the tests of the module.
func build(o *options, packages []*target, work string) (*runner, error) {
	list, err := overlay(packages, work)
	if err != nil {
		return nil, err
	}
	r := &runner{o: o, overlay: list, work: work}
	out, err := goCommand(o, "list", "-test", "-json=ImportPath,Dir,TestGoFiles,XTestGoFiles,Deps", "./...")
	if err != nil {
		return nil, err
	}
	deps := map[string][]string{}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		b := &binary{took: map[string]time.Duration{}}
		if err := d.Decode(b); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
		if name, ok := strings.CutSuffix(b.ImportPath, ".test"); ok {
			deps[name] = b.Deps
		} else if len(b.TestGoFiles)+len(b.XTestGoFiles) > 0 && !strings.Contains(b.ImportPath, " ") {
			r.all = append(r.all, b)
		}
	}
	for _, b := range r.all {
		b.Deps = deps[b.ImportPath]
	}
	var all, short []suite
	for _, b := range r.all {
		all = append(all, suite{b, "."})
	}
	for _, name := range o.short {
		name, match, _ := strings.Cut(name, " ")
		i := slices.IndexFunc(all, func(s suite) bool { return strings.HasSuffix(s.ImportPath, strings.TrimPrefix(name, ".")) })
		if i < 0 {
			return nil, fmt.Errorf("%s has no tests", name)
		}
		short = append(short, suite{all[i].binary, cmp.Or(match, ".")})
	}
	r.stages = []stage{{"own", true, true, all}, {"short", false, true, short}, {"all", false, false, all}}
	return r, nil
}

// depends says whether the tests of a package can see another one.
func (b *binary) depends(p *target) bool {
	return b.ImportPath == p.ImportPath || slices.ContainsFunc(b.Deps, func(d string) bool {
		name, _, _ := strings.Cut(d, " ") // compiled anew for the test: "package [of.test]"
		return name == p.ImportPath
	})
}

// test runs a stage on the mutants that are left, some at a time.
func (r *runner) test(s stage, packages []*target, out io.Writer) error {
	var wait sync.WaitGroup
	var tell sync.Mutex
	var first error
	turns := make(chan struct{}, max(1, r.o.atOnce))
	for _, p := range packages {
		for _, m := range p.drawn {
			if m.killer != "" {
				continue
			}
			turns <- struct{}{}
			wait.Go(func() {
				defer func() { <-turns }()
				killer, err := r.killer(s, p, m)
				tell.Lock()
				defer tell.Unlock()
				if first = cmp.Or(first, err); killer != "" {
					m.killer = killer
					fmt.Fprintf(out, "%s killed by %s\n", m.place(), killer)
				}
			})
		}
	}
	wait.Wait()
	return first
}

// killer is the first test of a stage that fails with a mutant, empty if none does.
func (r *runner) killer(s stage, p *target, m *mutant) (string, error) {
	for _, b := range s.of {
		if !b.depends(p) || s.own && b.ImportPath != p.ImportPath {
			continue
		}
		if failed, err := r.fails(b, m.id, s.short); failed != "" || err != nil {
			return fmt.Sprintf("%s of %s", failed, filepath.Base(b.Dir)), err
		}
	}
	return "", nil
}

// fails runs tests with a mutant, and names the first one that failed.
func (r *runner) fails(s suite, id int, short bool) (failed string, err error) {
	args := []string{"-test.failfast", "-test.run", s.match, "-test.short=" + strconv.FormatBool(short)}
	if short {
		args = append(args, "-test.skip", r.o.skip)
	}
	took, err := r.ready(s.binary, args)
	if err != nil {
		return "", err
	}
	limit := r.o.patience + 4*took
	out, took, ok := s.run(args, id, limit)
	switch {
	case ok:
		return "", nil
	case took >= limit-time.Second:
		return "time", nil
	case strings.Contains(out, "test timed out"): // and the processor had other work: nothing is known
		return "", fmt.Errorf("the machine is too busy: %s of %s took over %v with mutant %d", s.match, s.ImportPath, 60*limit, id)
	}
	for line := range strings.Lines(out) {
		if name, is := strings.CutPrefix(strings.TrimSpace(line), "--- FAIL: "); is {
			name, _, _ = strings.Cut(name, " ")
			return name, nil
		}
	}
	return "panic or memory", nil
}

// ready builds a binary when it is first asked for, and says how long some of its tests take without a mutant: they must pass then,
// and may take some times as long with one.
func (r *runner) ready(b *binary, args []string) (time.Duration, error) {
	b.lock.Lock()
	defer b.lock.Unlock()
	if b.path == "" {
		if err := r.compile(b); err != nil {
			return 0, err
		}
	}
	key := strings.Join(args, " ")
	if b.took[key] == 0 {
		out, took, ok := b.run(args, 0, 20*time.Minute)
		if !ok {
			return 0, fmt.Errorf("the tests of %s fail without a mutant:\n%s", b.ImportPath, out)
		}
		b.took[key] = took
	}
	return b.took[key], nil
}

// compile builds a binary.
func (r *runner) compile(b *binary) error {
	path := filepath.Join(r.work, strings.NewReplacer("/", "_", ".", "_").Replace(b.ImportPath)+".test")
	if _, err := goCommand(r.o, "test", "-c", "-vet=off", "-overlay", r.overlay, "-o", path, b.ImportPath); err != nil {
		return err
	}
	b.path = path
	usage, _ := exec.Command(b.path, "-h").CombinedOutput() // ends with an error, as help does
	if bytes.Contains(usage, []byte("rapid.nofailfile")) {  // the tree stays as it is
		b.flags = []string{"-rapid.nofailfile", "-rapid.shrinktime=0s"}
	}
	return nil
}

// run runs a binary, for at most so long on the processor (others may be busy on the machine) and in 8 GiB.
func (b *binary) run(args []string, id int, limit time.Duration) (out string, took time.Duration, ok bool) {
	limits := []string{"-c", `ulimit -t "$0"; ulimit -v 8388608; exec "$@"`, strconv.Itoa(max(1, int(limit.Seconds()))), b.path, "-test.timeout", (60*limit + time.Minute).String()}
	cmd := exec.Command("sh", slices.Concat(limits, args, b.flags)...)
	cmd.Dir, cmd.Env = b.Dir, append(os.Environ(), fmt.Sprintf("%s=%d", variable, id))
	text, err := cmd.CombinedOutput()
	if cmd.ProcessState != nil {
		took = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	}
	return string(text), max(took, 1), err == nil
}
