package cli

import (
	"fmt"
	"io"
	"runtime"
	"sync"

	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/simulate"
	"github.com/muster-sched/muster/simulate/placers"
)

// result is what came of a stream.
type result struct {
	played
	report *simulate.Report
	judged *placers.Judged // beside a plan; nil: it was one
}

// playing are streams that are played at the same time: each by one goroutine, so that what comes of it depends on no other one.
type playing struct {
	made    made
	cluster *placement.Cluster
	rows    []played

	mu       sync.Mutex
	next     int   // of the rows
	came     int64 // gangs
	progress *progress
	results  []result
	errs     []error // by row
}

// playAll plays streams on all cores, and tells on a terminal how far that is. The error is that of the first row which has one.
func playAll(m made, rows []played, stderr io.Writer) ([]result, error) {
	var c *placement.Cluster // nil: each row has that of its source
	if s := rows[0].source; s == nil || s.Own() == nil {
		var err error
		if c, err = m.cluster(); err != nil {
			return nil, err
		}
	}
	p := &playing{made: m, cluster: c, rows: rows, progress: newProgress(stderr), results: make([]result, len(rows)), errs: make([]error, len(rows))}
	var all sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(rows)) {
		all.Add(1)
		go func() {
			defer all.Done()
			for i := p.take(); i >= 0; i = p.take() {
				p.play(i)
			}
		}()
	}
	all.Wait()
	p.progress.end()
	for _, err := range p.errs {
		if err != nil {
			return nil, err
		}
	}
	return p.results, nil
}

// take is the next row that nobody plays; -1: there is none, or one has failed. All before a row are taken before it, so that the first error is always the same.
func (p *playing) take() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.next >= len(p.rows) {
		return -1
	}
	p.next++
	return p.next - 1
}

// play plays one row.
func (p *playing) play(i int) {
	result, err := p.rows[i].play(p.made, p.cluster, p.count)
	p.results[i], p.errs[i] = result, err
	if err != nil {
		p.mu.Lock()
		p.next = len(p.rows)
		p.mu.Unlock()
	}
}

// count counts a gang that came.
func (p *playing) count() {
	if p.progress == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.came++
	p.progress.tell(func() string {
		all := int64(len(p.rows)) * p.rows[0].gangs
		return fmt.Sprintf("playing: %d of %d gangs", p.came, all)
	})
}
