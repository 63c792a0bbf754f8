"""Rules and lessons together: what people decided outweighs what papers usually say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from uuid import UUID

from sqlalchemy import select

from leasehold_documents.classifying import bayes, lessons, rules
from leasehold_documents.classifying.values import SURE, Guess, Suggested
from leasehold_documents.data.tables import nodes

if TYPE_CHECKING:
    from sqlalchemy import Connection

_MOST: Final = 0.99  # nobody is ever quite sure


def classify(connection: Connection, tenant_id: UUID, text: str) -> Suggested:
    """Say what a paper is, how surely, and where the tenant files such papers."""
    learnt = bayes.guess(lessons.latest(connection, tenant_id), bayes.features(text))
    guess = agree(rules.guess(text), learnt)
    if guess is None:
        return Suggested(doc_type=None, confidence=0.0)
    node_id = node_for(connection, tenant_id, guess.doc_type)
    confidence = round(min(guess.confidence, _MOST), 3)
    return Suggested(doc_type=guess.doc_type, confidence=confidence, node_id=node_id)


def agree(by_rule: Guess | None, learnt: Guess | None) -> Guess | None:
    """Take what both say as surer, and what they differ about as less sure."""
    if by_rule is None or learnt is None:
        return by_rule or learnt
    if by_rule.doc_type == learnt.doc_type:
        doubt = (1 - by_rule.confidence) * (1 - learnt.confidence)
        return Guess(learnt.doc_type, 1 - doubt)
    if learnt.confidence >= SURE:
        return learnt
    less, more = sorted((by_rule, learnt), key=lambda each: each.confidence)
    return Guess(more.doc_type, more.confidence * (1 - less.confidence / 4))


def node_for(connection: Connection, tenant_id: UUID, doc_type: str) -> UUID | None:
    """Find where a tenant files papers of a type: the oldest such place."""
    wanted = (
        select(nodes.c.id)
        .where(nodes.c.tenant_id == tenant_id, nodes.c.doc_type == doc_type)
        .order_by(nodes.c.created_at, nodes.c.id)
        .limit(1)
    )
    return connection.scalar(wanted)
