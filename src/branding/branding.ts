import { Op } from 'sequelize';
import { type z } from 'zod';
import { getTenant } from '../oauthApps/clients';
import { sanitizeHtml } from '../adapters/html';
import { getOwned, transaction, type Transaction } from '../adapters/postgres/connection';
import { execute } from '../adapters/postgres/statement';
import { baseUrl, environmentName } from '../adapters/settings';
import { audit } from '../audit/audit';
import { keepImages } from '../images/images';
import { type Caller } from '../kit/auth';
import { type RequestFacts } from '../kit/endpoint';
import { AppError } from '../kit/errors';
import { message } from '../kit/page';
import { Brand, findBrands, type BrandRow } from './branding.model';
import { presentBrand } from './branding.presenter';
import { type BrandBody } from './branding.schemas';

type BrandInput = z.output<typeof BrandBody>;

/** The brand of a merchant's mails. Colours are `#rgb` or `#rrggbb`; a missing URL is empty. */
export interface MailBrand {
  name: string;
  logoUrl: string;
  primaryColor: string;
  buttonColor: string;
  buttonTextColor: string;
  /** Sanitized HTML. */
  footer: string;
  termsUrl: string;
  /** The merchant's portal, without a slash at its end. */
  portalUrl: string;
}

export async function createBrand(caller: Caller, input: BrandInput, { requestId }: RequestFacts) {
  const chosen = columnsOf(input);
  return transaction(async (inTransaction) => {
    await lockBrands(inTransaction, caller.merchantId);
    if (input.default) await demoteDefault(inTransaction, caller.merchantId);
    await keepImages(inTransaction, caller.merchantId, [chosen.logoUrl, chosen.coverPhotoUrl]);
    const brand = await Brand.create(
      { ...chosen, merchantId: caller.merchantId, isDefault: input.default === true },
      { transaction: inTransaction },
    );
    await audit(inTransaction, caller, { action: 'brand.create', object: ['brand', brand.id], requestId });
    return { id: brand.id };
  });
}

/** Replaces all fields but `default`: an absent optional field takes its default. */
export async function updateBrand(caller: Caller, brandId: number, input: BrandInput, { requestId }: RequestFacts) {
  const chosen = columnsOf(input);
  return transaction(async (inTransaction) => {
    await lockBrands(inTransaction, caller.merchantId);
    const brand = await getBrandRow(caller, brandId, inTransaction);
    if (brand.isDefault && input.default === false) throw new AppError('invalid_input', { errors: unsetDefault });
    if (input.default && !brand.isDefault) await demoteDefault(inTransaction, caller.merchantId);
    await keepImages(inTransaction, caller.merchantId, [chosen.logoUrl, chosen.coverPhotoUrl]);
    const isDefault = brand.isDefault || input.default === true;
    await brand.update({ ...chosen, isDefault, updatedAt: new Date() }, { transaction: inTransaction });
    await audit(inTransaction, caller, { action: 'brand.update', object: ['brand', brandId], requestId });
    return { id: brand.id };
  });
}

export async function deleteBrand(caller: Caller, brandId: number, { requestId }: RequestFacts) {
  await transaction(async (inTransaction) => {
    await lockBrands(inTransaction, caller.merchantId);
    const brand = await getBrandRow(caller, brandId, inTransaction);
    if (brand.isDefault) throw new AppError('default_brand');
    await brand.destroy({ transaction: inTransaction });
    await audit(inTransaction, caller, { action: 'brand.delete', object: ['brand', brandId], requestId });
  });
  return message('Brand successfully deleted');
}

/**
 * The merchant's brand with the id, or the default brand if there is no id. An unknown id returns the default brand with
 * `exists: false`, so that a page still works after its theme is deleted.
 */
export async function getBrand(merchantOrClient: string, brandId?: number) {
  const { merchantId } = await getTenant(merchantOrClient);
  const brands = await findBrands(merchantId, brandId === undefined ? [] : [brandId]);
  const asked = brands.find(({ id, isDefault }) => (brandId === undefined ? isDefault : id === brandId));
  return presentBrand(asked ?? defaultOf(brands), { exists: asked !== undefined });
}

