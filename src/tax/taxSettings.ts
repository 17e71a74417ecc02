import { type z } from 'zod';
import { merchantNow } from '../adapters/clock';
import { transaction } from '../adapters/postgres/connection';
import { audit } from '../audit/audit';
import { toMajor } from '../billing/money';
import { placesWithoutRate } from '../billing/tax/decision';
import { hasSeparateCorrections } from '../billing/tax/places';
import { registeredNumber, sellerTaxNumber } from '../billing/tax/sellerNumbers';
import { type Caller } from '../kit/auth';
import { type RequestFacts } from '../kit/endpoint';
import { AppError } from '../kit/errors';
import { findTaxAccount } from './calculators';
import { listRecordingProblems } from './recordings.model';
import {
  addRegistrationRow,
  findTaxProfile,
  listMissingRows,
  listRegistrationRows,
  type RegistrationRow,
  removeRegistrationRow,
  saveItemKind,
  saveTaxProfile,
} from './taxSettings.model';
import { rates } from './taxCases';
import { presentTaxSettings } from './taxSettings.presenter';
import { type ItemKindBody, type RegistrationBody, type TaxProfileBody } from './taxSettings.schemas';

export async function getTaxSettings({ merchantId }: Caller) {
  const profile = await findTaxProfile(merchantId);
  const rows = await listRegistrationRows(merchantId);
  const at = await merchantNow(merchantId);
  const registrations = rows.map((row) => ({ ...row, hasRate: listPlacesWithoutRate(row, at).length === 0 }));
  const missing = profile ? await listMissingRows(merchantId) : [];
  const withAmounts = missing.map((row) => ({ ...row, amount: toMajor(row.grossMinor, row.currency) }));
  return presentTaxSettings(profile, registrations, withAmounts, await listRecordingProblems(merchantId));
}

/** The time zone of the merchant. Undefined if the merchant has named no seller. */
export async function findZone(merchantId: number): Promise<string | undefined> {
  return (await findTaxProfile(merchantId))?.timeZone;
}

/** Names the seller. Charges from now on have a tax, as far as there are registrations. */
export async function setTaxProfile(
  caller: Caller,
  input: z.output<typeof TaxProfileBody>,
  { requestId }: RequestFacts,
) {
  const { merchantId } = caller;
  const { country, tax_number: entered = '' } = input;
  const profile = {
    sellerName: input.seller_name,
    addressLine: input.address_line,
    postalCode: input.postal_code,
    city: input.city,
    country,
    taxNumber: sellerTaxNumber(country, entered) ?? refuseNumber('tax_number'),
    itemKind: input.item_kind ?? 'standard',
    timeZone: input.time_zone ?? 'UTC',
    pricesIncludeTax: input.prices_include_tax ?? true,
    shownPrices: input.shown_prices ?? 'by_country',
    calculation: input.calculation ?? 'table',
    invoiceNote: input.invoice_note ?? '',
    hasSeparateCorrections: hasSeparateCorrections(country),
  } as const;
  if (profile.calculation === 'provider') await refuseUnprovided(merchantId);
  await transaction(async (inTransaction) => {
    await saveTaxProfile(merchantId, profile, inTransaction);
    await audit(inTransaction, caller, { action: 'tax.profile', object: ['merchant', merchantId], requestId });
  });
  return getTaxSettings(caller);
}

/** A false number would stand on invoices. */
function refuseNumber(field: 'tax_number' | 'number'): never {
  const text = `The ${field} must be a valid tax number of the country.`;
  throw new AppError('invalid_input', { errors: { [field]: text } });
}

/** The tax of a provider needs an account of the merchant alone. */
async function refuseUnprovided(merchantId: number): Promise<void> {
  if (await findTaxAccount(merchantId)) return;
  const text = 'The calculation of the provider needs a Stripe account of your own. Connect it first.';
  throw new AppError('invalid_input', { errors: { calculation: text } });
}

/** Adds a registration, or changes the number of one that exists. A place without a known rate would have no tax. */
export async function addRegistration(
  caller: Caller,
  input: z.output<typeof RegistrationBody>,
  { requestId }: RequestFacts,
) {
  const { merchantId } = caller;
  const { country, region, scheme, number } = input;
  if (!(await findTaxProfile(merchantId)))
    throw new AppError('invalid_input', { errors: { country: 'The seller must be named before a registration.' } });
  if (region !== undefined && !region.startsWith(`${country}-`))
    throw new AppError('invalid_input', { errors: { region: 'The region must belong to the country.' } });
  const place = { country, region: region ?? null, scheme };
  refuseWithoutRate(place, await merchantNow(merchantId));
  const valid = registeredNumber({ country, region, scheme }, number ?? '') ?? refuseNumber('number');
  const row = { ...place, number: valid };
  await transaction(async (inTransaction) => {
    const id = await addRegistrationRow(merchantId, row, inTransaction);
    await audit(inTransaction, caller, { action: 'tax.register', object: ['tax_registration', id], requestId });
  });
  return getTaxSettings(caller);
}

type Place = Omit<RegistrationRow, 'id' | 'number'>;

const listPlacesWithoutRate = ({ country, region, scheme }: Place, at: Date) =>
  placesWithoutRate(rates, { country, region: region ?? undefined, scheme }, at.getTime());

function refuseWithoutRate(row: Place, at: Date): void {
  const places = listPlacesWithoutRate(row, at);
  if (places.length === 0) return;
  const field = row.scheme === 'oss' ? 'scheme' : row.region === null ? 'country' : 'region';
  const text = `There is no tax rate for ${places.join(', ')}. The operator adds rates in TAX_RATES_FILE (docs/tax.md, Rates).`;
  throw new AppError('invalid_input', { errors: { [field]: text } });
}

/** Charges that were made keep their tax. */
export async function removeRegistration(caller: Caller, id: number, { requestId }: RequestFacts) {
  await transaction(async (inTransaction) => {
    if (!(await removeRegistrationRow(caller.merchantId, id, inTransaction))) throw new AppError('not_found');
    await audit(inTransaction, caller, { action: 'tax.deregister', object: ['tax_registration', id], requestId });
  });
  return getTaxSettings(caller);
}

export async function setItemKind(
  caller: Caller,
  itemId: number,
  { item_kind: kind }: z.output<typeof ItemKindBody>,
  { requestId }: RequestFacts,
) {
  await transaction(async (inTransaction) => {
    if (!(await saveItemKind(caller.merchantId, itemId, kind, inTransaction))) throw new AppError('item_not_found');
    await audit(inTransaction, caller, { action: 'tax.item_kind', object: ['item', itemId], requestId });
  });
  return { item_id: itemId, item_kind: kind };
}
