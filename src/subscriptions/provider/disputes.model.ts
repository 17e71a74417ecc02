import {
  bigint,
  char,
  defaulted,
  integer,
  modelOf,
  nullable,
  serial,
  text,
  time,
} from '../../adapters/postgres/columns';
import { sequelize, type Transaction } from '../../adapters/postgres/connection';
import { execute, firstOf, statement } from '../../adapters/postgres/statement';

/** A charge that the payer's bank has taken back, in its last reported state. */
export class Dispute extends modelOf({
  id: serial(),
  provider: text(),
  /** The provider's id of the dispute. */
  reference: text(),
  merchantId: integer(),
  chargeId: integer(),
  status: text<'needs_response' | 'under_review' | 'won' | 'lost'>(),
  reason: text(),
  amountMinor: bigint(),
  currency: char(3),
  feeMinor: defaulted(bigint()),
  feeCurrency: nullable(char(3)),
  /** The deadline for evidence. */
  dueAt: nullable(time()),
  evidenceSentAt: nullable(time()),
  /** When the bank took the money. */
  openedAt: time(),
}) {}
Dispute.init(Dispute.columns, { sequelize, tableName: 'disputes' });

/** The purchase of a disputed charge. */
export interface DisputedPurchase {
  chargeId: number;
  trxToken: string;
  purchaseToken: string;
  accountId: number;
}

const purchasesStatement = statement<DisputedPurchase>(
  'dispute_purchases',
  `SELECT c.id AS "chargeId", c.trx_token AS "trxToken", coalesce(s.token, p.token) AS "purchaseToken",
     c.account_id AS "accountId"
   FROM charges c LEFT JOIN subscriptions s ON s.id = c.subscription_id LEFT JOIN payments p ON p.id = c.payment_id
   WHERE c.id = ANY($1::int[])`,
);

/** By the id of the charge. */
export async function findDisputedPurchases(chargeIds: readonly number[]): Promise<Map<number, DisputedPurchase>> {
  const rows = await purchasesStatement([chargeIds]);
  return new Map(rows.map((row) => [row.chargeId, row]));
}

/** The device of a purchase or a sign-in. Each text is empty if it is unknown. */
interface Device {
  type: string;
  os: string;
  model: string;
}

/** The facts of the evidence that the customer bought and used the product. */
export interface EvidenceFacts {
  customerName: string;
  customerEmail: string;
  /** The address from which the customer bought. Empty if it is unknown. */
  customerAddress: string;
  planName: string;
  itemTitle: string;
  trxToken: string;
  hasReceipt: boolean;
  boughtAt: Date;
  /** Null if it is unknown. */
  device: Device | null;
  paidAt: Date;
  accessFrom: Date | null;
  accessTo: Date | null;
}

/** The evidence that the merchant reads before it is submitted. The device is a part of the submitted access log. */
export interface ReadableEvidence {
  customerName: string;
  customerEmail: string;
  customerAddress: string;
  productDescription: string;
  /** The day of the payment, `YYYY-MM-DD` in UTC. */
  serviceDay: string;
  accessLog: string;
  purchaseDevice: string;
  trxToken: string;
  hasReceipt: boolean;
}

const evidenceStatement = statement<EvidenceFacts>(
  'dispute_evidence',
  `SELECT a.full_name AS "customerName", a.email AS "customerEmail",
     coalesce(s.ip_address, p.ip_address, '') AS "customerAddress", f.description AS "planName",
     i.title AS "itemTitle", c.trx_token AS "trxToken", c.status = 'paid' AS "hasReceipt",
     coalesce(s.created_at, p.created_at) AS "boughtAt",
     coalesce(s.device, p.device) AS device, c.settled_at AS "paidAt",
     coalesce(access.starts_at, c.period_start) AS "accessFrom", coalesce(access.expires_at, c.period_end) AS "accessTo"
   FROM charges c JOIN accounts a ON a.id = c.account_id
     LEFT JOIN subscriptions s ON s.id = c.subscription_id LEFT JOIN payments p ON p.id = c.payment_id
     JOIN access_fees f ON f.id = c.access_fee_id
     JOIN items i ON i.id = ${firstOf('s.item_id', 'p.item_id')}
     LEFT JOIN LATERAL (SELECT starts_at, expires_at FROM accesses x WHERE x.source = 'payment' AND x.source_id = p.id
       ORDER BY x.id DESC LIMIT 1) access ON true
   WHERE c.id = $1`,
);

export async function getEvidenceFacts(chargeId: number): Promise<EvidenceFacts> {
  const [facts] = await evidenceStatement([chargeId]);
  if (!facts) throw new Error(`there is no purchase of charge ${chargeId}`);
  return facts;
}

/** A sign-in of the customer, with its device and place. Each text is empty if it is unknown. */
export interface SignIn extends Device {
  at: Date;
  /** ISO 3166-1 alpha-2. */
  country: string;
  city: string;
}

/** The maximum number of sign-ins in the access log. */
const signInsMax = 100;

const signInsStatement = statement<SignIn>(
  'dispute_sign_ins',
  `SELECT l.created_at AS at, l.device_type AS type, l.device_os AS os, l.device_model AS model, l.country, l.city
   FROM sessions l JOIN charges c ON c.account_id = l.account_id
   WHERE c.id = $1 AND l.actor_uuid IS NULL ORDER BY l.created_at DESC LIMIT ${signInsMax}`,
);

/** The sign-ins of the customer of a charge, newest first. */
export const listSignIns = (chargeId: number) => signInsStatement([chargeId]);

/** A new dispute, and the merchant to inform. */
export interface OpenedDispute {
  merchantId: number;
  merchantEmail: string;
  amountMinor: number;
  currency: string;
  reason: string;
  dueAt: Date | null;
  trxToken: string;
}

export async function getOpenedDispute(inTransaction: Transaction, id: number): Promise<OpenedDispute> {
  const [opened] = await execute<OpenedDispute>(
    inTransaction,
    `SELECT d.merchant_id AS "merchantId", a.email AS "merchantEmail", d.amount_minor AS "amountMinor", d.currency,
       d.reason, d.due_at AS "dueAt", c.trx_token AS "trxToken"
     FROM disputes d JOIN accounts a ON a.id = d.merchant_id JOIN charges c ON c.id = d.charge_id WHERE d.id = $1`,
    [id],
  );
  if (!opened) throw new Error(`there is no dispute ${id}`);
  return opened;
}
