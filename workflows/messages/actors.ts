/** The accounts behind a request. */
export interface Actor {
  accountId: number;
  /** The uuid of the staff member who acts as the account. */
  actedBy?: string;
  requestId: string;
  /** The action that the merchant's audit log records, if the subscriber did not act in person. */
  audited?: `subscription.${string}`;
}
