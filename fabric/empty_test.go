package fabric_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster/fabric"
)

// nothings are files that hold nothing.
var nothings = []string{"", " \n\t\n", "null", "{}", "# a comment\n", "\xef\xbb\xbf", "\x00", "---\n"}

// In every format a file that holds nothing is refused by its name, with nothing else said, whatever is to go on.
func TestEmptyFilesSaySo(t *testing.T) {
	for _, format := range fabric.Formats() {
		for _, text := range nothings {
			for _, goOn := range []bool{false, true} {
				_, err := fabric.Read(fabric.Format(format), []fabric.File{{Name: "some.file", Data: []byte(text)}}, fabric.Options{KeepGoing: goOn})
				require.EqualError(t, err, "some.file: holds nothing", "%s: %q", format, text)
			}
		}
	}
	for _, text := range nothings {
		_, err := fabric.ReadDiscovery(fabric.File{Name: "some.file", Data: []byte(text)})
		require.ErrorContains(t, err, "some.file: ", "%q", text)
		require.ErrorContains(t, err, "holds nothing", "%q", text)
	}
}
