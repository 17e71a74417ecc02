import { type z } from 'zod';
import { type Caller } from '../../../kit/auth';
import { AppError } from '../../../kit/errors';
import { isAmount, isCurrency, toMinor } from '../../../subscriptions/billing/money';
import { type AccessTypeTerms, chooseAccessType } from '../../accessTypes/service';
import { type ExternalFee } from '../model';
import { type AccessFeeBody } from '../schemas';
import { findCountrySetType } from './model';

export type FeeInput = z.output<typeof AccessFeeBody>;

/** What a fee says once everything that was sent has been checked: its type, columns, and names in stores. */
export interface FeeTerms {
  accessType: AccessTypeTerms;
  columns: Awaited<ReturnType<typeof columnsOf>>;
  externalFees: readonly Omit<ExternalFee, 'id'>[];
}

/** `where`: what errors put before a field's name, for fees within another body: `access_fees.0.`. */
export async function readTerms(caller: Caller, input: FeeInput, where = ''): Promise<FeeTerms> {
  try {
    const accessType = await chooseAccessType(caller, input);
    refuseAbsent(input, accessType);
    refuseBadMoney(input);
    refuseBadDates(input);
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

/** All that what was sent needs besides, before any of it is checked (decisions 2). */
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
}

function refuseBadDates({ starts_at: startsAt, expires_at: expiresAt }: FeeInput): void {
  if (startsAt !== undefined && expiresAt !== undefined && expiresAt <= startsAt)
    throw invalid('expires_at', 'must be after the starts_at');
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
 * By a country, which needs its type said, or by a set, which has one of its own. A fee that says the same follows the set,
 * so that one which is sent as it was read goes on doing so; another type turns the set round, and stays.
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

/** The same complaint about a field deeper in a body. */
function within(where: string, { code, details }: AppError): AppError {
  if (where === '' || details.errors === undefined) return new AppError(code, details);
  const errors = Object.entries(details.errors).map(([name, text]) => [
    `${where}${name}`,
    text.replace(`The ${name} `, `The ${where}${name} `),
  ]);
  return new AppError(code, { ...details, errors: Object.fromEntries(errors) as Record<string, string> });
}
