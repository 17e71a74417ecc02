import { type z } from 'zod';
import { unixSeconds } from '../kit/time';
import { type CountrySet } from './countrySets.model';
import { type CountrySetResponse } from './countrySets.schemas';

export function presentCountrySet(set: CountrySet): z.output<typeof CountrySetResponse> {
  const countries = (set.countries ?? []).map(({ country }) => country);
  return {
    id: set.id,
    merchant_id: set.merchantId,
    name: set.name,
    type: set.type,
    global: set.isGlobal,
    countries: countries.sort().map((country) => ({ country })),
    created_at: unixSeconds(set.createdAt),
  };
}
