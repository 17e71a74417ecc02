import { type z } from 'zod';
import { isTaxNumber, normalTaxNumber } from '../billing/tax/numbers';
import { type Caller } from '../kit/auth';
import { AppError } from '../kit/errors';
import { findDetails, saveDetails } from './billingDetails.model';
import { type BillingDetailsBody, type BillingDetailsResponse } from './billingDetails.schemas';

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
  };
}

/** The next charge uses them. Charges that were made, and their invoices, stay. */
export async function setBillingDetails(caller: Caller, input: z.output<typeof BillingDetailsBody>) {
  const { country, region, tax_number: entered } = input;
  if (region !== undefined && !region.startsWith(`${country}-`))
    throw new AppError('invalid_input', { errors: { region: 'The region must belong to the country.' } });
  await saveDetails(caller.merchantId, caller.accountId, {
    name: input.name ?? '',
    addressLine: input.address_line ?? '',
    postalCode: input.postal_code ?? '',
    city: input.city ?? '',
    region: region ?? null,
    country,
    taxNumber: entered === undefined ? '' : readTaxNumber(country, entered),
  });
  return getBillingDetails(caller);
}

function readTaxNumber(country: string, entered: string): string {
  const number = normalTaxNumber(country, entered);
  if (isTaxNumber(country, number)) return number;
  const text = 'The tax_number must be a valid tax number of the country.';
  throw new AppError('invalid_input', { errors: { tax_number: text } });
}
