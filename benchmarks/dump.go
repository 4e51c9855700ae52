package benchmarks

import (
	"fmt"
	"io"
	"strings"
)

// Dump is a cluster as `kubectl get -o json` prints it: an indented List of nodes in racks of 32, and of pods on them with
// everything that an API server says of a pod (some 27 kB each), made while it is read.
type Dump struct {
	Nodes, Pods int
	next        int
	text        string // that is not read yet
}

// Read makes the next object when the one before it is read.
func (d *Dump) Read(p []byte) (int, error) {
	if d.text == "" {
		var ok bool
		if d.text, ok = d.object(d.next); !ok {
			return 0, io.EOF
		}
		d.next++
	}
	n := copy(p, d.text)
	d.text = d.text[n:]
	return n, nil
}

// object is the text of an object of the list, with what stands around the first and the last.
func (d *Dump) object(i int) (text string, ok bool) {
	switch {
	case i > d.Nodes+d.Pods:
		return "", false
	case i == d.Nodes+d.Pods:
		return "\n    ],\n    \"kind\": \"List\",\n    \"metadata\": {\n        \"resourceVersion\": \"\"\n    }\n}\n", true
	}
	text = d.Object(i)
	if i == 0 {
		return "{\n    \"apiVersion\": \"v1\",\n    \"items\": [\n" + text, true
	}
	return ",\n" + text, true
}

// Object is the text of a node or, after them, of a pod; the pods are of jobs of eight.
func (d *Dump) Object(i int) string {
	at := i - d.Nodes
	if at < 0 {
		return strings.NewReplacer("$NAME", fmt.Sprint("node-", i), "$RACK", fmt.Sprint("rack-", i/32)).Replace(dumpNode)
	}
	return strings.NewReplacer("$NAME", fmt.Sprint("pod-", at), "$NODE", fmt.Sprint("node-", at%d.Nodes), "$JOB", fmt.Sprint("job-", at/8)).Replace(dumpPod)
}

// indented is an object as deep as it stands in the list.
func indented(text string) string {
	return "        " + strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n        ")
}

// repeated are so many entries of a list or a mapping, each with its number in place of #.
func repeated(n int, format string) string {
	lines := make([]string, n)
	for i := range lines {
		lines[i] = strings.ReplaceAll(format, "#", fmt.Sprint(i))
	}
	return strings.Join(lines, ",\n")
}

var dumpNode = indented(`{
    "apiVersion": "v1",
    "kind": "Node",
    "metadata": {
        "annotations": {
            "node.alpha.kubernetes.io/ttl": "0"
        },
        "creationTimestamp": "2026-01-01T00:00:00Z",
        "labels": {
            "kubernetes.io/hostname": "$NAME",
            "rack": "$RACK"
        },
        "name": "$NAME"
    },
    "spec": {},
    "status": {
        "allocatable": {
            "cpu": "96",
            "memory": "1Ti",
            "nvidia.com/gpu": "8",
            "pods": "110"
        },
        "conditions": [
            {
                "status": "True",
                "type": "Ready"
            }
        ],
        "images": [
` + repeated(50, `            {
                "names": [
                    "docker.io/library/image-#@sha256:`+strings.Repeat("0", 64)+`"
                ],
                "sizeBytes": 123456789
            }`) + `
        ]
    }
}`)

