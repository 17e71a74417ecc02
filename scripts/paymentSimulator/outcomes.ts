import { type SentCharge } from '../../src/adapters/cardProviders/sandboxWire';
import { type DeclineReason } from '../../src/adapters/cardProviders/provider';
import { findCapability } from '../../src/billing/capabilities';
import { type SandboxChargeStatus } from './ledger';
import { Refusal } from './refusal';
import { type SandboxOutcome } from './testCards';

/** What the banks do with the charges of each test card. */

export interface FirstTry {
  status: SandboxChargeStatus;
  declineReason: DeclineReason | null;
  /** The ledger records the outcome, and the caller receives no answer. */
  answerLost: boolean;
}

/** Charges that never reach the ledger. */
const refusals = {
  misconfigured: { status: 403, code: 'account_restricted', message: 'The account of the sandbox is restricted.' },
  unavailable: { status: 503, code: 'unavailable', message: 'The sandbox does not process requests now.' },
} as const;
export type UnsentTry = keyof typeof refusals;

export function refusalOf(unsent: UnsentTry): Refusal {
  const { status, code, message } = refusals[unsent];
  return new Refusal(status, code, message);
}

/** The limits of Stripe, with its names of errors. */
export function checkAmount({ amountMinor, currency }: Pick<SentCharge, 'amountMinor' | 'currency'>): void {
  const capability = findCapability(currency);
  if (!capability) throw new Refusal(403, 'currency_not_supported', `${currency} is not supported.`);
  const { least, most, step } = capability;
  if (amountMinor < least)
    throw new Refusal(403, 'amount_too_small', `The amount must be at least ${least} in ${currency}.`);
  if (amountMinor > most)
    throw new Refusal(403, 'amount_too_large', `The amount must be at most ${most} in ${currency}.`);
  if (amountMinor % step !== 0) throw new Refusal(403, 'amount_invalid', `The amount must be a multiple of ${step}.`);
}

export const paid: FirstTry = { status: 'paid', declineReason: null, answerLost: false };
const authenticated: FirstTry = { status: 'requires_action', declineReason: null, answerLost: false };
const refused = (declineReason: DeclineReason): FirstTry => ({ status: 'declined', declineReason, answerLost: false });

/** A bank that asks for an authentication declines a charge of an absent payer. The payer can confirm it later. */
export const withoutPayer = (first: FirstTry): FirstTry =>
  first.status === 'requires_action' ? { ...first, status: 'awaits_payer' } : first;

type Tries = readonly [FirstTry | UnsentTry, ...(FirstTry | UnsentTry)[]];

/** The result of the first try of a card's first, second … charge. The last one applies to all later charges. */
const firstTries: Record<SandboxOutcome, Tries> = {
  success: [paid],
  declined: [refused('declined')],
  insufficient_funds: [refused('insufficient_funds')],
  expired_card: [refused('expired_card')],
  needs_authentication: [authenticated],
  needs_authentication_once: [authenticated],
  timeout_before_charging: [{ status: 'not_charged', declineReason: null, answerLost: true }],
  timeout_after_charging: [{ ...paid, answerLost: true }],
  declined_at_renewal: [paid, refused('declined')],
  declined_once_at_renewal: [paid, refused('insufficient_funds'), paid],
  lost_at_renewal: [paid, refused('lost_card')],
  busy_at_renewal: [paid, refused('try_again_later'), paid],
  misconfigured: ['misconfigured'],
  misconfigured_at_renewal: [paid, 'misconfigured'],
  unavailable: ['unavailable'],
  declined_when_charged: [refused('declined')],
  slow: [paid],
};

export const triesOf = (outcome: SandboxOutcome, isAuthenticated: boolean): Tries =>
  outcome === 'needs_authentication_once' && isAuthenticated ? [paid] : firstTries[outcome];

/** The bank's answer when a card is saved. All other cards are verified. */
export const setupAnswers: Partial<Record<SandboxOutcome, DeclineReason | UnsentTry | 'requires_action'>> = {
  declined: 'declined',
  insufficient_funds: 'insufficient_funds',
  expired_card: 'expired_card',
  needs_authentication: 'requires_action',
  needs_authentication_once: 'requires_action',
  misconfigured: 'misconfigured',
  unavailable: 'unavailable',
};
