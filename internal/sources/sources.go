// Package sources answers: which gangs does `muster simulate` play that files tell of? Each kind of files has its flags, says what is wrong with those beside it, and reads the files.
package sources

import (
	"io"

	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/simulate"
)

// Play says how gangs are played.
type Play struct {
	Seed, Gangs        int64
	Load               int64 // in percent
	Longer, Checkpoint int64
	Stay               bool   // gangs never end
	Nodes, PerNode     int64  // of the cluster, and devices of each
	Device             string // their resource
	Gather             func(members int) []gang.Rule
}

// Source are the gangs of files that were read. It is read only.
type Source interface {
	Stream(p Play) simulate.Stream
	// Said is what they are, in a few words.
	Said(p Play) string
	// Gangs is how many there are.
	Gangs(p Play) int64
	// Loaded says whether Play.Load says how much they ask for.
	Loaded() bool
	// Own is the cluster of the files; nil: any one that is made.
	Own() *Own
}

// Own is a cluster of files.
type Own struct {
	Name, Said string
	Nodes      int
	Devices    int64
	Cluster    func(p Play) (*placement.Cluster, error)
}

// Reader opens a file, and lets it be read. bad is what becomes of a line that cannot be used: an error ends the reading, nil leaves it out. Errors name the file.
type Reader func(name string, read func(in io.Reader, bad func(line int, err error) error) error) error

// begins says why no gang can come.
func begins(s Source, plays []Play) error {
	for _, p := range plays {
		for _, err := range s.Stream(p) {
			if err != nil {
				return err
			}
			break
		}
	}
	return nil
}
