import { bigint, char, defaulted, integer, jsonb, nullable, serial, text, time } from '../adapters/postgres/columns';
import { type Period } from '../items/accessTypes.model';
import { type AddedTaxColumn } from '../tax/chargeTaxes.model';

/** The buyer's device as the client reports it; each field may be empty. */
export interface Device {
  type: string;
  os: string;
  model: string;
}

/**
 * The columns of subscriptions and one-time payments. Each model needs its own objects, because Sequelize changes them.
 */
export const purchaseColumns = () => ({
  id: serial(),
  /** The public id: `S-<random>-<provider>` of a subscription, `C-<random>-<provider>` of a payment. */
  token: text(),
  merchantId: integer(),
  accountId: integer(),
  itemId: integer(),
  accessFeeId: integer(),
  /** Null if there is nothing to pay. */
  cardId: nullable(integer()),
  priceMinor: bigint(),
  currency: char(3),
  periodQuantity: integer(),
  period: text<Period>(),
  environment: text(),
  /** The voucher at the time of the purchase. Null and empty without a voucher. */
  voucherId: nullable(integer()),
  voucherCode: defaulted(text()),
  discountPercent: nullable(integer()),
  rebillPercent: nullable(integer()),
  /** A fixed amount instead of a percentage, which is then 0. */
  discountMinor: nullable(bigint()),
  rebillMinor: nullable(bigint()),
  discountPeriod: nullable(text<'once' | 'repeating' | 'forever'>()),
  discountDuration: nullable(integer()),
  /** The brand of the purchase, which may have been deleted. */
  brandingId: nullable(integer()),
  referrer: defaulted(text()),
  returnUrl: nullable(text()),
  ipAddress: defaulted(text()),
  /** The buyer's country; empty if unknown. */
  countryIso: defaulted(text()),
  /** The buyer's device; null if unknown. */
  device: nullable(jsonb<Device>()),
  /** The tax that is added to the prices, as decided with the latest amount. Null: the prices include tax. */
  addedTax: nullable(jsonb<AddedTaxColumn>()),
  failureReason: nullable(text()),
  failureMessage: nullable(text()),
  createdAt: defaulted(time()),
  updatedAt: defaulted(time()),
});
