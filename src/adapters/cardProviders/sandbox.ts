import { z } from 'zod';
import { AppError } from '../../kit/errors';
import { type KnownCharge } from './knownCharges';
import {
  type CardProvider,
  type ChargeRequest,
  type ChargeResult,
  type DeclineReason,
  type MisconfiguredOutcome,
  type SetupResult,
} from './provider';
import { type RefundResult } from './refunds';
import { createSandboxDisputes } from './sandboxDisputes';
import { sandboxForm } from './sandboxForm';
import { answered, createSandboxClient, type Exchange, type SandboxAccess } from './sandboxClient';
import {
  type BankAnswer,
  WireAnswered,
  WireAuthentication,
  WireBalance,
  WireCard,
  WireCharge,
  WireMandate,
  WirePayments,
  WireRedirect,
  WireRefund,
  WireReturn,
  WireSetup,
} from './sandboxWire';

/** The card provider of the test environment: a process of its own, with published test cards and deterministic outcomes. */
export interface Sandbox extends CardProvider {
  /** The charge or the set-up that waits for the customer; undefined once it is settled. */
  findAuthentication(reference: string): Promise<WireAuthentication | undefined>;
  /**
   * Settles a charge or a set-up that waits for the customer. Returns the address to which the browser is sent: the return
   * URL with `payment_intent` or `setup_intent`, or undefined if there is none. The first answer is final; a later one only
   * redirects the browser. Throws `payment_not_found`.
   */
  answerAuthentication(reference: string, answer: BankAnswer): Promise<string | undefined>;
}

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

interface SandboxSettings extends SandboxAccess {
  /** The service's own address, without a slash at its end. */
  baseUrl: string;
  /** The address of the sandbox as browsers reach it. Absent: the pages have fields for a card number. */
  formBase?: string | undefined;
}

export function createSandbox({ baseUrl, formBase, ...access }: SandboxSettings): Sandbox {
  const client = createSandboxClient(access);
  const pageOf = (reference: string) => `${baseUrl}/sandbox/authenticate/${reference}`;

  const resultOf = ({ reference, status, declineReason, mandate }: WireCharge): ChargeResult => {
    if (declineReason) return declinedFor(declineReason);
    if (status === 'paid' && mandate)
      return { outcome: status, reference, cardToken: mandate.token, lastFour: mandate.lastFour };
    if (status === 'paid' || status === 'processing') return { outcome: status, reference };
    if (status === 'awaits_payer') return { outcome: 'requires_action', reference };
    if (status === 'requires_action') return { outcome: 'requires_action', reference, redirectUrl: pageOf(reference) };
    return { outcome: 'not_sent' };
  };

  const setupOf = ({ reference, token, status, declineReason, mandate }: WireSetup): SetupResult => {
    if (declineReason) return declinedFor(declineReason);
    if (status === 'verified' && mandate)
      return { outcome: 'verified', cardToken: mandate.token, lastFour: mandate.lastFour };
    if (status === 'verified') return { outcome: 'verified', cardToken: token };
    if (status === 'requires_action') return { outcome: 'requires_action', reference, redirectUrl: pageOf(reference) };
    return { outcome: 'unknown' };
  };

  const lookUpCharge = async (key: string, { at }: KnownCharge = {}): Promise<ChargeResult> =>
    read(await client.get('charges', WireCharge, { key, at: at?.toISOString() }), resultOf);

  return {
    name: 'sandbox',
    suffix: 'SB',
    ...createSandboxDisputes(client, access.key),
    ...(formBase !== undefined && { paymentForm: sandboxForm(formBase, access.key) }),
    debits: {
      createMandate: async (account) => answered(await client.post('mandates', WireMandate, account)),
      async findReturn(key, at) {
        const found = await client.get('returns', WireReturn.partial(), { key, at: at.toISOString() });
        const { data } = WireReturn.safeParse(answered(found));
        return data && { ...data, at: new Date(data.at) };
      },
    },

    redirects: {
      makesWallets: true,
      begin: async (method) => answered(await client.post('redirects', WireRedirect, { method })).token,
    },

    async tokenise({ number, holderName, expiryMonth, expiryYear }) {
      // The security code is not sent: the sandbox does not check it.
      const typed = { number, holderName, expiryMonth, expiryYear };
      return answered(await client.post('cards', WireCard, typed));
    },

    adoptToken: async (paymentToken) => answered(await client.post('form-cards', WireCard, { paymentToken })),

    setUpCard: async (token, returnUrl) => sent(await client.post('setups', WireSetup, { token, returnUrl }), setupOf),

    setUpOnPage: async (token, { returnUrl }) =>
      sent(await client.post('setups', WireSetup, { token, returnUrl }), setupOf),

    lookUpSetup: async (reference) => read(await client.get(`setups/${nameOf(reference)}`, WireSetup), setupOf),

    voidSetup: async (reference) =>
      read(await client.post(`voided-setups/${nameOf(reference)}`, WireSetup, {}), setupOf),

    charge: async (request) => sent(await client.post('charges', WireCharge, sendingOf(request)), resultOf),

    lookUpCharge,

    confirmCharge: async (key, { reference, returnUrl }) =>
      read(await client.post('confirmed-charges', WireCharge, { key, reference, returnUrl }), resultOf),

    voidCharge: async (key, { at } = {}) =>
      read(await client.post('voided-charges', WireCharge, { key, at }), resultOf),

    refund: async ({ idempotencyKey, chargeKey, chargeReference, amountMinor }) =>
      unlessRestricted(
        sent(
          await client.post('refunds', WireRefund, { idempotencyKey, chargeKey, chargeReference, amountMinor }),
          refundOf,
        ),
      ),

    lookUpRefund: async ({ idempotencyKey }) =>
      read(await client.get('refunds', WireRefund, { key: idempotencyKey }), refundOf),

    async *listPayments(since) {
      yield* answered(await client.get('payments', WirePayments, { since: since.toISOString() })).payments;
    },

    async *listBalance(since) {
      yield* answered(await client.get('balance', WireBalance, { since: since.toISOString() })).transactions;
    },

    async forgetCustomer(tokens) {
      answered(await client.post('forgotten-cards', z.object({}), { tokens }));
    },

    async findAuthentication(reference) {
      if (isDotSegment(reference)) return undefined;
      const found = await client.get(`authentications/${nameOf(reference)}`, WireAuthentication);
      return isUnknown(found) ? undefined : answered(found);
    },

    /** Who knows the reference may answer. A payment on the page of a bank or PayPal is not for the script. */
    async findClientSecret(reference) {
      const found = await client.get(`authentications/${nameOf(reference)}`, WireAuthentication);
      return isUnknown(found) || answered(found).method !== undefined ? undefined : reference;
    },

    async answerAuthentication(reference, answer) {
      if (isDotSegment(reference)) throw new AppError('payment_not_found');
      const given = await client.post(`authentications/${nameOf(reference)}`, WireAnswered, { answer });
      if (isUnknown(given)) throw new AppError('payment_not_found');
      return answered(given).returnUrl ?? undefined;
    },
  };
}

