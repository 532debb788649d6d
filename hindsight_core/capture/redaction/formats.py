"""Formats of credentials that tell what they are by themselves: a data table.

Adapted from the rules of gitleaks (MIT, Copyright (c) 2019 Zachary Rice), with ASCII boundaries, so
that a key beside Chinese text or a punctuation mark is found too. A format is tried only where one
of its `marks` occurs in the text, which keeps a text without credentials cheap.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

__all__ = ["FORMATS", "VENDORS", "Format"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Format:
    """One format: where `pattern` matches and is random enough, the match is a credential.

    `entropy` is Shannon's, in bits a character, that the match must reach. `sample_free` refuses
    values with runs such as `abcdef` or `123456`, for formats that are loose.
    """

    type: str
    marks: tuple[str, ...]
    pattern: str
    entropy: float = 3.0
    sample_free: bool = False


_START: Final = r"(?:(?<![A-Za-z0-9_])|(?<=\\[nrt]))"
_END: Final = r"(?![A-Za-z0-9_])"


def _free(type_: str, marks: str | tuple[str, ...], pattern: str, entropy: float = 3.0) -> Format:
    """A format that says itself what may stand beside it."""
    marks = (marks,) if isinstance(marks, str) else marks
    return Format(type=type_, marks=marks, pattern=pattern, entropy=entropy)


def _bounded(
    type_: str,
    marks: str | tuple[str, ...],
    body: str,
    entropy: float = 3.0,
    *,
    loose: bool = False,
) -> Format:
    """A format that must stand alone: no ASCII letter, digit or underscore beside it."""
    return Format(
        type=type_,
        marks=(marks,) if isinstance(marks, str) else marks,
        pattern=f"{_START}(?:{body}){_END}",
        entropy=entropy,
        sample_free=loose,
    )


def _prefixed(type_: str, prefix: str, body: str, entropy: float = 3.0) -> Format:
    """A format whose prefix is so particular that nothing is asked of what stands beside it."""
    pattern = prefix.replace(".", r"\.") + body
    return Format(type=type_, marks=(prefix,), pattern=pattern, entropy=entropy)


_HEX: Final = "[a-fA-F0-9]"
_ALNUM: Final = "[A-Za-z0-9]"
_WORD: Final = "[A-Za-z0-9_-]"
_UUID: Final = f"{_HEX}{{8}}-{_HEX}{{4}}-{_HEX}{{4}}-{_HEX}{{4}}-{_HEX}{{12}}"

# fmt: off
FORMATS: Final[tuple[Format, ...]] = (
    # Models and their hosts.
    _bounded("api_key", "sk-ant-", rf"sk-ant-(?:api|admin)\d\d-{_WORD}{{93}}AA"),
    _bounded("api_key", "sk-ant-", rf"sk-ant-[a-z]{{3,8}}\d\d-{_WORD}{{40,200}}", loose=True),
    _bounded("api_key", "sk-",
        rf"sk-(?!ant-)(?={_WORD}{{0,200}}\d){_WORD}{{20,200}}", 3.5),
    _bounded("api_key", "AIza", rf"AIza{_WORD}{{35}}", 4.0),
    _prefixed("api_key", "hf_", r"[A-Za-z]{34}(?![A-Za-z])"),
    _prefixed("api_key", "api_org_", r"[A-Za-z]{34}(?![A-Za-z])"),
    _bounded("api_key", "pplx-", rf"pplx-{_ALNUM}{{48}}", 4.0),
    _bounded("api_key", "gsk_", rf"gsk_{_ALNUM}{{52}}"),
    _bounded("api_key", "xai-", rf"xai-{_ALNUM}{{80}}"),
    _bounded("api_key", "r8_", rf"r8_{_ALNUM}{{37,40}}"),
    _bounded("api_key", "nvapi-", rf"nvapi-{_WORD}{{60,70}}"),
    _bounded("api_key", "tvly-", rf"tvly-(?:dev-|prod-)?{_WORD}{{24,60}}"),
    _bounded("api_key", "lsv2_", rf"lsv2_(?:pt|sk)_{_HEX}{{32}}_{_HEX}{{10}}"),
    _bounded("api_key", "fw_", rf"fw_{_ALNUM}{{22,24}}"),
    # Clouds.
    _bounded("api_key", ("AKIA", "ASIA", "ABIA", "ACCA", "A3T"),
        r"(?:A3T[A-Z0-9]|AKIA|ASIA|ABIA|ACCA)(?!\w*EXAMPLE(?!\w))[A-Z2-7]{16}"),
    _bounded("api_key", "ABSK", r"ABSK[A-Za-z0-9+/]{109,269}={0,2}(?![+/=])"),
    _prefixed("api_key", "bedrock-api-key-", r"[A-Za-z0-9+/=]{28,}"),
    _free("secret", "Q~",
        r"(?<![A-Za-z0-9_~.!/-])[A-Za-z0-9_~.]{3}\dQ~[A-Za-z0-9_~.-]{31,34}(?![A-Za-z0-9_~/-])"),
    _bounded("api_key", "LTAI", rf"LTAI{_ALNUM}{{20}}"),
    _bounded("api_key", "AKID", rf"AKID{_ALNUM}{{32}}"),
    _prefixed("token", "dop_v1_", rf"{_HEX}{{64}}"),
    _prefixed("token", "doo_v1_", rf"{_HEX}{{64}}"),
    _prefixed("token", "dor_v1_", rf"{_HEX}{{64}}"),
    _bounded("token", "dapi", r"dapi[a-f0-9]{32}(?:-\d)?"),
    _bounded("token", "HRKU-AA", rf"HRKU-AA{_WORD}{{58}}", 4.0),
    _bounded("token", ("fo1_", "fm1", "fm2_"),
        rf"fo1_{_WORD}{{43}}|fm(?:1[ar]|2)_[A-Za-z0-9+/]{{100,}}={{0,3}}", 4.0),
    _bounded("api_key", "v1.0-", r"v1\.0-[a-f0-9]{24}-[a-f0-9]{146}"),
    _bounded("token", "tk-us-", rf"tk-us-{_WORD}{{48}}"),
    _bounded("api_key", "4b1d", rf"4b1d{_ALNUM}{{38}}"),
    _bounded("token", "pscale_", r"pscale_(?:tkn|oauth|pw)_[A-Za-z0-9_=.-]{32,64}"),
    _bounded("secret", ("hvs.", "hvb."), rf"hv[sb]\.{_WORD}{{24,300}}", 3.5),
    _bounded("secret", "s.", r"s\.(?=[A-Za-z]*\d)[A-Za-z0-9]{24}", 3.5),
    _free("token", "atlasv1",
        r"(?<![A-Za-z0-9])[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60,70}", 3.5),
    _prefixed("token", "dt0c01.", rf"{_ALNUM}{{24}}\.{_ALNUM}{{64}}"),
    _bounded("token", "pul-", r"pul-[a-f0-9]{40}"),
    _bounded("token", "sha256~", rf"sha256~{_WORD}{{43}}", 3.5),
    _bounded("token", "dp.",
        rf"dp\.(?:pt|st|ct|sa|scim|audit)\.(?:[a-z0-9_-]{{2,35}}\.)?{_ALNUM}{{40,44}}"),
    # Code hosts and package registries.
    _prefixed("token", "ghp_", rf"{_ALNUM}{{36,}}"),
    _prefixed("token", "gho_", rf"{_ALNUM}{{36,}}"),
    _prefixed("token", "ghu_", rf"{_ALNUM}{{36,}}"),
    _prefixed("token", "ghs_", rf"{_ALNUM}{{36,}}"),
    _prefixed("token", "ghr_", rf"{_ALNUM}{{36,}}"),
    _prefixed("token", "github_pat_", r"[A-Za-z0-9_]{36,}"),
    _free("token", "gl",
        rf"gl(?:pat|ptt|dt|rt|ft|imt|soat|oas|ffct|agent|cbt)-{_WORD}{{20,300}}(?:\.\w{{9}})?"),
    _prefixed("token", "GR1348941", rf"{_WORD}{{20}}"),
    _prefixed("cookie", "_gitlab_session=", r"[0-9a-z]{32}"),
    _prefixed("token", "npm_", rf"{_ALNUM}{{36}}"),
    _prefixed("token", "pypi-AgEIcHlwaS5vcmc", rf"{_WORD}{{50,}}"),
    _prefixed("token", "rubygems_", r"[a-f0-9]{48}"),
    _prefixed("token", "CLOJARS_", r"[A-Za-z0-9]{60}"),
    _prefixed("token", "dckr_pat_", rf"{_WORD}{{27}}"),
    _bounded("token", "ATATT3", r"ATATT3[A-Za-z0-9_=-]{186}", 3.5),
    _bounded("token", "ATBB", rf"ATBB{_ALNUM}{{32}}"),
    _bounded("token", "AKCp", rf"AKCp{_ALNUM}{{69}}", 4.5),
    _bounded("token", "cmVmd", rf"cmVmd{_ALNUM}{{59}}", 4.5),
    _bounded("token", ("sgp_",), rf"sgp_(?:(?:{_HEX}{{16}}|local)_)?{_HEX}{{40}}"),
    _bounded("token", ("pat.", "sat."), rf"[ps]at\.{_WORD}{{22}}\.{_ALNUM}{{24}}\.{_ALNUM}{{20}}"),
    # Messages and mail.
    _free("token", "xoxb-", r"xoxb-\d{8,14}-[A-Za-z0-9-]{18,}"),
    _free("token", ("xoxp-", "xoxe-"), r"xox[pe](?:-\d{10,13}){3}-[A-Za-z0-9-]{28,34}"),
    _free("token", "xoxe", r"xoxe(?:\.xox[bp])?-\d-[A-Za-z0-9]{146,166}"),
    _free("token", ("xoxo-", "xoxs-"), rf"xox[os]-\d+-\d+-\d+-{_HEX}+", 2.0),
    _free("token", ("xoxa-", "xoxr-"), r"xox[ar]-(?:\d-)?[A-Za-z0-9]{8,48}"),
    _prefixed("token", "xapp-", r"\d-[A-Z0-9]+-\d+-[a-z0-9]+"),
    _free("secret", "hooks.slack.com",
        r"(?<=hooks\.slack\.com/)(?:services|workflows|triggers)/[A-Za-z0-9+/]{40,60}"),
    _free("secret", "webhookb2/",
        rf"(?<=webhookb2/){_UUID}@{_UUID}/IncomingWebhook/[A-Za-z0-9]{{32}}/{_UUID}", 2.0),
    _free("secret", "/api/webhooks/", rf"(?<=/api/webhooks/)\d{{17,20}}/{_WORD}{{60,70}}"),
    _free("secret", ("/robot/send?access_token=", "/cgi-bin/webhook/send?key=", "/bot/v2/hook/"),
        rf"(?:(?<=send\?access_token=){_HEX}{{64}}|(?<=send\?key=){_UUID}|(?<=/v2/hook/){_UUID})"),
    _bounded("token", ":A", rf"\d{{5,16}}:A{_WORD}{{34}}"),
    _free("token", ".",
        rf"{_START}[MNO][A-Za-z0-9_-]{{23,27}}\.{_WORD}{{6}}\.{_WORD}{{27,38}}{_END}", 4.0),
    _bounded("api_key", "SG.", r"SG\.[A-Za-z0-9_=.-]{60,72}"),
    _bounded("api_key", "xkeysib-", rf"xkeysib-[a-f0-9]{{64}}-{_ALNUM}{{16}}"),
    _bounded("api_key", "-us", r"[a-f0-9]{32}-us\d{1,2}"),
    _bounded("api_key", "key-", r"key-[a-f0-9]{32}"),
    _bounded("api_key", "SK", rf"SK{_HEX}{{32}}"),
    # Money.
    _bounded("api_key", ("k_live_", "k_test_", "k_prod_"),
        r"[sr]k_(?:live|test|prod)_[A-Za-z0-9]{10,99}", 2.5),
    _prefixed("secret", "whsec_", r"[A-Za-z0-9+/=]{24,}"),
    _bounded("token", ("EAAA", "sq0"), rf"(?:EAAA|sq0(?:atp|csp|idp)-){_WORD}{{22,60}}"),
    _bounded("token", ("EAAC", "EAAM"), rf"EAA[MC]{_ALNUM}{{80,}}", 4.0),
    _bounded("api_key", "FLWSECK", r"FLWSECK(?:_TEST)?-[a-h0-9]{12,32}(?:-X)?", 2.0),
    _bounded("api_key", ("EZAK", "EZTK"), rf"EZ[AT]K{_ALNUM}{{54}}"),
    _bounded("token", ("shpat_", "shpca_", "shppa_", "shpss_"),
        rf"shp(?:at|ca|pa|ss)_{_HEX}{{32}}"),
    _bounded("token", "shippo_", rf"shippo_(?:live|test)_{_HEX}{{40}}"),
    _bounded("token", ("access-sandbox-", "access-production-", "access-development-"),
        rf"access-(?:sandbox|development|production)-{_UUID}"),
    _bounded("token", "duffel_", r"duffel_(?:test|live)_[A-Za-z0-9_=-]{43}"),
    # The rest, by name.
    _bounded("secret", "A3-",
        r"A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}", 3.5),
    _prefixed("token", "ops_eyJ", r"[A-Za-z0-9+/]{200,}={0,3}", 4.0),
    _prefixed("secret", "p8e-", r"[A-Za-z0-9]{32}"),
    _prefixed("private_key", "AGE-SECRET-KEY-1", r"[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}"),
    _bounded("token", ".acc",
        rf"[a-z]{{2,8}}_{_ALNUM}{{5,30}}\.{_ALNUM}{{4,6}}\.acc[_-]{_WORD}{{10,32}}\.[\w+/=-]{{30,120}}"),
    _bounded("token", "pat", rf"pat{_ALNUM}{{14}}\.[a-f0-9]{{64}}"),
    _bounded("token", ("|", "%7C"), rf"\d{{15,16}}(?:\||%7C){_WORD}{{27,40}}"),
    _bounded("api_key", "dnkey-", r"dnkey-[a-z0-9=_-]{26}-[a-z0-9=_-]{52}"),
    _bounded("token", "fio-u-", r"fio-u-[A-Za-z0-9_=-]{64}"),
    _bounded("token", "eyJrIjoi", rf"eyJrIjoi{_ALNUM}{{70,400}}={{0,3}}"),
    _bounded("token", "glc_", r"glc_[A-Za-z0-9+/]{32,400}={0,3}"),
    _bounded("token", "glsa_", rf"glsa_{_ALNUM}{{32}}_{_HEX}{{8}}"),
    _bounded("api_key", "ico-", rf"ico-{_ALNUM}{{32}}", 3.5),
    _bounded("secret", "s-s4t2", r"s-s4t2(?:ud|af)-[a-f0-9]{64}"),
    _bounded("api_key", "lin_api_", rf"lin_api_{_ALNUM}{{40}}"),
    _bounded("api_key", "_mmk", rf"{_ALNUM}{{6}}_{_ALNUM}{{29}}_mmk", 4.0),
    _bounded("api_key", ("NRAK-", "NRJS-", "NRII-"), rf"NR(?:AK|JS|II)-{_WORD}{{19,32}}"),
    _bounded("token", "ntn_", r"ntn_\d{11}[A-Za-z0-9]{35}", 4.0),
    _bounded("token", "secret_", rf"secret_{_ALNUM}{{43}}", 4.0),
    _bounded("api_key", "API-", r"API-[A-Z0-9]{26}"),
    _bounded("api_key", "PMAK-", rf"PMAK-{_HEX}{{24}}-{_HEX}{{34}}"),
    _bounded("token", "pnu_", rf"pnu_{_ALNUM}{{36}}"),
    _bounded("token", "rdme_", r"rdme_[a-z0-9]{70}"),
    _free("token", "sntrys_eyJ", r"sntrys_eyJ[A-Za-z0-9+/=_]{60,}"),
    _bounded("token", "sntryu_", r"sntryu_[a-f0-9]{64}", 3.5),
    _bounded("token", ("sm_aat_", "sm_pat_", "sm_sat_"), rf"sm_[aps]at_{_ALNUM}{{16}}"),
    _bounded("token", ("squ_", "sqp_", "sqa_"), r"sq[upa]_[a-z0-9]{40}"),
    _bounded("token", "tfp_", r"tfp_[A-Za-z0-9_.=-]{59}"),
    _bounded("token", "t1.", rf"t1\.{_WORD}+={{0,2}}\.{_WORD}{{86}}={{0,2}}"),
    _bounded("api_key", "AQVN", rf"AQVN{_WORD}{{35,38}}"),
    _bounded("api_key", "phc_", rf"ph[cx]_{_ALNUM}{{43}}"),
    _bounded("token", "figd_", rf"figd_{_WORD}{{40}}"),
    _free("password", "contribsys.com",
        r"(?<=//)[a-f0-9]{8}:[a-f0-9]{8}(?=@(?:gems|enterprise)\.contribsys\.com)", 2.0),
    # Hashes of passwords, as crypt(3), bcrypt and argon2 write them.
    _free("password", ("$2a$", "$2b$", "$2y$"), r"\$2[aby]\$\d\d\$[./A-Za-z0-9]{53}"),
    _free("password", ("$5$", "$6$", "$y$"), r"\$[56y]\$(?:[^\s$:\"']{1,40}\$){1,2}[./\w]{43,86}"),
    _free("password", "$argon2", r"\$argon2(?:id?|d)\$[A-Za-z0-9+/=,$]{40,300}"),
    # Signed tokens: a JSON header and body in base64, as they are or encoded once more.
    _free("token", "ey",
        rf"(?<!{_WORD})ey{_WORD}{{17,}}\.ey[A-Za-z0-9/\\_-]{{17,}}\.(?:[A-Za-z0-9/\\_-]{{10,}}={{0,2}})?"),
    _free("token", "ZXlK", r"(?<![A-Za-z0-9+/_-])ZXlK[A-Za-z0-9/\\_+-]{60,}={0,2}", 4.0),
)
# fmt: on

VENDORS: Final[tuple[str, ...]] = (
    "adafruit", "adobe", "airtable", "algolia", "alibaba", "artifactory", "asana", "atlassian",
    "beamer", "bintray", "bitbucket", "bittrex", "cloudflare", "codecov", "cohere", "coinbase",
    "confluence", "confluent", "contentful", "datadog", "discord", "droneci", "dropbox", "etsy",
    "facebook", "fastly", "finicity", "finnhub", "flickr", "freshbooks", "gitter", "gocardless",
    "heroku", "hubspot", "intercom", "jfrog", "jira", "kraken", "kucoin", "launchdarkly",
    "linkedin", "looker", "mailchimp", "mailgun", "mapbox", "mattermost", "meraki", "messagebird",
    "netlify", "new_relic", "newrelic", "nytimes", "okta", "plaid", "privateai", "private_ai",
    "rapidapi", "sendbird", "sentry", "snyk", "sonar", "squarespace", "sumo", "sumologic",
    "telegram", "travis", "twilio", "twitch", "twitter", "yandex", "zendesk",
)  # fmt: skip
"""Services whose name alone, assigned a random value, says that the value is a credential."""
