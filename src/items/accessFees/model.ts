import { DataTypes, Model, type CreationOptional, type InferAttributes, type InferCreationAttributes } from 'sequelize';
import { sequelize, type Transaction } from '../../adapters/postgres/connection';
import { statement } from '../../adapters/postgres/statement';
import { type AccessTypeRow } from '../accessTypes/model';

type Period = AccessTypeRow['period'];

/** What is bought while the buyer has access: null is as `extend_same_item`. */
export type WhenOwned = 'start_now' | 'extend_current' | 'extend_same_item';

export class AccessFee extends Model<InferAttributes<AccessFee>, InferCreationAttributes<AccessFee>> {
  declare id: CreationOptional<number>;
  declare merchantId: number;
  declare itemId: number;
  declare accessTypeId: number;
  declare amountMinor: number;
  declare currency: string;
  declare description: string;
  declare setupFeeMinor: CreationOptional<number | null>;
  declare setupFeeDescription: CreationOptional<string | null>;
  declare trialQuantity: CreationOptional<number | null>;
  declare trialPeriod: CreationOptional<Period | null>;
  declare trialDescription: CreationOptional<string | null>;
  declare trialEndBehaviour: CreationOptional<'cancel' | 'pause' | null>;
  declare whenOwned: CreationOptional<WhenOwned | null>;
  /** By country or by a set of countries, or by neither. */
  declare countryIso: CreationOptional<string | null>;
  declare countrySetId: CreationOptional<number | null>;
  /** Null beside a set: the set's, whatever it becomes. */
  declare restrictionType: CreationOptional<'whitelist' | 'blacklist' | null>;
  declare startsAt: CreationOptional<Date | null>;
  declare expiresAt: CreationOptional<Date | null>;
  /** Since then it is only its subscribers'. */
  declare retiredAt: CreationOptional<Date | null>;
  declare replacedBy: CreationOptional<number | null>;
  declare createdAt: CreationOptional<Date>;
  declare updatedAt: CreationOptional<Date>;
}

AccessFee.init(
  {
    id: { type: DataTypes.INTEGER, primaryKey: true, autoIncrement: true },
    merchantId: DataTypes.INTEGER,
    itemId: DataTypes.INTEGER,
    accessTypeId: DataTypes.INTEGER,
    amountMinor: DataTypes.BIGINT,
    currency: DataTypes.CHAR(3),
    description: DataTypes.TEXT,
    setupFeeMinor: DataTypes.BIGINT,
    setupFeeDescription: DataTypes.TEXT,
    trialQuantity: DataTypes.INTEGER,
    trialPeriod: DataTypes.TEXT,
    trialDescription: DataTypes.TEXT,
    trialEndBehaviour: DataTypes.TEXT,
    whenOwned: DataTypes.TEXT,
    countryIso: DataTypes.CHAR(2),
    countrySetId: DataTypes.INTEGER,
    restrictionType: DataTypes.TEXT,
    startsAt: DataTypes.DATE,
    expiresAt: DataTypes.DATE,
    retiredAt: DataTypes.DATE,
    replacedBy: DataTypes.INTEGER,
    createdAt: DataTypes.DATE,
    updatedAt: DataTypes.DATE,
  },
  { sequelize, tableName: 'access_fees' },
);

/** What a store calls a fee. Provider ids are the store's. */
export interface ExternalFee {
  id: number;
  payment_provider_id: number;
  external_id: string;
}

/** A fee as it is shown. */
export interface FeeRow extends Omit<InferAttributes<AccessFee>, 'accessTypeId' | 'replacedBy' | 'retiredAt'> {
  type: AccessTypeRow;
  /** Of the set of countries that it is sold by. */
  typeOfSet: 'whitelist' | 'blacklist' | null;
  externalFees: ExternalFee[];
}

type FlatFee = Omit<FeeRow, 'type'> & {
  typeId: number;
  typeName: string;
  typeQuantity: number;
  typePeriod: Period;
  typeCreatedAt: Date;
  typeUpdatedAt: Date;
};

const feeText = `SELECT f.id, f.merchant_id AS "merchantId", f.item_id AS "itemId", f.amount_minor AS "amountMinor",
  f.currency, f.description, f.setup_fee_minor AS "setupFeeMinor", f.setup_fee_description AS "setupFeeDescription",
  f.trial_quantity AS "trialQuantity", f.trial_period AS "trialPeriod", f.trial_description AS "trialDescription",
  f.trial_end_behaviour AS "trialEndBehaviour", f.when_owned AS "whenOwned",
  f.country_iso AS "countryIso", f.country_set_id AS "countrySetId", f.restriction_type AS "restrictionType",
  s.type AS "typeOfSet", f.starts_at AS "startsAt", f.expires_at AS "expiresAt", f.created_at AS "createdAt", f.updated_at AS "updatedAt",
  t.id AS "typeId", t.name AS "typeName", t.quantity AS "typeQuantity", t.period AS "typePeriod",
  t.created_at AS "typeCreatedAt", t.updated_at AS "typeUpdatedAt",
  (SELECT coalesce(json_agg(json_build_object('id', e.id, 'payment_provider_id', e.payment_provider_id,
     'external_id', e.external_id) ORDER BY e.id), '[]')
   FROM external_fees e WHERE e.access_fee_id = f.id) AS "externalFees"
  FROM access_fees f JOIN access_types t ON t.id = f.access_type_id LEFT JOIN country_sets s ON s.id = f.country_set_id`;

