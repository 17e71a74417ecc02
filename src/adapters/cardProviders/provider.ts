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
  /** Hard: no charge of this card will succeed. Soft: a later one may. `message` is for the customer. */
  | { outcome: 'declined'; decline: 'soft' | 'hard'; reason: DeclineReason; message: string }
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
}

export interface CardProvider {
  readonly name: string;
  /** Two capitals that end the ids of subscriptions and payments (wire B.7). */
  readonly suffix: string;

  /** Throws `invalid_input` with an errors map for a card that the provider refuses to take. */
  tokenise(card: CardDetails): Promise<CardToken>;

  /**
   * The same key again answers for the same charge and never charges twice. Every outcome of the provider is a result;
   * an error is a bug: an unknown token, or a key that named another token, amount or currency before.
   */
  charge(request: ChargeRequest): Promise<ChargeResult>;

  /** What became of a charge; `not_sent` for a key that the provider has never charged. */
  lookUpCharge(idempotencyKey: string): Promise<ChargeResult>;

  /** Gives up a charge that waits for the customer, and tells what became of it: one that is settled stays as it is. */
  voidCharge(idempotencyKey: string): Promise<ChargeResult>;
}
