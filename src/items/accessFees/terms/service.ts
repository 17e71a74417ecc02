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
    refuseBadMoney(input);
    refuseBadDates(input);
    const accessType = await chooseAccessType(caller, input);
    refuseWhatTypeForbids(input, accessType);
    refuseHalfTrial(input);
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
    ...(await countriesOf(caller, input)),
    startsAt: input.starts_at ?? null,
    expiresAt: input.expires_at ?? null,
  };
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
  if (name === 'ppv_custom' && input.expires_at === undefined) throw missing('expires_at');
  if (name === 'freemium' && input.amount !== 0) throw invalid('amount', 'must be 0 for the type freemium');
  if (name === 'freemium' && (input.setup_fee_amount ?? 0) !== 0)
    throw invalid('setup_fee_amount', 'must be 0 for the type freemium');
  if (name !== 'subscription' && input.trial_period_quantity !== undefined)
    throw invalid('trial_period_quantity', 'is for the type subscription');
}

function refuseHalfTrial(input: FeeInput): void {
  const { trial_period_quantity: quantity, trial_period_period: period, trial_period_description: text } = input;
  const said = [quantity, period, text, input.trial_end_behaviour];
  const isWanted = said.some((value) => value !== undefined);
  if (isWanted && quantity === undefined) throw missing('trial_period_quantity');
  if (isWanted && period === undefined) throw missing('trial_period_period');
}

/** By a country, which needs its type said, or by a set, which has one of its own that a fee may turn round. */
async function countriesOf({ merchantId }: Caller, input: FeeInput) {
  const { country_iso: countryIso, country_set_id: countrySetId, restriction_type: type } = input;
  if (countryIso !== undefined && countrySetId !== undefined)
    throw invalid('country_set_id', 'must not be sent with a country_iso');
  if (countrySetId !== undefined) {
    const typeOfSet = await findCountrySetType(merchantId, countrySetId);
    if (typeOfSet === undefined) throw new AppError('country_set_not_found');
    return { countryIso: null, countrySetId, restrictionType: type ?? typeOfSet };
  }
  if (countryIso === undefined && type !== undefined) throw missing('country_iso');
  if (countryIso !== undefined && type === undefined) throw missing('restriction_type');
  return { countryIso: countryIso ?? null, countrySetId: null, restrictionType: type ?? null };
}

function invalid(name: string, text: string): AppError {
  return new AppError('invalid_input', { errors: { [name]: `The ${name} ${text}.` } });
}

function missing(name: string): AppError {
  return new AppError('missing_parameter', { errors: { [name]: `The ${name} must not be empty.` } });
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
