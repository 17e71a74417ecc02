import { bytes, defaulted, integer, modelOf, nullable, serial, text, time } from '../adapters/postgres/columns';
import { sequelize, type Transaction } from '../adapters/postgres/connection';
import { statement } from '../adapters/postgres/statement';
import { type Store } from './purchases/purchases.model';

/** A claim: an account presents a purchase that it made in a store. */
export class ExternalPayment extends modelOf({
  id: serial(),
  token: text(),
  merchantId: integer(),
  accountId: integer(),
  store: text<Store>(),
  /** The app's data, kept until the claim is settled. */
  sealedClaim: nullable(bytes()),
  accessFeeId: nullable(integer()),
  productName: nullable(text()),
  /** A settled claim that is presented again gets a new attempt. */
  attempt: defaulted(integer()),
  state: defaulted(text<'pending' | 'succeeded' | 'failed'>()),
  reason: nullable(text()),
  message: nullable(text()),
  storePurchaseId: nullable(integer()),
  createdAt: defaulted(time()),
  settledAt: nullable(time()),
}) {}
ExternalPayment.init(ExternalPayment.columns, { sequelize, tableName: 'external_payments' });

/** A presented claim. The same receipt of the same account is the same claim. */
export interface PresentedClaim {
  token: string;
  merchantId: number;
  accountId: number;
  store: Store;
  receiptHash: Buffer;
  sealedClaim: Buffer;
  accessFeeId: number | null;
  productName: string | null;
}

export interface OpenClaim {
  id: number;
  token: string;
  attempt: number;
}

const presentStatement = statement<OpenClaim>(
  'external_payment_present',
  `INSERT INTO external_payments AS e (token, merchant_id, account_id, store, receipt_hash, sealed_claim, access_fee_id,
     product_name) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
   ON CONFLICT ON CONSTRAINT external_payments_receipt DO UPDATE SET sealed_claim = excluded.sealed_claim,
     access_fee_id = excluded.access_fee_id, product_name = excluded.product_name, attempt = e.attempt + 1,
     state = 'pending', reason = NULL, message = NULL, settled_at = NULL, created_at = now()
   WHERE e.state <> 'pending' RETURNING id, token, attempt`,
);
const waitingStatement = statement<{ token: string }>(
  'external_payment_waiting',
  'SELECT token FROM external_payments WHERE account_id = $1 AND store = $2 AND receipt_hash = $3',
);

/** Opens a claim, or opens a settled one again. A pending claim continues, and only its token is returned. */
export async function presentClaim(
  inTransaction: Transaction,
  claim: PresentedClaim,
): Promise<{ opened: OpenClaim | undefined; token: string }> {
  const { token, merchantId, accountId, store, receiptHash, sealedClaim, accessFeeId, productName } = claim;
  const values = [token, merchantId, accountId, store, receiptHash, sealedClaim, accessFeeId, productName];
  const [opened] = await presentStatement(values, inTransaction);
  if (opened) return { opened, token: opened.token };
  const [waiting] = await waitingStatement([accountId, store, receiptHash], inTransaction);
  return { opened: undefined, token: waiting?.token ?? token };
}
