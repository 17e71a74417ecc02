import { findWalletName, redirectNames, walletNames, type RedirectName } from '../../kit/paymentMethods';

/** Payments that the payer makes on a page of the bank or of PayPal. They are decided at once. */

export const redirectMethods = redirectNames;
export type RedirectMethod = RedirectName;

/** All methods with which a payer pays on a page. */
export const pageMethods = [...redirectNames, ...walletNames] as const;
export type PageMethod = (typeof pageMethods)[number];

export const isWallet = (method: PageMethod) => findWalletName(method) !== undefined;

/** The methods whose later charges need no mandate for direct debits: the payer's agreement pays, and is decided at once. */
export const agreementMethods = ['paypal'] as const satisfies readonly RedirectMethod[];
export type AgreementMethod = (typeof agreementMethods)[number];

/** The payer, as the page and a mandate want it. */
export interface RedirectPayer {
  /** As `CardOwner`. */
  owner: { accountUuid: string; customer?: string | undefined };
  name: string;
  email: string;
}

export interface RedirectMaker {
  /** Whether payers can pay by the wallet of their device, once, on a page. */
  readonly makesWallets: boolean;
  /** Prepares one payment or one set-up and returns its token. Throws the errors of `tokenise`. */
  begin(method: PageMethod, payer: RedirectPayer): Promise<string>;
}

/** How such a token is set up for later charges, without a payment. */
export interface RedirectSetup extends Omit<RedirectCharge, 'savesMandate' | 'method'> {
  method: RedirectMethod;
  /** The absolute address to which the page returns the browser, with `setup_intent` added. */
  returnUrl?: string | undefined;
}

/**
 * How the charge of such a token is made. Its payer is always present, and its result is `requires_action` with a page. Only
 * the result of a wallet that the provider's script opens on our page has no `redirectUrl`.
 */
export interface RedirectCharge {
  method: PageMethod;
  /**
   * The payer agrees to later charges: direct debits of the same account, or payments by PayPal. The paid result then has
   * the token of the mandate or of the agreement.
   */
  savesMandate: boolean;
  /** Where the payer has agreed. */
  acceptedFrom: { address: string; userAgent: string };
}
