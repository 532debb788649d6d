"""What English tools say when they fail; patterns are for normalised text (see outcomes_rules)."""

from __future__ import annotations

from typing import Final

from hindsight_core.capture.outcomes_en_names import KEYS, WORDS
from hindsight_core.capture.outcomes_rules import Phrases, Rule, any_of
from hindsight_core.schema import ErrorClass as E

__all__ = ["ENGLISH"]

_NOT: Final = (
    r"(?:could not|cannot|can not|unable to|failed to|did not|not able to|was not able to)"
)

_SPECIFIC: Final = (
    Rule(
        E.PERMISSION,
        any_of(
            r"account (?:is |has been |was )?(?:locked|suspended|disabled|deactivated|blocked)",
            r"locked out",
            r"missing (?:or invalid )?(?:auth\w*|api key|token|credentials?|permissions?)",
        ),
    ),
    Rule(
        E.CONFLICT,
        any_of(
            r"\block\b.{0,40}\b(?:held|exists|timeout|wait)",
            r"(?:acquir|obtain|get|hold)\w* .{0,40}\block\b",
            r"\b(?:is|are|was|been|database|table|row|file) (?:currently )?locked",
            r"deadlock|could not serialize|serialization failure",
            r"another (?:\w+ ){0,2}(?:process|user|operation|instance|transaction|update|deployment"
            r"|job|request|session|run|editor|build|import|sync)\b",
            r"(?:already|still|currently) (?:in progress|being \w+|running)\b|\bin progress\b",
            r"\bbeing (?:used|edited|modified|updated|processed|deployed|rebuilt|migrated)",
            r"concurrent|(?:resource|device|text file) (?:is )?busy|\bbusy with another",
            r"opened by (?:another|someone)|checked out by",
        ),
        transient=True,
    ),
    Rule(
        E.RATE_LIMIT,
        any_of(
            r"rate[- ]?limit|rate (?:exceeded|for)|ratelimit|throttl|slow down|\bcool ?down\b",
            r"too many (?:requests|calls|queries|messages|attempts|tries|emails|searches|logins)",
            r"too (?:fast|frequent|often|quickly)|flood",
            r"(?:requests|calls|queries|tokens|messages) per (?:second|minute|hour)|\b[rt]pm limit",
            r"sending rate|unusual traffic|back ?off",
            r"sent \d+ (?:requests|calls|queries|messages) in",
        ),
    ),
    Rule(
        E.QUOTA,
        any_of(
            r"quota|billing (?:period|hard|limit)|over budget|(?:month|day|year|team)'?s budget",
            r"insufficient (?:funds|balance|credits?|storage|disk)|not enough (?:balance|credits?"
            r"|funds|space|storage|disk)|top up|add (?:funds|credits?)|balance (?:is |of )?\$?0",
            r"no space left|(?:disk|drive|storage|volume|mailbox|inbox|device) (?:is |has )?"
            r"(?:full|over)|out of (?:space|disk|storage|credits?)|storage full"
            r"|disk usage exceeded",
            r"(?:allowance|budget|credits?|plan) .{0,30}(?:used|exceeded|exhausted|reached|spent)",
            r"(?:used up|exhausted|spent|ran out of|run out of|no (?:more )?)(?: \w+){0,4} "
            r"(?:credits?|budget|allowance|tokens|minutes|searches|seats|licen[cs]es)\b",
            r"(?:daily|monthly|weekly|yearly|plan|usage|account|spending|storage|resource|seat"
            r"|user|capacity|instance|service|license|free|current|tier|organi[sz]ation"
            r"|\bv?cpu|project|trial) (?:\w+ )?(?:limit|maximum|cap)\b",
            r"limit of \d[\d,.]* .{0,40}(?:reached|exceeded|allow|per (?:day|month|account|user))",
            r"(?:reached|exceed\w*|hit) (?:your|the|its|this) .{0,40}\b(?:limit|cap|maximum) "
            r"(?:of|for|on) .{0,30}(?:plan|account|month|day|project|user|workspace)",
            r"upgrade (?:your|the|to)|free (?:tier|plan)|payment required",
        ),
    ),
    Rule(
        E.TIMEOUT,
        any_of(
            r"time[- ]?d?[- ]?out|deadline exceeded|took too long|took longer than",
            r"(?:did not|no) (?:answer|respon\w+|reply|return|finish|complete|load"
            r"|acknowledge\w*)\b"
            r".{0,30}\b(?:in|within|after|before|in time)\b",
            r"(?:exceeded|over|past|beyond|reached) (?:the |its |a )?(?:\w+ )?(?:time limit"
            r"|deadline"
            r"|\d+ ?(?:s|ms|sec|seconds?|minutes?)\b)",
            r"(?:killed|terminated|aborted|stopped|gave up|given up|cancell?ed) (?:it )?"
            r"(?:after|at|due to) .{0,24}(?:\bs\b|\dms|\ds\b|sec|min|time|hour)",
            r"still (?:running|waiting) after|time limit (?:exceeded|reached)|time ?limit",
            r"statement timeout|within (?:the )?(?:time|\d+ ?m?s\b)",
        ),
    ),
)

