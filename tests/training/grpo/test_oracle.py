"""The formulas by hand, by finite differences, and on bandits whose best action is known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.training.grpo.oracle import Array, advantages, k3, loss, softmax, token_losses


def test_a_veto_swamps_its_group() -> None:
    found = advantages([8, 9, 10, 11, -15], 5)
    assert found == pytest.approx([0.31, 0.40, 0.49, 0.58, -1.78], abs=0.005)
    assert np.ptp(found[:4]) < 0.28
    assert np.ptp(advantages([8, 9, 10, 11, 5], 5)[:4]) > 1.2


def test_a_group_of_equal_rewards_gives_exactly_nothing() -> None:
    assert (advantages([3.0] * 5, 5) == 0.0).all()
    assert (advantages([np.nan] * 5 + [1, 2, 3, 4, 5], 5)[:5] == 0.0).all()


def test_a_constant_changes_nothing_and_a_permutation_only_the_order() -> None:
    rewards = np.random.default_rng(1).normal(size=(3, 5))
    found = advantages(rewards.ravel(), 5)
    moved = rewards + np.array([[7.0], [-3.0], [0.5]])
    assert advantages(moved.ravel(), 5) == pytest.approx(found)
    order = np.array([4, 2, 0, 3, 1])
    assert advantages(rewards[:, order].ravel(), 5) == pytest.approx(found.reshape(3, 5)[:, order].ravel())


LOGITS = np.random.default_rng(2).normal(size=(4, 3, 6))
IDS = np.random.default_rng(3).integers(0, 6, size=(4, 3))
MASK = np.array([[1, 1, 1], [1, 1, 0], [1, 0, 0], [1, 1, 1]], dtype=float)


def logps(logits: Array) -> Array:
    return np.asarray(np.log(np.take_along_axis(softmax(logits), IDS[:, :, None], axis=2)[:, :, 0]))


def objective(logits: Array, old: Array, adv: Array, **how: float) -> float:
    return loss("dapo", token_losses(logps(logits), old, old, adv, **how), MASK, 3)


def slope(of: Callable[[Array], float], at: Array, step: float = 1e-6) -> Array:
    found = np.zeros_like(at)
    for place in np.ndindex(*at.shape):
        up, down = at.copy(), at.copy()
        up[place] += step
        down[place] -= step
        found[place] = (of(up) - of(down)) / (2 * step)
    return found


def test_the_gradient_at_the_sampled_policy_is_minus_the_advantage_times_grad_logp() -> None:
    adv = np.array([1.0, -0.5, 0.3, -0.8])
    found = slope(lambda logits: objective(logits, logps(LOGITS), adv), LOGITS)
    one_hot = np.eye(6)[IDS]
    grad_logp = one_hot - softmax(LOGITS)
    assert found == pytest.approx(-(adv[:, None, None] * grad_logp * MASK[:, :, None]) / MASK.sum(), abs=1e-8)
    assert (found[MASK == 0] == 0).all()


def test_outside_the_clip_on_the_losing_side_there_is_no_gradient() -> None:
    old = logps(LOGITS) - 0.5  # the ratio is 1.65
    good = slope(lambda logits: objective(logits, old, np.ones(4)), LOGITS)
    bad = slope(lambda logits: objective(logits, old, -np.ones(4)), LOGITS)
    assert (good == 0).all()
    assert np.abs(bad[MASK == 1]).max() > 0.01
    bounded = slope(lambda logits: objective(logits, old - 1.0, -np.ones(4), dual=3.0), LOGITS)
    assert (bounded == 0).all()  # the ratio is 4.5


def test_the_divergence_is_never_negative_and_estimates_the_analytic_one() -> None:
    dice = np.random.default_rng(5)
    p, q = softmax(dice.normal(size=8)), softmax(dice.normal(size=8))
    drawn = dice.choice(8, size=100_000, p=p)
    found = k3(np.log(p)[drawn], np.log(q)[drawn])
    assert (found >= 0).all()
    error = found.std(ddof=1) / np.sqrt(len(found))
    assert found.mean() == pytest.approx(float((p * np.log(p / q)).sum()), abs=3 * error)


Rewards = Callable[[Array, np.random.Generator], Array]
"""The rewards of (prompts, group) actions."""


def learnt(
    rewards: Rewards,
    seed: int,
    *,
    prompts: int = 1,
    steps: int = 200,
    rate: float = 0.5,
    **how: float | str | bool,
) -> Array:
    """A table of logits trained on 8 one-token actions; its probabilities at the end."""
    dice, group = np.random.default_rng(seed), 8
    logits, ref = np.zeros((prompts, 8)), np.zeros((prompts, 8))
    for _ in range(steps):
        p = softmax(logits)
        actions = np.array([dice.choice(8, size=group, p=row) for row in p])
        given = rewards(actions, dice)
        adv = advantages(given.ravel(), group, str(how.get("scale", "group"))).reshape(prompts, group)
        beta = float(how.get("beta", 0.0))
        one_hot = np.eye(8)[actions]
        away = np.log(softmax(ref)) - np.log(p)
        here = np.take_along_axis(away, actions, axis=1)
        # d k3 / d logp = 1 - exp(ref - logp), and of rho k3, at rho = 1: logp - ref
        pull = adv - beta * (-here if how.get("corrected") else 1 - np.exp(here))
        logits += rate * (pull[:, :, None] * (one_hot - p[:, None, :])).mean(axis=1)
    return softmax(logits)


def best_is_3(actions: Array, _: np.random.Generator) -> Array:
    return np.asarray(actions == 3, dtype=float)


def test_the_bandit_is_learnt_on_every_seed() -> None:
    assert sum(learnt(best_is_3, seed)[0, 3] > 0.95 for seed in range(20)) == 20


def test_shuffled_rewards_teach_nothing() -> None:
    def shuffled(actions: Array, dice: np.random.Generator) -> Array:
        return dice.permuted(best_is_3(actions, dice), axis=1)

    found = np.array([learnt(shuffled, seed, steps=60)[0, 3] for seed in range(60)])
    error = found.std(ddof=1) / np.sqrt(len(found))
    assert found.mean() == pytest.approx(1 / 8, abs=3 * error)
    assert found.mean() < 0.3


def test_another_action_is_right_at_each_prompt_and_swapped_rewards_are_seen() -> None:
    right = np.array([1, 4, 6, 2])

    def by_prompt(actions: Array, _: np.random.Generator) -> Array:
        return np.asarray(actions == right[:, None], dtype=float)

    def swapped(actions: Array, dice: np.random.Generator) -> Array:
        return by_prompt(actions, dice)[[1, 0, 2, 3]]

    assert (learnt(by_prompt, 1, prompts=4)[range(4), right] > 0.95).all()
    found = learnt(swapped, 1, prompts=4)[range(4), right]
    assert (found[2:] > 0.95).all()
    assert (found[:2] < 0.95).all()


def test_the_tempting_action_that_is_vetoed_dies_out() -> None:
    """+11 for style, and a breach of conduct: -15, against honest work at 6."""

    def vetoed(actions: Array, _: np.random.Generator) -> Array:
        return np.where(actions == 5, -15.0, np.where(actions == 2, 6.0, 3.0))

    def unvetoed(actions: Array, _: np.random.Generator) -> Array:
        return np.where(actions == 5, 10.0, np.where(actions == 2, 6.0, 3.0))

    assert max(learnt(vetoed, seed)[0, 5] for seed in range(10)) < 0.02
    assert min(learnt(unvetoed, seed)[0, 5] for seed in range(10)) > 0.9


VALUES = np.array([0.0, 0.5, 1.0, 0.2, 0.0, 0.3, 0.1, 0.4])


def settled(scale: float, beta: float, *, corrected: bool = False) -> Array:
    def own(actions: Array, _: np.random.Generator) -> Array:
        return np.asarray(scale * VALUES[actions.astype(int)])

    rate = 0.03 / beta
    how: dict[str, Any] = {"scale": "none", "beta": beta, "corrected": corrected}
    runs = [learnt(own, seed, steps=2500, rate=rate, **how)[0] for seed in range(4)]
    return np.asarray(np.mean(runs, axis=0))


SHRUNK = 7 / 8
"""Centring by the mean of a group of 8, its own reward included, takes off an eighth of every pull."""


def test_a_large_divergence_weight_settles_near_the_tilted_reference() -> None:
    """pi proportional to pi_ref exp(r / beta)."""
    found = settled(4.0, 12.0)
    assert np.abs(found - softmax(4.0 * VALUES * SHRUNK / 12.0)).max() < 0.02
    assert np.abs(found - 1 / 8).max() > 0.025


def test_a_smaller_one_settles_where_the_estimate_pulls_not_at_the_tilted_reference() -> None:
    """As a loss, the gradient of k3 is that of KL(ref | pi): pi_ref / (1 - A / beta), more extreme."""
    beta = 0.5
    at = np.linspace(0, 1, 100_001)[:, None]  # the mean of the rewards, at which probabilities sum to 1
    with np.errstate(divide="ignore"):
        each = (1 / 8) / (1 - (VALUES * SHRUNK - at) / beta)
    each = each[(each > 0).all(axis=1)]
    wanted = each[np.abs(each.sum(axis=1) - 1).argmin()]
    found = settled(1.0, beta)
    assert np.abs(found - wanted).max() < 0.02
    tilted = softmax(VALUES * SHRUNK / beta)
    assert np.abs(found - tilted).max() > 0.05
    assert np.abs(settled(1.0, beta, corrected=True) - tilted).max() < 0.02
