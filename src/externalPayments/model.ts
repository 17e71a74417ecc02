import { DataTypes, Model, type CreationOptional, type InferAttributes, type InferCreationAttributes } from 'sequelize';
import { sequelize, type Transaction } from '../adapters/postgres/connection';
import { statement } from '../adapters/postgres/statement';
import { type Store } from './purchases/model';

/** A claim: an account presents what it bought in a store. */
export class ExternalPayment extends Model<InferAttributes<ExternalPayment>, InferCreationAttributes<ExternalPayment>> {
  declare id: CreationOptional<number>;
  declare token: string;
  declare merchantId: number;
  declare accountId: number;
  declare store: Store;
  /** What the app sent, until the claim is settled. */
  declare sealedClaim: CreationOptional<Buffer | null>;
  declare accessFeeId: CreationOptional<number | null>;
  declare productName: CreationOptional<string | null>;
  /** Presented again after it was settled, it is asked about again. */
  declare attempt: CreationOptional<number>;
  declare state: CreationOptional<'pending' | 'succeeded' | 'failed'>;
  declare reason: CreationOptional<string | null>;
  declare message: CreationOptional<string | null>;
  declare storePurchaseId: CreationOptional<number | null>;
  declare createdAt: CreationOptional<Date>;
  declare settledAt: CreationOptional<Date | null>;
}

ExternalPayment.init(
  {
    id: { type: DataTypes.INTEGER, primaryKey: true, autoIncrement: true },
    token: DataTypes.TEXT,
    merchantId: DataTypes.INTEGER,
    accountId: DataTypes.INTEGER,
    store: DataTypes.TEXT,
    sealedClaim: DataTypes.BLOB,
    accessFeeId: DataTypes.INTEGER,
    productName: DataTypes.TEXT,
    attempt: DataTypes.INTEGER,
    state: DataTypes.TEXT,
    reason: DataTypes.TEXT,
    message: DataTypes.TEXT,
    storePurchaseId: DataTypes.INTEGER,
    createdAt: DataTypes.DATE,
    settledAt: DataTypes.DATE,
  },
  { sequelize, tableName: 'external_payments' },
);

/** A claim as it is presented: the same receipt of the same account is the same claim. */
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

/** Opens the claim, or opens it anew. One that waits already goes on, and only its token is answered. */
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
