package search_test

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster/internal/front"
	"github.com/muster-sched/muster/internal/problem"
	"github.com/muster-sched/muster/internal/search"
	"github.com/muster-sched/muster/internal/snapshot"
	"github.com/muster-sched/muster/internal/steps"
	"github.com/muster-sched/muster/internal/validity"
	"github.com/muster-sched/muster/internal/victims"
	"github.com/muster-sched/muster/placement"
)

// found is an input and what its plan took.
type found struct {
	genes []byte
	steps int64 // of those that a plan may take by default, in thousandths
	took  time.Duration
	nodes int
}

// spentOf is what was spent of a budget, 64 pairs of vectors, 4 choices of children, or 16 looks at a node being a
// step.
func spentOf(had, left *front.Budget) int64 {
	return 1000 * ((had.Fronts.Left()-left.Fronts.Left())/64 + (had.Sets.Left()-left.Sets.Left())/4 + (had.Packing.Left()-left.Packing.Left())/16) >> 16
}

// take goes the whole way of a plan, refusals and victims included, and counts its steps. Valid is false for a request that
// is refused at once.
func take(t *testing.T, list []byte) (f found, valid bool) {
	t.Helper()
	spec, req := drawn(list)
	s, err := snapshot.New(spec)
	require.NoError(t, err)
	start := time.Now()
	defer func() { f.took = time.Since(start) }()
	had := front.Budget{Fronts: steps.New(64<<16, nil), Sets: steps.New(4<<16, nil), Packing: steps.New(16<<16, nil)}
	left := had
	f = found{genes: list, nodes: len(spec.Nodes)}
	p, err := search.New(s, req, nil, problem.Bounds{Left: &left})
	if err != nil {
		return f, false
	}
	defer p.Done()
	if search.For(p).Search() == nil {
		refuse(p)
	}
	f.steps = spentOf(&had, &left)
	require.LessOrEqual(t, f.steps, most(p), "steps of a plan")
	return f, true
}

// refuse goes the way of a gang that has no plan.
func refuse(p *problem.Problem) {
	if e := victims.Evict(p, victims.Anybody); e != nil {
		e.Done()
		return
	}
	p.LeavingGone = true
	found := search.For(p).Evidence()
	search.Binding(p)
	found.Proven()
}

// most bounds the steps of a plan, in thousandths of the default: all of the three budgets once, and what is spent beyond
// to try by hand what must be placed, which grows with the nodes.
func most(p *problem.Problem) int64 {
	groups := int64(1)
	if p.Gang != nil {
		p.Gang.Each(func(*problem.Part) { groups++ })
	}
	vertices := int64(p.View.NumDomains()) + int64(p.View.Nodes)
	byHand := vertices * groups * int64(len(p.View.Tiers))
	return 3*1000 + 32*1000*byHand>>16
}

