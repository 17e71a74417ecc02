import { type z } from 'zod';
import { countryOf } from '../adapters/geoip';
import { environmentName } from '../adapters/settings';
import { type Caller } from '../kit/auth';
import { deviceOf } from '../kit/devices';
import { type RequestFacts } from '../kit/endpoint';
import { type SubscribeBody } from './subscriptions.schemas';

type Submitted = Pick<z.output<typeof SubscribeBody>, 'branding_id' | 'referrer' | 'return_url'>;

/** The origin of a purchase and the payer's return URL, which subscriptions and one-time payments store. */
export function originOf({ clientAddress }: Caller, input: Submitted, { userAgent }: Pick<RequestFacts, 'userAgent'>) {
  return {
    environment: environmentName,
    brandingId: input.branding_id ?? null,
    referrer: input.referrer ?? '',
    returnUrl: input.return_url ?? null,
    ipAddress: clientAddress,
    countryIso: countryOf(clientAddress) ?? '',
    device: deviceOf(userAgent),
  };
}

export type Origin = ReturnType<typeof originOf>;
