import { type z } from 'zod';
import { merchantTime } from '../../adapters/clock';
import { floorMinor, formatAmount, toMajor } from '../../billing/money';
import { getSellableFee } from '../../items/accessFees/accessFees';
import { type Caller } from '../../kit/auth';
import { type RequestFacts } from '../../kit/endpoint';
import { AppError } from '../../kit/errors';
import { debitDaysMax } from '../../kit/paymentMethods';
import { withRenewedTax } from '../../tax/addedTaxes';
import { quoteNextTax } from '../../tax/quotedTaxes';
import { presentPart } from '../../tax/taxQuotes';
import * as switches from '../lifecycle/switches';
import { renewsTooOften } from '../methods/methods';
import { discountUnder, getPlan } from '../plans';
import { refuseChangedPrice } from '../quotes';
import { refuseUnconfirmedChange } from '../savedCards';
import { type Subscription } from '../subscriptions.model';
import { changeNow, getLiving, refuseWithoutCard } from './changes';
import { findSwitch } from './changes.model';
import { presentPreview } from './changes.presenter';
import { type SwitchBody, type SwitchChoice } from './changes.schemas';
import { unlessKnown } from './requests';

/** The change of the plan of a running subscription, and its price beforehand. */

export async function switchPlan(
  caller: Caller,
  token: string,
  input: z.output<typeof SwitchBody>,
  request: RequestFacts,
) {
  const row = await getLiving(caller, token);
  const change = changeOf(row, input);
  await unlessKnown(row, change, request, async () => {
    await refuseForbiddenSwitch(caller, row, input);
    const plan = await getPlan(row.merchantId, change.accessFeeId);
    refuseWithoutCard({ ...row.get(), ...(await discountUnder(row, plan)) }, plan.amountMinor);
    const { totalMinor } = (await quoteNow(row, input)).quote;
    refuseChangedPrice(totalMinor, row.currency, input);
    if (totalMinor > 0) await refuseUnconfirmedChange(caller, row, request);
  });
  return changeNow(caller, row, { change, request, done: 'The plan is changed' });
}

/** The change as the run gets it. It may wait for a worker, so the shown total goes with it. */
function changeOf({ currency }: Subscription, input: z.output<typeof SwitchBody>) {
  const { access_fee_id: accessFeeId, mode, expected_amount: shown } = input;
  const limit = shown !== undefined && { maxMinor: floorMinor(shown, currency) };
  return { kind: 'switch', accessFeeId, ...(mode && { mode }), ...limit } as const;
}

async function quoteNow(row: Subscription, { access_fee_id: accessFeeId, mode }: z.output<typeof SwitchChoice>) {
  const { atMs } = await merchantTime(row.merchantId);
  const choice = { accessFeeId, atMs, ...(mode && { mode }) };
  return withRenewedTax(async (provided) => ({
    atMs,
    provided,
    ...(await switches.previewSwitch(row, choice, { provided })),
  }));
}

/** The price of a plan change now, computed like the charge itself. */
export async function previewSwitch(caller: Caller, token: string, input: z.output<typeof SwitchChoice>) {
  const row = await getLiving(caller, token);
  await refuseForbiddenSwitch(caller, row, input);
  const { atMs, provided, quote, description, startsAt } = await quoteNow(row, input);
  const { currency, itemId, countryIso } = row;
  const about = {
    itemId,
    currency,
    amountMinor: quote.totalMinor,
    network: countryIso === '' ? undefined : countryIso,
  };
  const tax = await quoteNextTax(row, about, new Date(atMs), provided);
  return presentPreview(currency, {
    mode: quote.mode,
    from: row.accessFee?.description ?? '',
    to: description,
    credit: toMajor(quote.creditMinor, currency),
    charge: toMajor(quote.chargeMinor, currency),
    total: toMajor(quote.totalMinor, currency),
    formattedTotal: formatAmount(quote.totalMinor, currency),
    balance: toMajor(quote.balanceMinor, currency),
    startsAt,
    tax: presentPart(tax, quote.totalMinor, currency),
  });
}

/**
 * A switch needs another fee of the same item in the same currency, and an item that allows switches. A consumer can
 * only switch to a fee that is on sale to them. The fee is not checked against a country for a merchant's request,
 * because that request does not come from the customer's country. Consumers may pay with the next invoice only if the
 * item allows it.
 */
export async function refuseForbiddenSwitch(
  caller: Caller,
  row: Subscription,
  { access_fee_id: accessFeeId, mode }: z.output<typeof SwitchChoice>,
): Promise<void> {
  const found = await findSwitch(row.id, accessFeeId);
  if (!found) throw new AppError('access_fee_not_found');
  if (caller.role !== 'merchant') await getSellableFee(caller, accessFeeId);
  const rules: [isKept: boolean, rule: string][] = [
    [accessFeeId !== row.accessFeeId, 'be another fee than the present one'],
    [found.isOfItem, 'be of the same item'],
    [found.isSubscription, 'be of the type subscription'],
    [found.isSameCurrency, 'be in the same currency'],
    [
      !found.isDebit || !renewsTooOften(found),
      `renew every ${debitDaysMax} days or less often, because a direct debit pays`,
    ],
  ];
  const [, broken] = rules.find(([isKept]) => !isKept) ?? [];
  if (broken !== undefined)
    throw new AppError('invalid_input', { errors: { access_fee_id: `The access_fee_id must ${broken}.` } });
  if (mode === 'next_invoice' && caller.role !== 'merchant' && !found.isLaterAllowed)
    throw new AppError('invalid_input', { errors: { mode: 'The mode next_invoice is not allowed for this item.' } });
  if (!found.isEnabled)
    throw new AppError('subscription_state', { explain: 'The plans of this item cannot be changed.' });
}
