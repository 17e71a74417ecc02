import { type CardChange, type CardOutcome, type StepInput } from '../../../workflows/messages';
import { withNewCard } from '../../billing/dunning';
import { type Subscription } from '../subscriptions.model';
import { findChange } from '../transitions.model';
import { columnsOf } from './dunning';
import { refusedBy, StepRefusal, takeStep, toSnapshot, type Outcome, type WorkflowRun } from './steps';

/** Changes of the card of a running subscription. */

/**
 * Sets another card, and plans new retries for a charge that failed with the old card. A request takes effect once: if an
 * earlier run carried it out, it changes nothing, and it is refused if the subscription has another card since then.
 */
export function changeCard({ cardId, ...input }: CardChange, run: WorkflowRun): Promise<CardOutcome> {
  const { changeId } = input;
  return takeStep(input, run, async ({ row, inTransaction }): Promise<Outcome> => {
    const madeAt = await findChange(inTransaction, row.id, changeId);
    if (!madeAt) return { ...cardChanges(row, cardId, input), changeId };
    if (row.cardId !== cardId) throw new StepRefusal(replaced);
    return { reason: 'card used already', changes: {} };
  }).catch(refusedBy);
}

const replaced = 'The subscription has changed to another payment method since this request.';

function cardChanges(row: Subscription, cardId: number, { atMs }: StepInput): Outcome {
  const { dunning } = toSnapshot(row);
  // A trial that began without a card can renew with the new card.
  const continues = row.state === 'trialing' && row.cardId === null && row.canceledAt === null;
  const renewal = continues ? { autoRenew: true, pauseAtPeriodEnd: false } : {};
  return {
    reason: 'new card',
    changes: { cardId, ...renewal, ...(dunning && columnsOf(withNewCard(dunning, atMs))) },
  };
}
