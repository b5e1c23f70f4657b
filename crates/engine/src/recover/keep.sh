# Keeps what git is about to destroy under a ref of its own. Says what it did in
# lines of a key and a value. TENON_KEEP says what is wanted (tree, refs, ignored,
# look), TENON_NAME is the session. The index of the user is copied, never written.
set -u
work=$(mktemp -d) || exit 9
trap 'rm -rf "$work"' EXIT
fail() {
    printf 'failed %s\n' "$1"
    tail -n 1 "$work/error" 2>/dev/null | sed 's/^/error /'
    exit 4
}
# Nothing that a repository brings along may run: no hook, no monitor, no filter,
# and a folder that only looks like a repository is none.
quiet() {
    git -c core.hooksPath=/dev/null -c core.fsmonitor=false -c core.autocrlf=false \
        -c core.safecrlf=false -c commit.gpgSign=false -c gc.auto=0 \
        -c safe.bareRepository=explicit "$@" 2>>"$work/error"
}
# A filter with an empty command is none; the bytes go in as they are. No name of
# a filter holds a line feed.
still_filters() {
    count=0
    quiet config --name-only --get-regexp '^filter\..*\.(clean|smudge|process|required)$' >"$work/filters"
    while IFS= read -r name; do
        case $name in
        *.required) value=false ;;
        *) value= ;;
        esac
        export "GIT_CONFIG_KEY_$count=$name" "GIT_CONFIG_VALUE_$count=$value"
        count=$((count + 1))
    done <"$work/filters"
    export GIT_CONFIG_COUNT=$count
}
export LC_ALL=C GIT_TERMINAL_PROMPT=0 GIT_OPTIONAL_LOCKS=0
export GIT_AUTHOR_NAME=Tenon GIT_AUTHOR_EMAIL=tenon@localhost
export GIT_COMMITTER_NAME=Tenon GIT_COMMITTER_EMAIL=tenon@localhost

# A name that is free, also in a session that was resumed.
free_name() {
    number=1
    while quiet show-ref --verify --quiet "refs/tenon/backup/$TENON_NAME-$number"; do
        number=$((number + 1))
    done
    printf 'refs/tenon/backup/%s-%s' "$TENON_NAME" "$number"
}

keep_refs() {
    quiet for-each-ref --format='%(objectname) %(refname:short)' refs/heads >"$work/refs" ||
        fail "the branches cannot be listed"
    if quiet rev-parse -q --verify refs/stash >/dev/null; then
        quiet log -g --format='%H %gd' refs/stash >>"$work/refs" ||
            fail "the stashes cannot be listed"
    fi
    [ -s "$work/refs" ] || return 0
    head -n 200 "$work/refs" >"$work/kept"
    tree=$(quiet hash-object -w -t tree /dev/null) || fail "git cannot write"
    set --
    for sha in $(cut -d ' ' -f 1 "$work/kept" | sort -u); do
        set -- "$@" -p "$sha"
    done
    commit=$(quiet commit-tree "$tree" "$@" <"$work/kept") || fail "git cannot write"
    ref=$(free_name)
    quiet update-ref "$ref" "$commit" '' || fail "git cannot write the ref"
    printf 'refs %s\n' "$ref"
    sed 's/^/kept /' "$work/kept"
    printf 'unkept %s\n' "$(($(wc -l <"$work/refs") - $(wc -l <"$work/kept")))"
}

# Sets nothing when the tree is clean.
look() {
    quiet status --porcelain --untracked-files=all --ignore-submodules=all >"$work/status" || fail "git status fails"
    [ -s "$work/status" ] || return 1
    printf 'dirty %s\n' "$(wc -l <"$work/status")"
}

# The names of standard input for which this condition of find holds.
those() {
    TENON_TEST=$1 xargs -0 -r -n 500 sh -c '
        for name do set -- "$@" "./$name"; shift; done
        find "$@" -prune $TENON_TEST -print0' sh
}

keep_tree() {
    look || return 0
    index=$(quiet rev-parse --git-path index)
    if [ -f "$index" ]; then
        cp "$index" "$work/index" || fail "the index cannot be copied"
    fi
    export GIT_INDEX_FILE="$work/index"
    staged=
    # An index with unmerged files cannot be written as a tree.
    tree=$(quiet write-tree) &&
        staged=$(echo index | quiet commit-tree "$tree" ${head:+-p "$head"})
    quiet diff-files -z --name-only --ignore-submodules=all >"$work/changed" ||
        fail "the changes cannot be listed"
    quiet update-index -z --add --remove --stdin <"$work/changed" ||
        fail "the changes cannot be read"
    quiet ls-files -z --others --exclude-standard >"$work/others" || fail "git ls-files fails"
    those '-type f ! -size +51200k' <"$work/others" >"$work/small"
    those '-type l' <"$work/others" >>"$work/small"
    those '-type f -size +51200k' <"$work/others" >"$work/large"
    quiet update-index -z --add --remove --stdin <"$work/small" || fail "new files cannot be read"
    tree=$(quiet write-tree) || fail "git cannot write"
    commit=$(echo "Before a command of session $TENON_NAME" |
        quiet commit-tree "$tree" ${head:+-p "$head"} ${staged:+-p "$staged"}) ||
        fail "git cannot write"
    ref=$(free_name)
    quiet update-ref "$ref" "$commit" '' || fail "git cannot write the ref"
    printf 'ref %s\nstaged %s\n' "$ref" "${staged:-none}"
    tr '\n\0' '?\n' <"$work/large" | head -n 20 | sed 's/^/large /'
    printf 'left %s\n' "$(($(names others) - $(names small) - $(names large)))"
}

names() {
    tr -cd '\0' <"$work/$1" | wc -c
}

quiet rev-parse --git-dir >/dev/null || {
    echo none
    exit 0
}
still_filters
head=$(quiet rev-parse -q --verify 'HEAD^{commit}') || head=
case $TENON_KEEP in *refs*) keep_refs ;; esac
# A bare repository has no files.
top=$(quiet rev-parse --show-toplevel) || exit 0
cd "$top" || fail "the repository cannot be entered"
printf 'top %s\n' "$top"
case $TENON_KEEP in *ignored*)
    quiet ls-files -z -o -i --exclude-standard --directory >"$work/ignored"
    printf 'ignored %s\n' "$(names ignored)"
    ;;
esac
case $TENON_KEEP in *look*) look ;; *tree*) keep_tree ;; esac
exit 0
