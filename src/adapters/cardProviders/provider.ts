import {
  type DisputeEvidence,
  type EvidenceResult,
  type NotifiedDispute,
  type ProviderNotification,
  type UpdatedCard,
} from './notifications';
import { type BalanceTransaction } from './balances';
import { type DebitMaker } from './debits';
import { type Confirmation, type KnownCharge } from './knownCharges';
import { type PaymentForm } from './paymentForm';
import { type AgreementMethod, type RedirectCharge, type RedirectMaker, type RedirectSetup } from './redirects';
import { type RefundRequest, type RefundResult, type ReportedRefund } from './refunds';
import { type TaxMaker } from './taxes';

/** The interface of a card provider. An implementation makes one attempt per call: workflows retry. */

/** A typed card. It is passed to `tokenise` inside the request, and never stored, logged or passed to a workflow. */
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

/** The facts about a card that may be stored. */
export interface CardToken extends Omit<UpdatedCard, 'expiryMonth' | 'expiryYear'> {
  /** Absent for a card. Link has no digits and no expiry date. */
  method?: 'link' | undefined;
  holderName: string;
  expiryMonth: number | null;
  expiryYear: number | null;
  /** The token makes one charge or one set-up. Their result has the token that replaces it. */
  isSingleUse?: true;
}

export const declineReasons = [
  'declined',
  'insufficient_funds',
  'expired_card',
  'lost_card',
  'try_again_later',
  'authentication_failed',
  'authentication_expired',
  'payment_token_spent',
  'account_closed',
] as const;
export type DeclineReason = (typeof declineReasons)[number];

export type ChargeResult =
  /** `cardToken` replaces a token for single use. `lastFour`: the digits of the bank account behind it. */
  | { outcome: 'paid'; reference: string; cardToken?: string; lastFour?: string }
  /**
   * The payer must authenticate the charge, on the page `redirectUrl`. Without that page `confirmCharge` continues the charge
   * if the payer was absent, and otherwise the provider's script does (`findClientSecret`). Clients receive `reference` as
   * `pi_id` and `payment_intent`.
   */
  | { outcome: 'requires_action'; reference: string; redirectUrl?: string }
  /** The payer's bank decides on a direct debit within days. A notification reports it, and `lookUpCharge` knows it. */
  | { outcome: 'processing'; reference: string }
  /** The provider has not decided yet: ask `lookUpCharge` later. */
  | { outcome: 'pending'; reference: string }
  /**
   * `hard`: no charge of this card will succeed. `soft`: a charge on another day may succeed. `later`: a charge in an hour
   * may succeed. `message` is for the customer.
   */
  | { outcome: 'declined'; decline: 'soft' | 'hard' | 'later'; reason: DeclineReason; message: string }
  | MisconfiguredOutcome
  /** The provider never charged: it is safe to try again with the same key. */
  | { outcome: 'not_sent' }
  /** The charge may have been made: `lookUpCharge` must answer before any further try. */
  | { outcome: 'unknown' };

/**
 * The provider refuses for a reason other than the payer's card: a wrong key, a restricted account, or a currency or amount
 * that it does not accept. Nothing was charged.
 */
export interface MisconfiguredOutcome {
  outcome: 'misconfigured';
  fault: ProviderFault;
  /** The provider stores this answer under the idempotency key: the next try needs a `refusalNo` that is one higher. */
  isKept: boolean;
}

/** A refusal that only the operator or the merchant can correct, as shown to them. */
export interface ProviderFault {
  /** The provider's error code, such as `account_invalid`. */
  code: string;
  /** The provider's text. It names no payer. */
  message: string;
}

export type DeclinedOutcome = Extract<ChargeResult, { outcome: 'declined' }>;

/** The bank's answer to the question whether a card can be charged later, while its payer is absent. */
export type SetupResult =
  /** `cardToken` is the card's token from now on. `lastFour`: the digits of the bank account behind it. */
  | { outcome: 'verified'; cardToken: string; lastFour?: string }
  /** The payer must authenticate the card: on the page `redirectUrl`, or with the provider's script. */
  | { outcome: 'requires_action'; reference: string; redirectUrl?: string }
  | DeclinedOutcome
  | MisconfiguredOutcome
  | { outcome: 'not_sent' | 'unknown' };