_PLAIN: Final = (
    Rule(
        E.VALIDATION,
        any_of(
            r"no such (?:option|argument|flag|parameter|switch|setting)",
            r"unknown (?:field|option|flag|argument|parameter|property|attribute|key|directive"
            r"|setting|switch|unit|format|type|language|encoding)",
            r"unrecogni[sz]ed",
            r"error validating|validation (?:error|failed)|failed validation",
        ),
    ),
    Rule(
        E.PERMISSION,
        any_of(
            r"(?:permission|access|authori[sz]ation)s? (?:is |was )?(?:denied|refused|required)",
            r"access ?denied|denied access|forbidden|unauthori[sz]ed|unauthenticated"
            r"|not authenticated|not authori[sz]ed|not (?:allowed|permitted|entitled|a member)",
            r"(?:lacks?|lacking|without|insufficient|missing|not have|requires?)(?: \S+){0,5} "
            r"(?:permissions?|privileges?|scopes?|rights|access|roles?)\b",
            r"\bno (?:\w+ )?(?:permissions?|privileges?|access|rights)\b",
            r"insufficient \w*(?:permission|privilege|scope)",
            r"authenticat\w+ (?:failed|required|error)|auth failed|login failed|wrong password",
            r"(?:invalid|incorrect|bad|wrong|unknown|no) (?:api[ -]?)?(?:key|token|credentials?"
            r"|password|signature|access token|client secret)\b",
            r"api key (?:is |was )?(?:invalid|missing|not|provided)|not subscribed",
            r"(?:token|session|credentials?|key|login|certificate|license|licence|cookie|password)"
            r"(?: has| have| is| was)? (?:expired|revoked|invalid|rejected)|expired (?:token"
            r"|session"
            r"|credentials?|key)",
            r"(?:log|sign)(?:ed)? ?in (?:required|first|again|to)|(?:must|please|need to) "
            r"(?:log|sign) ?in|not (?:logged|signed) in|re-?authenticate",
            r"only (?:\w+ ){0,3}(?:admins?|administrators?|owners?|members?|managers?|editors?) "
            r"(?:can|may)|must be (?:the )?(?:\w+ )?(?:owner|admin|superuser|root)|admin only",
            r"read-?only|write-?protected|protected branch|publickey|operation not permitted"
            r"|blocked by (?:policy|your|the|an? admin|robots|organi[sz]ation)|policy (?:forbids"
            r"|denies|does not allow)|captcha|are you a (?:human|robot)",
        ),
    ),
    Rule(
        E.UNAVAILABLE,
        any_of(
            r"(?:connection|connect|socket|network|dns|ssl|tls|proxy|host|api connection)\w* ?"
            r"(?:error|refused|reset|aborted|closed|failed|failure|lost|dropped|down|failed)",
            r"refused (?:the |our )?connection|remote end closed|broken pipe|socket hang ?up",
            _NOT + r" (?:\w+ )?(?:connect|reach|resolve|contact|establish|look ?up host)",
            r"no (?:provider|server|host|backend|upstream|replica|node|route|healthy|available"
            r" server|live)\w*\b.{0,30}(?:reach|host|respond|available|upstream|to host|could)",
            r"unreachable|not reachable|offline|temporar\w+ (?:unavailable|failure|disabled|out)",
            r"(?:service|server|site|system|host|backend|device|endpoint|api|model|gateway|node"
            r"|database|resource|provider)\w* (?:\w+ )?(?:is |are )?(?:temporarily |currently )?"
            r"(?:un ?available|not (?:available|responding|running)|down\b|overloaded|too busy|busy"
            r"|starting)",
            r"service unavailable|\bunavailable\b|bad gateway|overloaded|maintenance"
            r"|out of service",
            r"not (?:online|connected|responding|answering)|disconnected|\bis down\b|went away",
            r"name or service not known|name resolution|no route to host|network is|getaddrinfo"
            r"|eof (?:occurred|while)|max retries exceeded|connection pool|no internet",
            r"is the (?:docker )?(?:daemon|server|service) running|starting up|warming up"
            r"|(?:is|still) (?:loading|booting|starting)|no longer (?:offered|supported|in service)"
            r"|decommissioned|discontinued|has been retired|shut down|sunset",
        ),
    ),
    Rule(
        E.CONFLICT,
        any_of(
            r"conflict|already (?:exists?|taken|registered|booked|in use|used|merged|closed|open"
            r"|has|have|been|assigned|reserved|running|installed|contains|a member|subscribed"
            r"|sent|paid|processed|cancell?ed|occupied|submitted|there|bound|mounted|defined)",
            r"\bexists already|duplicate|unique constraint|must be unique in|double[- ]booked",
            r"version mismatch|stale|out of date|out-of-date|non-fast-forward|\[rejected\]"
            r"|fetch first|tip of your current branch is behind|diverged|modified since"
            r"|changed since"
            r"|has (?:been )?(?:changed|modified|updated|edited)(?: \w+)? (?:since|by|meanwhile)"
            r"|precondition failed|etag|if-match|newer version|revision",
            r"(?:address|port|name|slot|file|room|seat)(?: \S+)? (?:is )?(?:already )?in use"
            r"|overlaps?\b|is not empty|not empty|would be overwritten|foreign key constraint"
            r"|still referenced|unmerged|uncommitted|local changes|currently checked out",
        ),
    ),
    Rule(
        E.NOT_FOUND,
        any_of(
            r"not ?found|no such|(?:does|do|did) not (?:exist|match any)|doesnt exist|not exist\b",
            _NOT + r" (?:be )?(?:find|found|locate|located|open file|stat\b|access '?[./])",
            r"cannot be found|unknown (?:tool|command|host|column|table|database|user|city"
            r"|location|channel|repo\w*|method|function|symbol|currency|id|resource|action"
            r"|endpoint|model|entity|device|sku|product|customer|order|project|branch|revision)",
            r"no (?:\w+ ){0,3}(?:with|named|called|matching|for) (?:the |this |that )?"
            r"(?:\w+ )?(?:id|name|number|code|key|slug|path|email|title|isbn|sku|\S*\d)\b",
            r"no (?:\w+ ){1,3}(?:named|called|with (?:the |this )?(?:id|name|number|code))",
            r"(?:no longer|not) (?:exists?|present|available|listed|sold|in (?:the )?(?:index"
            r"|database|catalog\w*|list|directory))|has been (?:deleted|removed)|was (?:deleted"
            r"|removed)|undefined (?:table|column|function|symbol)|\bgone\b|unresolved reference"
            r"|not recogni[sz]ed|not (?:a )?(?:registered|known|defined)\b|not installed"
            r"|cannot find (?:module|that|the)|we cannot find|nothing (?:here|at this)",
        ),
    ),
    Rule(
        E.VALIDATION,
        any_of(
            r"invalid|illegal|malformed|ill-formed|not (?:a )?(?:valid|supported|accepted)",
            r"missing (?:\d+ )?(?:required|mandatory|positional|argument|parameter|field|value|key"
            r"|input|header|body)|(?:field|argument|parameter|value|property|key|column)s?"
            r"(?: \S+){0,3} (?:is |are )?(?:missing|required|mandatory|not set)|is required"
            r"|are required|required (?:field|argument|parameter|property|value|key|input)",
            r"\bmust (?:be|have|not|contain|match|include|start|end|specify|provide|supply|use"
            r"|come)"
            r"|\bshould (?:be|have|match|contain)|\bhas to be|needs to be|\bexpect(?:s|ed|ing)\b",
            r"unexpected (?:keyword|token|argument|field|type|character|end|eof|indent|value|key"
            r"|parameter|property|input)|bad (?:request|value|argument|input|format|parameter"
            r"|data)",
            r"syntax ?error|parse error|parsing error|"
            + _NOT
            + r" (?:parse|decode|convert|deserial"
            r"|understand|interpret|compile|cast)|undefined (?:variable|name|label)",
            r"out of (?:range|bounds)|out-of-range|(?:too|longer|larger|greater|smaller|shorter) "
            r"(?:long|short|large|small|big|many|few|high|low|old|deep|than)|exceeds (?:the )?"
            r"(?:max\w*|limit|allowed|length|size)|at (?:most|least) \d|more than (?:the )?max",
            r"unsupported|not supported|type ?error|wrong (?:type|format|number|value|argument)"
            r"|mismatch|does not match|requires an? (?:argument|value|number|string|list|object)",
            r"cannot (?:be )?(?:empty|blank|null|negative|zero|query|use|assign|combine|mix|in the"
            r" past|both)|not (?:a|an) (?:number|integer|string|list|date|json|email|url|object"
            r"|directory|file|git repository)|in the past|ambiguous|schema|^usage:|\busage: |not"
            r" defined|takes \d|positional argument|indent|tried writing|is a directory|not a \w+"
            r"|occurs \d+ times|more than one match|multiple matches|unterminated|unclosed"
            r"|context length|maximum context|violates|incompatible|nonexistent date|no changes? "
            r"(?:was|were) made",
        ),
    ),
    Rule(
        E.INTERNAL,
        any_of(
            r"internal (?:server )?(?:error|failure|fault)|server error|unexpected (?:error"
            r"|condition|exception|failure)|unhandled|uncaught|something went wrong|an error"
            r" occurred(?: while processing)?\b(?! \()|system error|application error",
            r"segmentation fault|segfault|core dumped|\bpanic|kernel oops|stack ?overflow"
            r"|bus error",
            r"null ?pointer|nil pointer|none type|undefined is not|cannot read propert"
            r"|assertion|out of memory|oom|heap|\bkilled\b|\babort(?:ed)?\b|corrupt|crash"
            r"|inconsistent state|division by zero|data loss|bug\b",
        ),
    ),
)

