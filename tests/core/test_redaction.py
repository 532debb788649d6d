"""Secrets and personal numbers leave a text before it is stored; everything else stays."""

from __future__ import annotations

import json
import pickle

import pytest
from cpu_kit import seconds_of
from hypothesis import given
from hypothesis import strategies as st

from hindsight_core.capture.redaction import Redactor, redact

SECRETS = {
    "a password in prose": ("my password is hunter2, remember?", "hunter2", "password"),
    "a password with a purpose": (
        "the password for the wifi is Sunny-42!x",
        "Sunny-42",
        "password",
    ),
    "a password after a colon": ("Password: swordfish", "swordfish", "password"),
    "a password of the environment": ("DB_PASSWORD=correcthorse\n", "correcthorse", "password"),
    "a password in JSON": ('{"password": "hunter2"}', "hunter2", "password"),
    "a password in JSON in JSON": ('{\\"password\\": \\"hunter2\\"}', "hunter2", "password"),
    "a password in Chinese": ("密码是 abc12345。", "abc12345", "password"),
    "a password after a wide colon": ("密码：Aa123456！", "Aa123456", "password"),
    "a password in traditional Chinese": ("我的密碼為 hunter2x", "hunter2x", "password"),
    "a new password in Chinese": ("请把口令统一改为 12345678", "12345678", "password"),
    "a key in Chinese": ("API密钥：AbCd1234EfGh5678IjKl", "AbCd1234EfGh5678IjKl", "api_key"),
    "a key beside Chinese": (
        "用ghp_a8Kd92LsPq03XnVb47Tz61Yw5Rm2Ec9Uj1Hd推送",
        "ghp_a8Kd92LsPq03XnVb47Tz61Yw5Rm2Ec9Uj1Hd",
        "token",
    ),
    "a model's key": (
        "use sk-proj-a8Kd92LsPq03XnVb47Tz61 please",
        "sk-proj-a8Kd92LsPq03XnVb47Tz61",
        "api_key",
    ),
    "a bearer token": ('-H "Authorization: Bearer a8Kd92LsPq03"', "a8Kd92LsPq03", "token"),
    "basic authorization": ("Authorization: Basic dXNlcjpwYXNz", "dXNlcjpwYXNz", "token"),
    "cookies": ("Cookie: sid=a8Kd92; theme=dark\nAccept: */*", "a8Kd92; theme=dark", "cookie"),
    "a database's user": (
        "postgres://bob:s3cr3t@db.example.com/app",
        "s3cr3t",
        "connection_string",
    ),
    "a password in a URL": ("https://bob:p%40ss1@git.example.com/x.git", "p%40ss1", "password"),
    "a token in a query": (
        "https://x.example/v1?access_token=a8Kd92LsPq&n=1",
        "a8Kd92LsPq",
        "token",
    ),
    "a storage account": (
        "AccountName=a;AccountKey=Eby8vdM02xNOcqFlqUwJPLlm==;x=1",
        "Eby8vdM02xNOcqFlqUwJPLlm==",
        "api_key",
    ),
    "a short option": ("mysql -u root -pS3cret db", "S3cret", "password"),
    "a long option": ("deploy --token a8Kd92LsPq03 now", "a8Kd92LsPq03", "token"),
    "curl's user": ("curl -u elastic:P@ssw0rd$1 https://localhost:9200", "P@ssw0rd$1", "password"),
    "a private key": (
        "-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEAxyz012\n-----END RSA PRIVATE KEY-----",
        "MIIEowIBAAKCAQEAxyz012",
        "private_key",
    ),
    "a private key cut off": (
        "-----BEGIN PRIVATE KEY-----\nMIIEowIBAAKCAQEAxyz012\nAQEA",
        "AQEA",
        "private_key",
    ),
    "an annotated default": ('token: str = "a8Kd92LsPq03"', "a8Kd92LsPq03", "token"),
    "a password just said": ("use password hunter2 for bob", "hunter2", "password"),
    "a changed password": ("the password was changed to Sunny-42x", "Sunny-42x", "password"),
    "a prompted key": (
        "AWS Secret Access Key [None]: wJalrXUtnFEMIK7MDENGbPxRf",
        "wJalrXUtnFEMIK7MDENGbPxRf",
        "api_key",
    ),
    "an element": ("<password>hunter2</password>", "hunter2", "password"),
    "an attribute": ('<add key="Password" value="Tr0ub4dor&3"/>', "Tr0ub4dor&3", "password"),
    "a pair": ('get(url, auth=("bob", "s3cret1"))', "s3cret1", "password"),
    "a code": ("验证码 482913，5 分钟内有效", "482913", "password"),
    "a hash of a password": (
        "hash $2b$12$KIXQ4uYxS0Jm5uJqQ0nJNeKIXQ4uYxS0Jm5uJqQ0nJNeabcdefghi",
        "KIXQ4uYxS0Jm5uJqQ0nJNe",
        "password",
    ),
    "a Kubernetes secret": (
        "kind: Secret\ndata:\n  user: YWRtaW5hZG1pbg==\n",
        "YWRtaW5hZG1pbg==",
        "secret",
    ),
}
PERSONAL = {
    "an address": ("write to mia.li@example.com.", "mia.li@example.com", "email"),
    "an address beside Chinese": (
        "我的邮箱是zhangsan@example.com。",
        "zhangsan@example.com",
        "email",
    ),
    "a card": ("card 4111 1111 1111 1111, thanks", "4111 1111 1111 1111", "card"),
    "a bank card": ("银行卡6222021234567890128", "6222021234567890128", "card"),
    "an IBAN in groups": (
        "to GB82 WEST 1234 5698 7654 32 today",
        "GB82 WEST 1234 5698 7654 32",
        "iban",
    ),
    "a social security number": ("my SSN is 123-45-6789", "123-45-6789", "national_id"),
    "an identity card": ("身份证号11010519491231002X", "11010519491231002X", "national_id"),
    "an identity number of Taiwan": ("身分證A123456789", "A123456789", "national_id"),
    "a passport": ("护照 E12345678", "E12345678", "national_id"),
    "an international number": ("ring +44 20 7946 0958", "+44 20 7946 0958", "phone"),
    "an American number": ("at (415) 555-2671 x12", "(415) 555-2671 x12", "phone"),
    "a Chinese mobile": ("手机号13800138000，请联系", "13800138000", "phone"),
    "a Chinese landline": ("致电010-62345678", "010-62345678", "phone"),
    "full-width digits": ("电话：１３８００１３８０００", "１３８００１３８０００", "phone"),
    "a short number with a label": ("Phone:\n467 3395", "467 3395", "phone"),
    "an address of the net": ("client 203.0.113.7 blocked", "203.0.113.7", "ip"),
    "a new address of the net": (
        "from 2001:db8:85a3::8a2e:370:7334",
        "2001:db8:85a3::8a2e:370:7334",
        "ip",
    ),
}
ORDINARY = (
    "The password is required and must have 8 characters.",
    "password: required",
    "Never ask me for my password, I'll type it myself.",
    "不要问我密码，需要的时候我自己输。",
    "password 字段只写不读",
    "password = getpass.getpass()",
    "auth = self.auth; token = token",
    "api_key=os.environ['API_KEY'], password=$DB_PASSWORD, token: ${{ secrets.TOKEN }}",
    "token: <your token here>, password=********, key=xxxxxxxxxxxxxxxx",
    "max_tokens: 4096, token_count=1234567, next_page_token=CAUQAA1234abcd",
    "primary_key = user_id_123, cache_key: 9e107d9d372bb6826bd81d3542a419d6",
    "rimraf@3.0.2 and git@github.com:org/repo.git and logo@2x.png",
    "https://github.com/org/repo/pull/1234567?tab=files#diff-12345678",
    "commit 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b, run 550e8400-e29b-41d4-a716-446655440000",
    "2024-05-20T12:30:45.123456Z took 1234567 ms, at 1716200000000",
    "order 4111111111111111 and ticket 4155552671 and 订单号13800138000",
    "Chrome 131.0.6778.204, version 203.0.113.7, listening on 127.0.0.1:8080 and 10.0.0.8",
    "/home/mia/keys/id_rsa.pub and runs/20240520_123045_123456 and 3.14159265",
    "between 2019-2024, from 10 000 000 to 1,250,000 rows, 100-200 items",
    "hash the password with sha256, reset password step2, password policy v2",
    'if "-----BEGIN PRIVATE KEY-----" in text: return headers["Authorization"]',
    'Pipeline([("pass", "passthrough"), ("key", keys[0])]); token = first(tokens)',
    "def f(cookies: CookieTypes | None = None, passphrase: bytes = b''): ...",
    "the OAuth token response, an OAuth token-endpoint, pass `dtype=int64`, print(f'{password!r}')",
    ":type passphrase: :py:data:`bytes`; password = options",
    "section 4.2.3.2 of the handbook, +0.3333333, (17643225600., 8821612800., 30270240.)",
    '{"total_memory": "17179869184", "order_id": 4111111111111111, "net": "198.51.100.0/24"}',
    "tests pass: 1200/1300, pin: GPIO21, the keyboard: qwerty1",
    "验证码错误，密码长度为 8 到 20 位，口令 3 次后锁定，token 过期了，错误码 40013",
    "the accession number is 29.100.5 and the answer is 42",
)
MARKS = ("[redacted:password]", "[redacted:email]", "[redacted:api_key]: x", "[redacted:phone] 12")


