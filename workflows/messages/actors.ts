/** Who asks, by ids; absent in what older code sent. */
export interface Actor {
  accountId: number;
  /** The uuid of who acts as that account. */
  actedBy?: string;
  requestId: string;
  /** It is not the subscriber's own deed: what the merchant's audit log calls it. */
  audited?: `subscription.${string}`;
}
