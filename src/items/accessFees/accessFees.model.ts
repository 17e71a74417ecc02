import { type Attributes } from 'sequelize';
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
import { statement } from '../../adapters/postgres/statement';
import { type AccessTypeRow, type Period } from '../accessTypes.model';

/** The rule for a buyer who already has access. Null means `extend_same_item`. */
export type WhenOwned = 'start_now' | 'extend_current' | 'extend_same_item';

export class AccessFee extends modelOf({
  id: serial(),
  merchantId: integer(),
  itemId: integer(),
  accessTypeId: integer(),
  amountMinor: bigint(),
  currency: char(3),
  description: text(),
  setupFeeMinor: nullable(bigint()),
  setupFeeDescription: nullable(text()),
  trialQuantity: nullable(integer()),
  trialPeriod: nullable(text<Period>()),
  trialDescription: nullable(text()),
  trialEndBehaviour: nullable(text<'cancel' | 'pause'>()),
  whenOwned: nullable(text<WhenOwned>()),
  /** The country limit of the fee: a country, a country set, or none. */
  countryIso: nullable(char(2)),
  countrySetId: nullable(integer()),
  /** With a country set, null means the type of the set, even if the type of the set changes. */
  restrictionType: nullable(text<'whitelist' | 'blacklist'>()),
  startsAt: nullable(time()),
  expiresAt: nullable(time()),
  /** From this time on, only existing subscribers use the fee. */
  retiredAt: nullable(time()),
  replacedBy: nullable(integer()),
  createdAt: defaulted(time()),
  updatedAt: defaulted(time()),
}) {}
AccessFee.init(AccessFee.columns, { sequelize, tableName: 'access_fees' });

/** The id of a fee in a store. */
export interface ExternalFee {
  id: number;
  payment_provider_id: number;
  external_id: string;
}

const notRead = ['accessTypeId', 'replacedBy', 'retiredAt'] as const;

/** A fee with its type, for responses. */
export interface FeeRow extends Omit<Attributes<AccessFee>, (typeof notRead)[number]> {
  type: AccessTypeRow;
  /** The type of the fee's country set. */
  typeOfSet: 'whitelist' | 'blacklist' | null;
  externalFees: ExternalFee[];
  /** Whether the merchant adds the tax to its prices. */
  addsTax: boolean;
}

type FlatFee = Omit<FeeRow, 'type'> & {
  typeId: number;
  typeName: string;
  typeQuantity: number;
  typePeriod: Period;
  typeCreatedAt: Date;
  typeUpdatedAt: Date;
};

const addsTax = 'EXISTS (SELECT FROM tax_profiles x WHERE x.merchant_id = f.merchant_id AND NOT x.prices_include_tax)';

const feeText = `SELECT ${AccessFee.selectList('f', { without: notRead })}, s.type AS "typeOfSet", ${addsTax} AS "addsTax",
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

/** The fees of the items in one statement, in the order of creation, on sale or not. */
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

/** A fee with the fields of its item and access type that a purchase needs, on sale or not. */
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
  /** Whether the fee is no longer sold. */
  isRetired: boolean;
  startsAt: Date | null;
  expiresAt: Date | null;
  countryIso: string | null;
  countrySetId: number | null;
  restrictionType: 'whitelist' | 'blacklist' | null;
  accessType: AccessTypeRow['name'];
  quantity: number;
  period: Period;
  /** Whether the merchant adds the tax to its prices. */
  addsTax: boolean;
  /** The merchant's current time. */
  present: Date;
}

const sellableStatement = statement<SellableFee>(
  'access_fee_sellable',
  `SELECT f.id, f.item_id AS "itemId", i.is_active AS "isItemActive", f.amount_minor AS "amountMinor",
     f.setup_fee_minor AS "setupFeeMinor", f.currency, f.trial_quantity AS "trialQuantity",
     f.trial_period AS "trialPeriod", f.trial_end_behaviour AS "trialEndBehaviour", f.when_owned AS "whenOwned",
     f.starts_at AS "startsAt", f.expires_at AS "expiresAt",
     f.country_iso AS "countryIso", f.country_set_id AS "countrySetId", f.restriction_type AS "restrictionType",
     t.name AS "accessType", t.quantity, t.period, merchant_now(f.merchant_id) AS present, f.retired_at IS NOT NULL AS "isRetired",
     ${addsTax} AS "addsTax"
   FROM access_fees f JOIN items i ON i.id = f.item_id JOIN access_types t ON t.id = f.access_type_id
   WHERE f.id = $1 AND f.merchant_id = $2`,
);

/** Finds a fee, on sale or not. */
export async function findSellableFee(merchantId: number, feeId: number): Promise<SellableFee | undefined> {
  const [fee] = await sellableStatement([feeId, merchantId]);
  return fee;
}

const pricedStatement = statement<{ itemId: number }>(
  'access_fee_first',
  `SELECT f.item_id AS "itemId" FROM access_fees f JOIN items i ON i.id = f.item_id AND i.is_active
   WHERE f.merchant_id = $1 AND f.retired_at IS NULL ORDER BY f.id LIMIT 1`,
);

/** The item on sale that got its price first. Undefined if no item on sale has a price. */
export async function findPricedItem(merchantId: number): Promise<number | undefined> {
  const [row] = await pricedStatement([merchantId]);
  return row?.itemId;
}

const soldStatement = statement<{ isSold: boolean }>(
  'access_fee_sold',
  `SELECT EXISTS (SELECT FROM subscriptions WHERE access_fee_id = $1)
     OR EXISTS (SELECT FROM subscriptions WHERE pending_access_fee_id = $1)
     OR EXISTS (SELECT FROM payments WHERE access_fee_id = $1)
     OR EXISTS (SELECT FROM store_purchases WHERE access_fee_id = $1)
     OR EXISTS (SELECT FROM accesses WHERE access_fee_id = $1) AS "isSold"`,
);

/** Whether the fee was bought, is being bought, or is a pending plan. */
export async function isFeeSold(feeId: number, inTransaction: Transaction): Promise<boolean> {
  const [row] = await soldStatement([feeId], inTransaction);
  return row?.isSold ?? false;
}

// A removed name is stored as retired, so that its product does not count as a product without a fee.
const clearStatement = statement(
  'external_fees_clear',
  `WITH gone AS (DELETE FROM external_fees WHERE access_fee_id = $1 RETURNING *)
   INSERT INTO retired_external_fees (merchant_id, external_id, payment_provider_id)
   SELECT merchant_id, external_id, payment_provider_id FROM gone ON CONFLICT DO NOTHING`,
);
const nameStatement = statement(
  'external_fees_write',
  `INSERT INTO external_fees (merchant_id, access_fee_id, payment_provider_id, external_id)
   SELECT $1, $2, provider, name FROM unnest($3::int[], $4::text[]) AS sent (provider, name)`,
);

/** Replaces the fee's names in stores. */
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
