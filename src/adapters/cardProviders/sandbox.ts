import { AppError } from '../../kit/errors';
import { type CardDetails, type CardProvider, type ChargeResult, type DeclineReason } from './provider';
import { sandboxCards, type SandboxOutcome } from './sandboxCards';
import { createSandboxLedger, type SandboxCharge, type SandboxChargeStatus, type SandboxQuery } from './sandboxLedger';

/** What the sandbox's page shows to the customer. */
export interface SandboxAuthentication {
  amountMinor: number;
  currency: string;
  description: string;
}

/** The card provider of the test environment: published test cards, deterministic outcomes, and never a wait. */
export interface Sandbox extends CardProvider {
  /** The charge that waits for the customer, while it waits. */
  findAuthentication(reference: string): Promise<SandboxAuthentication | undefined>;
  /**
   * Settles a charge that waits, and tells where to send the browser: the charge's return URL with `payment_intent`, or
   * undefined when it had none. The first answer stands; another one only sends the browser back again.
   * Throws `payment_not_found`.
   */
  answerAuthentication(reference: string, answer: 'approved' | 'refused'): Promise<string | undefined>;
}

interface FirstTry {
  status: SandboxChargeStatus;
  declineReason: DeclineReason | null;
  /** The ledger knows what happened, the caller does not learn it: a time-out, without the time. */
  answerLost: boolean;
}

const firstTries: Record<SandboxOutcome, FirstTry> = {
  success: { status: 'paid', declineReason: null, answerLost: false },
  declined: { status: 'declined', declineReason: 'declined', answerLost: false },
  insufficient_funds: { status: 'declined', declineReason: 'insufficient_funds', answerLost: false },
  expired_card: { status: 'declined', declineReason: 'expired_card', answerLost: false },
  needs_authentication: { status: 'requires_action', declineReason: null, answerLost: false },
  timeout_before_charging: { status: 'not_charged', declineReason: null, answerLost: true },
  timeout_after_charging: { status: 'paid', declineReason: null, answerLost: true },
};

const declines: Record<DeclineReason, { decline: 'soft' | 'hard'; message: string }> = {
  declined: { decline: 'soft', message: 'Your card was declined.' },
  insufficient_funds: { decline: 'soft', message: 'Your card has insufficient funds.' },
  expired_card: { decline: 'hard', message: 'Your card has expired.' },
  authentication_failed: { decline: 'soft', message: 'Your card could not be authenticated.' },
  authentication_expired: { decline: 'soft', message: 'The payment was not confirmed in time.' },
};

/** `baseUrl` is the service's own address, without a slash at its end. */
export function createSandbox({ query, baseUrl }: { query: SandboxQuery; baseUrl: string }): Sandbox {
  const ledger = createSandboxLedger(query);

  const resultOf = (charge: SandboxCharge): ChargeResult => {
    if (charge.decline_reason)
      return { outcome: 'declined', reason: charge.decline_reason, ...declines[charge.decline_reason] };
    if (charge.status === 'paid') return { outcome: 'paid', reference: charge.reference };
    if (charge.status === 'not_charged') return { outcome: 'not_sent' };
    const redirectUrl = `${baseUrl}/sandbox/authenticate/${charge.reference}`;
    return { outcome: 'requires_action', reference: charge.reference, redirectUrl };
  };

  const lookUpCharge = async (idempotencyKey: string): Promise<ChargeResult> => {
    const charge = await ledger.findByKey(idempotencyKey);
    return charge ? resultOf(charge) : { outcome: 'not_sent' };
  };

  return {
    name: 'sandbox',
    suffix: 'SB',

    async tokenise(card) {
      const known = sandboxCards.find(({ number }) => number === card.number);
      if (!known)
        throw new AppError('invalid_input', {
          errors: { number: 'The number must be one of the published test card numbers.' },
        });
      return {
        token: await ledger.addCard(known),
        lastFour: card.number.slice(-4),
        brand: 'visa',
        holderName: card.holderName,
        expiryMonth: card.expiryMonth,
        expiryYear: card.expiryYear,
        fingerprint: fingerprintOf(card),
      };
    },

    async charge(request) {
      const first = firstTries[await ledger.getOutcome(request.token)];
      const charge = await ledger.addAttempt(request, first);
      return first.answerLost && charge.attempts === 1 ? { outcome: 'unknown' } : resultOf(charge);
    },

    lookUpCharge,

    async voidCharge(idempotencyKey) {
      const charge = await ledger.findByKey(idempotencyKey);
      if (charge) await ledger.settle(charge.reference, 'authentication_expired');
      return lookUpCharge(idempotencyKey);
    },

    async findAuthentication(reference) {
      const charge = await ledger.findByReference(reference);
      if (charge?.status !== 'requires_action') return undefined;
      return { amountMinor: charge.amount_minor, currency: charge.currency, description: charge.description };
    },

    async answerAuthentication(reference, answer) {
      await ledger.settle(reference, answer === 'approved' ? null : 'authentication_failed');
      const charge = await ledger.findByReference(reference);
      if (!charge) throw new AppError('payment_not_found');
      return charge.return_url ?? undefined;
    },
  };
}

/** Only what a receipt shows as well. The expiry is in it so that testers can make a second card of one number. */
function fingerprintOf(card: CardDetails): string {
  return `sandbox-${card.number.slice(-4)}-${card.expiryYear}-${String(card.expiryMonth).padStart(2, '0')}`;
}