const ofItemsStatement = statement<FlatFee>(
  'access_fees_of_items',
  `${feeText} WHERE f.item_id = ANY ($1::int[]) AND f.retired_at IS NULL ORDER BY f.id`,
);

/** Of all these items in one statement, in the order they were made; on sale now or not. */
export async function findFees(itemIds: readonly number[], inTransaction?: Transaction): Promise<FeeRow[]> {
  return (await ofItemsStatement([itemIds], inTransaction)).map(withType);
}

const ofMerchantStatement = statement<FlatFee>(
  'access_fee_read',
  `${feeText} WHERE f.id = $1 AND f.merchant_id = $2 AND f.retired_at IS NULL`,
);

export async function findFee(merchantId: number, feeId: number): Promise<FeeRow | undefined> {
  const [fee] = await ofMerchantStatement([feeId, merchantId]);
  return fee && withType(fee);
}

function withType(flat: FlatFee): FeeRow {
  const type = {
    id: flat.typeId,
    merchantId: flat.merchantId,
    name: flat.typeName,
    quantity: flat.typeQuantity,
    period: flat.typePeriod,
    createdAt: flat.typeCreatedAt,
    updatedAt: flat.typeUpdatedAt,
  };
  return { ...flat, type };
}

/** A fee as a purchase takes it, with what it needs of its item and its access type; on sale now or not. */
export interface SellableFee {
  id: number;
  itemId: number;
  isItemActive: boolean;
  amountMinor: number;
  setupFeeMinor: number | null;
  currency: string;
  trialQuantity: number | null;
  trialPeriod: Period | null;
  trialEndBehaviour: 'cancel' | 'pause' | null;
  whenOwned: WhenOwned | null;
  /** Not sold any more. */
  isRetired: boolean;
  startsAt: Date | null;
  expiresAt: Date | null;
  countryIso: string | null;
  countrySetId: number | null;
  restrictionType: 'whitelist' | 'blacklist' | null;
  accessType: AccessTypeRow['name'];
  quantity: number;
  period: Period;
  /** The merchant's time. */
  present: Date;
}

const sellableStatement = statement<SellableFee>(
  'access_fee_sellable',
  `SELECT f.id, f.item_id AS "itemId", i.is_active AS "isItemActive", f.amount_minor AS "amountMinor",
     f.setup_fee_minor AS "setupFeeMinor", f.currency, f.trial_quantity AS "trialQuantity",
     f.trial_period AS "trialPeriod", f.trial_end_behaviour AS "trialEndBehaviour", f.when_owned AS "whenOwned",
     f.starts_at AS "startsAt", f.expires_at AS "expiresAt",
     f.country_iso AS "countryIso", f.country_set_id AS "countrySetId", f.restriction_type AS "restrictionType",
     t.name AS "accessType", t.quantity, t.period, merchant_now(f.merchant_id) AS present, f.retired_at IS NOT NULL AS "isRetired"
   FROM access_fees f JOIN items i ON i.id = f.item_id JOIN access_types t ON t.id = f.access_type_id
   WHERE f.id = $1 AND f.merchant_id = $2`,
);

/** On sale or not. */
export async function findSellableFee(merchantId: number, feeId: number): Promise<SellableFee | undefined> {
  const [fee] = await sellableStatement([feeId, merchantId]);
  return fee;
}

const soldStatement = statement<{ isSold: boolean }>(
  'access_fee_sold',
  `SELECT EXISTS (SELECT FROM subscriptions WHERE access_fee_id = $1)
     OR EXISTS (SELECT FROM subscriptions WHERE pending_access_fee_id = $1)
     OR EXISTS (SELECT FROM payments WHERE access_fee_id = $1)
     OR EXISTS (SELECT FROM store_purchases WHERE access_fee_id = $1)
     OR EXISTS (SELECT FROM accesses WHERE access_fee_id = $1) AS "isSold"`,
);

/** Whether somebody has bought it, has begun to, or changes to it when a period ends. */
export async function isFeeSold(feeId: number, inTransaction: Transaction): Promise<boolean> {
  const [row] = await soldStatement([feeId], inTransaction);
  return row?.isSold ?? false;
}

const clearStatement = statement('external_fees_clear', 'DELETE FROM external_fees WHERE access_fee_id = $1');
const nameStatement = statement(
  'external_fees_write',
  `INSERT INTO external_fees (merchant_id, access_fee_id, payment_provider_id, external_id)
   SELECT $1, $2, provider, name FROM unnest($3::int[], $4::text[]) AS sent (provider, name)`,
);

/** The fee has these names in stores, and no others. */
export async function writeExternalFees(
  inTransaction: Transaction,
  fee: { id: number; merchantId: number },
  names: readonly Omit<ExternalFee, 'id'>[],
): Promise<void> {
  await clearStatement([fee.id], inTransaction);
  if (names.length === 0) return;
  const providers = names.map((name) => name.payment_provider_id);
  const ids = names.map((name) => name.external_id);
  await nameStatement([fee.merchantId, fee.id, providers, ids], inTransaction);
}
