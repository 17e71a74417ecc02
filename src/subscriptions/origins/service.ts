import { type z } from 'zod';
import { countryOf } from '../../adapters/geoip';
import { environmentName } from '../../adapters/settings';
import { type Caller } from '../../kit/auth';
import { deviceOf } from '../../kit/devices';
import { type RequestFacts } from '../../kit/endpoint';
import { type SubscribeBody } from '../schemas';

type Submitted = Pick<z.output<typeof SubscribeBody>, 'branding_id' | 'referrer' | 'return_url'>;

/** Where a purchase came from, and where its payer goes back to: what a subscription and a one-time payment both keep. */
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