export interface ChargeRequest {
  /** Identifies one charge for ever. The provider charges at most once for it. */
  idempotencyKey: string;
  /** The token of a `CardToken`. */
  token: string;
  /** In the currency's minor unit, above zero. */
  amountMinor: number;
  /** ISO 4217, upper case. */
  currency: string;
  /** The text that the customer reads on the provider's pages. */
  description: string;
  /** The absolute address to which an authentication returns the browser, with `payment_intent` added. */
  returnUrl?: string;
  /** The payer is absent, so no authentication is possible now. */
  isOffSession?: boolean;
  /** The payer. The provider stores it, so that a payment can be assigned after this database lost the purchase. */
  paidTo?: { merchantId: number; accountId: number };
  /** The token is that of a mandate (`DebitMaker.createMandate`, or the `cardToken` of a payment on a page). */
  isDebit?: boolean;
  /** The token is that of the payer's agreement, which a payment on a page has made. It needs no payer. */
  agreement?: AgreementMethod;
  /** The token is that of a payment on a page (`RedirectMaker.begin`). */
  redirect?: RedirectCharge;
  /** The part that goes to the operator of the installation, in the minor unit. It must be the same in each try. */
  applicationFeeMinor?: number;
  /** The merchant's time of the charge, by which the debits of the sandbox are decided. */
  at?: Date;
  /** How many `misconfigured` answers the provider has stored for this charge. */
  refusalNo?: number;
}

/** The owner of a card. A card without an owner gets a customer of its own at the provider. */
export interface CardOwner {
  accountUuid: string;
  /** The provider's id of the owner, from `createCustomer`. */
  customer?: string | undefined;
}

/** The provider accepts no cards, for a reason other than the payer's card. */
export class MisconfiguredProvider extends Error {
  constructor(readonly fault: ProviderFault) {
    super(`the card provider accepts no cards: ${fault.code}`);
    this.name = 'MisconfiguredProvider';
  }
}

/** A payment at the provider that carries one of our idempotency keys. */
export interface ListedPayment {
  idempotencyKey: string;
  reference: string;
  /** In the currency's minor unit. */
  amountMinor: number;
  /** ISO 4217, upper case. */
  currency: string;
  /** When the payment was made, in real time. */
  paidAt: Date;
  /** The ids of `ChargeRequest.paidTo`, if the provider has stored them. */
  merchantId?: number | undefined;
  accountId?: number | undefined;
}

export interface CardProvider {
  /** The provider and, for a merchant's own account, the account: cards and charges belong to it. */
  readonly name: string;
  /** False if no account is connected, so that no payment is possible. */
  readonly isConnected?: false;
  /** The account is one below the operator's platform, which gets a fee of each payment. */
  readonly isOfPlatform?: boolean;
  /** Two capital letters at the end of the ids of subscriptions and payments. Existing clients expect them. */
  readonly suffix: string;
  /** The provider's form in our pages. Absent: the pages have fields for a card number. */
  readonly paymentForm?: PaymentForm;
  /** Absent: the provider makes no direct debits. */
  readonly debits?: DebitMaker;
  /** Absent: the provider makes no payments by iDEAL, Bancontact and PayPal. */
  readonly redirects?: RedirectMaker;
  /** Absent: the provider calculates no tax. */
  readonly taxes?: TaxMaker;
  /**
   * Creates the provider's customer for an account, which groups the account's cards, and returns the customer's id. Calls
   * within a day return the same id. Throws the errors of `tokenise`. Absent if the provider has no customers.
   */
  createCustomer?(accountUuid: string): Promise<string>;

  /**
   * Throws `invalid_input` with an errors map for a card that the provider refuses, `service_unavailable` while the provider
   * does not answer, and `MisconfiguredProvider`.
   */
  tokenise(card: CardDetails, owner?: CardOwner): Promise<CardToken>;

  /**
   * Accepts a card by the token that the provider's form made in the browser. Throws the errors of `tokenise`, and
   * `invalid_input` for a token that has expired or was used.
   */
  adoptToken(paymentToken: string, owner?: CardOwner): Promise<CardToken>;

