import { z } from 'zod';
import { balanceKinds } from './balances';
import { disputeStatuses, evidenceTextMax } from './notifications';
import { declineReasons } from './provider';
import { agreementMethods, pageMethods } from './redirects';

/** The requests and answers of the sandbox's API. The process that answers is `scripts/paymentSimulator`. */

export const SentCharge = z.object({
  idempotencyKey: z.string().min(1),
  token: z.string(),
  amountMinor: z.int().min(1),
  currency: z.string().regex(/^[A-Z]{3}$/),
  description: z.string(),
  returnUrl: z.url().optional(),
  isOffSession: z.boolean().optional(),
  isDebit: z.boolean().optional(),
  agreement: z.enum(agreementMethods).optional(),
  redirect: z.object({ method: z.enum(pageMethods), savesMandate: z.boolean() }).optional(),
  /** Stored with the charge, and listed with it. */
  paidTo: z.object({ merchantId: z.int(), accountId: z.int() }).optional(),
  /** The merchant's time, ISO 8601. */
  at: z.iso.datetime().optional(),
});
export type SentCharge = z.output<typeof SentCharge>;

export const SentRefund = z.object({
  idempotencyKey: z.string().min(1),
  chargeKey: z.string(),
  chargeReference: z.string(),
  amountMinor: z.int().min(1),
});
export type SentRefund = z.output<typeof SentRefund>;

const chargeStatuses = ['paid', 'requires_action', 'awaits_payer', 'processing', 'declined', 'not_charged'] as const;

/** `not_charged`, with an empty reference: the sandbox has never charged the key. */
export const WireCharge = z.object({
  reference: z.string(),
  status: z.enum(chargeStatuses),
  declineReason: z.enum(declineReasons).nullable(),
  /** Of a payment on a page of the bank: it pays for later charges. */
  mandate: z.object({ token: z.string(), lastFour: z.string() }).optional(),
});
export type WireCharge = z.output<typeof WireCharge>;

export const WireSetup = z.object({
  reference: z.string(),
  token: z.string(),
  status: z.enum(['verified', 'requires_action', 'declined', 'unknown']),
  declineReason: z.enum(declineReasons).nullable(),
  /** Of a set-up on a page of the bank: it pays for later charges. */
  mandate: z.object({ token: z.string(), lastFour: z.string() }).optional(),
});
export type WireSetup = z.output<typeof WireSetup>;

export const WireRefund = z.object({
  reference: z.string(),
  status: z.enum(['refunded', 'pending', 'failed', 'not_refunded']),
});
export type WireRefund = z.output<typeof WireRefund>;

export const WireCard = z.object({
  method: z.literal('link').optional(),
  token: z.string(),
  lastFour: z.string(),
  brand: z.string(),
  holderName: z.string(),
  expiryMonth: z.int().nullable(),
  expiryYear: z.int().nullable(),
  fingerprint: z.string(),
});
export type WireCard = z.output<typeof WireCard>;

/** A card that the bank has replaced. */
const WireUpdatedCard = WireCard.omit({ method: true, holderName: true }).extend({
  expiryMonth: z.int(),
  expiryYear: z.int(),
});

export const WireMandate = z.object({
  token: z.string(),
  lastFour: z.string(),
  country: z.string(),
  fingerprint: z.string(),
  holderName: z.string(),
  reference: z.string(),
  url: z.string(),
});

export const WireRedirect = z.object({ token: z.string() });

export const WireReturn = z.object({ reference: z.string(), reason: z.string(), at: z.string() });
export type WireReturn = z.output<typeof WireReturn>;

export const WirePayments = z.object({
  payments: z.array(
    z.object({
      idempotencyKey: z.string(),
      reference: z.string(),
      amountMinor: z.number(),
      currency: z.string(),
      paidAt: z.coerce.date(),
      merchantId: z.int().optional(),
      accountId: z.int().optional(),
    }),
  ),
});

export const WireBalance = z.object({
  transactions: z.array(
    z.object({
      reference: z.string(),
      kind: z.enum(balanceKinds),
      chargeReference: z.string(),
      objectReference: z.string(),
      idempotencyKey: z.string(),
      amountMinor: z.number(),
      currency: z.string(),
      feeMinor: z.number(),
      feeCurrency: z.string(),
      at: z.coerce.date(),
    }),
  ),
});

/** What waits for the payer at the bank. `amount` is absent if a card is saved without a payment. */
export const WireAuthentication = z.object({
  amount: z.object({ minor: z.number(), currency: z.string() }).optional(),
  description: z.string(),
  /** The method of a payment on a page of the bank. */
  method: z.enum(pageMethods).optional(),
});
export type WireAuthentication = z.output<typeof WireAuthentication>;

/** `approved_once`: the payer pays or agrees on the page of the bank, and every later debit fails. */
export const bankAnswers = ['approved', 'approved_once', 'refused'] as const;
export type BankAnswer = (typeof bankAnswers)[number];

export const WireAnswered = z.object({ returnUrl: z.string().nullable() });

/** `dueAt` is null for a debit that its payer has taken back. `at`: the time of this status. */
export const WireDispute = z.object({
  reference: z.string(),
  chargeReference: z.string(),
  status: z.enum(disputeStatuses),
  reason: z.string(),
  amountMinor: z.number(),
  currency: z.string(),
  feeMinor: z.number(),
  dueAt: z.string().nullable(),
  at: z.string(),
});
export type WireDispute = z.output<typeof WireDispute>;

/** `%PDF-` in base64. */
const pdfStart = 'JVBERi';

export const SentEvidence = z.object({
  customerName: z.string(),
  customerEmail: z.string(),
  customerAddress: z.string(),
  productDescription: z.string(),
  serviceDay: z.string(),
  accessLog: z.string().max(evidenceTextMax),
  /** `content`: a PDF, in base64. */
  receipt: z.object({ name: z.string(), content: z.base64().startsWith(pdfStart) }).optional(),
  statement: z.string().max(evidenceTextMax),
});

/** What the sandbox reports by itself, as `ProviderNotification`. */
export const WireNotification = z.object({
  id: z.string(),
  about: z.enum(['charge', 'dispute', 'fraud_warning', 'card']),
  /** The reference of the charge; empty for a card. */
  reference: z.string(),
  dispute: WireDispute.optional(),
  card: WireUpdatedCard.optional(),
});
export type WireNotification = z.output<typeof WireNotification>;

/** An error. `field`: the field that the provider does not accept. */
export const WireError = z.object({
  error: z.object({ code: z.string(), message: z.string(), field: z.string().optional() }),
});
export type WireError = z.output<typeof WireError>['error'];
