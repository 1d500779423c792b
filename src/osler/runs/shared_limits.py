"""The limits that the workers of a run keep together: the rates of its endpoints, and its budget.

A run whose endpoints have no rates, and that has no budget, asks the store nothing for this.
"""

from __future__ import annotations

from osler.models.budget import Amounts
from osler.models.config import Config as Endpoints
from osler.models.open_models import Models
from osler.runs.usage import ledger_of, usage
from osler.store.budgets import SharedBudget
from osler.store.store import Store


def share_limits(models: Models, store: Store, run_id: int, token: int) -> SharedBudget | None:
    """Let the models of the worker with this lease keep their limits together with everybody else's. Returns
    the budget, to be told of every commit, if there is one. Raises InfrastructureFault."""
    models.share_rates(store.shared_bucket)
    budget = models.budget
    if budget is None or not budget.bounds_spending:
        return None
    purse = store.shared_budget(run_id, token, lambda: recorded(store, run_id, models.config))
    purse.spent = budget.spent_here
    budget.share(purse)
    return purse


def recorded(store: Store, run_id: int, config: Endpoints) -> Amounts:
    """Return what a run has used so far by its record, at the configured prices."""
    used = ledger_of(usage(store, run_id, config)).total
    return Amounts(used.tokens, used.cost)