var dumpPod = indented(`{
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {
        "annotations": {
            "prometheus.io/scrape": "true"
        },
        "creationTimestamp": "2026-01-01T00:00:00Z",
        "labels": {
            "app": "train",
            "batch.kubernetes.io/job-name": "$JOB"
        },
        "managedFields": [
            {
                "apiVersion": "v1",
                "fieldsType": "FieldsV1",
                "fieldsV1": {
                    "f:spec": {
                        "f:containers": {
                            "k:{\"name\":\"main\"}": {
` + repeated(24, `                                "k:{\"name\":\"VARIABLE_#\"}": {
                                    ".": {},
                                    "f:name": {},
                                    "f:value": {}
                                }`) + `
                            }
                        }
                    }
                },
                "manager": "kube-controller-manager",
                "operation": "Update",
                "time": "2026-01-01T00:00:00Z"
            }
        ],
        "name": "$NAME",
        "namespace": "team",
        "ownerReferences": [
            {
                "apiVersion": "batch/v1",
                "controller": true,
                "kind": "Job",
                "name": "$JOB",
                "uid": "$JOB"
            }
        ],
        "uid": "$NAME"
    },
    "spec": {
        "containers": [
` + container("main") + `,
` + container("sidecar") + `
        ],
        "dnsPolicy": "ClusterFirst",
        "nodeName": "$NODE",
        "priority": 0,
        "restartPolicy": "Never",
        "schedulerName": "default-scheduler",
        "tolerations": [
            {
                "effect": "NoExecute",
                "key": "node.kubernetes.io/not-ready",
                "operator": "Exists",
                "tolerationSeconds": 300
            },
            {
                "effect": "NoExecute",
                "key": "node.kubernetes.io/unreachable",
                "operator": "Exists",
                "tolerationSeconds": 300
            }
        ],
        "volumes": [
` + repeated(8, `            {
                "configMap": {
                    "defaultMode": 420,
                    "name": "config-#"
                },
                "name": "volume-#"
            }`) + `
        ]
    },
    "status": {
        "conditions": [
` + repeated(4, `            {
                "lastProbeTime": null,
                "lastTransitionTime": "2026-01-01T00:00:00Z",
                "status": "True",
                "type": "Condition-#"
            }`) + `
        ],
        "containerStatuses": [
` + repeated(2, `            {
                "containerID": "containerd://`+strings.Repeat("a", 64)+`",
                "image": "docker.io/library/train:v1",
                "imageID": "sha256:`+strings.Repeat("b", 64)+`",
                "lastState": {},
                "name": "container-#",
                "ready": true,
                "restartCount": 0
            }`) + `
        ],
        "phase": "Running",
        "startTime": "2026-01-01T00:00:00Z"
    }
}`)

func container(name string) string {
	return `            {
                "args": [
                    "--config",
                    "/etc/config.yaml"
                ],
                "env": [
` + repeated(28, `                    {
                        "name": "VARIABLE_#",
                        "value": "the value of the variable number #"
                    }`) + `
                ],
                "image": "docker.io/library/train:v1",
                "name": "` + name + `",
                "resources": {
                    "requests": {
                        "cpu": "1",
                        "memory": "1Gi"
                    }
                },
                "volumeMounts": [
` + repeated(8, `                    {
                        "mountPath": "/data/#",
                        "name": "volume-#"
                    }`) + `
                ]
            }`
}

// YAML are nodes in racks of 32 and as many running pods, one document each.
func YAML(nodes, pods int) []byte {
	var b strings.Builder
	b.WriteString("apiVersion: kueue.x-k8s.io/v1beta1\nkind: Topology\nmetadata: {name: default}\n" +
		"spec: {levels: [{nodeLabel: block}, {nodeLabel: rack}, {nodeLabel: kubernetes.io/hostname}]}\n")
	for i := range nodes {
		fmt.Fprintf(&b, "---\napiVersion: v1\nkind: Node\nmetadata:\n  name: node-%d\n  labels:\n    block: b%d\n    rack: r%d\n"+
			"status:\n  allocatable:\n    cpu: '96'\n    memory: 1Ti\n    nvidia.com/gpu: '8'\n    pods: '110'\n", i, i/1024, i/32)
	}
	for i := range pods {
		fmt.Fprintf(&b, "---\napiVersion: v1\nkind: Pod\nmetadata:\n  name: pod-%d\n  namespace: team\nspec:\n  nodeName: node-%d\n"+
			"  containers:\n  - name: main\n    resources:\n      requests:\n        cpu: '1'\n        memory: 1Gi\n", i, i%nodes)
	}
	return []byte(b.String())
}
