/** What a card provider must do (decisions 6). Nothing behind this interface waits for people or retries by itself. */

/** A card as typed: it goes to `tokenise` inside the request and is never stored, logged or given to a workflow. */
export interface CardDetails {
  /** Digits only. */
  number: string;
  holderName: string;
  /** 1 to 12. */
  expiryMonth: number;
  /** Four digits. */
  expiryYear: number;
  securityCode: string;
}

/** What may be kept of a card. */
export interface CardToken {
  token: string;
  lastFour: string;
  /** Lower case: `visa`. */
  brand: string;
  holderName: string;
  expiryMonth: number;
  expiryYear: number;
  /** The same for the same card, whoever types it; its number cannot be found from it. */
  fingerprint: string;
}

export const declineReasons = [
  'declined',
  'insufficient_funds',
  'expired_card',
  'lost_card',
  'try_again_later',
  'authentication_failed',
  'authentication_expired',
] as const;
export type DeclineReason = (typeof declineReasons)[number];

export type ChargeResult =
  | { outcome: 'paid'; reference: string }
  /** The customer must go to `redirectUrl`. `reference` is the wire's `pi_id` and `payment_intent`. */
  | { outcome: 'requires_action'; reference: string; redirectUrl: string }
  /** The provider will say later; ask `lookUpCharge`. */
  | { outcome: 'pending'; reference: string }
  /**
   * Hard: no charge of this card will succeed. Soft: one on another day may. Later: one in an hour may. `message` is for
   * the customer.
   */
  | { outcome: 'declined'; decline: 'soft' | 'hard' | 'later'; reason: DeclineReason; message: string }
  /** The provider never charged: it is safe to try again with the same key. */
  | { outcome: 'not_sent' }
  /** It may have been charged: `lookUpCharge` must answer before any further try. */
  | { outcome: 'unknown' };

export interface ChargeRequest {
  /** Names one charge for ever. The provider charges at most once for it. */
  idempotencyKey: string;
  /** Of a CardToken. */
  token: string;
  /** In the currency's minor unit, above zero. */
  amountMinor: number;
  /** ISO 4217, upper case. */
  currency: string;
  /** What the customer reads on the provider's pages. */
  description: string;
  /** Absolute; where an authentication sends the browser back to, with `payment_intent` added. */
  returnUrl?: string;
  /** The payer is not there: no authentication can be asked for. */
  isRenewal?: boolean;
}

/** What is known of a charge besides its key: where a provider finds it by. */
export interface KnownCharge {
  /** The provider's own, when it has answered before. */
  reference?: string | null;
  /** Of the card that was charged. */
  token?: string | null;
  /** When it may have been sent first, in real time. */
  openedAt?: Date;
}

/** Whose card; without an owner it is nobody's but its own. */
export interface CardOwner {
  accountUuid: string;
  /** Of a card of the same owner, if there is one: the provider keeps both under one customer. */
  knownToken?: string | undefined;
}

export type RefundResult =
  | { outcome: 'refunded'; reference: string }
  /** For good: another try needs another key. `message` is for the merchant. */
  | { outcome: 'refused'; message: string }
  /** Nothing was given back: it is safe to try again with the same key. */
  | { outcome: 'not_sent' }
  /** It may have been given back: `lookUpRefund` must answer before any further try. */
  | { outcome: 'unknown' };

export interface RefundRequest {
  /** Names one refund for ever. The provider gives back at most once for it. */
  idempotencyKey: string;
  /** Of the paid charge: its idempotency key, and the provider's reference of it. */
  chargeKey: string;
  chargeReference: string;
  /** In the currency's minor unit, above zero and at most what was paid. */
  amountMinor: number;
  /** ISO 4217, upper case. */
  currency: string;
}

/** One refund of a charge, as the provider has it; whoever made it there. */
export interface ReportedRefund {
  /** The provider's own name of it. */
  reference: string;
  /** The key under which we made it; absent: it was made elsewhere. */
  idempotencyKey?: string;
  /** In the currency's minor unit. */
  amountMinor: number;
  /** Why the money did not go back after all; absent: it has, or is on its way. */
  failure?: string;
}

/** What a provider tells of by itself. It only says "look again": what is true is asked for. */
export interface ProviderNotification {
  /** The same for the same notification, however often it is sent. */
  id: string;
  /** `disputed`: the payer's bank takes the money back. `dispute_won`: it has given it back. */
  about: 'charge' | 'refund' | 'disputed' | 'dispute_won' | 'other';
  /** Of the charge. */
  reference: string;
  /** Which dispute, and when the provider says that it stood so: notifications arrive in any order. */
  dispute?: { id: string; at: Date };
}

export interface CardProvider {
  readonly name: string;
  /** Two capitals that end the ids of subscriptions and payments (wire B.7). */
  readonly suffix: string;
  /** It keeps the cards of a customer together, and knows the customer by any of them: `CardOwner.knownToken`. */
  readonly keepsCustomers?: true;

  /** Throws `invalid_input` with an errors map for a card that the provider refuses to take. */
  tokenise(card: CardDetails, owner?: CardOwner): Promise<CardToken>;

  /** Takes a card that the provider's own form made a token of in the browser. Throws `invalid_input`. */
  adoptToken(paymentToken: string, owner?: CardOwner): Promise<CardToken>;

  /**
   * The same key again answers for the same charge and never charges twice. Every outcome of the provider is a result;
   * an error is a bug: an unknown token, or a key that named another token, amount or currency before.
   */
  charge(request: ChargeRequest): Promise<ChargeResult>;

  /** What became of a charge; `not_sent` for a key that the provider has never charged. */
  lookUpCharge(idempotencyKey: string, known?: KnownCharge): Promise<ChargeResult>;

  /** Gives up a charge that waits for the customer, and tells what became of it: one that is settled stays as it is. */
  voidCharge(idempotencyKey: string, known?: KnownCharge): Promise<ChargeResult>;

  /**
   * Deletes what the provider keeps of the payer of these cards, by their tokens: the cards and its customer. No charge of
   * them succeeds afterwards. What it has deleted already, or never had, is as good as deleted.
   */
  forgetCustomer(tokens: readonly string[]): Promise<void>;
  /** The same key again answers for the same refund and never gives back twice. An error is a bug, as of `charge`. */
  refund(request: RefundRequest): Promise<RefundResult>;

  /** What became of a refund; `not_sent` for one that the provider has never made. */
  lookUpRefund(request: RefundRequest): Promise<RefundResult>;

  /** Every refund of a charge by its reference, those too that were made at the provider itself. Absent: there are none. */
  listRefunds?(
    chargeReference: string,
  ): Promise<{ outcome: 'known'; refunds: ReportedRefund[] } | { outcome: 'unknown' }>;

  /** Reads a signed notification, as it came. Throws `invalid_signature`. Absent: this provider sends none. */
  readNotification?(body: Buffer, signature: string): ProviderNotification;
}
