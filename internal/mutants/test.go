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

// test runs a stage on the mutants of a package that are left.
func (r *runner) test(s stage, p *target, out io.Writer) error {
	for _, m := range p.drawn {
		for _, b := range s.of {
			if m.killer != "" || !b.depends(p) || s.own && b.ImportPath != p.ImportPath {
				continue
			}
			failed, err := r.fails(b, m.id, s.short)
			if err != nil {
				return err
			}
			if failed != "" {
				m.killer = fmt.Sprintf("%s of %s", failed, filepath.Base(b.Dir))
				fmt.Fprintf(out, "%s killed by %s\n", m.place(), m.killer)
			}
		}
	}
	return nil
}

// fails runs tests with a mutant, and names the first one that failed. They are built, and run without a mutant, when first asked
// for: they must pass then, and may take some times as long with one.
func (r *runner) fails(s suite, id int, short bool) (failed string, err error) {
	if s.path == "" {
		if err := r.compile(s.binary); err != nil {
			return "", err
		}
	}
	args := append([]string{"-test.failfast", "-test.run", s.match, "-test.short=" + strconv.FormatBool(short)}, s.flags...)
	key := strings.Join(args, " ")
	if s.took[key] == 0 {
		out, took, ok := s.run(args, 0, 20*time.Minute)
		if !ok {
			return "", fmt.Errorf("the tests of %s fail without a mutant:\n%s", s.ImportPath, out)
		}
		s.took[key] = took
	}
	out, _, ok := s.run(args, id, r.o.patience+4*s.took[key])
	if ok {
		return "", nil
	}
	for line := range strings.Lines(out) {
		if name, is := strings.CutPrefix(strings.TrimSpace(line), "--- FAIL: "); is {
			name, _, _ = strings.Cut(name, " ")
			return name, nil
		}
	}
	return "panic, time or memory", nil
}

// compile builds a binary.
func (r *runner) compile(b *binary) error {
	b.path = filepath.Join(r.work, strings.NewReplacer("/", "_", ".", "_").Replace(b.ImportPath)+".test")
	if _, err := goCommand(r.o, "test", "-c", "-vet=off", "-overlay", r.overlay, "-o", b.path, b.ImportPath); err != nil {
		return err
	}
	usage, _ := exec.Command(b.path, "-h").CombinedOutput() // ends with an error, as help does
	if bytes.Contains(usage, []byte("rapid.nofailfile")) {  // the tree stays as it is
		b.flags = []string{"-rapid.nofailfile", "-rapid.shrinktime=0s"}
	}
	return nil
}

// run runs a binary, for at most so long on the processor (others may be busy on the machine) and in 8 GiB.
func (b *binary) run(args []string, id int, limit time.Duration) (out string, took time.Duration, ok bool) {
	limits := []string{"-c", `ulimit -t "$0" -v 8388608; exec "$@"`, strconv.Itoa(max(1, int(limit.Seconds()))), b.path, "-test.timeout", (10*limit + time.Minute).String()}
	cmd := exec.Command("sh", append(limits, args...)...)
	cmd.Dir, cmd.Env = b.Dir, append(os.Environ(), fmt.Sprintf("%s=%d", variable, id))
	text, err := cmd.CombinedOutput()
	if cmd.ProcessState != nil {
		took = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	}
	return string(text), max(took, 1), err == nil
}
