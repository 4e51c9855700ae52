package manifest

// schedulingPrefix begins the keys of Koordinator about one pod.
const schedulingPrefix = "scheduling.koordinator.sh/"

// koordinatorPrefix begins the keys by which Koordinator speaks of gangs.
const koordinatorPrefix = "gang.scheduling.koordinator.sh/"
