"""The files of the deployment: valid, pinned, healthy, and without a secret."""

import json
import re
from pathlib import Path

import check_jsonschema
import jsonschema
import pytest
from ruamel.yaml import YAML

DEPLOY = Path(__file__).parents[2] / "deploy"
SCHEMA = Path(check_jsonschema.__file__).parent / "builtin_schemas/vendor/compose-spec.json"


@pytest.fixture(scope="module")
def compose():
    return YAML(typ="safe").load((DEPLOY / "docker-compose.yml").read_text())


@pytest.fixture(scope="module")
def dockerfile():
    """The instructions of the Dockerfile, continued lines joined."""
    text = (DEPLOY / "Dockerfile").read_text().replace("\\\n", " ")
    return [line.split(None, 1) for line in text.splitlines() if line and line[0] != "#"]


def test_the_compose_file_fits_the_schema_of_compose(compose):
    schema = json.loads(SCHEMA.read_text())
    jsonschema.validate(compose, schema)
    broken = {**compose, "services": {"server": {"imagee": "x"}}}
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(broken, schema)


def test_every_service_is_pinned_checked_and_restarted(compose):
    assert set(compose["services"]) == {"server", "worker", "postgres", "qdrant", "redis"}
    for name, service in compose["services"].items():
        assert re.search(r":v?\d+\.\d+", service["image"]), name
        assert service["healthcheck"]["test"], name
        assert service["restart"] == "unless-stopped", name
        assert "depends_on" not in service, "start order does not matter"


def test_what_is_kept_is_in_named_volumes(compose):
    mounted = [mount for one in compose["services"].values() for mount in one["volumes"]]
    assert {mount.partition(":")[0] for mount in mounted} == set(compose["volumes"])


def test_only_the_server_is_reached_and_from_this_machine_alone(compose):
    services = compose["services"]
    assert [name for name, one in services.items() if "ports" in one] == ["server"]
    assert all(port.startswith("127.0.0.1:") for port in services["server"]["ports"])
    assert compose["networks"]["inside"]["internal"] is True
    assert [name for name, one in services.items() if "outside" in one["networks"]] == ["server"]


def test_no_secret_is_in_the_files_and_a_missing_one_stops_the_start(compose):
    names = ("POSTGRES_PASSWORD", "PGPASSWORD", "HINDSIGHT_KEY", "QDRANT__SERVICE__API_KEY")
    for service in compose["services"].values():
        for name, value in service.get("environment", {}).items():
            if name in names or "KEY" in name or "PASSWORD" in name:
                assert re.fullmatch(r"\$\{\w+:\?[^}]+\}", value), name
            elif "@redis" in str(value):
                assert "${REDIS_PASSWORD" in value
    example = (DEPLOY / "env.example").read_text()
    asked = re.findall(r"\$\{(\w+):\?", (DEPLOY / "docker-compose.yml").read_text())
    for name in set(asked):
        assert re.search(rf"^{name}=$", example, re.MULTILINE), name


def test_the_queue_outlives_redis_and_is_never_evicted(compose):
    command = " ".join(compose["services"]["redis"]["command"])
    assert "--appendonly yes" in command
    assert "--maxmemory-policy volatile-lru" in command


def test_the_image_is_small_without_rights_and_says_whether_it_is_alive(dockerfile):
    last = max(place for place, (word, _) in enumerate(dockerfile) if word == "FROM")
    images = [rest.split()[0] for word, rest in dockerfile if word == "FROM"]
    assert all(re.fullmatch(r"python:3\.1[123]\.\d+-slim-\w+", image) for image in images)
    final = dict(dockerfile[last:])
    assert final["USER"] == "10001:10001"
    assert "/healthz" in final["HEALTHCHECK"]
    assert json.loads(final["ENTRYPOINT"]) == ["hindsight-core"]
    assert not any(word == "ADD" for word, _ in dockerfile)
    secrets = re.compile(r"(PASSWORD|TOKEN|KEY|SECRET)=\S", re.IGNORECASE)
    assert not any(secrets.search(rest) for word, rest in dockerfile if word in ("ENV", "ARG"))


def test_every_path_and_extra_that_the_image_takes_is_there(dockerfile):
    root = DEPLOY.parent
    for word, rest in dockerfile:
        if word == "COPY" and not rest.startswith("--from"):
            for path in rest.split()[:-1]:
                assert (root / path).exists(), path
    text = (DEPLOY / "Dockerfile").read_text()
    (extras,) = re.findall(r"'\.\[([\w,]+)\]'", text)
    known = (root / "pyproject.toml").read_text()
    for extra in extras.split(","):
        assert re.search(rf"^{extra} = \[", known, re.MULTILINE), extra
