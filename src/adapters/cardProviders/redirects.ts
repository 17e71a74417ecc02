/** Payments that the payer makes on a page of the bank: iDEAL and Bancontact. They are decided at once. */

export const redirectMethods = ['ideal', 'bancontact'] as const;
export type RedirectMethod = (typeof redirectMethods)[number];

/** The payer, as the bank's page and a mandate want it. */
export interface RedirectPayer {
  /** As `CardOwner`. */
  owner: { accountUuid: string; customer?: string | undefined };
  name: string;
  email: string;
}

export interface RedirectMaker {
  /** Prepares one payment and returns its token. Throws the errors of `tokenise`. */
  begin(method: RedirectMethod, payer: RedirectPayer): Promise<string>;
}

/** How the charge of such a token is made. Its payer is always present, and its result is `requires_action` with a page. */
export interface RedirectCharge {
  method: RedirectMethod;
  /**
   * The payer agrees that later charges are direct debits of the same account. The paid result then has the token of the
   * mandate.
   */
  savesMandate: boolean;
  /** Where the payer has agreed. */
  acceptedFrom: { address: string; userAgent: string };
}
