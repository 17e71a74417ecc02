import { type z } from 'zod';
import { getTenant } from '../accounts/oauthApps/service';
import { sanitizeHtml } from '../adapters/html';
import { type MailBrand } from '../adapters/mailer/layout';
import { getOwned, transaction, type Transaction } from '../adapters/postgres/connection';
import { execute } from '../adapters/postgres/statement';
import { environmentName } from '../adapters/settings';
import { actorOf, writeAudit } from '../audit/service';
import { type Caller } from '../kit/auth';
import { type RequestFacts } from '../kit/endpoint';
import { AppError } from '../kit/errors';
import { message } from '../kit/page';
import { Brand, findBrands, type BrandRow } from './model';
import { presentBrand } from './presenter';
import { type BrandBody } from './schemas';

type BrandInput = z.output<typeof BrandBody>;

export async function createBrand(caller: Caller, input: BrandInput, request: RequestFacts) {
  const chosen = columnsOf(input);
  return transaction(async (inTransaction) => {
    await lockBrands(inTransaction, caller.merchantId);
    if (input.default) await demoteDefault(inTransaction, caller.merchantId);
    const brand = await Brand.create(
      { ...chosen, merchantId: caller.merchantId, isDefault: input.default === true },
      { transaction: inTransaction },
    );
    await audit(inTransaction, caller, { action: 'brand.create', brandId: brand.id, request });
    return { id: brand.id };
  });
}

/** Replaces all but `default`: an optional field that is absent takes its default. */
export async function updateBrand(caller: Caller, brandId: number, input: BrandInput, request: RequestFacts) {
  const chosen = columnsOf(input);
  return transaction(async (inTransaction) => {
    await lockBrands(inTransaction, caller.merchantId);
    const brand = await getBrandRow(caller, brandId, inTransaction);
    if (brand.isDefault && input.default === false) throw new AppError('invalid_input', { errors: unsetDefault });
    if (input.default && !brand.isDefault) await demoteDefault(inTransaction, caller.merchantId);
    const isDefault = brand.isDefault || input.default === true;
    await brand.update({ ...chosen, isDefault, updatedAt: new Date() }, { transaction: inTransaction });
    await audit(inTransaction, caller, { action: 'brand.update', brandId, request });
    return { id: brand.id };
  });
}

export async function deleteBrand(caller: Caller, brandId: number, request: RequestFacts) {
  await transaction(async (inTransaction) => {
    await lockBrands(inTransaction, caller.merchantId);
    const brand = await getBrandRow(caller, brandId, inTransaction);
    if (brand.isDefault) throw new AppError('default_brand');
    await brand.destroy({ transaction: inTransaction });
    await audit(inTransaction, caller, { action: 'brand.delete', brandId, request });
  });
  return message('Brand successfully deleted');
}

/**
 * The merchant's brand of an id, or the default one when none was asked for. An id that names none of its own is answered
 * with the default one too, and `exists: false`: a page goes on to work when its theme is deleted (wire 0.9, B.12).
 */
export async function getBrand(merchantOrClient: string, brandId?: number) {
  const { merchantId } = await getTenant(merchantOrClient);
  const brands = await findBrands(merchantId, brandId === undefined ? [] : [brandId]);
  const asked = brands.find(({ id, isDefault }) => (brandId === undefined ? isDefault : id === brandId));
  return presentBrand(asked ?? defaultOf(brands), { exists: asked !== undefined });
}

/** In the transaction that registers the merchant. It bears the merchant's name until it is given one. */
export async function insertDefaultBrand(inTransaction: Transaction, merchantId: number): Promise<void> {
  await Brand.create({ merchantId, isDefault: true }, { transaction: inTransaction });
}

/** What a merchant's mails look like, by the `branding_id` that each was asked for with. */
export async function getMailBrands(merchantId: number, brandIds: readonly (number | null)[]) {
  const wanted = brandIds.filter((id) => id !== null);
  const brands = await findBrands(merchantId, wanted);
  return (brandId: number | null): MailBrand => {
    const brand = presentBrand(brands.find(({ id }) => id === brandId) ?? defaultOf(brands), { exists: true });
    return {
      name: brand.brand_name,
      logoUrl: brand.paywall_brand_logo,
      primaryColor: brand.paywall_primary_color,
      buttonColor: brand.paywall_buttons_bg_color,
      buttonTextColor: brand.paywall_buttons_text_color,
      footer: brand.paywall_footer,
      termsUrl: brand.terms_url,
    };
  };
}

function defaultOf(brands: readonly BrandRow[]): BrandRow {
  const brand = brands.find(({ isDefault }) => isDefault) ?? brands[0];
  if (!brand) throw new AppError('account_not_found');
  return brand;
}

function getBrandRow(caller: Caller, brandId: number, inTransaction: Transaction): Promise<Brand> {
  return getOwned(Brand, caller.merchantId, brandId, 'brand_not_found', inTransaction);
}

/** One change of a merchant's brands at a time, so that of two new defaults the second demotes the first. */
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

/** What a page or a mail loads must not be readable on its way (decisions 11). */
function refusePlainAddresses(input: BrandInput): void {
  if (environmentName === 'test') return;
  const names = ['paywall_cover_photo', 'paywall_brand_logo', 'terms_url'] as const;
  const plain = names.filter((name) => /^http:/i.test(input[name] ?? ''));
  if (plain.length === 0) return;
  const errors = Object.fromEntries(plain.map((name) => [name, `The ${name} must be an https address.`]));
  throw new AppError('invalid_input', { errors });
}

interface Deed {
  action: `brand.${string}`;
  brandId: number;
  request: RequestFacts;
}

function audit(inTransaction: Transaction, caller: Caller, { action, brandId, request }: Deed): Promise<void> {
  const { requestId } = request;
  return writeAudit(inTransaction, { ...actorOf(caller), action, objectType: 'brand', objectId: brandId, requestId });
}
