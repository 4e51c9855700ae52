package manifest

// koordinatorPrefix begins the keys by which Koordinator speaks of gangs.
const koordinatorPrefix = "gang.scheduling.koordinator.sh/"