@pytest.mark.parametrize(("text", "secret", "kind"), SECRETS.values(), ids=SECRETS.keys())
def test_a_secret_leaves_the_text_and_its_type_stays(text: str, secret: str, kind: str) -> None:
    result = redact(text)
    assert secret not in result.text
    assert f"[redacted:{kind}]" in result.text
    assert [finding.type for finding in result.found] == [kind]


@pytest.mark.parametrize(("text", "number", "kind"), PERSONAL.values(), ids=PERSONAL.keys())
def test_a_personal_number_leaves_and_nothing_else_does(text: str, number: str, kind: str) -> None:
    result = redact(text)
    assert result.text == text.replace(number, f"[redacted:{kind}]")
    (finding,) = result.found
    assert text[finding.start : finding.end] == number


@pytest.mark.parametrize("text", ORDINARY)
def test_ordinary_text_of_agents_is_left_as_it_is(text: str) -> None:
    assert redact(text).text == text


@pytest.mark.parametrize("text", MARKS)
def test_a_placeholder_is_not_redacted_again(text: str) -> None:
    assert redact(text).text == text


@pytest.mark.parametrize(
    "form", ['{"client_secret": "%s"}', "TOKEN=%s", "密钥：%s", "Authorization: Bearer %s"]
)
def test_a_very_long_secret_leaves_as_a_whole(form: str) -> None:
    secret = "a8Kd92LsPq03XnVb47Tz61Yw5Rm2Ec9Uj1Hd" * 100
    assert "a8Kd" not in redact(form % secret).text