_VAGUE: Final = (
    Rule(E.NOT_FOUND, any_of(r"\bno \w+ (?:found|exists?)\b", r"\bmissing\b", r"\bunknown\b")),
    Rule(E.VALIDATION, any_of(r"\barguments?\b", r"\bparameters?\b", r"\bformat\b", r"\bsyntax\b")),
    Rule(E.PERMISSION, any_of(r"\bdenied\b", r"\brefused\b", r"\bnot allow", r"\bcredential")),
    Rule(E.UNAVAILABLE, any_of(r"try (?:again|later)|temporar|please wait|not ready|\bdown\b")),
    Rule(E.INTERNAL, any_of(r"\bexception\b", r"\bfatal\b", r"\btraceback\b")),
)

_OPENING: Final = any_of(
    r"(?:[\w./-]{1,40}: ){0,3}(?:\w{0,30} ?error|errors?|fatal(?: error)?|panic|failed|failure|fail"
    r"|exception|err!?|aborted|abort|denied|rejected|unsuccessful)\b(?!\w)",
    r"(?:npm|yarn|pnpm) err",
    r"(?:sorry|apologies|unfortunately|oops|whoops)\b",
    r"(?:we |i |the \w+ |your \w+ |this \w+ |it |system |server |tool )?(?:could not|cannot|can not"
    r"|unable to|was unable|were unable|am unable|is unable|failed to|has failed|was not able)",
    r"(?:an? )?(?:unexpected |internal |unknown |fatal |server )+(?:\w+ )?(?:error|exception"
    r"|failure)",
    r"an? (?:\w+ ){0,2}(?:error|exception) (?:has )?(?:occurred|was|happened)",
    r"(?:invalid|illegal|unknown|unsupported|unrecogni[sz]ed|malformed|missing|bad)\b",
    r"(?:access|permission|request|authentication|authori[sz]ation|connection|login|query|call"
    r"|operation|command|search|upload|download|execution|validation|\w+ing) (?:\w+ )?(?:denied"
    r"|refused|failed|rejected|timed out|timeout|expired|forbidden|error|not allowed|aborted)",
    r"(?:got |error: )?permission denied|forbidden|unauthori[sz]ed|not authori[sz]ed|not found",
    r"(?:rate limit|rate exceeded|too many requests|quota|time ?d? ?out|timeout|deadline|throttl)",
    r"no such |(?:service|server|resource|network) (?:is )?(?:temporarily )?un",
    r"segmentation fault|killed$|core dumped|!? ?\[rejected\]|traceback \(most recent",
    r"you (?:do not|have (?:exceeded|reached|used|no|run|been|sent)|are not|cannot|must|need)",
    r"[45]\d\d(?::| -|,| [a-z])",
    r"http(?:/\d(?:\.\d)?)?(?: error| status)?:? ?[45]\d\d\b|(?:status"
    r"|error)(?: code)? ?:? ?[45]\d\d",
    r"nothing happen(?:s|ed)\b",
)

