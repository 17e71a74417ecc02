import { type Caller } from './auth';
import { AppError } from './errors';

/** Features that a merchant can turn off. A declaration names its feature, and the kit checks it before the handler. */

/** The merchant's row id, or the uuid in a path. */
export type MerchantName = { id: number } | { uuid: string };

/** Reads the features that a merchant has turned off. */
export type FeaturesOff = (merchant: MerchantName) => Promise<ReadonlySet<string>>;

export interface Featured {
  /**
   * The feature of the endpoint. Its merchant is the caller's, or the `merchant_uuid` of the path. Without either, the
   * handler checks the feature itself.
   */
  feature?: string;
  /** The features of body fields, by the name of the field. */
  featureFields?: Readonly<Record<string, string>>;
}

interface FeatureRequest {
  caller: Caller | undefined;
  params: Readonly<Record<string, string>>;
  fields: Readonly<Record<string, unknown>>;
}

const saysNo: readonly unknown[] = [undefined, null, '', false, 'false', 0, '0', 'off', 'no'];

/** Whether the endpoint or one of its fields belongs to a feature. */
export const isSwitchable = ({ feature, featureFields }: Featured) =>
  feature !== undefined || featureFields !== undefined;

/** Throws `feature_disabled`. It reads the merchant's features only if the endpoint or a sent field has one. */
export async function refuseTurnedOff(
  featuresOff: FeaturesOff,
  { feature, featureFields = {} }: Featured,
  { caller, params, fields }: FeatureRequest,
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
