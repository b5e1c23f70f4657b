#!/bin/sh
# Checks the price functions. The exit code is 1 when a check fails.
cd "$(dirname "$0")/.." || exit 2
. ./src/price.sh

failed=0
check() {
    if [ "$2" = "$3" ]; then
        echo "ok    $1"
    else
        echo "FAIL  $1: expected $2, got $3"
        failed=1
    fi
}

check "three pieces at 250"   750 "$(total 250 3)"
check "nothing off 1000"     1000 "$(discount 1000 0)"
check "10 percent off 1000"   900 "$(discount 1000 10)"
check "50 percent off 500"    250 "$(discount 500 50)"

exit $failed
