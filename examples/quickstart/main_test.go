package main

func Example() {
	main()
	// Output:
	// rack/rack, domain [b0 r0]
	// rank 0, pipeline 0: train-0 on node-0
	// rank 1, pipeline 0: train-1 on node-1
	// rank 2, pipeline 1: train-2 on node-2
	// rank 3, pipeline 1: train-3 on node-3
	// unschedulable: insufficient slots, 4 of 5 at b0/r1 (proven)
	// 8 nodes, 0 running, waiting: 1; changed: 0 nodes, 0 placed, 1 gangs
	// 8 nodes, 2 running, waiting: 0; changed: 0 nodes, 2 placed, 0 gangs
	// 8 nodes, 1 running, waiting: 0; changed: 0 nodes, 0 placed, 0 gangs
}
