import { type z } from 'zod';
import { now } from '../adapters/clock';
import { hasRegister, lookUpTaxNumber } from '../adapters/vies';
import { isTaxNumber, normalTaxNumber } from '../billing/tax/numbers';
import { hasTaxRegister, isInUnion, regionOfAddress } from '../billing/tax/places';
import { type Caller } from '../kit/auth';
import { AppError } from '../kit/errors';
import { unixSeconds } from '../kit/time';
import { type BillingDetails, findDetails, removeTaxNumber, saveDetails } from './billingDetails.model';
import { type BillingDetailsBody, type BillingDetailsResponse } from './billingDetails.schemas';
import { findTaxProfile } from './taxSettings.model';

export async function getBillingDetails({
  merchantId,
  accountId,
}: Caller): Promise<z.output<typeof BillingDetailsResponse>> {
  const details = await findDetails(merchantId, accountId);
  return {
    name: details?.name ?? '',
    address_line: details?.addressLine ?? '',
    postal_code: details?.postalCode ?? '',
    city: details?.city ?? '',
    region: details?.region ?? '',
    country: details?.country ?? '',
    tax_number: details?.taxNumber ?? '',
    tax_number_confirmed_at: details?.confirmedAt ? unixSeconds(details.confirmedAt) : null,
    tax_number_state: details ? stateOf(details) : 'none',
    removed_tax_number: details?.removedNumber ?? '',
  };
}

/** A number waits only if there is a register that can be asked. */
function stateOf({ taxNumber, confirmedAt, country, region }: BillingDetails) {
  if (taxNumber === '') return 'none';
  if (confirmedAt !== null) return 'confirmed';
  return hasRegister && hasTaxRegister(country, region ?? undefined) ? 'waiting' : 'form';
}

/** The next charge uses them. Charges that were made, and their invoices, stay. */
export async function setBillingDetails(caller: Caller, input: z.output<typeof BillingDetailsBody>) {
  const { country, tax_number: entered, postal_code: postalCode = '' } = input;
  if (input.region !== undefined && !input.region.startsWith(`${country}-`))
    throw new AppError('invalid_input', { errors: { region: 'The region must belong to the country.' } });
  await refuseUnlocated(caller, input);
  const region = regionOfAddress(country, postalCode, input.region);
  const taxNumber = entered === undefined ? '' : readTaxNumber(country, entered);
  const isRegistrable = taxNumber !== '' && hasTaxRegister(country, region);
  await saveDetails(caller.merchantId, caller.accountId, {
    name: input.name ?? '',
    addressLine: input.address_line ?? '',
    postalCode,
    city: input.city ?? '',
    region: region ?? null,
    country,
    hasRegister: isRegistrable,
    ...(isRegistrable ? await confirm(caller, taxNumber) : unconfirmed(taxNumber)),
  });
  return getBillingDetails(caller);
}

/**
 * A provider that calculates the tax locates the customer by the postal code in the United States, and by the province or
 * the postal code in Canada.
 */
async function refuseUnlocated({ merchantId }: Caller, { country, region, postal_code }: Address): Promise<void> {
  if ((postal_code ?? '') !== '' || (country !== 'US' && (country !== 'CA' || region !== undefined))) return;
  if ((await findTaxProfile(merchantId))?.calculation !== 'provider') return;
  const field = country === 'US' ? 'postal_code' : 'region';
  throw new AppError('invalid_input', { errors: { [field]: `The ${field} must not be empty.` } });
}

type Address = Pick<z.output<typeof BillingDetailsBody>, 'country' | 'region' | 'postal_code'>;

function readTaxNumber(country: string, entered: string): string {
  const number = normalTaxNumber(country, entered);
  if (isTaxNumber(country, number)) return number;
  const text = 'The tax_number must be a valid tax number of the country.';
  throw new AppError('invalid_input', { errors: { tax_number: text } });
}

type Confirmation = Pick<BillingDetails, 'taxNumber' | 'confirmedAt' | 'confirmation' | 'entry'>;

const unconfirmed = (taxNumber: string): Confirmation => ({
  taxNumber,
  confirmedAt: null,
  confirmation: '',
  entry: '',
});

/**
 * Looks up a new number of the European Union in VIES, and refuses one that is not registered. A number that cannot be looked
 * up now is accepted by its form, and is looked up again in the next hour (`lookUpTaxNumbers`).
 */
async function confirm({ merchantId, accountId }: Caller, taxNumber: string): Promise<Confirmation> {
  const known = await findDetails(merchantId, accountId);
  if (known?.taxNumber === taxNumber && known.confirmedAt !== null)
    return { taxNumber, confirmedAt: known.confirmedAt, confirmation: known.confirmation, entry: known.entry };
  const found = await lookUpTaxNumber(taxNumber, await findRequester(merchantId));
  if (found.outcome === 'unknown' || found.outcome === 'refused') return unconfirmed(taxNumber);
  if (found.outcome === 'registered')
    return { taxNumber, confirmedAt: now(), confirmation: found.reference, entry: found.entry };
  // The number can be stored from a time at which VIES did not answer. The customer is not a business any more.
  await removeTaxNumber({ merchantId, accountId, taxNumber }, now());
  const text = 'The tax_number is not registered in VIES, the register of the European Union.';
  throw new AppError('invalid_input', { errors: { tax_number: text } });
}

/** The merchant's own number of the European Union; empty without one. */
export async function findRequester(merchantId: number): Promise<string> {
  const seller = await findTaxProfile(merchantId);
  if (!seller || !isInUnion(seller.country)) return '';
  return isTaxNumber(seller.country, seller.taxNumber) ? seller.taxNumber : '';
}