def test_a_placeholder_is_no_cue_for_the_number_after_it() -> None:
    text = "+44 20 7946 0958, 882161280 rows"
    assert redact(text).text == "[redacted:phone], 882161280 rows"


def test_what_was_a_secret_in_an_argument_leaves_every_later_text_of_the_run() -> None:
    run = Redactor()
    args = {
        "user": "bob",
        "密码": "天王盖地虎",
        "auth": {"api_key": "zz/9 q"},
        "cmd": "login 天王盖地虎",
    }
    assert run.value(args) == {
        "user": "bob",
        "密码": "[redacted:password]",
        "auth": {"api_key": "[redacted:api_key]"},
        "cmd": "login [redacted:password]",
    }
    assert run.text("回答：天王盖地虎") == "回答：[redacted:password]"
    assert run.text("GET /?k=zz%2F9%20q") == "GET /?k=[redacted:api_key]"
    assert Redactor().text("回答：天王盖地虎") == "回答：天王盖地虎"


def test_a_secret_leaves_every_place_of_the_text_in_which_it_is_known() -> None:
    text = "hunter2? yes, password=hunter2, and again hunter2."
    assert "hunter2" not in redact(text).text


def test_a_password_of_a_url_leaves_later_texts_by_itself() -> None:
    run = Redactor()
    run.text("psql postgres://bob:s3cr3t@db/app")
    assert run.text("it answered: s3cr3t is wrong") == "it answered: [redacted:password] is wrong"


def test_a_secret_within_a_longer_word_is_another_word() -> None:
    run = Redactor()
    run.value({"password": "hunter2"})
    assert (
        run.text("hunter22 and shunter2 but hunter2.")
        == "hunter22 and shunter2 but [redacted:password]."
    )


def test_arguments_that_only_sound_secret_are_kept() -> None:
    args = {
        "max_tokens": 4096,
        "page_token": "CAUQAA",
        "key": "PROJ-1",
        "primary_key": "id",
        "max_completion_tokens": 1_000_000,
        "password": None,
        "token": "",
        "author": "mia",
        "flag": True,
        "ratio": 0.5,
    }
    assert Redactor().value(args) == args


def test_what_only_begins_as_a_variable_does_is_a_secret_of_its_field() -> None:
    args = {"password": "$ecret123", "token": "(ab1)x", "pwd": "<9xK2!a", "secret": "$SECRET"}
    cleaned = Redactor().value(args)
    assert cleaned["secret"] == "$SECRET"
    assert [cleaned[name][:9] for name in ("password", "token", "pwd")] == ["[redacted"] * 3


