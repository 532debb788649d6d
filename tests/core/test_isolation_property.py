"""No sequence of operations of one tenant, user or role shows another's text."""

import re
import shutil
import tempfile

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from hindsight_core import Hindsight, HindsightError, Kind, Scope, Source, Where

ANY = Where(statuses=(), include_superseded=True)
SCOPES = [
    Scope(user=user, tenant=tenant, agent=agent)
    for tenant in ("north", "south")
    for user in ("ana", "ben")
    for agent in (None, "billing", "writer")
]
FORMS = [
    "The depot {} opens at nine.",
    "仓库 {} 九点开门。",
    "All refunds go to the new payout account of {} from now on.",
    "以后所有退款都改打到 {} 的新收款账户。",
]
MARK = re.compile(r"mark\d{4}end")
scopes, texts = st.sampled_from(SCOPES), st.sampled_from(FORMS)
picks = st.integers(0, 10_000)


class Isolation(RuleBasedStateMachine):
    """Every text has a mark of its own; each output is searched for the marks of others."""

    @initialize()
    def begin(self):
        self.folder = tempfile.mkdtemp()
        self.hs = Hindsight.open(f"{self.folder}/m.db", embedder=None)
        self.owners = {}
        self.ids, self.runs, self.recalls = ["none"], [], []
        self.grants = {}
        self.alerts = ["none"]

    def teardown(self):
        if hasattr(self, "hs"):
            self.hs.close()
            shutil.rmtree(self.folder)

    def mark(self, scope):
        mark = f"mark{len(self.owners):04d}end"
        self.owners[mark] = scope
        return mark

    def look(self, scope, *outputs, reviewing=False):
        """Fail if an output holds a mark that `scope` may not see."""
        for output in outputs:
            for mark in MARK.findall(repr(output)):
                owner = self.owners[mark]
                own = scope.sees(owner) or (reviewing and inside(scope, owner))
                granted = any(self.reaches(grant, mark, scope) for grant in self.grants.values())
                assert own or granted, (mark, owner, scope)

    def reaches(self, grant, mark, scope):
        marks, tenant, users, agents, _ = grant
        return (
            mark in marks
            and tenant == scope.tenant
            and (scope.user in users or "*" in users)
            and (not agents or scope.agent in agents)
        )

    def attempt(self, function, *args, **more):
        try:
            return function(*args, **more)
        except HindsightError as error:
            return str(error)

    def note(self, memories):
        self.ids.extend(memory.id for memory in memories if memory.id not in self.ids)

    @rule(scope=scopes, form=texts, source=st.sampled_from(Source), kind=st.sampled_from(Kind))
    def remember(self, scope, form, source, kind):
        text = form.format(self.mark(scope))
        memory = self.attempt(self.hs.remember, scope, text, source=source, kind=kind)
        self.look(scope, memory)
        if not isinstance(memory, str):
            self.note([memory])

    @rule(scope=scopes, said=st.booleans())
    def learn(self, scope, said):
        mark = self.mark(scope)
        run = self.hs.run(scope, task=f"Open the depot {mark}")
        if said:
            run.user(f"From now on always use depot {mark}, never another one.", turn="1")
        block = run.context()
        gate = run.before_tool("open", {"time": "8pm"}, call_id="1")
        run.after_tool(
            "open", {"time": "8pm"}, call_id="1", result=f"{mark}: HH:MM", flagged_error=True
        )
        run.after_tool("open", {"time": "20:00"}, call_id="2", result=f"open {mark}")
        run.finish(ok=True)
        self.runs.append(run.run_id)
        self.look(scope, block, gate)
        self.note(self.hs.memories(scope))

    @rule(scope=scopes, query=st.sampled_from(("open depot time 8pm", "仓库几点开门", "refunds")))
    def recall(self, scope, query):
        found = self.hs.recall(scope, query, threshold=-1.0)
        self.recalls.append(found.report.recall_id)
        self.look(scope, found)
        self.note(found.memories)
        self.look(scope, self.hs.recalls(scope))

    @rule(scope=scopes)
    def gate(self, scope):
        run = self.hs.run(scope, task="Open the depot")
        self.look(scope, run.before_tool("open", {"time": "8pm"}, call_id="1"))
        self.runs.append(run.run_id)

    @rule(scope=scopes)
    def listing(self, scope):
        listed = self.hs.memories(scope, ANY, limit=1_000)
        self.look(scope, listed)
        self.note(listed)

    @rule(scope=scopes, pick=picks)
    def single(self, scope, pick):
        wanted = self.ids[pick % len(self.ids)]
        self.look(scope, self.attempt(self.hs.get, scope, wanted))
        for name in (self.ids, self.runs, self.recalls):
            if name:
                wanted = name[pick % len(name)]
                self.look(scope, self.attempt(self.hs.explain, scope, wanted))

    @rule(scope=scopes, pick=picks, good=st.booleans())
    def word_on_it(self, scope, pick, good):
        wanted = self.ids[pick % len(self.ids)]
        self.attempt(self.hs.feedback, scope, wanted, good=good)
        self.look(scope, self.attempt(self.hs.verify, scope, wanted, ok=good))

    @rule(scope=scopes, pick=picks, admit=st.booleans())
    def review(self, scope, pick, admit):
        waiting = self.hs.review.waiting(scope)
        self.look(scope, waiting, self.hs.review.decisions(scope), reviewing=True)
        wanted = self.ids[pick % len(self.ids)]
        shown = self.attempt(self.hs.review.show, scope, wanted)
        decide = self.hs.review.admit if admit else self.hs.review.refuse
        decided = self.attempt(decide, scope, wanted, by="rev")
        self.look(scope, shown, decided, self.hs.alerts.open(scope), reviewing=True)

    @rule(
        scope=scopes,
        pick=picks,
        users=st.sampled_from((["ana"], ["ben"], ["ana", "ben"], ["*"])),
        agents=st.sampled_from(([], ["billing"])),
    )
    def grant(self, scope, pick, users, agents):
        candidates = [m for m in self.hs.memories(scope) if m.kind in (Kind.LESSON, Kind.PATH)]
        if not candidates:
            self.learn(scope, said=False)
            candidates = [m for m in self.hs.memories(scope) if m.kind in (Kind.LESSON, Kind.PATH)]
        ids = [memory.id for memory in candidates] or self.ids
        wanted = ids[pick % len(ids)]
        preview = self.attempt(self.hs.sharing.preview, scope, wanted)
        self.look(scope, preview)
        given = self.attempt(
            self.hs.sharing.grant, scope, wanted, by="ops", users=users, agents=agents
        )
        self.look(scope, given)
        if not isinstance(given, str):
            owner = self.hs.get(scope, wanted).scope
            marks = set(MARK.findall(repr(preview)))
            self.grants[given.id] = (marks, scope.tenant, users, agents, (owner, wanted))
            for receiver in SCOPES[pick % 3 :: 3]:
                self.recall(receiver, "open depot time 8pm")

    @rule(scope=scopes, pick=picks)
    def revoke(self, scope, pick):
        self.look(scope, self.hs.sharing.grants(scope))
        if not self.grants:
            self.grant(scope, pick, ["*"], [])
        if self.grants:
            wanted = list(self.grants)[pick % len(self.grants)]
            if pick % 2:
                scope = self.grants[wanted][4][0]
            done = self.attempt(self.hs.sharing.revoke, scope, wanted, by="ops")
            if not isinstance(done, str):
                del self.grants[wanted]
            for receiver in SCOPES:
                self.listing(receiver)

    @rule(scope=scopes, pick=picks)
    def forget_one(self, scope, pick):
        wanted = self.ids[pick % len(self.ids)]
        seen = not isinstance(self.attempt(self.hs.get, scope, wanted), str)
        self.look(scope, self.hs.forget(scope, [wanted]))
        if seen:
            self.grants = {k: g for k, g in self.grants.items() if g[4][1] != wanted}

    @rule(scope=scopes)
    def forget_all(self, scope):
        self.look(scope, self.hs.forget(scope))
        self.grants = {k: g for k, g in self.grants.items() if not inside(scope, g[4][0])}
        assert self.hs.memories(Scope(user=scope.user, tenant=scope.tenant), ANY) is not None

    @invariant()
    def nothing_was_swallowed(self):
        if hasattr(self, "hs"):
            assert not self.hs.health().errors


def inside(wide, narrow):
    return (
        (wide.tenant, wide.user) == (narrow.tenant, narrow.user)
        and wide.agent in (None, narrow.agent)
        and wide.session in (None, narrow.session)
    )


TestIsolation = Isolation.TestCase
TestIsolation.settings = settings(
    max_examples=10,
    stateful_step_count=20,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
