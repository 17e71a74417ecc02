import { type Attributes } from 'sequelize';
import { boolean, defaulted, integer, modelOf, nullable, serial, text, time } from '../adapters/postgres/columns';
import { sequelize } from '../adapters/postgres/connection';
import { statement } from '../adapters/postgres/statement';

/** The brand of a merchant. A null field was never set: the product's default applies. */
export class Brand extends modelOf({
  id: serial(),
  merchantId: integer(),
  isDefault: defaulted(boolean()),
  name: nullable(text()),
  coverPhotoUrl: nullable(text()),
  logoUrl: nullable(text()),
  termsUrl: nullable(text()),
  primaryColor: nullable(text()),
  secondaryColor: nullable(text()),
  buttonsBgColor: nullable(text()),
  buttonsTextColor: nullable(text()),
  previewButtonsBgColor: nullable(text()),
  previewButtonsTextColor: nullable(text()),
  previewTopBorder: defaulted(boolean()),
  protectedLabel: defaulted(boolean()),
  darkMode: defaulted(boolean()),
  /** HTML, sanitised before it is stored. */
  footer: defaulted(text()),
  templateId: defaulted(integer()),
  createdAt: defaulted(time()),
  updatedAt: defaulted(time()),
}) {}
Brand.init(Brand.columns, { sequelize, tableName: 'brands' });

const notRead = ['merchantId', 'createdAt', 'updatedAt'] as const;
type Read = Omit<Attributes<Brand>, (typeof notRead)[number]>;

/** A brand as it is read. For a merchant without a brand every field but those of the merchant is null. */
export type BrandRow = { [Name in keyof Read]: Read[Name] | null } & {
  merchantName: string;
  merchantUuid: string;
};

const readStatement = statement<BrandRow>(
  'brands_read',
  `SELECT a.full_name AS "merchantName", a.uuid AS "merchantUuid", ${Brand.selectList('b', { without: notRead })}
   FROM accounts a LEFT JOIN brands b ON b.merchant_id = a.id AND (b.is_default OR b.id = ANY ($2))
   WHERE a.id = $1`,
);

/** The merchant's default brand and the given brands of the merchant, in no order. */
export function findBrands(merchantId: number, ids: readonly number[]): Promise<BrandRow[]> {
  return readStatement([merchantId, ids]);
}