def test_a_name_says_what_its_lists_hold_and_not_what_all_its_fields_hold() -> None:
    args = {
        "credentials": {"user": "bob", "url": "https://x.example", "password": "hunter2"},
        "tokens": ["t0k1-a", "t0k2-b"],
        "token": {"value": "abc"},
        "cookies": {"sid": "a8Kd92", "theme": "dark"},
    }
    assert Redactor().value(args) == {
        "credentials": {
            "user": "bob",
            "url": "https://x.example",
            "password": "[redacted:password]",
        },
        "tokens": ["[redacted:token]", "[redacted:token]"],
        "token": {"value": "[redacted:token]"},
        "cookies": {"sid": "[redacted:cookie]", "theme": "[redacted:cookie]"},
    }


def test_numbers_in_arguments_are_judged_by_the_name_of_their_field() -> None:
    args = {
        "card": 4111111111111111,
        "phone": "4673395",
        "手机": "62345678",
        "rows": 4673395,
        "pin": 1234,
    }
    assert Redactor().value(args) == {
        "card": "[redacted:card]",
        "phone": "[redacted:phone]",
        "手机": "[redacted:phone]",
        "rows": 4673395,
        "pin": "[redacted:password]",
    }


def test_a_redactor_shows_and_saves_nothing() -> None:
    run = Redactor()
    run.value({"password": "hunter2"})
    assert "hunter2" not in repr(run)
    with pytest.raises(TypeError, match="holds secrets"):
        pickle.dumps(run)


def test_deep_and_wide_arguments_end() -> None:
    deep: list[object] = []
    for _ in range(100_000):
        deep = [deep]
    wide: list[object] = ["x"]
    for _ in range(60):
        wide = [wide, wide]
    assert "too_deep" in json.dumps(Redactor().value({"a": deep}))
    assert Redactor().value({"b": wide})


@pytest.mark.parametrize(
    "unit",
    ["[", "a", "1", "1 ", "a@", "@a.b ", "password=", "-----BEGIN PRIVATE KEY-----", "://a:b@",
     "sk-", "ey", "key: ", "密码", "GB82", "curl -u ", "1.", "2001:", "+1 ", "x ", "token is ",
     "\\", "a.b.", "mysql ", "密码a", "key1=", "auth=("],
)  # fmt: skip
def test_a_long_text_of_anything_takes_linear_time(unit: str) -> None:
    size = 200_000
    text = (unit * (size // len(unit) + 1))[:size]
    assert seconds_of(lambda: redact(text)) < 15


def test_a_kilobyte_costs_well_under_a_millisecond() -> None:
    text = (
        "The agent listed 42 files in src/app and ran the tests on 2024-05-20; all passed. " * 13
    )[:1000]
    redact(text)
    assert min(seconds_of(lambda: [redact(text) for _ in range(10)]) for _ in range(3)) < 0.02


pieces = st.sampled_from(
    ["password", "is", "=", ":", "：", "密码", "hunter2", '"', "a@b.co", "4111111111111111",
     "+1 415 555 2671", "[redacted:email]", "[redacted:", "]", "token", "Bearer", "\x00", "\ud800",
     "sk-a8Kd92LsPq03XnVb47Tz61", "://u:p1@h", "\n", " ", "curl -u", "card", "İ", "203.0.113.7",
     "key", "-", ",", "1", "call"]
)  # fmt: skip
texts = st.one_of(st.text(), st.lists(pieces | st.text(max_size=4), max_size=12).map("".join),
                  st.lists(pieces, max_size=12).map(" ".join))  # fmt: skip


@given(texts)
def test_redaction_is_a_fixed_point(text: str) -> None:
    once = redact(text)
    assert redact(once.text).text == once.text
    assert all(0 <= it.start < it.end <= len(text) for it in once.found)
    assert sorted(once.found, key=lambda it: it.start) == list(once.found)


@given(st.text(), st.sampled_from(sorted(SECRETS)), st.text())
def test_no_secret_planted_in_random_text_survives(before: str, name: str, after: str) -> None:
    text, secret, _ = SECRETS[name]
    assert secret not in redact(f"{before}\n{text}\n{after}").text


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


@given(st.dictionaries(st.sampled_from(["to", "order", "phone", "note", "token"]), texts))
def test_arguments_are_judged_alike_whether_or_not_another_one_holds_a_secret(
    args: dict[str, str],
) -> None:
    alone = Redactor().value(args)
    beside = Redactor().value({**args, "password": "Zz9-Qx4-only"})
    del beside["password"]
    assert alone == beside


@given(json_values)
def test_arguments_of_any_form_are_redacted_without_a_crash(value: object) -> None:
    cleaned = Redactor().value({"x": value, "password": "hunter2"})
    assert cleaned["password"] == "[redacted:password]"
    assert "hunter2" not in json.dumps(cleaned)