  /**
   * Asks the bank whether a card can be charged while its payer is absent. Charges nothing; a repeated call is harmless.
   * `returnUrl` is the address to which an authentication returns the browser, with `setup_intent` added.
   */
  setUpCard(token: string, returnUrl?: string): Promise<SetupResult>;

  /**
   * Asks the payer of a token of `RedirectMaker.begin` to agree to later charges, without a payment. The result is
   * `requires_action` with a page. `lookUpSetup` then has the token of the mandate or of the agreement. Absent like
   * `redirects`.
   */
  setUpOnPage?(token: string, setup: RedirectSetup): Promise<SetupResult>;

  /** Reads the outcome of a set-up that waits for its payer. */
  lookUpSetup(reference: string): Promise<SetupResult>;

  /** Cancels a set-up that waits for its payer and returns its outcome. A verified card stays verified. */
  voidSetup(reference: string): Promise<SetupResult>;

  /**
   * The secret by which the provider's script lets the payer authenticate a charge or a set-up. It is for the payer only, and
   * never stored. Undefined if nothing waits for the script. Throws the errors of `tokenise`. Absent if the provider has no
   * script.
   */
  findClientSecret?(reference: string): Promise<string | undefined>;

  /**
   * Charges a card. A repeated key returns the result of the same charge and never charges twice. Every outcome at the
   * provider is a result, including one that only the operator can correct. An error is a bug: an unknown token, or a key
   * that was used with another token, amount or currency.
   */
  charge(request: ChargeRequest): Promise<ChargeResult>;

  /** Reads the outcome of a charge. `not_sent` if the provider has never charged the key. */
  lookUpCharge(idempotencyKey: string, known?: KnownCharge): Promise<ChargeResult>;

  /**
   * Continues a charge that waits for an absent payer, now that the payer is present. The result has the page where the
   * payer authenticates, unless the bank decides at once. A charge that does not wait returns its outcome unchanged.
   */
  confirmCharge(idempotencyKey: string, confirmation: Confirmation): Promise<ChargeResult>;

  /**
   * Cancels a charge that waits for the customer and returns its outcome. A settled charge does not change, nor does a debit
   * that the bank has already.
   */
  voidCharge(idempotencyKey: string, known?: KnownCharge): Promise<ChargeResult>;

  /**
   * Deletes a payer's cards, by their tokens, and the payer's customer at the provider. No later charge of them succeeds.
   * It succeeds as well if the provider has deleted them before or never had them.
   */
  forgetCustomer(tokens: readonly string[], customer?: string): Promise<void>;

  /** Makes a refund. A repeated key returns the same refund and never refunds twice. Errors as of `charge`. */
  refund(request: RefundRequest): Promise<RefundResult>;

  /** Reads the outcome of a refund. `not_sent` if the provider has never made it. */
  lookUpRefund(request: RefundRequest): Promise<RefundResult>;

  /** All payments since a time that carry one of our idempotency keys. */
  listPayments(since: Date): AsyncIterable<ListedPayment>;

  /** The references of charges with a refund since a time. Absent if the provider does not list refunds. */
  listRefunded?(since: Date): AsyncIterable<string>;

  /** All refunds of a charge, including those made at the provider. Absent if a provider has no such refunds. */
  listRefunds?(
    chargeReference: string,
  ): Promise<{ outcome: 'known'; refunds: ReportedRefund[] } | { outcome: 'unknown' }>;

  /** The movements of money in the account since a time. Absent if the provider does not list them. */
  listBalance?(since: Date): AsyncIterable<BalanceTransaction>;

  /** Reads a dispute whose notification was lost. Undefined while the provider does not answer. */
  readDispute?(disputeReference: string): Promise<NotifiedDispute | undefined>;

  /** Submits evidence to the payer's bank. It is final. Absent if the provider has no disputes. */
  submitEvidence?(disputeReference: string, evidence: DisputeEvidence): Promise<EvidenceResult>;

  /** Reads the body of a signed notification. Throws `invalid_signature`. Absent if the provider sends none. */
  readNotification?(body: Buffer, signature: string): ProviderNotification;
}
