package live

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/muster-sched/muster/placement/manifest"
	"golang.org/x/sync/errgroup"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"
)

const (
	// pageSize is how many objects are asked for at once: so many are in memory unpacked.
	pageSize = 500
	// restarts is how often a list may begin anew because it took so long that the server has forgotten how it began.
	restarts = 4
	// atOnce is how many lists are read at the same time.
	atOnce = 4
)

// Reader reads the objects of a cluster. What was read is kept packed, some fiftieth of what the server sent.
type Reader struct {
	Client dynamic.Interface
	// PageSize is how many objects are asked for at once; 0: 500.
	PageSize int64
}

// Read lists kinds, each as a file called like it. Those that the client may not list are told in notices, in the order of the kinds; it is an error
// where they are needed, and of anything else that goes wrong.
func (r *Reader) Read(ctx context.Context, kinds []Served) (files []manifest.File, notices []string, err error) {
	read, errs := make([]*bytes.Buffer, len(kinds)), make([]error, len(kinds))
	var all errgroup.Group
	all.SetLimit(atOnce)
	for i, k := range kinds {
		all.Go(func() error {
			read[i], errs[i] = r.list(ctx, k)
			return nil
		})
	}
	_ = all.Wait() // what goes wrong is told in the order of the kinds
	var failed []error
	for i, k := range kinds {
		switch err := errs[i]; {
		case err == nil:
			files = append(files, file(k.Name(), read[i]))
		case apierrors.IsForbidden(err) && !k.Needed:
			notices = append(notices, fmt.Sprintf("may not list %s (%v)", k.Name(), err))
		case apierrors.IsForbidden(err):
			failed = append(failed, fmt.Errorf("may not list %s (%w), without which nothing can be planned", k.Name(), err))
		case apierrors.IsNotFound(err) && !k.Needed: // its definition went in the meantime
		default:
			failed = append(failed, fmt.Errorf("%s: %w", k.Name(), err))
		}
	}
	return files, notices, errors.Join(failed...)
}

// list reads all objects of a kind, page by page. If the server has forgotten what its next page is a page of, all are read again: objects of
// two lists would contradict each other.
func (r *Reader) list(ctx context.Context, k Served) (*bytes.Buffer, error) {
	for restarted := 0; ; restarted++ {
		out, err := r.pages(ctx, k)
		expired := apierrors.IsResourceExpired(err) || apierrors.IsGone(err)
		switch {
		case expired && restarted < restarts:
			continue
		case expired:
			return nil, fmt.Errorf("%w: the list was begun %d times and took too long each time", err, restarted+1)
		}
		return out, err
	}
}

func (r *Reader) pages(ctx context.Context, k Served) (*bytes.Buffer, error) {
	out := newList()
	opts := metav1.ListOptions{Limit: r.PageSize}
	if opts.Limit == 0 {
		opts.Limit = pageSize
	}
	for {
		page, err := r.Client.Resource(k.Resource()).List(ctx, opts)
		if err != nil {
			return nil, err
		}
		for i := range page.Items {
			if err := out.add(&page.Items[i]); err != nil {
				return nil, err
			}
		}
		if opts.Continue = page.GetContinue(); opts.Continue == "" {
			return out.end()
		}
	}
}

// ConfigMap reads one that holds a topology.
func (r *Reader) ConfigMap(ctx context.Context, namespace, name string) (manifest.File, error) {
	maps := Served{Kind: Kind{Resource: "configmaps", Kind: "ConfigMap"}, Version: "v1", Namespaced: true}
	obj, err := r.Client.Resource(maps.Resource()).Namespace(namespace).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return manifest.File{}, fmt.Errorf("ConfigMap %s/%s: %w", namespace, name, err)
	}
	out := newList()
	if err := out.add(obj); err != nil {
		return manifest.File{}, err
	}
	packed, err := out.end()
	return file(fmt.Sprintf("configmaps/%s/%s", namespace, name), packed), err
}

// list is a List of objects as JSON, packed.
type list struct {
	out    bytes.Buffer
	packed *gzip.Writer
	behind bool // another object
}

func newList() *list {
	l := &list{}
	l.packed, _ = gzip.NewWriterLevel(&l.out, gzip.BestSpeed) // which is a level
	_, _ = io.WriteString(l.packed, `{"apiVersion":"v1","kind":"List","items":[`)
	return l
}

// add adds an object, without what nobody reads.
func (l *list) add(obj *unstructured.Unstructured) error {
	unstructured.RemoveNestedField(obj.Object, "metadata", "managedFields")
	data, err := json.Marshal(obj.Object)
	if err != nil {
		return fmt.Errorf("%s %s/%s: %w", obj.GetKind(), obj.GetNamespace(), obj.GetName(), err)
	}
	if l.behind {
		data = append([]byte(",\n"), data...)
	}
	l.behind = true
	_, err = l.packed.Write(data)
	return err
}

func (l *list) end() (*bytes.Buffer, error) {
	if _, err := io.WriteString(l.packed, "]}\n"); err != nil {
		return nil, err
	}
	return &l.out, l.packed.Close()
}

// file is a packed list as a file, which is read as a stream.
func file(name string, packed *bytes.Buffer) manifest.File {
	return manifest.File{Name: name + ".json.gz", Open: func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(packed.Bytes())), nil
	}}
}