// worst are inputs that took long once, some of them for minutes.
var worst = []string{
	"'\x99\xcb\xe5\u055b\x90\x8fR\f|\x9f\x1f\xd5.5\x97\x9d\x10\x98\x83\xcc\x03\x0e\x999Sl\u00e7\xb5\x9f\x129 \xee\xfaD\x8b\xd7U\x83mDL\x1bC\x89\x94\xf1\xed\x11\x9f[`\xf9\x98vb\xae/\x1c\"W\xafk{I\xf1\f6\xfaN$\xf8\xdd5G\xe0\xc5",
	"\xf2\xa8\x11\x10@\xb2^|a\xbb\x8bwY\xacVϋ\xac\x95\x1f\xd7Ǉ7֯#Q\x06C\xbbN\xac#\x03WqSb\x9c\xcfb\xbb\x86E\xa3\x1b\xe5\xe97̅l\x80\xd6Y\xa8a\xc9\xe0\x95\xf1\x19\x14\x11\x88\xa5\xe5\xbb\x00\x99\xfe\xdc[QU\xa4\x8eC\r",
	"\xa9v\xeb\xa0?hX\xe1\x05lG\xdf@u\xd6g\x85\x18\xb1\xb9\xd4\xdc\xfd\x7f\x8c\x0ez\xcbKP\x92\xd6ŧG\xd4E\x01\x8d\x82\xae\xc75\xf8\x17\x88(Е\xb3\xe9\x88$_\xa1\a}\xda=\xb6\xa0q\xfd#\xac\x91B^\x18\xe1Yf\nWb\a\x80|\u0378",
	"\xf2\xa8\x11\x10@\xb2^|a\xbb\x8bwq\xacV\xcf\xf8\xac\x95\x1f\xd7Ǉ7֯#Q\x06C\xbbE\xac#\x03WqSb?\xcf:\xbb\x86Ef\x1b\xe5\xe97̅l\x80\xd6YGa\xc9\xe0\x95\xf1\x19\x14\x11\x88\xa5\xe5\xbb\x00\x99\xfe\xdc[QU\xa4\x8eC\r",
	"\xa9v\xeb\xa0?hX\xe1\x05lG\xdf\x1d\xf2\xd6g\x85\x18\xb1\xb9\xd4\xdc\xfd\x7f\x8c\x0ez\xcbKP\x92\xd6ŧG\x7f\xbd\x01s\x82\xae\xc7Z\xf8\x17\x88(Е\xdc\xe9\x88$_\xa1\a,\xc2=\xb6\xa0q\xfd#\xac\x91B^\x18\xe1Yf\nWb\a\x80|\u0378",
	"\x11\xa7\xc1\x04C;'\x14k\x190z^\xba>\x119\x85R\xdfp\xc4_\xd6\xe5O'\xc7X\x9b\x16ƲmI\xde1\xa1\xacve/a\xf6*\xba\xb8\xc2\xfd[/K\xf5\x12\xef\x10N\xdc9\xd5\xf5\xa6\x9bA\x11sC@\f-\xdc\xccI\xb7\xfdo\x81L.\x17",
	"\x11\xa7\xc1\x04C;'\x14k\x190z^\xba>\x119\x85R\xdfp\xc4_\xd6\xe2O'\xc7X\x9b\x16ƲmI\xde\\\xa1\xacve/a\xf6\xa3\xba\xb8\xc2\xfdc/K\xf5\x12\xef\x10N89\xd5\xf5\xa6\x9bA\x11sC@\f-\xdc\xccI\xb7\xfdo\x81L.\x17",
	"\xe9@\xb6\xa3\xab\xbe\xecs\xd8X*\x8b\xe0\xdb<\x8e\x81\xde!\xfe^\x93\u07bb;\xf3T\x15\xc8X\xa7`Z\xa1\x16\xe4o\xac\"6\xa9\xfe/\xb4\x9b\xb7|\xd9\xd2oR\xfd\xcd>\x83/\x01\xe5\xd9tT\xc2<z\x1d\x9c\x18\xb2\xb0\xfb\xce\x0e^5I\x1d-\x8b\v~",
	"=\\\xb8V\xf8\x87\xf4\x02\x82T\f\xfdJ\x87\xb8\xb2\x10\xdb\xff\x05\x93l\x92\x9ao\x8b\x157R\xd3\x0551\xa91\xa2ʗ\xfc\xb4瘮\xc1Rn\x04\xae\xa6}\xb4\x1a,\xc4\xfc\xa7\xb1R\x88#n7\fg9\x84\x97\xb6V\xe1\xc0\x19I\xfd\xa0꿗\xe4\x14",
	"ׄ_?U\xbe\xe9oqz\xa4\x1e\xb0\xb8E\xd9N\xe4\x91d\xa4tAR\xb9\x83z\xe2\x10\xb2E\xb3mo\x0f\"\v\x96ea\"\xa7I\x05\xb0\xb1ƶ\xc4\xf4\xd9\t\xb5\xeeL\xb7\xf4Q\xf7\x86\xd3Fy\x8a\x94H\x10i\xb7\xbd\xc6\x01{\xfeX\xd1\x18\xedd\xa2",
	"u\x86\xa8\x96\x13\xa3X\x8a\xc4\x1e\xa8\x9c[Re\x8e\x04\x9e\xa0\xc7\x0f\u0381A\x05\xf3:[qk\xfc\bϧ\x03R\\\x9b\x16s\x88\x16\xfa\xec\x9c#\xfc;\x7f~\xba\xb1\x17F\x95nn\xca\xf3\xbc\xa0[\x17B\xe2*\x91\x85_٦p|\xbd\xc0\xe9\x10\x1c1+",
	"\x05|\xe1\xf8\x99\xd2I\x93\xe11\x0eλ9c\x89M\xd5\x1dTg4b\xefZZA2\x1b#\xbd\xbf՜\xa4\xac\x1cG\xc0\xedtڜ\x1d\x9e\x82\xb2\xa1w\x8f\xe5\xde4-\x7f\xac\xa3\xce\xf3\xd0\xcf|\x97\xa6\r\x02-f\xd7\xf2\xdd7\x8f\x83\xeci\xf2x\xdbB",
	"\b\xe8}\f6Jx.\xe1S\xb0\xf5\x13\xb2\xc1\x87\xe2Y\t\xb1\v'\x12\xf4\x8a\xc4A/\xc4\xc9\v\xfa^\xa8\x93\x1b\x83\xd9\xf7\xed\xee\xd8\xed\x195:ܹ\x93ܐl#\xa3\xc2\x12+v4\xacP+\xf6'`0*\xc0Wr\b\xe8\x8c\xe3\x0f\xacT\x9b\xc5\x1e\xf5\xb0\xb7}l<\x93ԥ\xe8\x17܁\x9d\xd8\xdfυb\x04\xb1\x91\xb2 \xf7\xfa\xc85\x82\xf1l\xfb_6\x91\xcd|\xf4\xeaM\xadRpK\xbc<\x1b&\x02뷥t\x12\xa3\xaf5A\xb6\xe3qs\x81\xf5\x11\x96\x0e`\xd1q\xb7z%=\xbfzT\x19\xe2Q\x97\xc5\x1b\xc4\x13\xb6\x9b\xb6G\xc7\xef\xef\x8e\xe0\"c\xdbuxc50\x01\x13M9\xfe\xfa\xe19\xab\xbe1\xb2\xban5\t\xb0z",
	"\b\xa9z\xae\x8fh\xa5Gp\xb5\xact\x12\nI}\xbcr\xa4DO\xc8\x1f\x18\r\x12\xd1*\xbe\xeb1A\xaa\xabf\xf7\xf2\xebc\xce͗\x7f\f>\x0eYZ\x1ea\xc7\x1b\xdbV\x88T\xa6{\x96L+\xd2A\x9c\x0e\xb7\xf3u\x1e\x8e\x1f\x8cֺ\xd9p/6\xb9\x88\x86A#\x10\xb0\n\x12O\"s!\xaca\x01\v\x1a\x8bcfs\xff\xb4\xee!\xb6\x8c\x92\xcdrk!vphm+=W\xc9\x7fS\xa3ǈoo5\xa0\x0fyX3\xec?N\xb8\xe5A\x0f\x06\xb5\xce̎\xb6FU\x88\x89\xb1\xbf\xadΏ\xe8V~~`\x12\xca[\xb3K_\xe1\xbe\xf1\t3L\x8c1rzN%\x9c\x87Q\x19ɷg\x96\x9e\xa2r\xa0\x8e:\xa5X\x90\xeb\xf9~\xc4\xea\xdc",
}

