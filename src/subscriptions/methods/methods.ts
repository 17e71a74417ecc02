import { type z } from 'zod';
import { allowsMethod } from '../../accounts/merchants/followers';
import { countryOf } from '../../adapters/geoip';
import { type CardProvider } from '../../adapters/cardProviders/provider';
import {
  debitCurrency,
  debitDaysMax,
  findRedirectName,
  findWalletName,
  formNames,
  isOfForm,
  methodCountries,
  methodNames,
  paymentMethods,
  paypalCurrencies,
  type MethodName,
} from '../../kit/paymentMethods';
import { daysOf, type PeriodUnit } from '../../billing/periods';
import { getSellableFee, listSoldFees } from '../../items/accessFees/accessFees';
import { type Caller } from '../../kit/auth';
import { AppError } from '../../kit/errors';
import { listStoreMethods } from '../../stores/stores';
import { type Transaction } from '../../adapters/postgres/connection';
import { getPlan } from '../plans';
import { getProvider } from '../provider/providers';
import { type Subscription } from '../subscriptions.model';
import { type MethodQuery } from './methods.schemas';

/**
 * The methods that can pay: those that the merchant has enabled, that the card provider supports, and that fit the
 * price. The error for any other method contains its name, so that a client can distinguish it from a wrong address.
 */

/** The properties of a fee that decide on its methods. */
interface SoldFee {
  currency: string;
  accessType: string;
  quantity: number;
  period: PeriodUnit;
}

/**
 * Lists the methods of the merchant for a visitor. With an item, a fee or a currency, only the methods that can pay for it.
 * A purchase can name a method that the visitor is not offered: a customer may travel.
 */
export async function listPaymentMethods(caller: Caller, query: z.output<typeof MethodQuery>) {
  const fees = await findFees(caller, query);
  const provider = await getProvider(caller.merchantId);
  const country = countryOf(caller.clientAddress);
  const offered: MethodName[] = [];
  for (const name of methodNames) {
    const pays = fees === undefined || fees.some((fee) => findMismatch(name, fee) === undefined);
    const fits = findWrongCurrency(name, query.currency) === undefined && isUsedIn(name, country);
    if (pays && fits && isMade(name, provider) && (await allowsMethod(caller.merchantId, name))) offered.push(name);
  }
  const own = offered.map((name) => ({
    id: paymentMethods[name].id,
    method_name: paymentMethods[name].title,
    is_external: name === 'paypal',
  }));
  return [...own, ...(await listStoreMethods(caller.merchantId))];
}

/** A visitor whose country is not known may be from anywhere. */
function isUsedIn(name: MethodName, country: string | undefined): boolean {
  return country === undefined || (methodCountries[name]?.includes(country) ?? true);
}

/** Undefined if neither an item nor a fee is named. */
async function findFees(caller: Caller, query: z.output<typeof MethodQuery>): Promise<SoldFee[] | undefined> {
  const { access_fee_id: feeId, item_id: itemId } = query;
  if (feeId !== undefined) return [await getSellableFee(caller, feeId)];
  if (itemId === undefined) return undefined;
  return listSoldFees(caller, itemId);
}

/** Throws `payment_method_not_offered` unless the merchant offers the method. */
export async function refuseMethod(caller: Pick<Caller, 'merchantId'>, name: MethodName): Promise<void> {
  if (!(await isOffered(caller, name))) throw notOffered(name);
}

/** Whether the merchant has enabled the method and its provider supports it. */
export async function isOffered({ merchantId }: Pick<Caller, 'merchantId'>, name: MethodName): Promise<boolean> {
  const canPay = name === 'card' || isMade(name, await getProvider(merchantId));
  return canPay && allowsMethod(merchantId, name);
}

/**
 * Like `refuseMethod`, for the name in a request. The name of a form method only says that the form pays: a page need not know
 * what its form has made. `findPayingCard` then checks what pays. Without a name, the purchase may need no payment.
 */
export async function refuseNamed(caller: Pick<Caller, 'merchantId'>, name: MethodName | undefined): Promise<void> {
  if (name === undefined) return;
  if (!isOfForm(name)) return refuseMethod(caller, name);
  for (const kind of formNames) if (await allowsMethod(caller.merchantId, kind)) return;
  throw notOffered(name);
}

