package cli

import (
	"io"
	"os"
	"strconv"

	"github.com/muster-sched/muster/placement/render"
)

// leastWidth is that of the narrowest page; what says that it has fewer columns is not believed.
const leastWidth = 40

// pageWidth is how many columns the lines of a writer have: as many as its user says in COLUMNS, those of a terminal, else the default.
func pageWidth(w io.Writer, environment func(string) string) int {
	if n, err := strconv.Atoi(environment("COLUMNS")); err == nil && n > 0 {
		return max(n, leastWidth)
	}
	if file, is := w.(*os.File); is && isTerminal(file) {
		if n := terminalWidth(file.Fd()); n > 0 {
			return max(n, leastWidth)
		}
	}
	return render.DefaultWidth
}
