package p

func f() {
	if x {
		return 1
	}
}
