/** What a card provider is asked about refunds, and its answers. */

export type RefundResult =
  | { outcome: 'refunded'; reference: string }
  /** The provider has accepted the refund. Days can pass until the bank takes or refuses it: ask `lookUpRefund` later. */
  | { outcome: 'pending'; reference: string }
  /** Refused for good: another try needs another key. `message` is for the merchant. */
  | { outcome: 'refused'; message: string }
  /** Nothing was refunded: it is safe to try again with the same key. */
  | { outcome: 'not_sent' }
  /** The refund may have been made: `lookUpRefund` must answer before any further try. */
  | { outcome: 'unknown' };

export interface RefundRequest {
  /** Identifies one refund for ever. The provider refunds at most once for it. */
  idempotencyKey: string;
  /** The idempotency key of the paid charge. The next field is the provider's reference of the charge. */
  chargeKey: string;
  chargeReference: string;
  /** In the currency's minor unit, above zero and at most what was paid. */
  amountMinor: number;
  /** ISO 4217, upper case. */
  currency: string;
  /** The charge's application fee goes back in proportion. It must be the same in each try. */
  returnsFee?: boolean;
  /** The provider's id of the refund, if the provider has accepted it before. */
  reference?: string | null;
}

/** One refund of a charge as the provider reports it, including refunds that were made at the provider. */
export interface ReportedRefund {
  /** The provider's id of the refund. */
  reference: string;
  /** Our idempotency key; absent if the refund was made at the provider. */
  idempotencyKey?: string;
  /** In the currency's minor unit. */
  amountMinor: number;
  /** Why the refund failed; absent if it succeeded or is in progress. */
  failure?: string;
  /** The bank has not decided yet. */
  isPending?: boolean;
}
