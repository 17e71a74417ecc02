import { countryOf } from '../adapters/geoip';
import { logger } from '../adapters/logger';
import { type Transaction } from '../adapters/postgres/connection';
import { type AddedTax } from '../billing/tax/addedTax';
import { AppError } from '../kit/errors';
import { askProvider, notLocated, type ProvidedTax } from './calculators';
import { findQuotedCase, findRenewedCase, type RenewedCaseRow, type TaxCaseRow } from './chargeTaxes.model';
import { decide, readCase } from './taxCases';

/** The tax that is added to prices without tax. It is decided with the amount. */

export interface Customer {
  merchantId: number;
  accountId: number;
}

type Buyer = Customer & { clientAddress: string };

interface PricedItem {
  itemId: number;
  currency: string;
  addsTax: boolean;
}

/** `providedTax`: the answer of the merchant's provider for a purchase that is being made. */
export type Taxed<Item> = Item & { providedTax?: AddedTax };

/**
 * The tax that is added to the price of a new purchase. Null if the merchant's prices include tax. A provider is not asked
 * inside of a transaction: `withProvidedTax` asks it before.
 */
export async function decideAddedTax(
  buyer: Buyer,
  item: Taxed<PricedItem>,
  inTransaction?: Transaction,
): Promise<AddedTax | null> {
  if (!item.addsTax) return null;
  const { itemId, currency } = item;
  const of = { itemId, currency, network: countryOf(buyer.clientAddress) };
  const row = await findQuotedCase(buyer.merchantId, buyer.accountId, of, inTransaction);
  if (!row || row.pricesIncludeTax) return null;
  if (!row.isProvided) return decide(row);
  if (item.providedTax) return item.providedTax;
  // The merchant has chosen its provider since the purchase began. The next try asks it.
  if (inTransaction) throw taxUnknown();
  return askAddedTax(buyer, row, currency);
}

/** The same item, with the answer of the provider if it calculates the tax. Without an answer nothing is sold. */
export async function withProvidedTax<Item extends PricedItem>(buyer: Buyer, item: Item): Promise<Taxed<Item>> {
  if (!item.addsTax) return item;
  const { itemId, currency } = item;
  const of = { itemId, currency, network: countryOf(buyer.clientAddress) };
  const row = await findQuotedCase(buyer.merchantId, buyer.accountId, of);
  if (!row?.isProvided || row.pricesIncludeTax) return item;
  return { ...item, providedTax: await askAddedTax(buyer, row, currency) };
}

/**
 * The tax of the provider for a customer who is about to pay. Throws `service_unavailable`, or `invalid_input` with the field
 * of the address.
 */
export async function askAddedTax({ merchantId }: Customer, row: TaxCaseRow, currency: string): Promise<AddedTax> {
  const answer = await askRate(merchantId, row, currency);
  if (answer.outcome === 'not_located') throw placeUnknown(row);
  const tax = addedBy(row, answer);
  if (tax) return tax;
  logger.warn({ merchant: merchantId, outcome: answer.outcome }, 'a price has no total: the tax is not known');
  throw taxUnknown();
}

const taxUnknown = () =>
  new AppError('service_unavailable', { explain: 'The tax cannot be calculated at the moment. Nothing was charged.' });

function placeUnknown({ postalCode, region }: TaxCaseRow): AppError {
  if (!postalCode)
    return new AppError('invalid_input', {
      errors: { postal_code: 'The postal_code of the billing details must not be empty.' },
    });
  const field = region === null ? 'region' : 'postal_code';
  return new AppError('invalid_input', {
    errors: { [field]: `The ${field} of the billing details must belong to the address.` },
  });
}

/** One hundred of a currency with two decimals, so that no part of the tax is rounded to zero. */
const sampleMinor = 10_000;

/** The rate of a customer. A person or a period waits for it, so the provider has little time. */
function askRate(merchantId: number, row: TaxCaseRow, currency: string): Promise<ProvidedTax> {
  return askProvider(
    { merchantId, amountMinor: sampleMinor, isNet: true, currency, isQuote: true },
    row,
    readCase(row),
  );
}

/** Undefined without an answer. */
function addedBy(row: TaxCaseRow, answer: ProvidedTax): AddedTax | undefined {
  const { kind, evidence } = readCase(row);
  if (answer.outcome === 'calculated') return { ...answer.decision, kind, evidence };
  if (answer.outcome === 'not_located') return { ...notLocated(row, evidence), kind, evidence };
  return undefined;
}

/** The provider's answer about a next price, and undefined without one. A provider that was not asked yet is `wanted`. */
export type AnsweredTax = AddedTax | 'wanted' | undefined;

/** The next price of a subscription needs the answer of the provider. */
class AnswerWanted extends AppError {
  constructor(readonly row: RenewedCaseRow) {
    super('service_unavailable', { explain: 'The tax of the next price is not known yet.' });
  }
}

/**
 * Fixes the next price of a subscription. A provider is not asked inside of a transaction: the work is then rolled back, and
 * runs again with the answer. So nothing more is read for subscriptions whose tax no provider calculates.
 */
export async function withRenewedTax<Result>(fix: (provided: AnsweredTax) => Promise<Result>): Promise<Result> {
  try {
    return await fix('wanted');
  } catch (error) {
    if (!(error instanceof AnswerWanted)) throw error;
    const { row } = error;
    return fix(addedBy(row, await askRate(row.merchantId, row, row.currency)));
  }
}

/**
 * The tax that is added to the next price of a subscription. A subscription keeps what it was bought with. Without an answer
 * of the provider, the stored tax stays.
 */
export async function renewAddedTax(
  { id, addedTax }: { id: number; addedTax: AddedTax | null },
  at: Date,
  inTransaction?: Transaction,
  provided?: AnsweredTax,
): Promise<AddedTax | null> {
  const row = addedTax === null ? undefined : await findRenewedCase(id, at, inTransaction);
  if (!row) return addedTax;
  if (!row.isProvided) return decide(row);
  if (provided === 'wanted') throw new AnswerWanted(row);
  return provided ?? addedTax;
}
