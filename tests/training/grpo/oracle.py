"""The formulas of group-relative policy optimization, as ClinEdu's paper and its released code have them, in
numpy. What trains is TRL; this is what its numbers are held against."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[np.float64]]


def advantages(rewards: Any, size: int, scale: str = "group", eps: float = 1e-6) -> Array:
    """(r - mean) / (std + eps) in groups of one prompt; NaN is unscored: it counts nowhere and gets 0."""
    groups = np.asarray(rewards, dtype=float).reshape(-1, size)
    some = ~np.isnan(groups).all(axis=1)
    found = np.zeros_like(groups)
    for at in np.flatnonzero(some):
        group = groups[at]
        known = group[~np.isnan(group)]
        spread = known.std(ddof=1) if len(known) > 1 else 0.0
        found[at] = (group - known.mean()) / (spread + eps if scale == "group" else 1.0)
    return np.nan_to_num(found).reshape(-1)


def k3(logp: Array, ref: Array) -> Array:
    """The estimate of the divergence from the reference, token by token."""
    away = ref - logp
    return np.exp(away) - away - 1.0


def token_losses(logp: Array, old: Array, ref: Array, adv: Array, **how: Any) -> Array:
    """-min(rho A, clip(rho) A) + beta k3 of each token; `dual` bounds the loss of bad answers. A `corrected`
    divergence is multiplied by rho, so that its gradient is that of KL(pi | ref)."""
    low, high, dual, beta = (how.get(name) for name in ("low", "high", "dual", "beta"))
    ratio, each = np.exp(logp - old), adv[:, None]
    gain = np.minimum(ratio * each, np.clip(ratio, 1 - (low or 0.2), 1 + (high or low or 0.2)) * each)
    if dual is not None:
        gain = np.where(each < 0, np.maximum(gain, dual * each), gain)
    away = k3(logp, ref) * (ratio if how.get("corrected") else 1.0)
    return -gain + (beta or 0.0) * away


def loss(kind: str, each: Array, mask: Array, longest: int) -> float:
    """grpo: mean over answers of their token means. bnpo, dapo: mean over all tokens. dr_grpo: their sum by
    answers and the longest there may be."""
    total, tokens = (each * mask).sum(axis=1), mask.sum(axis=1)
    if kind == "grpo":
        return float((total / np.maximum(tokens, 1)).mean())
    if kind == "dr_grpo":
        return float(total.sum() / (len(mask) * longest))
    return float(total.sum() / max(1, mask.sum()))


def softmax(logits: Array) -> Array:
    up = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return np.asarray(up / up.sum(axis=-1, keepdims=True))