/** Whether the merchant has saved a brand of its own. The brand of its registration has no name. */
export async function hasOwnBrand(merchantId: number): Promise<boolean> {
  return (await Brand.count({ where: { merchantId, name: { [Op.ne]: null } } })) > 0;
}

/** Runs in the transaction that registers the merchant. The brand has the merchant's name until it is renamed. */
export async function insertDefaultBrand(inTransaction: Transaction, merchantId: number): Promise<void> {
  await Brand.create({ merchantId, isDefault: true }, { transaction: inTransaction });
}

/** The design of a merchant's mails, by the `branding_id` of each request. */
export async function getMailBrands(merchantId: number, brandIds: readonly (number | null)[]) {
  const wanted = brandIds.filter((id) => id !== null);
  const brands = await findBrands(merchantId, wanted);
  return (brandId: number | null): MailBrand => {
    const row = brands.find(({ id }) => id === brandId) ?? defaultOf(brands);
    const brand = presentBrand(row, { exists: true });
    return {
      name: brand.brand_name,
      logoUrl: brand.paywall_brand_logo,
      primaryColor: brand.paywall_primary_color,
      buttonColor: brand.paywall_buttons_bg_color,
      buttonTextColor: brand.paywall_buttons_text_color,
      footer: brand.paywall_footer,
      termsUrl: brand.terms_url,
      portalUrl: `${baseUrl}/portal/${row.merchantUuid}`,
    };
  };
}

function defaultOf(brands: readonly BrandRow[]): BrandRow {
  const brand = brands.find(({ isDefault }) => isDefault) ?? brands[0];
  if (!brand) throw new AppError('account_not_found');
  return brand;
}

function getBrandRow(caller: Caller, brandId: number, inTransaction: Transaction): Promise<Brand> {
  return getOwned(Brand, caller.merchantId, brandId, 'brand_not_found', { transaction: inTransaction });
}

/** Serialises changes of a merchant's brands, so that of two new defaults the second replaces the first. */
async function lockBrands(inTransaction: Transaction, merchantId: number): Promise<void> {
  await execute(inTransaction, 'SELECT id FROM accounts WHERE id = $1 FOR NO KEY UPDATE', [merchantId]);
}

async function demoteDefault(inTransaction: Transaction, merchantId: number): Promise<void> {
  await Brand.update({ isDefault: false }, { where: { merchantId, isDefault: true }, transaction: inTransaction });
}

const unsetDefault = { default: 'The default must stay: make another brand the default instead.' };

function columnsOf(input: BrandInput) {
  refusePlainAddresses(input);
  return {
    name: input.brand_name,
    coverPhotoUrl: addressOrNone(input.paywall_cover_photo),
    logoUrl: addressOrNone(input.paywall_brand_logo),
    termsUrl: input.terms_url ?? null,
    primaryColor: input.paywall_primary_color,
    secondaryColor: input.paywall_secondary_color,
    buttonsBgColor: input.paywall_buttons_bg_color,
    buttonsTextColor: input.paywall_buttons_text_color,
    previewButtonsBgColor: input.preview_buttons_bg_color ?? null,
    previewButtonsTextColor: input.preview_buttons_text_color ?? null,
    previewTopBorder: input.preview_top_border,
    protectedLabel: input.service_protected_label,
    darkMode: input.dark_mode,
    footer: sanitizeHtml(input.paywall_footer),
    templateId: input.template_id,
  };
}

function addressOrNone(text: string): string | null {
  return text === '' ? null : text;
}

/** Pages and mails load pictures over https only, so that no third party on the network can read them. */
function refusePlainAddresses(input: BrandInput): void {
  if (environmentName === 'test') return;
  const names = ['paywall_cover_photo', 'paywall_brand_logo', 'terms_url'] as const;
  const plain = names.filter((name) => /^http:/i.test(input[name] ?? ''));
  if (plain.length === 0) return;
  const errors = Object.fromEntries(plain.map((name) => [name, `The ${name} must be an https address.`]));
  throw new AppError('invalid_input', { errors });
}
