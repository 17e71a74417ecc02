/** What a provider reports by itself: outcomes, disputes and replaced cards. */

/** A notification from the provider. Its content is not trusted: the current state is read from the provider. */
export interface ProviderNotification {
  /** A repeated notification has the same id. */
  id: string;
  /**
   * `disputed`: the payer's bank takes the money back. `dispute_won`: the bank has returned the money. `fraud_warning`: the
   * card network reports the charge as probably fraudulent, and a refund can prevent a dispute. `card`: the bank has
   * replaced a stored card or its expiry date. `setup`: the payer of a card that is set up has answered. `mandate`: a
   * mandate for direct debits has ended.
   */
  about: 'charge' | 'refund' | 'disputed' | 'dispute_won' | 'fraud_warning' | 'card' | 'setup' | 'mandate' | 'other';
  /** The provider's reference of the charge or the set-up; the end of the token of a mandate; empty for a card. */
  reference: string;
  dispute?: NotifiedDispute;
  card?: UpdatedCard;
}

/** The token of a stored card, and what is printed on the card now. */
export interface UpdatedCard {
  token: string;
  lastFour: string;
  /** Lower case: `visa`. */
  brand: string;
  expiryMonth: number;
  expiryYear: number;
  /** The same for each entry of the same card. The card number cannot be derived from it. */
  fingerprint: string;
}

export const disputeStatuses = ['needs_response', 'under_review', 'won', 'lost'] as const;

/** A dispute as its notification describes it. Absent fields were not reported. */
export interface NotifiedDispute {
  /** The provider's id. */
  reference: string;
  /** The time of this state, because notifications arrive in any order. */
  at: Date;
  /** `needs_response`: the merchant can submit evidence. `under_review`: the bank decides. */
  status: (typeof disputeStatuses)[number];
  /** In the words of the bank, such as `fraudulent`. */
  reason?: string;
  /** What the bank took, in the currency's minor unit. */
  amountMinor?: number;
  /** ISO 4217, upper case. */
  currency?: string;
  /** What the provider charges for the dispute. */
  fee?: { amountMinor: number; currency: string };
  /** The last moment for evidence. */
  dueAt?: Date;
  /** The provider has stopped the dispute before the bank took money. It only ends a dispute that is known. */
  isBlocked?: true;
}

/** The maximum length of one text of the evidence. */
export const evidenceTextMax = 20_000;

/** A PDF. */
export interface EvidenceFile {
  bytes: Buffer;
  /** With its ending: `receipt-S-1-1-1.pdf`. */
  name: string;
}

/** What a merchant submits to the bank of the payer. */
export interface DisputeEvidence {
  customerName: string;
  customerEmail: string;
  /** Empty if it is not known. */
  customerAddress: string;
  productDescription: string;
  /** The day of the payment, ISO 8601. */
  serviceDay: string;
  /** One line for the purchase, for the access and for each use of the product. At most `evidenceTextMax` characters. */
  accessLog: string;
  /** The receipt or the invoice of the payment. Absent if there is none. */
  receipt?: EvidenceFile;
  /** The merchant's own words. */
  statement: string;
}

export type EvidenceResult =
  | { outcome: 'submitted' }
  /** `message` is for the merchant. */
  | { outcome: 'refused'; message: string }
  /** The request can be repeated. */
  | { outcome: 'unknown' };
