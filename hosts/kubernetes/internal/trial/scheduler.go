package trial

import (
	"bytes"
	"context"

	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/events"
	"k8s.io/kubernetes/pkg/scheduler"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
	"k8s.io/kubernetes/pkg/scheduler/profile"

	"github.com/muster-sched/muster/hosts/kubernetes/config"
	"github.com/muster-sched/muster/hosts/kubernetes/plugin"
	"github.com/muster-sched/muster/hosts/kubernetes/podbypod"
)

// Scheduler runs in this process.
type Scheduler struct {
	*scheduler.Scheduler
	stop context.CancelFunc
	done chan struct{}
}

// Checked is a configuration with which the free amounts of all nodes are compared with the scheduler's in every cycle, see [Measures].
func Checked(data []byte) []byte {
	return bytes.Replace(data, []byte("        args:\n"), []byte("        args:\n          checkMirror: true\n"), 1)
}

// Schedule starts a scheduler with a configuration; nil: its own defaults, without Muster.
func (c *Cluster) Schedule(ctx context.Context, data []byte, observe plugin.Observer) (*Scheduler, error) {
	ctx, stop := context.WithCancel(ctx)
	to := rest.CopyConfig(c.API.Config)
	if c.Wrap != nil {
		to.Wrap(c.Wrap)
	}
	client, err := kubernetes.NewForConfig(to)
	if err != nil {
		stop()
		return nil, err
	}
	opts, err := options(data)
	if err != nil {
		stop()
		return nil, err
	}
	broadcaster := events.NewBroadcaster(&events.EventSinkImpl{Interface: client.EventsV1()})
	broadcaster.StartRecordingToSink(ctx.Done())
	informers := scheduler.NewInformerFactory(client, 0, nil)
	dynamics := dynamicinformer.NewFilteredDynamicSharedInformerFactory(dynamic.NewForConfigOrDie(to), 0, "", nil)
	opts = append(opts, scheduler.WithKubeConfig(to),
		scheduler.WithFrameworkOutOfTreeRegistry(frameworkruntime.Registry{plugin.Name: plugin.NewObserved(observe), podbypod.Name: podbypod.NewObserved(observe)}))
	sched, err := scheduler.New(ctx, client, informers, dynamics, profile.NewRecorderFactory(broadcaster), opts...)
	if err != nil {
		stop()
		return nil, err
	}
	informers.Start(ctx.Done())
	dynamics.Start(ctx.Done())
	informers.WaitForCacheSync(ctx.Done())
	dynamics.WaitForCacheSync(ctx.Done())
	if err := sched.WaitForHandlersSync(ctx); err != nil {
		stop()
		return nil, err
	}
	s := &Scheduler{Scheduler: sched, stop: stop, done: make(chan struct{})}
	go func() {
		defer close(s.done)
		sched.Run(ctx)
		broadcaster.Shutdown()
	}()
	return s, nil
}

func options(data []byte) ([]scheduler.Option, error) {
	backoff := []scheduler.Option{scheduler.WithPodInitialBackoffSeconds(1), scheduler.WithPodMaxBackoffSeconds(2)}
	if data == nil {
		return backoff, nil
	}
	read, err := config.Read(data)
	if err != nil {
		return nil, err
	}
	return append(backoff, scheduler.WithProfiles(read.Profiles...), scheduler.WithExtenders(read.Extenders...),
		scheduler.WithPercentageOfNodesToScore(read.PercentageOfNodesToScore)), nil
}

// Stop ends it at once, whatever it is doing: what it had assumed and not bound is lost.
func (s *Scheduler) Stop() {
	s.stop()
	<-s.done
}