_STATEMENT: Final = any_of(
    _NOT + r" (?:be )?\w+",
    r"(?:was|were|is|are|has|have|been|be|did|does|do) not (?:been |be )?(?:\w+ )?(?:\w+ed|sent"
    r"|found"
    r"|made|done|set|put|built|kept|written|taken|paid|exist|accept\w*|match any|allow|run|online"
    r"|available|valid|supported|installed|authori[sz]ed)\b",
    r"not (?:found|available|allowed|permitted|authori[sz]ed|supported|submitted|sent|saved|applied"
    r"|executed|created|updated|deleted|delivered|accepted|processed|completed|recogni[sz]ed"
    r"|installed|propagated|reachable)\b",
    r"failed\b|failure\b|\berror\b|denied|refused|rejected|forbidden|unauthori[sz]ed|expired"
    r"|exceeded|exhausted|timed out|time-?out|unavailable|unreachable|offline|overloaded|aborted"
    r"|terminated|core dumped|segmentation fault|crashed",
    r"already (?:exists|taken|registered|booked|in use)|does not exist|doesnt exist|no such",
    r"invalid|malformed|unsupported|unknown (?:tool|command|option|column|field|city|user|host)"
    r"|is required|must (?:be|have|contain|match|not)|missing required|no space left|is full\b",
    r"no (?:\w+ )?(?:provider|server|order|user|record|customer|account|item|entry|file|product"
    r"|event|contact|device|booking|flight|page|document|key|row|ticket|invoice|package|issue"
    r"|branch)"
    r" (?:\w+ )?(?:could|with|named|called|matches|matching|found|for|exists|by|has|at)\b",
    r"too many|rate limit|quota|slow down|throttl|allowance used|try again (?:later|in)",
    r"gave up|given up|giving up|no (?:answer|response|reply)|locked|conflict(?:s|ing)? with",
    r"nothing happen(?:s|ed)\b|had no effect|has no effect|no effect\b|no changes? (?:was"
    r"|were) made",
    r"command not|not executed|not a git repository|cannot\b",
)

