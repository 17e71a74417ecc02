import { type Caller } from './auth';
import { AppError } from './errors';

/** Parts of the service that a merchant can turn off: a declaration names its own, and the kit asks before it is called. */

/** By the id of its row, or by the uuid that a path names. */
export type MerchantName = { id: number } | { uuid: string };

/** The names of what a merchant has turned off. */
export type FeaturesOff = (merchant: MerchantName) => Promise<ReadonlySet<string>>;

export interface Featured {
  /**
   * What it is a part of. The merchant is the caller's, or the path's `merchant_uuid`; where neither tells, the handler
   * asks itself.
   */
  feature?: string;
  /** Body fields that are parts of something: a feature by the name of the field. */
  featureFields?: Readonly<Record<string, string>>;
}

interface Asked {
  caller: Caller | undefined;
  params: Readonly<Record<string, string>>;
  fields: Readonly<Record<string, unknown>>;
}

const saysNo: readonly unknown[] = [undefined, null, '', false, 'false', 0, '0', 'off', 'no'];

/** Whether a merchant can turn anything of it off. */
export const isSwitchable = ({ feature, featureFields }: Featured) =>
  feature !== undefined || featureFields !== undefined;

/** Throws `feature_disabled`. Asks nothing where nothing is declared. */
export async function refuseTurnedOff(
  featuresOff: FeaturesOff,
  { feature, featureFields = {} }: Featured,
  { caller, params, fields }: Asked,
): Promise<void> {
  const sent = Object.entries(featureFields).filter(([field]) => !saysNo.includes(fields[field]));
  if (feature === undefined && sent.length === 0) return;
  const merchant = merchantOf(caller, params);
  if (!merchant) return;
  const off = await featuresOff(merchant);
  if (feature !== undefined && off.has(feature)) throw new AppError('feature_disabled');
  const refused = sent.filter(([, name]) => off.has(name));
  const errors = Object.fromEntries(
    refused.map(([field]) => [field, `The ${field} is of a feature that is turned off.`]),
  );
  if (refused.length > 0) throw new AppError('feature_disabled', { errors });
}

export function merchantOf(
  caller: Caller | undefined,
  params: Readonly<Record<string, string>>,
): MerchantName | undefined {
  if (caller) return { id: caller.merchantId };
  const uuid = params['merchant_uuid'];
  return uuid === undefined ? undefined : { uuid };
}
