import { type Transaction } from '../adapters/postgres/connection';
import { statement } from '../adapters/postgres/statement';

const calculationStatement = statement(
  'provider_tax_save',
  'INSERT INTO provider_taxes (charge_id, merchant_id, provider, calculation) VALUES ($1, $2, $3, $4)',
);

/** Stores which calculation the tax of a charge is from, in the transaction that stores the tax. */
export async function saveCalculation(
  of: { chargeId: number; merchantId: number; provider: string; calculation: string },
  inTransaction: Transaction,
): Promise<void> {
  await calculationStatement([of.chargeId, of.merchantId, of.provider, of.calculation], inTransaction);
}

const openStatement = statement(
  'tax_reversal_open',
  `INSERT INTO tax_reversals (merchant_id, charge_id, refund_id, dispute_tax_id, tax_minor, gross_minor)
   SELECT merchant_id, charge_id, $2::int, $3::int, $4, $5 FROM provider_taxes WHERE charge_id = $1
   ON CONFLICT DO NOTHING`,
);

/** Nothing happens if the tax of the charge is from our own table. */
export async function openReversal(
  { chargeId, ...by }: { chargeId: number; refundId?: number; disputeTaxId?: number },
  { taxMinor, grossMinor }: { taxMinor: number; grossMinor: number },
  inTransaction: Transaction,
): Promise<void> {
  const { refundId = null, disputeTaxId = null } = by;
  await openStatement([chargeId, refundId, disputeTaxId, taxMinor, grossMinor], inTransaction);
}

const dropStatement = statement(
  'provider_tax_drop',
  `UPDATE provider_taxes p SET state = 'unneeded' FROM charges c
   WHERE c.id = p.charge_id AND p.state = 'calculated' AND c.status = 'declined'`,
);

/** The sales of declined charges are never recorded. */
export async function dropDeclined(): Promise<void> {
  await dropStatement([]);
}

/** A paid charge that the provider has not recorded. */
export interface UnrecordedSale {
  chargeId: number;
  merchantId: number;
  provider: string;
  calculation: string;
  reference: string;
}

const unrecordedStatement = statement<UnrecordedSale>(
  'provider_tax_unrecorded',
  `SELECT p.charge_id AS "chargeId", p.merchant_id AS "merchantId", p.provider, p.calculation, c.trx_token AS reference
   FROM provider_taxes p JOIN charges c ON c.id = p.charge_id
   WHERE p.state = 'calculated' AND c.status = 'paid' AND p.charge_id > $1 ORDER BY p.charge_id LIMIT $2`,
);

export const listUnrecorded = (afterId: number, limit: number) => unrecordedStatement([afterId, limit]);

const recordedStatement = statement(
  'provider_tax_recorded',
  `UPDATE provider_taxes SET state = 'recorded', transaction = $2, line = $3 WHERE charge_id = $1 AND state = 'calculated'`,
);
const refusedStatement = statement(
  'provider_tax_refused',
  `UPDATE provider_taxes SET state = 'refused', problem = $2 WHERE charge_id = $1 AND state = 'calculated'`,
);

export async function noteRecorded(chargeId: number, of: { transaction: string; line: string }): Promise<void> {
  await recordedStatement([chargeId, of.transaction, of.line]);
}

export async function noteRefused(chargeId: number, problem: string): Promise<void> {
  await refusedStatement([chargeId, problem]);
}

/** A refund or a lost chargeback that the provider has not recorded. */
export interface OpenReversal {
  id: number;
  merchantId: number;
  provider: string;
  /** What the provider has recorded of the sale. Empty if it has refused the sale. */
  transaction: string;
  line: string;
  reference: string;
  amountMinor: number;
  taxMinor: number;
  currency: string;
  /** The refund has failed after its success. */
  isUndone: boolean;
}

const reversalsStatement = statement<OpenReversal>(
  'tax_reversals_open',
  `SELECT r.id, r.merchant_id AS "merchantId", p.provider, p.transaction, p.line,
     coalesce(f.token, c.trx_token || '-dispute-' || r.dispute_tax_id) AS reference, r.gross_minor AS "amountMinor",
     r.tax_minor AS "taxMinor", c.currency, coalesce(f.state <> 'refunded', false) AS "isUndone"
   FROM tax_reversals r JOIN provider_taxes p ON p.charge_id = r.charge_id JOIN charges c ON c.id = r.charge_id
     LEFT JOIN refunds f ON f.id = r.refund_id
   WHERE r.state = 'open' AND p.state <> 'calculated' AND r.id > $1 ORDER BY r.id LIMIT $2`,
);

/** Of sales that the provider has recorded or refused. */
export const listOpenReversals = (afterId: number, limit: number) => reversalsStatement([afterId, limit]);

const closeStatement = statement(
  'tax_reversal_close',
  `UPDATE tax_reversals SET state = $2, problem = $3 WHERE id = $1 AND state = 'open'`,
);

export async function closeReversal(
  id: number,
  state: 'recorded' | 'unneeded' | 'refused',
  problem = '',
): Promise<void> {
  await closeStatement([id, state, problem]);
}

/** A sale, a refund or a chargeback that is not in the provider's reports as it is in ours. */
export interface RecordingProblem {
  transaction: string;
  problem: string;
}

const problemsStatement = statement<RecordingProblem>(
  'tax_recording_problems',
  `SELECT c.trx_token AS transaction, p.problem FROM provider_taxes p JOIN charges c ON c.id = p.charge_id
   WHERE p.merchant_id = $1 AND p.state = 'refused'
   UNION ALL
   SELECT c.trx_token, CASE WHEN r.state = 'refused' THEN r.problem
     ELSE 'The refund has failed after it was recorded.' END
   FROM tax_reversals r JOIN charges c ON c.id = r.charge_id LEFT JOIN refunds f ON f.id = r.refund_id
   WHERE r.merchant_id = $1 AND (r.state = 'refused' OR r.state = 'recorded' AND f.state <> 'refunded')
   ORDER BY 1, 2 LIMIT 100`,
);

export const listRecordingProblems = (merchantId: number) => problemsStatement([merchantId]);