_UNMET: Final = any_of(
    r"(?:was|were|has|have|is|are|been) not (?:been |be )?(?:yet )?(?:\w+ed|sent|made|done|paid"
    r"|put|set|written)\b|could not be \w+",
    r"not (?:executed|submitted|sent|saved|applied|created|updated|deleted|delivered|accepted"
    r"|processed|completed|performed|changed|moved|booked|reserved|paid|refunded|published|charged"
    r"|cancelled|carried out|done|eligible|enough|in stock)\b",
    r"no (?:changes?|action|refund|booking|payment|message|record|update|rows?|order|reservation"
    r"|charge|transfer|email|file)s? (?:\w+ )?(?:was|were|has been|have been|is|could be|made|taken"
    r"|sent|updated|changed|created)",
    r"nothing (?:was|were|has been|happen\w*|changed)|had no effect|has no effect|no effect\b"
    r"|ignored|skipped because|declined|rejected|refused|window closed|out of stock|insufficient"
    r"|sold out|unsuccessful|unable to|could not|cannot|failed",
)

_HARMLESS: Final = any_of(
    r"(?<![=:.\w])(?:0|no|zero|without|free of|any) (?:\w+ ){0,2}(?:errors?|failures?|failed"
    r"|failing"
    r"|problems?"
    r"|issues?|warnings?|conflicts?|crashes|timeouts?|exceptions?|rejected|skipped|denied|missing"
    r"|invalid|duplicates?|mismatch\w*|unreachable)\b",
    r"\b(?:errors?|failures?|failed|failing|skipped|warnings?|rejected|conflicts?|unreachable"
    r"|timeouts?|dropped|invalid|missing|duplicates?|denied|lost"
    r"|exceptions?)\"?\s*[:=]\s*0\b(?!\.)",
    r"\bif (?:it|this|that|you|the|there|any)\b[^.\n]{0,80}",
    r"\berror (?:rate|handling|handler|handlers|log|logs|page|pages|message|messages|budget|bars?"
    r"|code|codes|report|reports|count|tracking|boundary)s?\b(?! ?[:=] ?[1-9])",
    r"nothing to be done|nothing to (?:commit|do|update|install)|not found in cache",
    r"^\s*(?:warning|warn|notice|info|note|debug)\b[^\n]*",
    r"\b\w*warning: [^\n]*",
)