/** Throws `payment_method_not_offered` for every method but one, at an address of that method. */
export function refuseAllBut(only: MethodName, name: MethodName): void {
  if (name !== only) throw notOffered(name, `This address takes ${paymentMethods[only].title} only.`);
}

/** Throws `payment_method_not_offered` if the method cannot pay for the fee. */
export function refuseMisfit(name: MethodName, fee: SoldFee): void {
  const mismatch = findMismatch(name, fee);
  if (mismatch !== undefined) throw notOffered(name, mismatch);
}

/** The reason why a method cannot pay for a running subscription, or for the plan that it changes to; undefined if it can. */
export async function findPlanMismatch(
  row: Subscription,
  name: MethodName,
  inTransaction?: Transaction,
): Promise<string | undefined> {
  const { currency, periodQuantity: quantity, period, pendingAccessFeeId } = row;
  const accessType = 'subscription';
  const present = findMismatch(name, { currency, accessType, quantity, period });
  if (present !== undefined || pendingAccessFeeId === null) return present;
  const plan = await getPlan(row.merchantId, pendingAccessFeeId, inTransaction);
  return findMismatch(name, { ...plan, accessType });
}

/** Refuses a request for a method that no card provider supports. */
export function refuseUnoffered(title: string): Promise<never> {
  return Promise.reject(refusal(`The payment method ${title} is not offered here.`));
}

/** Whether the merchant's card provider makes payments by a method. */
export async function canMake(merchantId: number, name: MethodName): Promise<boolean> {
  return isMade(name, await getProvider(merchantId));
}

function isMade(name: MethodName, { debits, redirects, paymentForm }: CardProvider): boolean {
  if (findRedirectName(name)) return redirects !== undefined;
  if (name === 'link') return paymentForm !== undefined;
  if (findWalletName(name)) return redirects?.makesWallets === true;
  return name === 'card' || (name === 'direct_debit' && debits !== undefined);
}

/** The reason why the method cannot pay for a fee; undefined if it can. */
function findMismatch(name: MethodName, { currency, accessType, quantity, period }: SoldFee): string | undefined {
  const wrong = findWrongCurrency(name, currency);
  if (wrong !== undefined || !renewsByDebit(name)) return wrong;
  if (accessType === 'subscription' && renewsTooOften({ quantity, period }))
    return `A direct debit takes up to ${debitDaysMax} days, so it cannot pay for a plan that renews more often.`;
  return undefined;
}

/** Whether a plan renews before a bank has decided on the direct debit of the previous period. */
export const renewsTooOften = (plan: Pick<SoldFee, 'quantity' | 'period'>) => daysOf(plan) < debitDaysMax;

/** Whether the renewals of a method are direct debits, which take days. */
export const renewsByDebit = (name: MethodName) => name !== 'paypal' && (name === 'direct_debit' || isRedirect(name));

const isRedirect = (name: MethodName) => findRedirectName(name) !== undefined;

/** The reason why the method cannot pay in a currency. */
function findWrongCurrency(name: MethodName, currency: string | undefined): string | undefined {
  if (currency === undefined) return undefined;
  if (name === 'paypal') return paypalCurrencies.includes(currency) ? undefined : `PayPal takes no ${currency}.`;
  if (!renewsByDebit(name) || currency === debitCurrency) return undefined;
  const what = name === 'direct_debit' ? 'A direct debit' : paymentMethods[name].title;
  return `${what} is in ${debitCurrency} only.`;
}

/** A payment on a page moves money, so it cannot begin a trial or another free period. */
export const beginsWithPayment = (name: MethodName) =>
  notOffered(name, 'It cannot begin a subscription whose first period is free.');

export const notOffered = (name: MethodName, why?: string) =>
  refusal(`The payment method ${paymentMethods[name].title} is not offered here.${why === undefined ? '' : ` ${why}`}`);

const refusal = (explain: string) =>
  new AppError('payment_method_not_offered', { explain, errors: { payment_method: explain } });
