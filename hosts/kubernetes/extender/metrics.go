package extender

import (
	"log/slog"
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// metrics count what is asked and planned.
type metrics struct {
	requests  *prometheus.CounterVec
	durations prometheus.Histogram
	gangs     *prometheus.CounterVec
	errors    prometheus.Counter
}

// newMetrics are in a registry, nil: in none.
func newMetrics(in *prometheus.Registry) *metrics {
	m := &metrics{
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "muster_extender_requests_total", Help: "Requests of the scheduler, by verb and HTTP status.",
		}, []string{"verb", "code"}),
		durations: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "muster_extender_plan_duration_seconds", Help: "How long a gang was planned.", Buckets: prometheus.ExponentialBuckets(1e-5, 4, 10),
		}),
		gangs: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "muster_extender_gangs_total", Help: "Plans of gangs, by what became of them: planned or refused.",
		}, []string{"outcome"}),
		errors: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "muster_extender_errors_total", Help: "Objects and plans that could not be taken as they are; the log has each.",
		}),
	}
	m.gangs.WithLabelValues("planned")
	m.gangs.WithLabelValues("refused")
	if in != nil {
		in.MustRegister(m.requests, m.durations, m.gangs, m.errors)
	}
	return m
}

// counted counts the requests of a verb.
func (m *metrics) counted(verb string, h http.Handler) http.Handler {
	return promhttp.InstrumentHandlerCounter(m.requests.MustCurryWith(prometheus.Labels{"verb": verb}), h)
}

func (m *metrics) handler(in *prometheus.Registry) http.Handler {
	return promhttp.HandlerFor(in, promhttp.HandlerOpts{})
}

// planned counts a gang that was planned, or refused.
func (m *metrics) planned(ok bool) {
	outcome := "refused"
	if ok {
		outcome = "planned"
	}
	m.gangs.WithLabelValues(outcome).Inc()
}

// failed counts and logs what could not be taken.
func (m *metrics) failed(err error) {
	m.errors.Inc()
	slog.Error(err.Error())
}
