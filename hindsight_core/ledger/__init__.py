"""The ledger: what runs did with the memories that they were shown, and what that says of them."""

from hindsight_core.ledger.accounts import Account, read_accounts
from hindsight_core.ledger.credit import CREDITED, NOT_TAKEN, credit
from hindsight_core.ledger.holdout import MIN_RUNS, Uplift, estimate_uplift, is_withheld
from hindsight_core.ledger.posterior import Posterior, beta_cdf, beta_quantile
from hindsight_core.ledger.verdicts import Act, acts_about, judge_uses, recalled_ids

__all__ = [
    "CREDITED",
    "MIN_RUNS",
    "NOT_TAKEN",
    "Account",
    "Act",
    "Posterior",
    "Uplift",
    "acts_about",
    "beta_cdf",
    "beta_quantile",
    "credit",
    "estimate_uplift",
    "is_withheld",
    "judge_uses",
    "read_accounts",
    "recalled_ids",
]