_EMPTY: Final = any_of(
    r"^\W*(?:there (?:are|were) )?(?:no|0|zero) (?:\w+ ){0,3}(?:results?|match|matches|hits|items"
    r"|records|rows|entries|resources|files|events|messages|documents|emails|issues|tickets|orders"
    r"|alerts|tasks|data|flights|rooms|slots|contacts|users|changes|differences|updates|notes|pages"
    r"|products|logs|notifications|meetings|tests)(?: (?:were |was )?(?:found|returned|available"
    r"|matched|to \w+|yet|today|pending|exist|match\w*)\b.{0,60}"
    r"| (?:in|for|on|at|since|between|under|from|with|matching) .{0,80})?\W*$",
    r"^\W*(?:nothing|none) (?:was |were )?(?:found|matched|to (?:show|report|display)|here|new)"
    r".{0,40}$",
    r"^\W*(?:none|empty|n/a|null|\[\]|\{\})\W*$",
    r"^\W*(?:your )?(?:search|query) (?:returned|found|gave|matched|did not (?:match|return|find))"
    r" (?:no|0|nothing|any).{0,60}$",
)

_ABOUT_TOOL: Final = any_of(
    r"^(?:\w+ ){0,2}(?:search(?:es)?|quer(?:y|ies)|requests?|lookups?|api|server|service|provider"
    r"|index|engine|tool|file|page|site|connection|database|translation|allowance|quota|plan"
    r"|account|access|permission|rate|limit|reading|fetch\w*|retriev\w*|download)\b",
    r"\byou (?:have|do not|are|must|need|sent|can|may)\b|\byour (?:account|plan|request|ip|network"
    r"|key|token|query|search|session)\b|\b(?:please|try again|retry)\b",
    r"^(?:[\w.]{0,40} ?error|error|fatal|exception|could not|cannot|unable to|failed to|i (?:could"
    r"|was|am)|we (?:could|are|have)|sorry|invalid|unknown|no such|not found|time|http)",
    r"\b(?:language|format|encoding|file type|image|audio) (?:\S+ )?(?:is )?not (?:supported"
    r"|recogni[sz]ed)|unsupported (?:language|format|file|image|audio|encoding)",
)

