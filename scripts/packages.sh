# shellcheck shell=sh disable=SC2046 # lists of package names are meant to split
# The package managers of this world; read by install.sh.

say() { printf '%s\n' "$*" >&2; }
stop() {
    printf 'Cannot go on: %s\n' "$*" >&2
    exit 1
}

# install_packages compiler|curl|postgres|node|chromium|python|faketime
install_packages() {
    if [ "$(id -u)" != 0 ] && ! command -v sudo >/dev/null && [ "$(package_manager)" != brew ]; then
        stop "installing packages needs root, and there is no sudo. As root run: cd $PWD && sh -c '. scripts/packages.sh; install_packages $1'. Then run make again."
    fi
    case $(package_manager) in
    apt-get) install_apt "$1" ;;
    dnf) as_root dnf install -y $(names "$1" gcc curl "postgresql-server postgresql" "nodejs npm" chromium python3 libfaketime) ;;
    apk) as_root apk add --no-cache $(names "$1" build-base curl "$(newest_apk_postgres)" "nodejs npm" chromium "python3 py3-pip" libfaketime) ;;
    pacman) install_pacman $(names "$1" base-devel curl postgresql "nodejs npm" chromium python libfaketime) ;;
    zypper) as_root zypper --non-interactive install $(names "$1" gcc curl "postgresql-server postgresql" "nodejs-default npm-default" chromium python3 libfaketime) ;;
    brew) install_brew "$1" ;;
    *) stop "none of apt-get, dnf, apk, pacman, zypper and brew is here to install it. Install it yourself ($1), then run make again." ;;
    esac
}

package_manager() {
    if [ "$(uname)" = Darwin ]; then
        command -v brew >/dev/null && echo brew
        return 0
    fi
    for manager in apt-get dnf apk pacman zypper brew; do
        if command -v "$manager" >/dev/null; then
            echo "$manager"
            return 0
        fi
    done
}

# The words for one kind, of those given in this order.
names() {
    case $1 in
    compiler) echo "$2" ;;
    curl) echo "$3" ;;
    postgres) echo "$4" ;;
    node) echo "$5" ;;
    chromium) echo "$6" ;;
    python) echo "$7" ;;
    faketime) echo "$8" ;;
    esac
}

as_root() {
    say "+ $*"
    if [ "$(id -u)" = 0 ]; then
        "$@" || stop "\`$*\` failed; its own words are above."
    else
        sudo "$@" || stop "\`sudo $*\` failed; its own words are above."
    fi
}

install_apt() {
    as_root apt-get update -q
    case $1 in
    postgres) install_apt_postgres ;;
    chromium)
        # Ubuntu's package of that name is an empty shell for a snap.
        grep -q '^ID=ubuntu' /etc/os-release &&
            stop "Ubuntu has Chromium only as a snap. Run \`snap install chromium\` or install Chrome, then make again."
        apt_install chromium
        ;;
    *) apt_install $(names "$1" "gcc libc6-dev" "curl ca-certificates" "" "nodejs npm" "" "python3 python3-venv" libfaketime) ;;
    esac
}

apt_install() {
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "$@"
}

# Debian's package makes and starts a database of the system's own, on a TCP port. Nobody asked
# for that one: its switch is off while we install, and back as it was afterwards.
install_apt_postgres() {
    major=$(apt-cache search --names-only '^postgresql-[0-9]+$' |
        sed -n 's/^postgresql-\([0-9]*\) .*/\1/p' | sort -n | tail -n 1)
    if [ "${major:-0}" -lt 15 ]; then
        stop "this release's Postgres is too old (${major:-none}). As root run \`apt-get install postgresql-common && /usr/share/postgresql-common/pgdg/apt.postgresql.org.sh -y\`, then make again."
    fi
    apt_install postgresql-common
    switch=/etc/postgresql-common/createcluster.conf
    as_root cp -p "$switch" "$switch.before-cairn"
    as_root sh -c "echo 'create_main_cluster = false' >>$switch"
    trap 'as_root mv "$switch.before-cairn" "$switch"' EXIT
    apt_install "postgresql-$major"
    trap - EXIT
    as_root mv "$switch.before-cairn" "$switch"
}

newest_apk_postgres() {
    for major in 19 18 17 16 15; do
        if [ -n "$(apk search -q -e "postgresql$major" 2>/dev/null)" ]; then
            echo "postgresql$major postgresql$major-client"
            return
        fi
    done
    echo "postgresql postgresql-client"
}

# A fresh machine has no package lists yet.
install_pacman() {
    if ls /var/lib/pacman/sync/*.db >/dev/null 2>&1; then
        as_root pacman -S --needed --noconfirm "$@"
    else
        as_root pacman -Syu --needed --noconfirm "$@"
    fi
}

install_brew() {
    case $1 in
    compiler) stop "run \`xcode-select --install\`, then make again." ;;
    chromium) brew install --cask chromium || stop "\`brew install --cask chromium\` failed; its own words are above." ;;
    *)
        package=$(names "$1" "" curl postgresql@17 node "" python3 libfaketime)
        brew install "$package" || stop "\`brew install $package\` failed; its own words are above."
        ;;
    esac
}
