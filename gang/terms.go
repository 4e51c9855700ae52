package gang

// Terms are what a gang needs before its members are let go; package gang/permit applies them. The zero value lets everybody go at once, by strict rules.
type Terms struct {
	// MinMember is how many members must be ready together. 0: the gang is ready even without any.
	MinMember int
	// Mode says what the failure of a member means to the others. Empty: [Strict].
	Mode Mode
	// Match says who counts towards MinMember. Empty: [OnceSatisfied].
	Match MatchPolicy
	// Group names the gangs that go together; this one belongs to it, named or not. The gangs of a group name the same ones: one that is
	// not known yet, or that names others, is not ready.
	Group []string
	// WaitTime is how long a member waits, in the unit of the host's times. 0: [DefaultWaitTime].
	WaitTime int64
}

// DefaultWaitTime is ten minutes where times are seconds.
const DefaultWaitTime = 600

// Mode says what the failure of a member means to the others.
type Mode string

const (
	// Strict gangs start from zero: all that wait are rejected, in the whole group of gangs. It is the default.
	Strict Mode = "strict"
	// NonStrict gangs go on collecting members.
	NonStrict Mode = "non-strict"
)

// MatchPolicy says who counts towards MinMember. Members that wait or have been allowed always do.
type MatchPolicy string

const (
	// OnceSatisfied gangs are ready for good once a member of their group has been bound. It is the default.
	OnceSatisfied MatchPolicy = "once-satisfied"
	// OnlyWaiting gangs do not count those that are bound.
	OnlyWaiting MatchPolicy = "only-waiting"
	// WaitingAndRunning gangs count those that are bound too.
	WaitingAndRunning MatchPolicy = "waiting-and-running"
)
