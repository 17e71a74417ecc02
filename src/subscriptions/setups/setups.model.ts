import { type Transaction } from '../../adapters/postgres/connection';
import { statement } from '../../adapters/postgres/statement';
import { type StoredMethod } from '../cards.model';
import { type Purchase } from '../charges/charges.model';

/** A card, or a method with a page of its own, whose payer must agree to later charges, and the outcome. */
export interface CardSetup {
  id: number;
  merchantId: number;
  accountId: number;
  cardId: number;
  /** The subscription that begins with the card. Null for a new default card. */
  subscriptionId: number | null;
  /** The currency of a new default card. */
  currency: string | null;
  /** The running subscription that changes to the method. */
  changedSubscriptionId: number | null;
  status: 'requires_action' | 'verified' | 'declined';
  /** The account of the card. */
  provider: string;
  reference: string;
  redirectUrl: string | null;
  declineReason: string | null;
  declineMessage: string | null;
  askedAt: Date;
  /** The last four digits of the card. */
  cardDigits: string;
  method: StoredMethod;
}

export type NewSetup = Pick<CardSetup, 'merchantId' | 'accountId' | 'cardId' | 'reference' | 'redirectUrl'> &
  SetupPurpose;

/** What the card or the method pays for after the set-up. */
export type SetupPurpose = { subscriptionId: number } | { currency: string } | { changedSubscriptionId: number };

const insertStatement = statement<{ id: number }>(
  'card_setup_insert',
  `INSERT INTO card_setups (merchant_id, account_id, card_id, subscription_id, currency, changed_subscription_id, status,
     reference, redirect_url, asked_at)
   VALUES ($1, $2, $3, $4, $5, $6, 'requires_action', $7, $8, merchant_now($1)) RETURNING id`,
);

export async function insertSetup(inTransaction: Transaction, setup: NewSetup): Promise<number> {
  const { merchantId, accountId, cardId, reference, redirectUrl } = setup;
  const purpose = [
    'subscriptionId' in setup ? setup.subscriptionId : null,
    'currency' in setup ? setup.currency : null,
    'changedSubscriptionId' in setup ? setup.changedSubscriptionId : null,
  ];
  const values = [merchantId, accountId, cardId, ...purpose, reference, redirectUrl];
  const [written] = await insertStatement(values, inTransaction);
  if (!written) throw new Error('a set-up was not written');
  return written.id;
}

const columns = `u.id, u.merchant_id AS "merchantId", u.account_id AS "accountId", u.card_id AS "cardId",
  u.subscription_id AS "subscriptionId", u.currency, u.changed_subscription_id AS "changedSubscriptionId", u.status,
  c.provider, u.reference, u.redirect_url AS "redirectUrl",
  u.decline_reason AS "declineReason", u.decline_message AS "declineMessage", u.asked_at AS "askedAt",
  c.last_four AS "cardDigits", c.method`;
const found = `SELECT ${columns} FROM card_setups u JOIN cards c ON c.id = u.card_id`;

const ofIdStatement = statement<CardSetup>('card_setup', `${found} WHERE u.id = $1`);
const ofSubscriptionStatement = statement<CardSetup>(
  'card_setup_of_subscription',
  `${found} WHERE u.subscription_id = $1`,
);
const ofReferenceStatement = statement<CardSetup>(
  'card_setup_of_reference',
  `${found} WHERE u.reference = $1 AND u.merchant_id = coalesce($2, u.merchant_id)`,
);

export async function findSetup(id: number): Promise<CardSetup | undefined> {
  const [setup] = await ofIdStatement([id]);
  return setup;
}

export async function findSetupOfSubscription(
  subscriptionId: number,
  inTransaction?: Transaction,
): Promise<CardSetup | undefined> {
  const [setup] = await ofSubscriptionStatement([subscriptionId], inTransaction);
  return setup;
}

/** Finds a set-up by the provider's reference. With `merchantId`, only one of this merchant. */
export async function findSetupOfReference(reference: string, merchantId?: number): Promise<CardSetup | undefined> {
  const [setup] = await ofReferenceStatement([reference, merchantId ?? null]);
  return setup;
}

const purchaseStatement = statement<Purchase>(
  'card_setup_purchase',
  `SELECT 'subscription' AS kind, s.id, s.token, s.merchant_id AS "merchantId", s.account_id AS "accountId",
     s.item_id AS "itemId", s.access_fee_id AS "accessFeeId", s.state, s.referrer, s.branding_id AS "brandingId"
   FROM card_setups u JOIN subscriptions s ON s.id = u.subscription_id
   WHERE u.reference = $1 AND u.merchant_id = coalesce($2, u.merchant_id)`,
);

/** The subscription that begins with the card. */
export async function findPurchaseOfSetup(reference: string, merchantId?: number): Promise<Purchase | undefined> {
  const [purchase] = await purchaseStatement([reference, merchantId ?? null]);
  return purchase;
}

const merchantStatement = statement<{ uuid: string }>(
  'card_setup_merchant',
  'SELECT a.uuid FROM card_setups u JOIN accounts a ON a.id = u.merchant_id WHERE u.reference = $1 LIMIT 1',
);

/** The uuid of the merchant whose set-up has this provider reference. */
export async function findMerchantOfSetup(reference: string): Promise<string | undefined> {
  const [row] = await merchantStatement([reference]);
  return row?.uuid;
}

export type SetupOutcome =
  | { status: 'verified'; cardToken: string; lastFour?: string }
  | { status: 'declined'; reason: string; message: string };

const settleStatement = statement<{ id: number }>(
  'card_setup_settle',
  `WITH settled AS (
     UPDATE card_setups SET status = $2, decline_reason = $3, decline_message = $4
     WHERE id = $1 AND status = 'requires_action' RETURNING id, card_id
   ),
   named AS (
     UPDATE cards SET token = $5, is_single_use = false, last_four = coalesce($6, last_four), verified_at = now()
     FROM settled s WHERE cards.id = s.card_id AND $5::text IS NOT NULL
   )
   SELECT id FROM settled`,
);

/**
 * Writes the first outcome, which is final. False if an outcome exists. A verified card or method gets its token for later charges.
 */
export async function writeOutcome(id: number, outcome: SetupOutcome, inTransaction?: Transaction): Promise<boolean> {
  const values =
    outcome.status === 'verified'
      ? [id, outcome.status, null, null, outcome.cardToken, outcome.lastFour ?? null]
      : [id, outcome.status, outcome.reason, outcome.message, null, null];
  return (await settleStatement(values, inTransaction)).length > 0;
}
