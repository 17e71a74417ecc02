import { merchantNow } from '../../adapters/clock';
import { cardAttemptsMax } from '../../adapters/settings';
import { AppError } from '../../kit/errors';
import { type OwnReason } from './charges.model';
import { findCardLimits } from './cardLimits.model';

/**
 * A card that must not be charged now. Card networks charge a fee for retries after a final decline, or after too many
 * declines.
 */
interface CardBlock {
  reason: Extract<OwnReason, 'card_final' | 'card_tried_too_often'>;
  message: string;
  /** When the card can be tried again, in merchant time; absent after a final decline. */
  freeAt?: Date;
}

/** The card, and the cycle of the subscription that it pays for. */
interface CycleCard {
  cardId: number | null;
  subscriptionId: number;
  cycle: number;
}

const triedTooOften = 'Your card was declined too often. Please use another card.';

export async function findCardBlock({ cardId, ...of }: CycleCard): Promise<CardBlock | undefined> {
  if (cardId === null) return undefined;
  const { finalMessage, freeAt } = await findCardLimits({ cardId, ...of }, cardAttemptsMax);
  if (finalMessage !== null) return { reason: 'card_final', message: finalMessage };
  return freeAt ? { reason: 'card_tried_too_often', message: triedTooOften, freeAt } : undefined;
}

/** Refuses another attempt with a blocked card. The error contains the time from which the card can be tried again. */
export async function refuseBlockedCard({ merchantId, ...of }: CycleCard & { merchantId: number }): Promise<void> {
  const block = await findCardBlock(of);
  if (!block) return;
  const { message, freeAt } = block;
  if (!freeAt) throw new AppError('payment_failed', { explain: message, errors: { payment: message } });
  const present = await merchantNow(merchantId);
  const retryAfterSeconds = Math.max(1, Math.ceil((freeAt.getTime() - present.getTime()) / 1000));
  const explain = `${message} This card can be tried again from ${freeAt.toISOString()} on.`;
  throw new AppError('too_many_requests', { explain, errors: { payment: explain }, retryAfterSeconds });
}
