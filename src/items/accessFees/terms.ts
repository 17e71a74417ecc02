import { type z } from 'zod';
import { now } from '../../adapters/clock';
import { type Caller } from '../../kit/auth';
import { AppError } from '../../kit/errors';
import { endOfTime, periodEnd } from '../../billing/periods';
import { findCapability } from '../../billing/capabilities';
import { isAmount, isCurrency, toMajor, toMinor } from '../../billing/money';
import { type AccessTypeTerms, chooseAccessType } from '../accessTypes';
import { type ExternalFee } from './accessFees.model';
import { type AccessFeeBody } from './accessFees.schemas';
import { findCountrySetType } from './terms.model';

export type FeeInput = z.output<typeof AccessFeeBody>;

/** The checked terms of a fee: its type, its columns, and its names in stores. */
export interface FeeTerms {
  accessType: AccessTypeTerms;
  columns: Awaited<ReturnType<typeof columnsOf>>;
  externalFees: readonly Omit<ExternalFee, 'id'>[];
}

/** `where` is the prefix of field names in errors, for fees in another body: `access_fees.0.`. */
export async function readTerms(caller: Caller, input: FeeInput, where = ''): Promise<FeeTerms> {
  try {
    const accessType = await chooseAccessType(caller, input);
    refuseAbsent(input, accessType);
    refuseBadMoney(input);
    refuseBadDates(input);
    refuseTooLong(input, accessType);
    refuseWhatTypeForbids(input, accessType);
    return { accessType, columns: await columnsOf(caller, input), externalFees: input.external_fees ?? [] };
  } catch (error) {
    throw error instanceof AppError ? within(where, error) : error;
  }
}

async function columnsOf(caller: Caller, input: FeeInput) {
  return {
    amountMinor: toMinor(input.amount, input.currency),
    currency: input.currency,
    description: input.description,
    setupFeeMinor: input.setup_fee_amount === undefined ? null : toMinor(input.setup_fee_amount, input.currency),
    setupFeeDescription: input.setup_fee_description ?? null,
    trialQuantity: input.trial_period_quantity ?? null,
    trialPeriod: input.trial_period_period ?? null,
    trialDescription: input.trial_period_description ?? null,
    trialEndBehaviour: input.trial_end_behaviour ?? null,
    whenOwned: input.when_owned ?? null,
    ...(await countriesOf(caller, input)),
    startsAt: input.starts_at ?? null,
    expiresAt: input.expires_at ?? null,
  };
}

/** Refuses a fee without a required field, before other rules are checked. */
function refuseAbsent(input: FeeInput, { name }: AccessTypeTerms): void {
  const isTrial = saysTrial(input);
  const hasSet = input.country_set_id !== undefined;
  const needed = {
    expires_at: name === 'ppv_custom',
    trial_period_quantity: isTrial,
    trial_period_period: isTrial,
    country_iso: !hasSet && input.restriction_type !== undefined,
    restriction_type: !hasSet && input.country_iso !== undefined,
  };
  const absent = (Object.keys(needed) as (keyof typeof needed)[])
    .filter((field) => needed[field] && input[field] === undefined)
    .map((field) => [field, `The ${field} must not be empty.`] as const);
  if (absent.length > 0) throw new AppError('missing_parameter', { errors: Object.fromEntries(absent) });
}

function saysTrial(input: FeeInput): boolean {
  const { trial_period_quantity: quantity, trial_period_period: period, trial_period_description: text } = input;
  return [quantity, period, text, input.trial_end_behaviour].some((value) => value !== undefined);
}

function refuseBadMoney(input: FeeInput): void {
  const { currency } = input;
  if (!isCurrency(currency)) throw invalid('currency', 'must be an ISO 4217 code');
  for (const name of ['amount', 'setup_fee_amount'] as const)
    if (input[name] !== undefined && !isAmount(input[name], currency))
      throw invalid(name, `has more decimals than ${currency}`);
  refuseUnchargeable(input);
}

