package queue

// Discipline says what becomes of those behind a gang that is tried and finds no place: whether they may start before it, and whether it is held room. The zero
// value stands for [NextThatFits]; so does a value that is not [Discipline.Known]. It is safe for concurrent use.
type Discipline string

const (
	// Strict starts nobody behind a gang that waits: whoever never finds a place stops all. Nothing is held.
	Strict Discipline = "strict"
	// NextThatFits starts whoever fits, and holds nothing: a large gang may wait for ever while small ones come and go. It is the default.
	NextThatFits Discipline = "next-that-fits"
	// EASY holds room for the first one that waits from its earliest start on; whoever does not delay that one starts before it. It is named after the Extensible
	// Argonne Scheduling sYstem (Lifka, The ANL/IBM SP scheduling system, 1995).
	EASY Discipline = "easy"
	// Conservative holds room for everybody who waits: nobody delays anybody in front of it (Feitelson and Weil, Utilization and predictability in scheduling
	// the IBM SP2 with backfilling, 1998).
	Conservative Discipline = "conservative"
)

// Known says whether it is one of the four, or empty, which is [NextThatFits].
func (d Discipline) Known() bool {
	return d == "" || d == Strict || d == NextThatFits || d == EASY || d == Conservative
}

// PassesBy says whether gangs behind one that waits may start before it.
func (d Discipline) PassesBy() bool { return d != Strict }

// Holds says whether room is to be held for the next gang that waits, where it is held for so many in front of it.
func (d Discipline) Holds(before int) bool { return d == Conservative || d == EASY && before <= 0 }
