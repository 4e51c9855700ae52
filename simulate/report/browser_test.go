package report_test

import (
	"context"
	"encoding/json"
	"fmt"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// measure is a script that the page does not have: it notes what a reader sees of it, once all is laid out.
const measure = `<pre id="seen"></pre><script>
const wide = innerWidth, seen = {wide, scrolls: document.documentElement.scrollWidth, outside: [], overlapping: [], plots: 0, page: getComputedStyle(document.body).backgroundColor}
for (const e of document.querySelectorAll("svg, svg text, svg path, p, h1, h2, td, li")) {
	const r = e.getBoundingClientRect()
	if (r.left < -0.5 || r.right > wide + 0.5) seen.outside.push(e.tagName + " " + e.textContent.slice(0, 40))
}
for (const svg of document.querySelectorAll("svg")) {
	const r = svg.getBoundingClientRect(), texts = [...svg.querySelectorAll("text")]
	if (r.width > 300 && r.height > 100) seen.plots++
	texts.forEach((a, i) => texts.slice(i + 1).forEach(b => {
		const p = a.getBoundingClientRect(), q = b.getBoundingClientRect()
		if (p.left < q.right && q.left < p.right && p.top + 2 < q.bottom && q.top + 2 < p.bottom) seen.overlapping.push(a.textContent + " " + b.textContent)
	}))
}
document.getElementById("seen").textContent = JSON.stringify(seen)
</script>`

// seen is what a browser makes of a page.
type seen struct {
	Wide, Scrolls        float64
	Outside, Overlapping []string
	Plots                int
	Page                 string
}

// browser is the first one that is installed.
func browser(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skip("no browser is installed that can be asked what it shows: chromium or google-chrome")
	return ""
}

// opened opens a page in a window of a width, by day or by night.
func opened(t *testing.T, browser, page string, width int, night bool) (out seen) {
	t.Helper()
	dir, err := os.MkdirTemp("", "muster-report")
	require.NoError(t, err)
	defer os.RemoveAll(dir) //nolint:errcheck // a browser that ends may still write there
	file := filepath.Join(dir, "page.html")
	require.NoError(t, os.WriteFile(file, []byte(strings.Replace(page, "</body>", measure+"</body>", 1)), 0o600))
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	scheme := 1
	if night {
		scheme = 0
	}
	dump, err := exec.CommandContext(ctx, browser, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars", "--user-data-dir="+filepath.Join(dir, "profile"), //nolint:gosec // the browser that is installed
		fmt.Sprintf("--window-size=%d,2000", width), fmt.Sprintf("--blink-settings=preferredColorScheme=%d", scheme), "--dump-dom", "file://"+file).Output()
	found := regexp.MustCompile(`<pre id="seen">([^<]+)</pre>`).FindSubmatch(dump)
	if found == nil {
		t.Skipf("%s does not open pages here: %v", browser, err)
	}
	require.NoError(t, json.Unmarshal([]byte(html.UnescapeString(string(found[1]))), &out))
	return out
}

// In a browser all is inside of the window, narrow or wide, no label lies on another one, and by night the page is dark.
func TestInABrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("a browser takes seconds")
	}
	b, runs := browser(t), three(t)
	runs[0].Name = strings.Repeat("a-name-without-spaces", 6)
	page := written(t, []string{strings.Repeat("long", 100)}, runs...)
	plots := strings.Count(page, "<svg")
	for _, width := range []int{390, 1280} {
		for _, night := range []bool{false, true} {
			got := opened(t, b, page, width, night)
			want := seen{Wide: got.Wide, Scrolls: got.Wide, Outside: []string{}, Overlapping: []string{}, Plots: plots, Page: "rgb(255, 255, 255)"}
			if night {
				want.Page = "rgb(13, 17, 23)"
			}
			require.Equal(t, want, got)
			require.InDelta(t, width, got.Wide, 150, "some browsers have no window that is as narrow")
		}
	}
}