const nameOf = (reference: string) => encodeURIComponent(reference);

/** Such a name would change the path of the request. No encoding prevents it: url.spec.whatwg.org/#double-dot-path-segment. */
const isDotSegment = (reference: string) => reference === '.' || reference === '..';

const isUnknown = <T>(exchange: Exchange<T>) =>
  exchange.outcome === 'refused' && exchange.error.code === 'unknown_payment';

const refundOf = ({ status, reference }: WireRefund): RefundResult => {
  if (status === 'refunded' || status === 'pending') return { outcome: status, reference };
  if (status === 'not_refunded') return { outcome: 'not_sent' };
  return { outcome: 'refused', message: 'The customer’s bank refused the refund.' };
};

/** A refund of a restricted account waits: it can be sent again once the account is in order. */
const unlessRestricted = (result: RefundResult | MisconfiguredOutcome): RefundResult =>
  result.outcome === 'misconfigured' ? { outcome: 'not_sent' } : result;

const sendingOf = ({ idempotencyKey, token, amountMinor, currency, description, ...more }: ChargeRequest) => {
  const { returnUrl, isOffSession, isDebit, agreement, redirect, paidTo, at } = more;
  const how = { returnUrl, isOffSession, isDebit, agreement, redirect, paidTo, at };
  return { idempotencyKey, token, amountMinor, currency, description, ...how };
};

/** The result of a request that moves money. A refusal is a bug of the caller. */
function sent<W, R>(exchange: Exchange<W>, toResult: (body: W) => R) {
  if (exchange.outcome === 'answered') return toResult(exchange.body);
  if (exchange.outcome === 'refused') throw new Error(exchange.error.message);
  return exchange;
}

/** The result of a question. Without an answer nothing is known, not even that nothing was sent. */
function read<W, R>(exchange: Exchange<W>, toResult: (body: W) => R): R | { outcome: 'unknown' } {
  if (exchange.outcome === 'answered') return toResult(exchange.body);
  if (exchange.outcome === 'refused') throw new Error(exchange.error.message);
  return { outcome: 'unknown' };
}
