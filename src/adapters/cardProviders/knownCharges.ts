/** Charges that a provider knows already. */

/** Facts about a charge by which a provider finds it. */
export interface KnownCharge {
  /** The provider's reference, if it has answered before. */
  reference?: string | null;
  /** The token of the charged card. */
  token?: string | null;
  /** The earliest time at which the charge was sent, in real time. */
  openedAt?: Date;
  /** The merchant's present time, as in `ChargeRequest`. */
  at?: Date;
  /** A user waits for the answer: the request is sent before background requests. */
  isInteractive?: boolean;
}

/** What a provider needs to continue a charge with its payer. */
export interface Confirmation {
  /** The provider's reference of the charge. */
  reference: string;
  /** The token of the charged card. */
  token: string;
  /** As in `ChargeRequest`. */
  returnUrl?: string;
}