/** Refuses prices that no card can pay. The setup fee is charged together with the amount. */
function refuseUnchargeable({ amount, setup_fee_amount: setupFee = 0, currency }: FeeInput): void {
  if (amount === 0 && setupFee === 0) return;
  const capability = findCapability(currency);
  if (!capability) throw invalid('currency', `must be one that cards can be charged in, which ${currency} is not`);
  const { least, most, step } = capability;
  const text = (minor: number) => `${toMajor(minor, currency)} ${currency}`;
  const charged = [
    ['amount', amount],
    ['setup_fee_amount', setupFee],
  ] as const;
  for (const [name, major] of charged)
    if (toMinor(major, currency) % step !== 0) throw invalid(name, `must be a multiple of ${text(step)}`);
  const [name, first] = amount === 0 ? charged[1] : charged[0];
  if (toMinor(first, currency) < least) throw invalid(name, `must be 0 or at least ${text(least)}`);
  if (toMinor(amount, currency) > most) throw invalid('amount', `must not be above ${text(most)}`);
  if (toMinor(amount, currency) + toMinor(setupFee, currency) > most)
    throw invalid('setup_fee_amount', `must not be above ${text(most)} together with the amount`);
}

function refuseBadDates({ starts_at: startsAt, expires_at: expiresAt }: FeeInput): void {
  if (startsAt !== undefined && expiresAt !== undefined && expiresAt <= startsAt)
    throw invalid('expires_at', 'must be after the starts_at');
}

/** Refuses access that ends after `endOfTime`, because existing clients decode 32-bit times. */
function refuseTooLong({ expires_at: expiresAt }: FeeInput, { name, quantity, period }: AccessTypeTerms): void {
  const bound = endOfTime.toISOString();
  if (name === 'ppv_custom' && expiresAt !== undefined && expiresAt > endOfTime)
    throw invalid('expires_at', `must be at or before ${bound}`);
  const isPeriodic = name === 'ppv' || name === 'subscription';
  if (isPeriodic && periodEnd(now(), 1, { quantity, period }) > endOfTime)
    throw invalid('quantity', `makes access end after ${bound}`);
}

function refuseWhatTypeForbids(input: FeeInput, { name }: AccessTypeTerms): void {
  if (name === 'freemium' && input.amount !== 0) throw invalid('amount', 'must be 0 for the type freemium');
  if (name === 'freemium' && (input.setup_fee_amount ?? 0) !== 0)
    throw invalid('setup_fee_amount', 'must be 0 for the type freemium');
  if (name !== 'subscription' && input.trial_period_quantity !== undefined)
    throw invalid('trial_period_quantity', 'is for the type subscription');
  if (name !== 'ppv' && input.when_owned !== undefined) throw invalid('when_owned', 'is for the type ppv');
}

/**
 * The fee is limited to a country, which needs a restriction type, or to a country set, which has its own type. A fee
 * with the type of the set changes together with the set. A fee with the other type keeps that type.
 */
async function countriesOf({ merchantId }: Caller, input: FeeInput) {
  const { country_iso: countryIso, country_set_id: countrySetId, restriction_type: type } = input;
  if (countryIso !== undefined && countrySetId !== undefined)
    throw invalid('country_set_id', 'must not be sent with a country_iso');
  if (countrySetId !== undefined) {
    const typeOfSet = await findCountrySetType(merchantId, countrySetId);
    if (typeOfSet === undefined) throw new AppError('country_set_not_found');
    return { countryIso: null, countrySetId, restrictionType: type === typeOfSet ? null : (type ?? null) };
  }
  return { countryIso: countryIso ?? null, countrySetId: null, restrictionType: type ?? null };
}

function invalid(name: string, text: string): AppError {
  return new AppError('invalid_input', { errors: { [name]: `The ${name} ${text}.` } });
}

/** The same error for a field inside another body. */
function within(where: string, { code, details }: AppError): AppError {
  if (where === '' || details.errors === undefined) return new AppError(code, details);
  const errors = Object.entries(details.errors).map(([name, text]) => [
    `${where}${name}`,
    text.replace(`The ${name} `, `The ${where}${name} `),
  ]);
  return new AppError(code, { ...details, errors: Object.fromEntries(errors) as Record<string, string> });
}
