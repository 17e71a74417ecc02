/** Direct debits of a card provider: the payer signs a mandate, and each charge of it is decided by the bank within days. */

/** A bank account as typed. Like a card, it is passed on inside the request, and never stored, logged or sent to a workflow. */
export interface BankAccount {
  /** Capital letters and digits only. */
  iban: string;
  holderName: string;
}

/** The facts about a mandate that may be stored. Its `token` is charged like that of a card. */
export interface Mandate {
  token: string;
  lastFour: string;
  /** ISO 3166, from the IBAN. */
  country: string;
  /** The same for the same account. The IBAN cannot be derived from it. */
  fingerprint: string;
  holderName: string;
  /** The name of the mandate on the payer's bank statement. */
  reference: string;
  /** The mandate's page at the provider; empty if there is none. */
  url: string;
}

/** A debit whose money the payer's bank has taken back after it was paid. */
export interface ReturnedDebit {
  /** The provider's id of the return. */
  reference: string;
  /** In the words of the bank. */
  reason: string;
  at: Date;
}

/** The payer who signs a mandate, as the banks want it proved. */
export interface Signer {
  /** As `CardOwner`. */
  owner: { accountUuid: string; customer?: string | undefined };
  email: string;
  /** The IP address and the browser with which the payer has accepted the mandate. */
  address: string;
  userAgent: string;
}

export interface DebitMaker {
  /**
   * Throws `invalid_input` with a text for the field `iban` if the account cannot be debited, and the other errors of
   * `tokenise`.
   */
  createMandate(account: BankAccount, signer: Signer): Promise<Mandate>;
  /**
   * Whether a paid debit has been returned by the merchant's time `at`. Absent if the provider reports returns as disputes, in
   * its notifications.
   */
  findReturn?(idempotencyKey: string, at: Date): Promise<ReturnedDebit | undefined>;
}
