# Sourced by the scripts beside it: where things are, how Maven is called, how a tool is started.
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
stamp=$root/integration-tests/target/tools.built

# Prints the comment at the top of the calling script if one of the arguments asks for it.
help_if_asked() {
    [[ " $* " == *" --help "* || " $* " == *" -h "* ]] || return 0
    sed -n -e 1d -e '/^#/!q' -e 's/^# \{0,1\}//p' "$0"
    exit 0
}

fail() { echo "$(basename "$0"): $*" >&2 && exit 2; }

maven() { (cd "$root" && mvn -B -ntp "$@"); }

# Builds the runtime jar and the tools unless they are newer than every source.
build_tools() {
    local sources=("$root"/pom.xml "$root"/*/pom.xml "$root"/{connector,integration-tests}/src/main)
    if [ -f "$stamp" ] && compgen -G "$root/runtime-bundle/target/calve-spark-runtime_*.jar" >/dev/null &&
        [ -z "$(find "${sources[@]}" -newer "$stamp" -print -quit)" ]; then return; fi
    echo "Building Calve (the first time also downloads Spark) ..." >&2
    mkdir -p "${stamp%/*}" && touch "$stamp.begun" # a source saved while this runs is newer
    maven -q -Dquick -Dmaven.test.skip -pl integration-tests -am package >&2
    mv "$stamp.begun" "$stamp"
}

# run_tool MAIN CLASSPATH... -- ARGUMENT...   where CLASSPATH is tools or peer
run_tool() {
    local main=$1 path=$root/integration-tests/target/classes java=${JAVA_HOME:+$JAVA_HOME/bin/}java
    build_tools
    while shift && [ "$1" != -- ]; do path=$path:$(<"$root/integration-tests/target/$1.classpath"); done
    shift
    exec "$java" "@$root/dev/spark-jvm.args" "-Xmx${CALVE_HEAP:-2g}" -cp "$path" "dev.calve.tools.$main" "$@"
}
