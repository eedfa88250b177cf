"""Published releases, fetched by name with the registries' own clients and unpacked side by side."""

import json
import pathlib
import re
import subprocess
import tarfile
import zipfile


def fetch(language, package, version, work):
    """The folder with one release's code; fetched once."""
    place = work / language / package / version
    if (place / ".whole").exists():
        return place
    place.mkdir(parents=True, exist_ok=True)
    {"rust": crate, "python": wheel, "typescript": tarball}[language](package, version, place)
    (place / ".whole").touch()
    return place


def run(*command, cwd):
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, command))} failed:\n{done.stderr[-2000:]}")
    return done.stdout


def crate(package, version, place):
    """Cargo puts sources where it likes; it says where, and they are copied from there."""
    (place / "src").mkdir(exist_ok=True)
    (place / "src/lib.rs").touch()
    manifest = f'[package]\nname = "asks"\nversion = "0.0.0"\nedition = "2021"\n[workspace]\n[dependencies]\n{package} = {{ version = "={version}", default-features = false }}\n'
    (place / "Cargo.toml").write_text(manifest)
    said = run("cargo", "metadata", "--format-version", "1", "--filter-platform", "x86_64-unknown-linux-gnu", "--quiet", cwd=place)
    found = next(one for one in json.loads(said)["packages"] if one["name"] == package and one["version"] == version)
    source = pathlib.Path(found["manifest_path"]).parent
    for name in ("src/lib.rs", "Cargo.toml", "Cargo.lock"):
        (place / name).unlink(missing_ok=True)
    for file in source.rglob("*.rs"):
        to = place / file.relative_to(source)
        to.parent.mkdir(parents=True, exist_ok=True)
        to.write_bytes(file.read_bytes())


def wheel(package, version, place):
    run("python3", "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:", f"{package}=={version}", cwd=place)
    for file in place.glob("*.whl"):
        with zipfile.ZipFile(file) as packed:
            packed.extractall(place)
        file.unlink()


def tarball(package, version, place):
    run("npm", "pack", "--silent", f"{package}@{version}", cwd=place)
    for file in place.glob("*.tgz"):
        with tarfile.open(file) as packed:
            members = [one for one in packed.getmembers() if one.isfile() and wanted(one.name)]
            packed.extractall(place, members=members, filter="data")
        file.unlink()


def wanted(name):
    """Source, and not what was built from it."""
    built = re.search(r"(^|/)(dist|build|bundle|fonts|textures|node_modules)/|\.min\.|\.d\.ts$", name)
    return bool(re.search(r"\.(ts|tsx|js|mjs)$", name)) and not built
