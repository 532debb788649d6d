"""Secrets that a whole phrase gives away, in both languages, and phrases that only sound so."""

from __future__ import annotations

import pytest

from hindsight_core.capture.redaction import redact

TOLD = {
    "from and to": ("the password was changed from old99x1 to Sunny42x.", ("old99x1", "Sunny42x")),
    "for something": ("Password for prod: Sunny42x", ("Sunny42x",)),
    "as": ("please set my password as Sunny42x, thanks", ("Sunny42x",)),
    "from and to in Chinese": ("密码由abc999x改成Sunny42x了", ("abc999x", "Sunny42x")),
    "a login": ("Always log in to staging with bob / Sunny42x.", ("Sunny42x",)),
    "a login in Chinese": ("登录测试环境用 bob／Sunny42x，谢谢", ("Sunny42x",)),
    "credentials": ("creds bob:Sunny42x", ("Sunny42x",)),
    "a wifi": ("the wifi key is Sunny42x", ("Sunny42x",)),
    "a code": ("Your verification code is 482913", ("482913",)),
    "SQL": ("CREATE USER bob IDENTIFIED BY 'sunny day';", ("sunny day",)),
    "a pipe": ('echo "sunnyday" | sudo -S ls', ("sunnyday",)),
    "htpasswd": ("htpasswd -bc users bob sunnyday", ("sunnyday",)),
    "an archive": ("unzip -P Sunny42x a.zip", ("Sunny42x",)),
    "a database's shell": ("mongosh -u bob -p Sunny42x", ("Sunny42x",)),
    "a directory": ("ldapsearch -x -w Sunny42x -b dc=a", ("Sunny42x",)),
    "a prefix without a border": ("PGPASSWORD=Sunny42x psql -h db", ("Sunny42x",)),
    "German": ("Passwort: Sunny42x", ("Sunny42x",)),
    "full-width": ("ｐａｓｓｗｏｒｄ：Ｓｕｎｎｙ４２ｘ", ("Ｓｕｎｎｙ４２ｘ",)),
    "full-width in Chinese": ("密码：Ｓｕｎｎｙ４２ｘ", ("Ｓｕｎｎｙ４２ｘ",)),
    "a signed URL": (
        "https://b.s3.example.com/k?X-Amz-Signature=8d7f6a5b4c3d2e1f8d7f6a5b4c3d2e1f&x=1",
        ("8d7f6a5b4c3d2e1f",),
    ),
    "a wallet": (
        "my seed is witch collapse practice feed shame open despair creek road again ice least",
        ("collapse practice",),
    ),
    "a passport": ("my passport number is C4H7KJ2N1", ("C4H7KJ2N1",)),
}
ORDINARY = (
    "The password was changed from the old form to the new one.",
    "Log in to the wiki / forum with your usual account.",
    "I log in at 9:30am every day",
    "The login page moved from /v1 to /v2.",
    "The access code path is covered by tests.",
    "The error code is 404404 and the exit code 137.",
    "登录后台／前台都可以，账号在邮件里",
    "The seed is 42; recovery is slow and the words are easy.",
    "They were identified by name and by 'badge'.",
    "echo hello | sudo tee /etc/motd",
    "zip -r out.zip folder && unzip -l out.zip",
    "password for the demo: none needed",
    "the wifi code review is done",
)


@pytest.mark.parametrize(("text", "secrets"), TOLD.values(), ids=TOLD)
def test_a_secret_that_a_phrase_tells_leaves(text: str, secrets: tuple[str, ...]) -> None:
    cleaned = redact(text).text
    assert not [secret for secret in secrets if secret in cleaned], cleaned
    assert "[redacted:" in cleaned
    assert redact(cleaned).text == cleaned


@pytest.mark.parametrize("text", ORDINARY)
def test_what_only_sounds_like_such_a_phrase_is_kept(text: str) -> None:
    assert redact(text).text == text