func TestWorstInputs(t *testing.T) {
	for i, list := range worst {
		t.Run(strconv.Itoa(i), func(t *testing.T) {
			f, valid := take(t, []byte(list))
			require.True(t, valid)
			t.Logf("%d nodes, %d thousandths of the steps, %v", f.nodes, f.steps, f.took)
		})
	}
}

// A random search for the plan that takes most steps: it changes the genes of those that took most so far.
func TestNoPlanTakesMoreSteps(t *testing.T) {
	tries, kept := 120, 8
	if testing.Short() {
		tries = 20
	}
	r := rand.New(rand.NewPCG(1, 2))
	var pool []found
	for range tries {
		list := make([]byte, 200)
		for i := range list {
			list[i] = byte(r.IntN(256))
		}
		if len(pool) > 0 && r.IntN(3) > 0 {
			copy(list, pool[r.IntN(len(pool))].genes)
			for range 1 + r.IntN(4) {
				list[r.IntN(60)] = byte(r.IntN(256))
			}
		}
		if f, valid := take(t, list); valid {
			pool = append(pool, f)
			slices.SortStableFunc(pool, func(a, b found) int { return cmp.Compare(b.steps, a.steps) })
			pool = pool[:min(len(pool), kept)]
		}
	}
	for _, f := range pool {
		t.Logf("%d nodes, %d thousandths of the steps, %v: %q", f.nodes, f.steps, f.took, f.genes[:60])
	}
}

// Whatever is asked, a plan is bounded and valid.
func FuzzPlanIsBounded(f *testing.F) {
	for _, list := range worst {
		f.Add([]byte(list))
	}
	f.Fuzz(func(t *testing.T, list []byte) {
		if _, valid := take(t, list); !valid {
			return
		}
		spec, req := drawn(list)
		c, err := placement.NewCluster(spec)
		require.NoError(t, err)
		res, err := placement.Plan(c, req)
		if err != nil {
			require.ErrorIs(t, err, placement.ErrUnschedulable)
			return
		}
		require.NoError(t, validity.Check(spec, req, res))
	})
}
