import { DataTypes, Model, type CreationOptional, type InferAttributes, type InferCreationAttributes } from 'sequelize';
import { sequelize } from '../adapters/postgres/connection';
import { statement } from '../adapters/postgres/statement';

/** What is null was never chosen: the product's default. */
export class Brand extends Model<InferAttributes<Brand>, InferCreationAttributes<Brand>> {
  declare id: CreationOptional<number>;
  declare merchantId: number;
  declare isDefault: CreationOptional<boolean>;
  declare name: CreationOptional<string | null>;
  declare coverPhotoUrl: CreationOptional<string | null>;
  declare logoUrl: CreationOptional<string | null>;
  declare termsUrl: CreationOptional<string | null>;
  declare primaryColor: CreationOptional<string | null>;
  declare secondaryColor: CreationOptional<string | null>;
  declare buttonsBgColor: CreationOptional<string | null>;
  declare buttonsTextColor: CreationOptional<string | null>;
  declare previewButtonsBgColor: CreationOptional<string | null>;
  declare previewButtonsTextColor: CreationOptional<string | null>;
  declare previewTopBorder: CreationOptional<boolean>;
  declare protectedLabel: CreationOptional<boolean>;
  declare darkMode: CreationOptional<boolean>;
  /** HTML, sanitised on its way in. */
  declare footer: CreationOptional<string>;
  declare templateId: CreationOptional<number>;
  declare createdAt: CreationOptional<Date>;
  declare updatedAt: CreationOptional<Date>;
}

Brand.init(
  {
    id: { type: DataTypes.INTEGER, primaryKey: true, autoIncrement: true },
    merchantId: DataTypes.INTEGER,
    isDefault: DataTypes.BOOLEAN,
    name: DataTypes.TEXT,
    coverPhotoUrl: DataTypes.TEXT,
    logoUrl: DataTypes.TEXT,
    termsUrl: DataTypes.TEXT,
    primaryColor: DataTypes.TEXT,
    secondaryColor: DataTypes.TEXT,
    buttonsBgColor: DataTypes.TEXT,
    buttonsTextColor: DataTypes.TEXT,
    previewButtonsBgColor: DataTypes.TEXT,
    previewButtonsTextColor: DataTypes.TEXT,
    previewTopBorder: DataTypes.BOOLEAN,
    protectedLabel: DataTypes.BOOLEAN,
    darkMode: DataTypes.BOOLEAN,
    footer: DataTypes.TEXT,
    templateId: DataTypes.INTEGER,
    createdAt: DataTypes.DATE,
    updatedAt: DataTypes.DATE,
  },
  { sequelize, tableName: 'brands' },
);

type Read = Omit<InferAttributes<Brand>, 'merchantId' | 'createdAt' | 'updatedAt'>;

/** A brand as it is read. For a merchant without a theme all is null but the merchant's name. */
export type BrandRow = { [Name in keyof Read]: Read[Name] | null } & { merchantName: string };

const readStatement = statement<BrandRow>(
  'brands_read',
  `SELECT a.full_name AS "merchantName", b.id, b.is_default AS "isDefault", b.name,
     b.cover_photo_url AS "coverPhotoUrl", b.logo_url AS "logoUrl", b.terms_url AS "termsUrl",
     b.primary_color AS "primaryColor", b.secondary_color AS "secondaryColor", b.buttons_bg_color AS "buttonsBgColor",
     b.buttons_text_color AS "buttonsTextColor", b.preview_buttons_bg_color AS "previewButtonsBgColor",
     b.preview_buttons_text_color AS "previewButtonsTextColor", b.preview_top_border AS "previewTopBorder",
     b.protected_label AS "protectedLabel", b.dark_mode AS "darkMode", b.footer, b.template_id AS "templateId"
   FROM accounts a LEFT JOIN brands b ON b.merchant_id = a.id AND (b.is_default OR b.id = ANY ($2))
   WHERE a.id = $1`,
);

/** The merchant's default brand and those of the given ids that are its own, in no order. */
export function findBrands(merchantId: number, ids: readonly number[]): Promise<BrandRow[]> {
  return readStatement([merchantId, ids]);
}
