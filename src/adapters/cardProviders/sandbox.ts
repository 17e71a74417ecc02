import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../../kit/errors';
import {
  type CardDetails,
  type CardProvider,
  type ChargeResult,
  type DeclineReason,
  type KnownCharge,
  type SetupResult,
} from './provider';
import { createSandboxDebits } from './sandboxDebits';
import { sandboxCards, type SandboxCard, type SandboxOutcome } from './sandboxCards';
import { createSandboxRefunds } from './sandboxRefunds';
import { createSandboxSetups, type SandboxSetup } from './sandboxSetups';
import { createSandboxLedger, type SandboxCharge, type SandboxChargeStatus, type SandboxQuery } from './sandboxLedger';

/** The content of the sandbox's authentication page. */
export interface SandboxAuthentication {
  /** Undefined if a card is saved without a payment. */
  amount: { minor: number; currency: string } | undefined;
  description: string;
}

/** The card provider of the test environment: published test cards, and deterministic outcomes. */
export interface Sandbox extends CardProvider {
  /** The charge or the set-up that waits for the customer; undefined once it is settled. */
  findAuthentication(reference: string): Promise<SandboxAuthentication | undefined>;
  /**
   * Settles a charge or a set-up that waits for the customer. Returns the address to which the browser is sent: the return
   * URL with `payment_intent` or `setup_intent`, or undefined if there is none. The first answer is final; a later one only
   * redirects the browser. Throws `payment_not_found`.
   */
  answerAuthentication(reference: string, answer: 'approved' | 'refused'): Promise<string | undefined>;
}

interface FirstTry {
  status: SandboxChargeStatus;
  declineReason: DeclineReason | null;
  /** The ledger records the outcome but the caller does not receive it: a time-out without the delay. */
  answerLost: boolean;
}

const paid: FirstTry = { status: 'paid', declineReason: null, answerLost: false };
/** A bank that asks for an authentication declines a charge of an absent payer. The payer can confirm it later. */
const withoutPayer = (first: FirstTry): FirstTry =>
  first.status === 'requires_action' ? { ...first, status: 'awaits_payer' } : first;
const authenticated: FirstTry = { status: 'requires_action', declineReason: null, answerLost: false };
const refused = (declineReason: DeclineReason): FirstTry => ({ status: 'declined', declineReason, answerLost: false });

/** Results of charges that never reach the ledger. */
const unsent = {
  misconfigured: {
    outcome: 'misconfigured',
    fault: { code: 'account_restricted', message: 'The account of the sandbox is restricted.' },
    isKept: true,
  },
  unavailable: { outcome: 'not_sent' },
} as const satisfies Record<string, ChargeResult>;
type UnsentTry = keyof typeof unsent;

