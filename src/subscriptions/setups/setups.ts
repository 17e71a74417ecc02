import { type SetupResult } from '../../adapters/cardProviders/provider';
import { AppError } from '../../kit/errors';
import { type Transaction } from '../../adapters/postgres/connection';
import { type Caller } from '../../kit/auth';
import { type ChargeOutcome, type SetupVoid } from '../../../workflows/messages';
import { refuseMisconfigured, type PayingCard } from '../cards';
import { setupLink } from '../charges/links';
import { neverAnswered } from '../charges/refusals';
import { getProviderOf } from '../provider/providers';
import {
  findSetupOfSubscription,
  insertSetup,
  writeOutcome,
  type CardSetup,
  type NewSetup,
  type SetupOutcome,
  type SetupPurpose,
} from './setups.model';

/** Cards that are saved for later charges. The bank may want the payer to authenticate the card, as for a payment. */

/** The bank's answer: the card's token for later charges, or the page on which the payer authenticates. */
export type CardAnswer = { cardToken: string } | { waits: WaitingSetup };

export interface WaitingSetup {
  reference: string;
  /** Undefined if the payer authenticates on a page of ours. */
  redirectUrl?: string;
}

/** Requests the agreement of the card's bank while the payer is present. A card that the bank refuses is not saved. */
export async function setUpCard(
  { merchantId }: Pick<Caller, 'merchantId'>,
  { provider, token }: Pick<PayingCard, 'provider' | 'token'>,
  returnUrl: string | undefined,
): Promise<CardAnswer> {
  const of = { merchantId, provider };
  return answerOf(of, await (await getProviderOf(of)).setUpCard(token, returnUrl));
}

/** What a set-up leads to. Throws `payment_failed` for a decline, and `service_unavailable` without an answer. */
export async function answerOf(of: { merchantId: number; provider: string }, result: SetupResult): Promise<CardAnswer> {
  switch (result.outcome) {
    case 'verified':
      return { cardToken: result.cardToken };
    case 'requires_action':
      return { waits: result };
    case 'declined':
      throw declinedCard(result.message);
    case 'misconfigured':
      throw await refuseMisconfigured(of, result.fault);
    case 'not_sent':
    case 'unknown':
      throw unavailable();
  }
}

export function declinedCard(text: string): AppError {
  return new AppError('payment_failed', { explain: text, errors: { payment: text } });
}

export function unavailable(): AppError {
  return new AppError('service_unavailable', { explain: 'Payment provider unavailable', retryAfterSeconds: 5 });
}

/** Saves a set-up that waits for its payer, and returns the page on which the payer authenticates. */
export async function saveSetup(
  inTransaction: Transaction,
  setup: Omit<NewSetup, 'reference' | 'redirectUrl'> & SetupPurpose,
  { reference, redirectUrl }: WaitingSetup,
): Promise<{ reference: string; redirectUrl: string }> {
  const id = await insertSetup(inTransaction, { ...setup, reference, redirectUrl: redirectUrl ?? null });
  return { reference, redirectUrl: redirectUrl ?? setupLink(id) };
}

/** The page on which the payer of a saved set-up authenticates. */
export const pageOf = ({ id, redirectUrl }: CardSetup) => redirectUrl ?? setupLink(id);

/**
 * Asks the provider for the outcome of a set-up, without saving it. Undefined if the payer has not answered or the
 * provider does not answer.
 */
export async function readOutcome(setup: CardSetup): Promise<SetupOutcome | undefined> {
  const provider = await getProviderOf(setup);
  return outcomeOf(await provider.lookUpSetup(setup.reference));
}

function outcomeOf(result: SetupResult): SetupOutcome | undefined {
  if (result.outcome === 'verified') {
    const { cardToken, lastFour } = result;
    return { status: 'verified', cardToken, ...(lastFour !== undefined && { lastFour }) };
  }
  if (result.outcome !== 'declined') return undefined;
  return { status: 'declined', reason: result.reason, message: result.message };
}

/** Looks up the card of a subscription that begins without a charge. `paid`: the card is verified. */
export async function lookUpSetup(subscriptionId: number): Promise<ChargeOutcome> {
  const setup = await findSetupOfSubscription(subscriptionId);
  if (!setup) return noSetup;
  if (setup.status !== 'requires_action') return stateOf(setup);
  const result = await (await getProviderOf(setup)).lookUpSetup(setup.reference);
  if (result.outcome === 'requires_action') return stateOf(setup);
  return settle(setup, outcomeOf(result));
}

/** Gives up the card of a subscription, unless the payer has authenticated it in the meantime. */
export async function voidSetup({ subscriptionId, isLast }: SetupVoid): Promise<ChargeOutcome> {
  const setup = await findSetupOfSubscription(subscriptionId);
  if (!setup) return noSetup;
  if (setup.status !== 'requires_action') return stateOf(setup);
  const outcome = outcomeOf(await (await getProviderOf(setup)).voidSetup(setup.reference));
  return settle(setup, outcome ?? (isLast ? unanswered : undefined));
}

const unanswered: SetupOutcome = {
  status: 'declined',
  reason: neverAnswered.declineReason ?? '',
  message: neverAnswered.declineMessage ?? '',
};

/** An erasure has deleted the set-up. */
const noSetup: ChargeOutcome = {
  outcome: 'declined',
  reason: 'account_erased',
  message: 'The account was erased.',
  decline: 'hard',
};

async function settle(setup: CardSetup, outcome: SetupOutcome | undefined): Promise<ChargeOutcome> {
  if (!outcome) return { outcome: 'unknown' };
  await writeOutcome(setup.id, outcome);
  const settled = await findSetupOfSubscription(setup.subscriptionId ?? 0);
  return settled ? stateOf(settled) : noSetup;
}

function stateOf({ status, declineReason, declineMessage, askedAt }: CardSetup): ChargeOutcome {
  if (status === 'verified') return { outcome: 'paid' };
  if (status === 'requires_action') return { outcome: 'requires_action', askedAtMs: askedAt.getTime() };
  return { outcome: 'declined', reason: declineReason ?? 'declined', message: declineMessage ?? '' };
}
