module github.com/muster-sched/muster

go 1.25