/** The result of the first try of a card's first, second … charge. The last one applies to all later charges. */
const firstTries: Record<SandboxOutcome, readonly [FirstTry | UnsentTry, ...(FirstTry | UnsentTry)[]]> = {
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

/** How long a charge of the card `slow` takes: as long as at a provider on the internet. */
const slowMs = 300;

const declines: Record<DeclineReason, { decline: 'soft' | 'hard' | 'later'; message: string }> = {
  declined: { decline: 'soft', message: 'Your card was declined.' },
  insufficient_funds: { decline: 'soft', message: 'Your card has insufficient funds.' },
  expired_card: { decline: 'hard', message: 'Your card has expired.' },
  lost_card: { decline: 'hard', message: 'Your card was reported lost.' },
  try_again_later: { decline: 'later', message: 'Your bank could not be reached.' },
  authentication_failed: { decline: 'soft', message: 'Your card could not be authenticated.' },
  authentication_expired: { decline: 'soft', message: 'The payment was not confirmed in time.' },
  payment_token_spent: { decline: 'soft', message: 'The card details have expired. Please enter the card again.' },
  account_closed: { decline: 'hard', message: 'The bank account is closed.' },
};

const declinedFor = (reason: DeclineReason) => ({ outcome: 'declined', reason, ...declines[reason] }) as const;

/** The bank's answer to `setUpCard`. All other cards are verified. */
const setups: Partial<Record<SandboxOutcome, Exclude<SetupResult, { outcome: 'verified' }> | 'requires_action'>> = {
  declined: declinedFor('declined'),
  insufficient_funds: declinedFor('insufficient_funds'),
  expired_card: declinedFor('expired_card'),
  needs_authentication: 'requires_action',
  needs_authentication_once: 'requires_action',
  misconfigured: unsent.misconfigured,
  unavailable: unsent.unavailable,
};

/** `baseUrl` is the service's own address, without a slash at its end. */
export function createSandbox({ query, baseUrl }: { query: SandboxQuery; baseUrl: string }): Sandbox {
  const ledger = createSandboxLedger(query);
  const setupLedger = createSandboxSetups(query);
  const { submit, decide, debits } = createSandboxDebits(query);

  const setupOf = (setup: SandboxSetup | undefined): SetupResult => {
    if (!setup) return { outcome: 'unknown' };
    if (setup.decline_reason) return declinedFor(setup.decline_reason);
    const { reference, token, status } = setup;
    if (status === 'verified') return { outcome: 'verified', cardToken: token };
    return { outcome: 'requires_action', reference, redirectUrl: `${baseUrl}/sandbox/authenticate/${reference}` };
  };

  const resultOf = (charge: SandboxCharge): ChargeResult => {
    if (charge.decline_reason) return declinedFor(charge.decline_reason);
    if (charge.status === 'paid') return { outcome: 'paid', reference: charge.reference };
    if (charge.status === 'not_charged') return { outcome: 'not_sent' };
    if (charge.status === 'processing') return { outcome: 'processing', reference: charge.reference };
    if (charge.status === 'awaits_payer') return { outcome: 'requires_action', reference: charge.reference };
    const redirectUrl = `${baseUrl}/sandbox/authenticate/${charge.reference}`;
    return { outcome: 'requires_action', reference: charge.reference, redirectUrl };
  };

  const lookUpCharge = async (idempotencyKey: string, known: KnownCharge = {}): Promise<ChargeResult> => {
    await decide(idempotencyKey, known);
    const charge = await ledger.findByKey(idempotencyKey);
    return charge ? resultOf(charge) : { outcome: 'not_sent' };
  };

  const addCard = async (card: SandboxCard, typed: Omit<CardDetails, 'number' | 'securityCode'>) => ({
    token: await ledger.addCard(card),
    lastFour: card.number.slice(-4),
    brand: 'visa',
    holderName: typed.holderName,
    expiryMonth: typed.expiryMonth,
    expiryYear: typed.expiryYear,
    fingerprint: fingerprintOf({ ...typed, number: card.number }),
  });

  return {
    name: 'sandbox',
    suffix: 'SB',
    ...createSandboxRefunds(query),
    debits,

    async tokenise(card) {
      const known = sandboxCards.find(({ number }) => number === card.number);
      if (!known)
        throw new AppError('invalid_input', {
          errors: { number: 'The number must be one of the published test card numbers.' },
        });
      return addCard(known, card);
    },

    async adoptToken(paymentToken) {
      const known = sandboxCards.find(({ outcome }) => `tok_${outcome}` === paymentToken);
      if (!known)
        throw new AppError('invalid_input', {
          errors: { payment_token: 'The payment_token must be tok_ and the outcome of a test card: tok_success.' },
        });
      return addCard(known, formCard);
    },

    async setUpCard(token, returnUrl) {
      const { outcome } = await ledger.getOutcome({ token, idempotencyKey: '' });
      const answer = setups[outcome];
      if (answer !== undefined && answer !== 'requires_action') return answer;
      return setupOf(await setupLedger.add({ token, returnUrl, mustAuthenticate: answer !== undefined }));
    },

    lookUpSetup: async (reference) => setupOf(await setupLedger.find(reference)),

    async voidSetup(reference) {
      await setupLedger.settle(reference, 'authentication_expired');
      return setupOf(await setupLedger.find(reference));
    },

    async charge(request) {
      if (request.isDebit) {
        await submit(request);
        return lookUpCharge(request.idempotencyKey, request);
      }
      const { outcome, earlier, isAuthenticated } = await ledger.getOutcome(request);
      const tries =
        outcome === 'needs_authentication_once' && isAuthenticated ? ([paid] as const) : firstTries[outcome];
      const first = tries[earlier] ?? tries.at(-1) ?? paid;
      if (typeof first === 'string') return unsent[first];
      if (outcome === 'slow') await sleep(slowMs);
      const charge = await ledger.addAttempt(request, request.isOffSession ? withoutPayer(first) : first);
      return first.answerLost && charge.attempts === 1 ? { outcome: 'unknown' } : resultOf(charge);
    },

    lookUpCharge,

    async confirmCharge(idempotencyKey, { reference, returnUrl }) {
      await ledger.confirm(reference, returnUrl);
      return lookUpCharge(idempotencyKey);
    },

    async voidCharge(idempotencyKey, known) {
      const charge = await ledger.findByKey(idempotencyKey);
      if (charge) await ledger.settle(charge.reference, 'authentication_expired');
      return lookUpCharge(idempotencyKey, known);
    },

    listPayments: (since) => ledger.listPaid(since),

    listBalance: (since) => ledger.listBalance(since),

    forgetCustomer: (tokens) => ledger.forgetCards(tokens),

    async findAuthentication(reference) {
      const setup = await setupLedger.find(reference);
      if (setup?.status === 'requires_action') return { amount: undefined, description: setup.description };
      const charge = await ledger.findByReference(reference);
      if (charge?.status !== 'requires_action') return undefined;
      const { amount_minor: minor, currency, description } = charge;
      return { amount: { minor, currency }, description };
    },

    async answerAuthentication(reference, answer) {
      const declineReason = answer === 'approved' ? null : 'authentication_failed';
      const setup = await setupLedger.find(reference);
      if (setup) {
        await setupLedger.settle(reference, declineReason);
        return setup.return_url ?? undefined;
      }
      await ledger.settle(reference, declineReason);
      const charge = await ledger.findByReference(reference);
      if (!charge) throw new AppError('payment_not_found');
      return charge.return_url ?? undefined;
    },
  };
}

/** The fields that a provider's payment form would require. */
const formCard = { holderName: 'Test Card', expiryMonth: 12, expiryYear: 2040 };

/**
 * Only facts that a receipt shows as well. The expiry is included so that testers can create a second card of the same
 * number.
 */
function fingerprintOf(card: Omit<CardDetails, 'securityCode'>): string {
  return `sandbox-${card.number.slice(-4)}-${card.expiryYear}-${String(card.expiryMonth).padStart(2, '0')}`;
}
