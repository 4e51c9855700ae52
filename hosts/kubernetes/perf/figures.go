package perf

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

// Figures are what scheduler_perf has measured of the pods that a workload counts. Zero: it took no sample.
type Figures struct {
	Completed bool
	CPU       time.Duration // of the whole run: nodes are created, API server and etcd run too
	Seconds   float64       // from before the first pod is created until all are bound
	PodsMean  float64       // bound in a second; the first second is left out
	PodsP50   float64
	Algorithm latency // of all attempts, what finding nodes took
	Placed    latency // attempts that placed a group
	Room      latency // attempts after which somebody has to leave
}

// latency is a mean in milliseconds: percentiles end with the histogram, at 16 seconds.
type latency float64

// Read reads the results of a run from its folder.
func Read(folder string) (Figures, error) {
	names, err := filepath.Glob(filepath.Join(folder, "*.json"))
	if err != nil {
		return Figures{}, err
	}
	if len(names) == 0 {
		return Figures{}, fmt.Errorf("no results in %s", folder)
	}
	var out Figures
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			return Figures{}, err
		}
		if err := out.add(text); err != nil {
			return Figures{}, fmt.Errorf("%s: %w", name, err)
		}
	}
	return out, nil
}

func (f *Figures) add(text []byte) error {
	var results struct {
		Items []struct {
			Data   map[string]float64 `json:"data"`
			Labels map[string]string  `json:"labels"`
		} `json:"dataItems"`
	}
	if err := json.Unmarshal(text, &results); err != nil {
		return err
	}
	for _, item := range results.Items {
		f.Completed = true
		mean := latency(item.Data["Average"])
		switch item.Labels["Metric"] {
		case "SchedulingDuration":
			f.Seconds = item.Data["Duration"]
		case "SchedulingThroughput":
			f.PodsMean, f.PodsP50 = item.Data["Average"], item.Data["Perc50"]
		case "scheduler_podgroup_scheduling_algorithm_duration_seconds":
			f.Algorithm = mean
		case "scheduler_podgroup_scheduling_attempt_duration_seconds":
			switch item.Labels["result"] {
			case "scheduled":
				f.Placed = mean
			case "waiting_on_preemption":
				f.Room = mean
			}
		}
	}
	return nil
}

// Row is a line of the table.
type Row struct {
	Workload string
	Plugins  string
	Figures  Figures
}

// Table writes rows as a table of Markdown.
func Table(to io.Writer, rows []Row) error {
	text := "| workload | plugins | all bound after | CPU of all | pods/s mean, p50 | algorithm | group placed | room made |\n" +
		"| --- | --- | --- | --- | --- | --- | --- | --- |\n"
	for _, r := range rows {
		f, pods := r.Figures, ""
		if f.PodsMean > 0 {
			pods = fmt.Sprintf("%.0f, %.0f", f.PodsMean, f.PodsP50)
		}
		after := fmt.Sprintf("%.1f s", f.Seconds)
		if !f.Completed {
			after = "not bound"
		}
		text += fmt.Sprintf("| %s | %s | %s | %.0f s | %s | %s | %s | %s |\n", r.Workload, r.Plugins, after, f.CPU.Seconds(), pods, f.Algorithm, f.Placed, f.Room)
	}
	_, err := io.WriteString(to, text)
	return err
}

// String is empty where nothing was measured.
func (l latency) String() string {
	switch {
	case l == 0:
		return ""
	case l < 10:
		return fmt.Sprintf("%.1f ms", float64(l))
	case l < 1000:
		return fmt.Sprintf("%.0f ms", float64(l))
	}
	return fmt.Sprintf("%.1f s", float64(l)/1000)
}