_TRANSFORM_FAILED: Final = any_of(
    r"^(?:\S+ )?(?:could not|cannot|unable to|failed to) (?:be )?(?:translat|transcrib|summar"
    r"|recogn"
    r"|process|detect|extract|convert|render|pars|decod|read|open|load|caption|classif|describ"
    r"|complet|generat|embed|download|fetch|reach|connect|find)\w*",
    r"^(?:no|empty) (?:speech|text|audio|face|content) (?:was )?(?:detected|found|recogni[sz]ed)",
    r"\b(?:language|format|encoding|file type|image|audio|voice|model)s? (?:\S+ )?(?:is |are )?not "
    r"(?:supported|recogni[sz]ed|available)|^unsupported (?:language|format|file|image|audio)",
    r"^(?:error|fatal|exception)\b|^(?:rate limit|quota|too many requests|request timed? ?out)"
    r"|^http ?[45]\d\d|^[45]\d\d\b|(?:quota|allowance|character limit) .{0,30}(?:used|exceeded"
    r"|reach)",
)

ENGLISH: Final = Phrases(
    specific=_SPECIFIC,
    plain=_PLAIN,
    vague=_VAGUE,
    opening=_OPENING,
    statement=_STATEMENT,
    unmet=_UNMET,
    harmless=_HARMLESS,
    empty=_EMPTY,
    about_tool=_ABOUT_TOOL,
    transform_failed=_TRANSFORM_FAILED,
    again_later=any_of(
        r"(?:try|retry)(?:ing)? (?:again|later|in|after)|again (?:later|in a|shortly|soon)|wait a"
        r"|temporar|retry-after|please wait|shortly|intermittent"
    ),
    unknown_result=any_of(
        r"(?:result|outcome|status|state) (?:is |was )?(?:unknown|unclear|not known|undetermined)"
        r"|may (?:or may not )?(?:have|still|already)|might (?:have|still)|check (?:whether|if"
        r"|before"
        r"|the status|first)|before (?:retrying|trying again|repeating|sending again)|do not retry"
    ),
    not_yet=any_of(
        r"propagat|not (?:yet|been indexed)|eventual|still (?:being|creating|processing|indexing"
        r"|provisioning|syncing|building)|not ready|just (?:been )?created|created \d+ ?s"
        r"|(?:is|are) being (?:created|indexed|provisioned|restored)|pending creation|replicat"
    ),
    for_good=any_of(
        r"no longer|decommission|discontinu|retired|shut ?down (?:on|in|since|permanently)|sunset"
        r"|permanent|end of life|deprecated|not (?:installed|enabled|configured|supported)|removed"
    ),
    cut_off=any_of(
        r"(?:killed|terminated|aborted|stopped|cancell?ed|interrupted)"
        r"|(?:execution|run|cell|script|command|process|test|job|cpu|statement|query)\w* (?:\w+ )?"
        r"(?:time[- ]?d?[- ]?out|time limit|timeout)|time limit|took longer|still running"
    ),
    crash=any_of(
        r"segmentation|segfault|core dumped|panic|null ?pointer|nil pointer|assertion"
        r"|stack ?overflow"
        r"|bus error|out of memory|oom|heap|corrupt|none type|undefined is not|cannot read propert"
        r"|division by zero|traceback|killed|\bbug\b|index out of"
    ),
    no_effect=any_of(
        r"nothing (?:happen(?:s|ed)|changed)|(?:had|has|no) (?:no )?effect\b|did nothing"
        r"|no response"
    ),
    server_side=any_of(
        r"internal server error|internal error|server error|unexpected error|something went wrong"
        r"|system error|application error|upstream"
    ),
    keys=KEYS,
    words=WORDS,
)
